/* Token histograms: the bound is never below the true LCS, symmetric, at most the shorter
 * length, and the sum of the smaller bins. */
#include "src/lcs/lcs.h"
#include "src/sketch/histogram.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 3000, MAX_LENGTH = 600, HUGE_LENGTH = 70000 };

static size_t random_page(nd_random *random, uint64_t alphabet, uint32_t *tokens) {
    size_t count = nd_random_below(random, MAX_LENGTH + 1);
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_random_below(random, alphabet);
    }
    return count;
}

static uint64_t shorter(size_t n, size_t m) {
    return n < m ? n : m;
}

/* In both orders. */
static bool common_is(const nd_histogram *a, const nd_histogram *b, uint64_t expected) {
    return nd_histogram_common(a, b) == expected && nd_histogram_common(b, a) == expected;
}

static bool bound_holds(nd_random *random) {
    uint32_t a[MAX_LENGTH], b[MAX_LENGTH];
    static const uint64_t alphabets[] = {1, 2, 20, 400, 100000};
    uint64_t alphabet = alphabets[nd_random_below(random, 5)];
    size_t n = random_page(random, alphabet, a), m = random_page(random, alphabet, b);
    nd_histogram of_a, of_b;
    nd_histogram_fill(a, n, &of_a);
    nd_histogram_fill(b, m, &of_b);
    uint64_t bound = nd_histogram_common(&of_a, &of_b);
    uint64_t length = UINT64_MAX;
    return nd_lcs_table(a, n, b, m, &length) == ND_OK && length <= bound &&
           bound <= shorter(n, m) && common_is(&of_a, &of_b, bound) &&
           nd_histogram_common(&of_a, &of_a) == n;
}

static void test_bound_of_random_pairs(void) {
    nd_random random = nd_test_random("histogram");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS); i++) {
        wrong += !bound_holds(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Bins drawn directly, up to their largest value: sums that 16 bits do not hold. */
static void test_large_bins(void) {
    nd_random random = nd_test_random("large bins");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS); i++) {
        nd_histogram pair[2] = {{.overflow = 0}, {.overflow = 0}};
        for (int side = 0; side < 2; side++) {
            for (size_t bin = 0; bin < ND_HISTOGRAM_BINS; bin++) {
                uint64_t value = UINT16_MAX - nd_random_below(&random, i % 2 ? 3 : 1 << 16);
                pair[side].bins[bin] = (uint16_t)value;
                pair[side].tokens += (uint32_t)value;
            }
        }
        uint64_t expected = 0;
        for (size_t bin = 0; bin < ND_HISTOGRAM_BINS; bin++) {
            expected += shorter(pair[0].bins[bin], pair[1].bins[bin]);
        }
        wrong += !common_is(&pair[0], &pair[1], expected);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* More than 65,535 times one token: the bins bound nothing, the lengths do. */
static void test_overflow(void) {
    uint32_t *huge = calloc(HUGE_LENGTH, sizeof *huge);
    CU_ASSERT_PTR_NOT_NULL_FATAL(huge);
    nd_histogram a, b, c;
    nd_histogram_fill(huge, HUGE_LENGTH, &a);
    nd_histogram_fill(huge, HUGE_LENGTH - 1, &b);
    nd_histogram_fill(huge, UINT16_MAX, &c);
    CU_ASSERT_EQUAL(a.overflow, 1);
    CU_ASSERT_EQUAL(c.overflow, 0);
    CU_ASSERT(common_is(&a, &b, HUGE_LENGTH - 1));
    CU_ASSERT(common_is(&a, &c, UINT16_MAX));
    CU_ASSERT(common_is(&c, &c, UINT16_MAX));
    free(huge);
}

static const nd_test tests[] = {
    {"bound of random pairs", test_bound_of_random_pairs},
    {"large bins", test_large_bins},
    {"overflow", test_overflow},
};
ND_SUITE(p_histogram, tests)
