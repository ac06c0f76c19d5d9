#include "tests/support/check.h"

#include <CUnit/Basic.h>

#include <stdio.h>
#include <string.h>

static void add_suite(const nd_suite *suite) {
    CU_pSuite added = CU_add_suite(suite->name, nd_test_next_suite, NULL);
    for (size_t i = 0; i < suite->count; i++) {
        CU_add_test(added, suite->tests[i].name, suite->tests[i].run);
    }
}

int nd_test_main(int argc, char **argv) {
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 2;
    }
    for (const nd_suite *const *suite = nd_suites; *suite != NULL; suite++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++) {
            wanted = wanted || strcmp(argv[i], (*suite)->name) == 0;
        }
        if (wanted) {
            add_suite(*suite);
        }
    }
    if (CU_get_registry()->uiNumberOfSuites < (argc < 2 ? 1U : (unsigned)argc - 1)) {
        (void)fprintf(stderr, "%s: not all of these are suites\n", argv[0]);
        return 2;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_ErrorCode error = CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures() + CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return error != CUE_SUCCESS || failures > 0 ? 1 : 0;
}
