/* What an interval is for: of many samples of values with a known mean, the intervals of 95 % hold
 * it, or a little less, as the percentile interval is known to be somewhat narrow. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <stdio.h>

enum { SAMPLES = 1000, VALUES = 100, RESAMPLES = 400 };

/* Shares as of sampled sets: most of them 1, the others k / 4. */
static double draw_value(nd_random *random) {
    return nd_random_below(random, 2) == 0 ? 1 : (double)nd_random_below(random, 5) / 4;
}

static void test_coverage(void) {
    const double mean = .5 + .5 * .5;
    nd_random random = nd_test_random("bootstrap");
    int held = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double values[VALUES];
        nd_estimate e;
        for (size_t k = 0; k < VALUES; k++) {
            values[k] = draw_value(&random);
        }
        nd_bootstrap_mean(values, VALUES, RESAMPLES, nd_random_next(&random), &e);
        CU_ASSERT(e.lower <= e.mean && e.mean <= e.upper);
        held += e.lower <= mean && mean <= e.upper;
    }
    printf("%d of %d intervals hold the mean\n", held, SAMPLES);
    /* six standard deviations around 94 % */
    CU_ASSERT(held > (double)SAMPLES * .895 && held < (double)SAMPLES * .985);
}

static const nd_test tests[] = {{"coverage", test_coverage}};
ND_SUITE(p_bootstrap, tests)
