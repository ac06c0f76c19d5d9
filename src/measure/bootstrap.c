#include "src/measure/bootstrap.h"

#include "src/base/buffer.h"
#include "src/base/random.h"
#include "src/base/sort.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

void nd_percentile_interval(double *values, size_t count, double *lower, double *upper) {
    nd_sort(values, count, sizeof *values, by_size);
    /* Efron and Tibshirani, page 160: with k the whole part of (B + 1) * .025, the k-th smallest
     * and the k-th largest; below 39 resamples k would be 0 */
    const size_t k = (count + 1) / 40;
    const size_t left_out = k > 0 ? k - 1 : 0;
    *lower = values[left_out];
    *upper = values[count - 1 - left_out];
}

void nd_bootstrap_mean(const double *values, size_t count, size_t resamples, uint64_t seed,
                       nd_estimate *estimate) {
    double *means = NULL;
    double sum = 0;
    nd_random random = {seed};
    *estimate = (nd_estimate){0};
    if (count == 0) {
        return;
    }
    nd_new(&means, resamples, sizeof *means);
    for (size_t i = 0; i < resamples; i++) {
        sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += values[nd_random_below(&random, count)];
        }
        means[i] = sum / (double)count;
    }
    double lower = 0;
    double upper = 0;
    nd_percentile_interval(means, resamples, &lower, &upper);
    sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    *estimate = (nd_estimate){sum / (double)count, lower, upper};
    free(means);
}
