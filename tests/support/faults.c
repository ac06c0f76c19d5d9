#include "tests/support/faults.h"

#include "src/base/fault.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 10000 };

/* \return false once the work has no call of that number */
static bool strike(nd_fault_point point, int call, nd_status (*work)(void)) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s:0:%d", nd_fault_name(point), call);
    CU_ASSERT_EQUAL(nd_fault_arm(text), ND_OK);
    const nd_status st = work();
    if (st == ND_OK) {
        if (nd_fault_count(point) >= (uint64_t)call) {
            printf("a fault was not noticed: %s\n", text);
            CU_FAIL("a fault was not noticed");
        }
        return false;
    }
    const bool input = point == ND_FAULT_INPUT_OPEN || point == ND_FAULT_INPUT_READ;
    CU_ASSERT_EQUAL(st, input ? ND_ERR_INPUT : ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "injected"));
    return true;
}

/* The same where each place that asks for room, or for what is read, can fail: there may be many.
 * \param[in] passed  so often each point was passed as it is */
static int strike_tightly(nd_status (*work)(void), void (*check)(void), const int *passed) {
    const int ends = nd_test_rounds(150), between = nd_test_rounds(250);
    int struck = 0;
    int calls[ND_FAULT_POINTS];
    nd_fault_set_tight(true);
    CU_ASSERT_EQUAL(nd_fault_arm("count"), ND_OK);
    CU_ASSERT_EQUAL(work(), ND_OK);
    for (int point = 0; point < ND_FAULT_POINTS; point++) {
        calls[point] = (int)nd_fault_count((nd_fault_point)point);
    }
    for (int point = ND_FAULT_MEMORY + 1; point < ND_FAULT_POINTS; point++) {
        const int most = calls[point] > passed[point] ? calls[point] : 0;
        const int step = 1 + most / between;
        for (int call = 1; call <= most; call += call < ends || call >= most - ends ? 1 : step) {
            if (strike((nd_fault_point)point, call, work)) {
                struck++;
                if (check != NULL) {
                    check();
                }
            }
        }
    }
    nd_fault_set_tight(false);
    return struck;
}

int nd_test_all_faults(nd_status (*work)(void), void (*check)(void)) {
    int struck = 0;
    int passed[ND_FAULT_POINTS];
    const nd_status undisturbed = work();
    if (undisturbed != ND_OK) {
        printf("without faults: status %d, \"%s\"\n", (int)undisturbed, nd_fail_text());
        CU_FAIL("the work fails without faults");
        return 0;
    }
    nd_fault_set_rank(0);
    for (int point = ND_FAULT_MEMORY + 1; point < ND_FAULT_POINTS; point++) {
        int call = 1;
        for (; call < MOST_CALLS && strike((nd_fault_point)point, call, work); call++) {
            struck++;
            if (check != NULL) {
                check();
            }
        }
        CU_ASSERT(call < MOST_CALLS);
        passed[point] = call - 1;
    }
    struck += strike_tightly(work, check, passed);
    CU_ASSERT_EQUAL(nd_fault_arm("count"), ND_OK);
    return struck;
}
