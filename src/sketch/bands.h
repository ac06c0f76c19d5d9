/** \file src/sketch/bands.h
 * Banding of a min-wise sketch (Indyk and Motwani, STOC 1998; Gionis, Indyk and Motwani, VLDB 1999;
 * in the form of Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4): b
 * bands of r minima each are hashed to a key, and pages that share a key are candidates. With
 * probability 1 - (1 - s^r)^b two pages of resemblance s do, see src/plan/curve.h. A key names
 * its band: keys of different bands meet only by chance.
 */
#ifndef ND_SKETCH_BANDS_H
#define ND_SKETCH_BANDS_H

#include <stddef.h>
#include <stdint.h>

/** The key of `rows` minima that stand in band `band`. */
uint64_t nd_band_key(const uint64_t *minima, size_t rows, uint64_t band);

/** The keys of all bands.
 * \param[in]  minima  bands * rows of them; what a sketch has beyond is not used
 * \param[out] keys    room for `bands` */
void nd_band_keys(const uint64_t *minima, size_t bands, size_t rows, uint64_t *keys);

#endif
