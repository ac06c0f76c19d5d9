/* Capture and recapture, against values computed in Python from the same formulas' sources. */
#include "src/measure/collections.h"
#include "tests/support/check.h"

static void check(uint64_t a, uint64_t b, uint64_t both, const double *expected) {
    const nd_capture c = nd_capture_recapture(a, b, both);
    CU_ASSERT(c.known);
    CU_ASSERT_DOUBLE_EQUAL(c.lincoln_petersen, expected[0], 1e-9 * expected[0]);
    CU_ASSERT_DOUBLE_EQUAL(c.chapman, expected[1], 1e-9 * expected[1]);
    CU_ASSERT_DOUBLE_EQUAL(c.lower, expected[2], 1e-9 * expected[2]);
    CU_ASSERT_DOUBLE_EQUAL(c.upper, expected[3], 1e-9 * expected[3]);
}

static void test_values(void) {
    check(100, 200, 40, (double[]){500, 494.1463414634146, 411.64418849299136, 621.5338626922444});
    check(
        77000000, 100000000, 30000000,
        (double[]){256666666.66666666, 256666663.01111123, 256606642.65100503, 256726716.23823664});
    check(5, 7, 1, (double[]){35, 23, 13.95664196642527, 59.70390180320118});
}

/* One holds the other: what was seen is all. */
static void test_inside(void) {
    check(10, 40, 10, (double[]){40, 40, 40, 40});
    check(7, 7, 7, (double[]){7, 7, 7, 7});
}

static void test_apart(void) {
    CU_ASSERT_FALSE(nd_capture_recapture(10, 40, 0).known);
    CU_ASSERT_FALSE(nd_capture_recapture(0, 40, 0).known);
    CU_ASSERT_EQUAL(nd_capture_recapture(0, 0, 0).chapman, 0);
}

static const nd_test tests[] = {
    {"values", test_values}, {"one inside the other", test_inside}, {"no overlap", test_apart}};
ND_SUITE(t_capture_recapture, tests)
