/* Cosine of term frequencies: cases worked out by hand. */
#include "src/compare/cosine.h"
#include "tests/support/check.h"

#include <math.h>

/* (1, 2, 2) and (2, 2, 1): 8 / (3 * 3). */
static const nd_term first[] = {{1, 1}, {2, 2}, {3, 2}};
static const nd_term second[] = {{1, 2}, {2, 2}, {3, 1}};

static void test_by_hand(void) {
    CU_ASSERT_EQUAL(nd_cosine_square(first, 3), 9);
    CU_ASSERT_EQUAL(nd_cosine(first, 3, second, 3, 0), 8.0 / 9);
    CU_ASSERT_EQUAL(nd_cosine(second, 3, first, 3, 0), 8.0 / 9);
    /* (3, 4) and (4, 3) in the tokens 5 and 6, and one more on the right: 24 / (5 * sqrt(26)) */
    const nd_term a[] = {{5, 3}, {6, 4}};
    const nd_term b[] = {{4, 1}, {5, 4}, {6, 3}};
    CU_ASSERT_EQUAL(nd_cosine(a, 2, b, 3, 0), 24 / sqrt(25.0 * 26));
}

static void test_ends(void) {
    const nd_term other[] = {{4, 1}, {9, 3}};
    const nd_term thrice[] = {{1, 3}, {2, 6}, {3, 6}};
    CU_ASSERT_EQUAL(nd_cosine(first, 3, first, 3, 1), 1);
    CU_ASSERT_EQUAL(nd_cosine(first, 3, thrice, 3, 1), 1);
    CU_ASSERT_EQUAL(nd_cosine(first, 3, other, 2, 0), 0);
    CU_ASSERT_EQUAL(nd_cosine(first, 0, other, 2, 0), 0);
    CU_ASSERT_EQUAL(nd_cosine(NULL, 0, NULL, 0, 0), 0);
}

static void test_threshold(void) {
    CU_ASSERT_EQUAL(nd_cosine(first, 3, second, 3, 8.0 / 9), 8.0 / 9);
    CU_ASSERT_EQUAL(nd_cosine(first, 3, second, 3, nextafter(8.0 / 9, 1)), 0);
}

/* Frequencies at the limit: no sum wraps around. */
static void test_large_frequencies(void) {
    const nd_term a[] = {{1, 0xFFFFFFF0}, {2, 1}};
    const nd_term b[] = {{1, 0xFFFFFFF0}, {3, 1}};
    const nd_term c[] = {{2, 0xFFFFFFFF}};
    nd_cosine_digest of_a, of_b;
    CU_ASSERT_EQUAL(nd_cosine(a, 2, a, 2, 1), 1);
    CU_ASSERT_DOUBLE_EQUAL(nd_cosine(a, 2, b, 2, .999), 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(nd_cosine(a, 2, c, 1, 0), 1 / 4294967280.0, 1e-20);
    nd_cosine_digest_fill(a, 2, &of_a);
    nd_cosine_digest_fill(b, 2, &of_b);
    CU_ASSERT(nd_cosine_bound(&of_a, &of_b) >= nd_cosine(a, 2, b, 2, 0));
}

/* One token in a bin has a whole length, so the bound of two such pages is the cosine. */
static void test_bound(void) {
    nd_cosine_digest a, b, none;
    nd_cosine_digest_fill(first, 3, &a);
    nd_cosine_digest_fill(second, 3, &b);
    nd_cosine_digest_fill(NULL, 0, &none);
    CU_ASSERT_EQUAL(a.square, 9);
    CU_ASSERT_EQUAL(a.terms, 3);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &b), 8.0 / 9);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &a), 1);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &none), 0);
    CU_ASSERT_EQUAL(nd_cosine_bound(&none, &none), 0);
}

/* The root of 2^54 + 1 is 2^27 as a double, but the length is rounded up: in units of 2^12, one
 * more than 2^15. */
static void test_lengths_are_rounded_up(void) {
    nd_term terms[] = {{0, 1}, {1, UINT32_C(1) << 27}};
    nd_cosine_digest digest;
    nd_cosine_digest_fill(terms, 2, &digest);
    while (digest.length[0] == 1) { /* until both are in the bin of token 0 */
        terms[1].token++;
        nd_cosine_digest_fill(terms, 2, &digest);
    }
    CU_ASSERT_EQUAL(digest.scale, -12);
    CU_ASSERT_EQUAL(digest.length[0], (1 << 15) + 1);
}

static const nd_test tests[] = {
    {"by hand", test_by_hand},     {"ends of the range", test_ends},
    {"threshold", test_threshold}, {"large frequencies", test_large_frequencies},
    {"bound", test_bound},         {"lengths are rounded up", test_lengths_are_rounded_up},
};
ND_SUITE(t_cosine, tests)
