/* Slopes of power laws: values drawn from one, of which both estimates find the exponent; and the
 * likelihood of the one that is found against those beside it, by plain sums. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 100000, DRAWS = 200000 };

/* Chances of 1 .. LARGEST, summed up. */
static void fill_chances(double *chances, double exponent) {
    double sum = 0;
    for (int x = 1; x <= LARGEST; x++) {
        sum += pow(x, -exponent);
        chances[x] = sum;
    }
}

static uint64_t draw(const double *chances, nd_random *random) {
    const double at =
        (double)nd_random_below(random, UINT64_C(1) << 52) / 0x1p52 * chances[LARGEST];
    uint64_t low = 1;
    uint64_t high = LARGEST;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (chances[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The line through the counts is led by the few largest values, which now and then are far out: of
 * several draws that in the middle is asked. */
static void test_drawn(void) {
    enum { TIMES = 9 };
    static const double exponents[] = {1.8, 2.1, 2.5, 3};
    nd_random random = nd_test_random("drawn");
    double *chances = calloc(LARGEST + 1, sizeof *chances);
    for (size_t e = 0; chances != NULL && e < sizeof exponents / sizeof exponents[0]; e++) {
        double by_squares[TIMES];
        fill_chances(chances, exponents[e]);
        for (int t = 0; t < TIMES; t++) {
            nd_power_law law = {0};
            for (int i = 0; i < DRAWS; i++) {
                nd_power_law_add(&law, draw(chances, &random));
            }
            CU_ASSERT_EQUAL(law.values, DRAWS);
            CU_ASSERT_DOUBLE_EQUAL(nd_power_law_slope_by_likelihood(&law), -exponents[e], .03);
            by_squares[t] = nd_power_law_slope_by_squares(&law);
        }
        qsort(by_squares, TIMES, sizeof *by_squares, ascending);
        CU_ASSERT_DOUBLE_EQUAL(by_squares[TIMES / 2], -exponents[e], .3);
    }
    free(chances);
}

/* Natural logarithm of the likelihood per value; the sum is long enough for exponents above 2. */
static double slow_likelihood(const uint64_t *values, int count, double exponent) {
    double zeta = 0;
    double sum = 0;
    for (int k = 1000000; k >= 1; k--) {
        zeta += pow(k, -exponent);
    }
    for (int i = 0; i < count; i++) {
        sum -= exponent * log((double)values[i]);
    }
    return sum / count - log(zeta);
}

static void test_most_likely(void) {
    static const uint64_t values[] = {1, 1, 1, 2, 1, 3, 1, 1, 1, 5, 1, 2, 1, 1, 4, 1};
    const int count = sizeof values / sizeof values[0];
    nd_power_law law = {0};
    for (int i = 0; i < count; i++) {
        nd_power_law_add(&law, values[i]);
    }
    const double exponent = -nd_power_law_slope_by_likelihood(&law);
    const double most = slow_likelihood(values, count, exponent);
    CU_ASSERT(exponent > 2);
    CU_ASSERT(most > slow_likelihood(values, count, exponent + 1e-3));
    CU_ASSERT(most > slow_likelihood(values, count, exponent - 1e-3));
}

/* Bins whose density falls with the square of their middles lie on a line. */
static void test_line(void) {
    nd_power_law law = {.values = 1};
    for (int i = 0; i < 12; i++) {
        const double width = ldexp(1, i);
        law.bins[i] = (uint64_t)llround(1e15 / (2 * width - 1));
    }
    CU_ASSERT_DOUBLE_EQUAL(nd_power_law_slope_by_squares(&law), -2, 1e-9);
}

static void test_too_few(void) {
    nd_power_law law = {0};
    CU_ASSERT(isnan(nd_power_law_slope_by_squares(&law)));
    CU_ASSERT(isnan(nd_power_law_slope_by_likelihood(&law)));
    nd_power_law_add(&law, 0);
    CU_ASSERT_EQUAL(law.values, 0);
    nd_power_law_add(&law, 1);
    CU_ASSERT(isnan(nd_power_law_slope_by_squares(&law)));
    CU_ASSERT(isnan(nd_power_law_slope_by_likelihood(&law)));
    nd_power_law_add(&law, UINT64_MAX);
    CU_ASSERT_EQUAL(law.bins[0], 1);
    CU_ASSERT_EQUAL(law.bins[63], 1);
    CU_ASSERT_EQUAL(law.most, UINT64_MAX);
    CU_ASSERT(nd_power_law_slope_by_likelihood(&law) < -1);
}

static const nd_test tests[] = {
    {"values of a power law", test_drawn},
    {"the most likely exponent", test_most_likely},
    {"bins on a line", test_line},
    {"too few values", test_too_few},
};

ND_SUITE(p_power_law, tests)
