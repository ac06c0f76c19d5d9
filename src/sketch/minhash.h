/** \file src/sketch/minhash.h
 * Min-wise sketches: of a set of shingles, the least value under each of P permutations (Broder,
 * Charikar, Frieze and Mitzenmacher, "Min-wise independent permutations", 1998). Two sets have the
 * same minimum with a probability near their resemblance, so the share of equal minima estimates
 * it. The permutations are pi_i(x) = (a_i x + b_i) mod 2^61 - 1, with a_i and b_i drawn by a seed:
 * pairwise independent only, so that the estimate is slightly biased on sets of small numbers in a
 * row; shingles are hashes, and there nothing of it is seen. Bands, supershingles and megashingles
 * are keys made of minima.
 */
#ifndef ND_SKETCH_MINHASH_H
#define ND_SKETCH_MINHASH_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** 2^61 - 1, a prime; minima are below it. */
#define ND_MINHASH_MODULUS ((UINT64_C(1) << 61) - 1)

/** The permutations; owns the arrays. Constant after nd_minhash_new(): any number of threads may
 * read it. */
typedef struct nd_minhash {
    size_t count; /**< P */
    uint64_t *multipliers;
    uint64_t *offsets;
} nd_minhash;

/** Draw permutations. Those of a smaller count are the first of a larger one's; the same on every
 * machine. */
void nd_minhash_new(nd_minhash *minhash, size_t count, uint64_t seed);

void nd_minhash_free(nd_minhash *minhash);

/** The sketch of a set of values (shingles). Order and repetitions do not matter; values count
 * modulo 2^61 - 1.
 * \param[out] minima  room for minhash->count; untouched if there is no sketch
 * \return false if there are no values: an empty page has no sketch and is similar to none */
bool nd_minhash_sketch(const nd_minhash *minhash, const uint64_t *values, size_t count,
                       uint64_t *minima);

/** How many of the `count` minima of two sketches are equal, place by place. */
size_t nd_minhash_equal(const uint64_t *a, const uint64_t *b, size_t count);

typedef struct nd_minhash_estimate {
    double resemblance; /**< the share of equal minima, J */
    double error;       /**< its standard error, sqrt(J (1 - J) / P) */
    double low;         /**< J - z error, at least 0 */
    double high;        /**< J + z error, at most 1 */
} nd_minhash_estimate;

/** The resemblance that `equal` of `count` > 0 minima stand for, with the confidence interval of z
 * standard errors (1.96: 95 %). This is Wald's interval: where all minima are equal, or none, it
 * has no width, although the resemblance may be some 3 / count off. */
nd_minhash_estimate nd_minhash_estimate_of(size_t equal, size_t count, double z);

/* ---- Banding of a min-wise sketch (Indyk and Motwani, STOC 1998; Gionis, Indyk and Motwani, VLDB
 * 1999; in the form of Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4):
 * b bands of r minima each are hashed to a key, and pages that share a key are candidates. With
 * probability 1 - (1 - s^r)^b two pages of resemblance s do, see src/plan/curve.h. A key names
 * its band: keys of different bands meet only by chance. */

/** The key of `rows` minima that stand in band `band`. */
uint64_t nd_band_key(const uint64_t *minima, size_t rows, uint64_t band);

/** The keys of all bands.
 * \param[in]  minima  bands * rows of them; what a sketch has beyond is not used
 * \param[out] keys    room for `bands` */
void nd_band_keys(const uint64_t *minima, size_t bands, size_t rows, uint64_t *keys);

/* ---- Supershingles and megashingles (Broder, Glassman, Manasse and Zweig, WWW 1997, section 5;
 * with the numbers of Fetterly, Manasse and Najork 2003 and of Henzinger, SIGIR 2006 / US
 * 2008/0044016): 84 minima in 6 groups of 14, each hashed to a supershingle. Pages are B-similar if
 * at least two of their supershingles agree; that is, but for chance, if a megashingle does, the
 * hash of a pair of supershingles. Two agree with probability 1 - (1 - q)^6 - 6 q (1 - q)^5 where q
 * = R^14 for a resemblance of R, see src/plan/curve.h. Both kinds are tagged with their place, so
 * as keys they meet only their like. A page without a sketch has neither. */

enum {
    ND_SUPERSHINGLES = 6,        /**< m' */
    ND_SUPERSHINGLE_MINIMA = 14, /**< l, in one supershingle */
    ND_SUPERSHINGLE_SKETCH = 84, /**< m = m' l, minima in all */
    ND_SUPERSHINGLES_NEEDED = 2  /**< that agree, of B-similar pages */
};

/** The supershingles of a sketch: `count` of them, of `minima_each` minima that follow one another;
 * Henzinger's are ND_SUPERSHINGLES of ND_SUPERSHINGLE_MINIMA. */
void nd_supershingles(const uint64_t *minima, size_t count, size_t minima_each,
                      uint64_t *supershingles);

/** B-similarity: how many of `count` supershingles agree, place by place. */
size_t nd_supershingles_equal(const uint64_t *a, const uint64_t *b, size_t count);

/** Pairs of `count` supershingles. */
static inline size_t nd_megashingle_count(size_t count) {
    return count * (count - 1) / 2;
}

/** The megashingles, in the order (0,1) (0,2) .. (4,5) of their supershingles.
 * \param[out] megashingles  room for nd_megashingle_count(count) */
void nd_megashingles(const uint64_t *supershingles, size_t count, uint64_t *megashingles);

#endif
