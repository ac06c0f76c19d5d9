/** \file src/measure/bootstrap.h
 * How sure a mean is: the percentile interval of the bootstrap (Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, section 13.3). The values are drawn anew with replacement,
 * as many as there are, a number of times; the interval is what the middle 95 % of the means of
 * these resamples span. The values must be independent draws; nothing is assumed of how they are
 * spread.
 */
#ifndef ND_MEASURE_BOOTSTRAP_H
#define ND_MEASURE_BOOTSTRAP_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** A mean, or another estimate, and its 95 % interval. */
typedef struct nd_estimate {
    double mean;
    double lower;
    double upper;
} nd_estimate;

/** The interval of what was found from each resample: of the middle 95 % of them.
 * \param[in,out] values  at least one; sorted */
void nd_percentile_interval(double *values, size_t count, double *lower, double *upper);

/** The mean of `count` values and its interval; from the same values, seed and number of resamples
 * always the same one. Of one value the interval is that value; without any, all three are 0.
 * Takes time count * resamples and 8 bytes a resample.
 * \param[in] resamples  at least 1; 1,000 or more for an interval that hardly depends on the seed
 * \return ND_OK or ND_ERR_MEMORY (the estimate is then all zero) */
void nd_bootstrap_mean(const double *values, size_t count, size_t resamples, uint64_t seed,
                       nd_estimate *estimate);

#endif
