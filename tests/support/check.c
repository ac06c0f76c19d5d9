#include "tests/support/check.h"

#include <CUnit/Basic.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

int nd_test_run(const char *suite, const nd_test *tests, size_t count) {
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return 2;
    }
    CU_pSuite added = CU_add_suite(suite, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        CU_add_test(added, tests[i].name, tests[i].run);
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_ErrorCode error = CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures() + CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return error != CUE_SUCCESS || failures > 0 ? 1 : 0;
}

nd_random nd_test_random(const char *name) {
    const char *given = getenv("ND_TEST_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    printf("%s: ND_TEST_SEED=%llu\n", name, (unsigned long long)seed);
    return (nd_random){seed};
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

bool nd_test_remove(const char *path) {
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

static void remove_folder(void) {
    (void)nd_test_remove(folder);
}

const char *nd_test_folder(void) {
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof folder, "/tmp/neardup-test.XXXXXX");
        if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0) {
            perror(folder);
            exit(2);
        }
    }
    return folder;
}

const char *nd_test_data(const char *name) {
    static char path[4096];
    const char *root = getenv("NEARDUP_DATA");
    if (root == NULL) {
        printf("SKIPPED: NEARDUP_DATA is not set\n");
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    if (access(path, R_OK) != 0) {
        printf("SKIPPED: no %s\n", path);
        return NULL;
    }
    return path;
}
