/* Sorted numbers without repeats, and places among them. */
#include "src/base/numbers.h"
#include "tests/support/check.h"

static void test_distinct(void) {
    uint64_t numbers[] = {7, 3, UINT64_MAX, 3, 0, 7, 7};
    static const uint64_t expected[] = {0, 3, 7, UINT64_MAX};
    CU_ASSERT_EQUAL_FATAL(nd_numbers_distinct(numbers, 7), 4);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(numbers[i], expected[i]);
    }
    CU_ASSERT_EQUAL(nd_numbers_distinct(NULL, 0), 0);
}

static void test_place(void) {
    static const uint64_t numbers[] = {2, 4, 9};
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 0), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 2), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 5), 2);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 10), 3);
    CU_ASSERT_EQUAL(nd_numbers_place(NULL, 0, 1), 0);
    CU_ASSERT_TRUE(nd_numbers_hold(numbers, 3, 9));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 5));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 10));
    CU_ASSERT_FALSE(nd_numbers_hold(NULL, 0, 1));
}

static const nd_test tests[] = {
    {"distinct", test_distinct},
    {"place", test_place},
};
ND_TEST_MAIN("numbers", tests)
