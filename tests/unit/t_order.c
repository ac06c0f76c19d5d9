/* The binary search: every place in lists of every small size, and numbers near the ends of their
 * types. */
#include "src/base/util.h"
#include "tests/support/check.h"

static void test_every_place(void) {
    for (int size = 0; size < 20; size++) {
        for (int first = 0; first <= size; first++) {
            int i = -1;
            ND_FIND_FIRST(i, 0, size, i >= first);
            CU_ASSERT_EQUAL(i, first);
        }
    }
}

static void test_ends(void) {
    uint64_t i = 0;
    uint8_t small = 0;
    ND_FIND_FIRST(i, UINT64_MAX - 3, UINT64_MAX, i >= UINT64_MAX - 1);
    CU_ASSERT_EQUAL(i, UINT64_MAX - 1);
    ND_FIND_FIRST(small, 200, UINT8_MAX, small >= 254);
    CU_ASSERT_EQUAL(small, 254);
    CU_ASSERT_EQUAL(nd_min(3, UINT64_MAX), 3);
    CU_ASSERT_EQUAL(nd_max(3, UINT64_MAX), UINT64_MAX);
}

static const nd_test tests[] = {
    {"every place", test_every_place},
    {"the ends of a type", test_ends},
};

ND_SUITE(t_order, tests)
