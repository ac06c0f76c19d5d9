/* The mean of values and its percentile interval. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <math.h>

static nd_estimate estimate(const double *values, size_t count, size_t resamples, uint64_t seed) {
    nd_estimate e;
    nd_bootstrap_mean(values, count, resamples, seed, &e);
    return e;
}

static void check_equal(nd_estimate a, nd_estimate b) {
    CU_ASSERT_EQUAL(a.mean, b.mean);
    CU_ASSERT_EQUAL(a.lower, b.lower);
    CU_ASSERT_EQUAL(a.upper, b.upper);
}

static void test_point(void) {
    static const double values[] = {.25, .25, .25};
    check_equal(estimate(values, 1, 1000, 7), (nd_estimate){.25, .25, .25});
    check_equal(estimate(values, 3, 1000, 7), (nd_estimate){.25, .25, .25});
    check_equal(estimate(NULL, 0, 1000, 7), (nd_estimate){0, 0, 0});
}

/* Of 0 and 1 a resample has the mean 0, 1/2 or 1, with probabilities 1/4, 1/2, 1/4. */
static void test_two(void) {
    static const double values[] = {0, 1};
    check_equal(estimate(values, 2, 1000, 7), (nd_estimate){.5, 0, 1});
}

/* The means of eight 0 and two 1 are binomial: P(no 1) = .107, P(at most 4) = .967, P(at most 5)
 * = .994. So 2.5 % of them lie at 0, and 97.5 % up to 5/10. */
static void test_binomial(void) {
    static const double values[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    const nd_estimate e = estimate(values, 10, 10000, 1);
    CU_ASSERT_DOUBLE_EQUAL(e.mean, .2, 1e-12);
    CU_ASSERT_EQUAL(e.lower, 0);
    CU_ASSERT_DOUBLE_EQUAL(e.upper, .5, 1e-12);
}

static void test_seed(void) {
    static const double values[] = {.1, .9, .4, .7, .3, .8, .2};
    const nd_estimate e = estimate(values, 7, 200, 1);
    check_equal(e, estimate(values, 7, 200, 1));
    const nd_estimate other = estimate(values, 7, 200, 2);
    CU_ASSERT_EQUAL(e.mean, other.mean);
    CU_ASSERT(e.lower != other.lower || e.upper != other.upper);
}

/* With so few resamples that no part of them can be left out, the interval spans them all. */
static void test_few_resamples(void) {
    static const double values[] = {.1, .9, .4};
    const nd_estimate one = estimate(values, 3, 1, 5);
    CU_ASSERT_EQUAL(one.lower, one.upper);
    const nd_estimate few = estimate(values, 3, 38, 5);
    CU_ASSERT(few.lower <= one.lower && few.upper >= one.upper && few.lower < few.upper);
    /* of 39 it is the first and the last: that of the first 38 lies within */
    static const double seven[] = {.11, .93, .42, .75, .36, .87, .28};
    const nd_estimate less = estimate(seven, 7, 38, 5), all = estimate(seven, 7, 39, 5);
    CU_ASSERT(all.lower <= less.lower && all.upper >= less.upper);
}

/* For many values the interval is that of the normal distribution: 1.96 standard errors. */
static void test_normal(void) {
    enum { VALUES = 4000 };
    static double values[VALUES];
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (double)i / (VALUES - 1);
    }
    const nd_estimate e = estimate(values, VALUES, 4000, 3);
    const double error = 1.96 * sqrt(1 / 12.) / sqrt(VALUES);
    CU_ASSERT_DOUBLE_EQUAL(e.mean, .5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(e.lower, .5 - error, .1 * error);
    CU_ASSERT_DOUBLE_EQUAL(e.upper, .5 + error, .1 * error);
}

static const nd_test tests[] = {{"point", test_point},       {"two", test_two},
                                {"binomial", test_binomial}, {"seed", test_seed},
                                {"few", test_few_resamples}, {"normal", test_normal}};
ND_SUITE(t_bootstrap, tests)
