/** \file src/measure/band_precision.h
 * Precision of a whole from pairs drawn at random from each of its bands: each band's share of
 * pairs that are the same with its interval (Wilson 1927), and of all bands, each counting by its
 * pairs, with the bands' intervals added in squares (Zou and Donner 2008). All at 95 %. Only
 * numbers here.
 */
#ifndef ND_MEASURE_BAND_PRECISION_H
#define ND_MEASURE_BAND_PRECISION_H

#include "src/measure/bootstrap.h"

#include <stdbool.h>

typedef struct nd_band_count {
    uint64_t pairs;           /**< of the whole, in this band */
    uint64_t same, different; /**< of those drawn and labelled */
} nd_band_count;

/** `yes` of `of` > 0, as a share with its interval. */
nd_estimate nd_wilson(uint64_t yes, uint64_t of);

/** Of all bands in which a pair is labelled.
 * \param[out] known  share of all pairs that is in these bands
 * \return false if there is no such band: nothing is set */
bool nd_band_precision(const nd_band_count *bands, size_t count, nd_estimate *all, double *known);

#endif
