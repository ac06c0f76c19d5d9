/** \file src/measure/power_law.h
 * How counts from 1 on are distributed, such as the near-duplicates of a page: a histogram by
 * powers of two, and the exponent of a power law, as the slope on log-log axes. Whether they follow
 * a power law at all is not tested.
 */
#ifndef ND_MEASURE_POWER_LAW_H
#define ND_MEASURE_POWER_LAW_H

#include <stdint.h>

enum { ND_POWERS_OF_TWO = 64 };

/** All zero is valid and empty. */
typedef struct nd_power_law {
    uint64_t values;                 /**< added */
    uint64_t most;                   /**< the largest of them */
    uint64_t bins[ND_POWERS_OF_TWO]; /**< values of 2^i .. 2^(i + 1) - 1 */
    double sum_of_logs;              /**< natural */
} nd_power_law;

/** Add a value; 0 is passed over. */
void nd_power_law_add(nd_power_law *law, uint64_t value);

/** Slope of the straight line through (log of the middle of a bin, log of its values per whole
 * number), by least squares over the bins that are not empty; the middle is the geometric one. NAN
 * with fewer than two of them. Large values, of which there are few, weigh as much as small ones.
 */
double nd_power_law_slope_by_squares(const nd_power_law *law);

/** Slope by maximum likelihood: -a where the value x has the probability x^-a / zeta(a), x = 1, 2,
 * ... (equation 3.5 of Clauset, Shalizi and Newman, SIAM Review 51, 2009, with x_min = 1, solved
 * numerically: their approximation 3.7 holds from x_min = 6 on). NAN without a value, or if all are
 * 1; slopes steeper than -50 are given as -50. */
double nd_power_law_slope_by_likelihood(const nd_power_law *law);

#endif
