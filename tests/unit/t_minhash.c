/* Min-wise sketches: the examples of Schuetze, "Introduction to Information Retrieval", lecture 19
 * (2008), on the definition that the fast code is compared with; and the estimator. */
#include "src/compare/jaccard.h"
#include "src/sketch/minhash.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"

#include <math.h>

/* h(x) = x mod 5 and g(x) = (2x + 1) mod 5 on rows 1, 3, 4 and 2, 3, 5: slots (1, 2) and (0, 0). */
static void test_slots(void) {
    const uint64_t one[] = {1, 3, 4}, two[] = {2, 3, 5};
    CU_ASSERT_EQUAL(nd_slow_minimum(1, 0, 5, one, 3), 1);
    CU_ASSERT_EQUAL(nd_slow_minimum(2, 1, 5, one, 3), 2);
    CU_ASSERT_EQUAL(nd_slow_minimum(1, 0, 5, two, 3), 0);
    CU_ASSERT_EQUAL(nd_slow_minimum(2, 1, 5, two, 3), 0);
}

enum { ROWS = 5, COLUMNS = 3, ORDERS = 3 };

/* The first row of a column in the given order of rows. */
static uint64_t first_row(const uint64_t *column, size_t count, const uint64_t *order) {
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < count; j++) {
            if (column[j] == order[i]) {
                return order[i];
            }
        }
    }
    return 0;
}

/* A matrix of 5 rows and 3 columns, by the rows that are 1, under three permutations. */
static void test_matrix(void) {
    static const uint64_t columns[COLUMNS][ROWS] = {{1, 3, 4}, {2, 5}, {1, 2, 4}};
    static const size_t sizes[COLUMNS] = {3, 2, 3};
    static const uint64_t orders[ORDERS][ROWS] = {
        {1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 4, 5, 1, 2}};
    static const uint64_t expected[COLUMNS][ORDERS] = {{1, 4, 3}, {2, 5, 5}, {1, 4, 4}};
    uint64_t sketches[COLUMNS][ORDERS];
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t p = 0; p < ORDERS; p++) {
            sketches[c][p] = first_row(columns[c], sizes[c], orders[p]);
            CU_ASSERT_EQUAL(sketches[c][p], expected[c][p]);
        }
    }
    CU_ASSERT_EQUAL(nd_resemblance(columns[0], 3, columns[1], 2, 0), 0);
    CU_ASSERT_EQUAL(nd_resemblance(columns[0], 3, columns[2], 3, 0), 0.5);
    CU_ASSERT_EQUAL(nd_resemblance(columns[1], 2, columns[2], 3, 0), 0.25);
    CU_ASSERT_EQUAL(nd_minhash_equal(sketches[0], sketches[1], ORDERS), 0);
    CU_ASSERT_EQUAL(nd_minhash_equal(sketches[0], sketches[2], ORDERS), 2); /* .67 */
    CU_ASSERT_EQUAL(nd_minhash_equal(sketches[1], sketches[2], ORDERS), 0);
}

static bool near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

/* 90 of 100: the standard error is sqrt(.9 * .1 / 100) = .03. */
static void test_estimate(void) {
    const nd_minhash_estimate e = nd_minhash_estimate_of(90, 100, 1.96);
    CU_ASSERT(near(e.resemblance, 0.9) && near(e.error, 0.03));
    CU_ASSERT(near(e.low, 0.8412) && near(e.high, 0.9588));
    const nd_minhash_estimate most = nd_minhash_estimate_of(198, 200, 3);
    CU_ASSERT(most.high == 1 && most.low < 0.99);
    CU_ASSERT(nd_minhash_estimate_of(2, 200, 3).low == 0);
    const nd_minhash_estimate all = nd_minhash_estimate_of(200, 200, 3);
    CU_ASSERT(all.low == 1 && all.high == 1 && all.error == 0);
}

static void test_empty_page_has_no_sketch(void) {
    nd_minhash minhash;
    uint64_t minima[] = {7, 7, 7};
    nd_minhash_new(&minhash, 3, 1);
    CU_ASSERT_FALSE(nd_minhash_sketch(&minhash, NULL, 0, minima));
    CU_ASSERT(minima[0] == 7 && minima[1] == 7 && minima[2] == 7);
    CU_ASSERT(nd_minhash_sketch(&minhash, minima, 1, minima));
    nd_minhash_free(&minhash);
    CU_ASSERT_PTR_NULL(minhash.multipliers);
}

/* What is stored with one version must mean the same to the next: (a x + b) mod (2^61 - 1) with the
 * seed's a and b, computed anew by another program with whole numbers of any length. */
static void test_sketches_stay(void) {
    static const uint64_t expected[] = {UINT64_C(2225251257499946683), UINT64_C(320984824283887074),
                                        UINT64_C(187894914998424993), UINT64_C(24545588599436653)};
    const uint64_t values[] = {0, 1, 2, UINT64_MAX};
    uint64_t minima[4];
    nd_minhash minhash;
    nd_minhash_new(&minhash, 4, 1);
    CU_ASSERT(nd_minhash_sketch(&minhash, values, 4, minima));
    CU_ASSERT_EQUAL(nd_minhash_equal(minima, expected, 4), 4);
    nd_minhash_free(&minhash);
}

static const nd_test tests[] = {
    {"slots", test_slots},
    {"matrix", test_matrix},
    {"estimate", test_estimate},
    {"an empty page has no sketch", test_empty_page_has_no_sketch},
    {"sketches stay", test_sketches_stay},
};
ND_SUITE(t_minhash, tests)
