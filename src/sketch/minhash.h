/** \file src/sketch/minhash.h
 * Min-wise sketches: of a set of shingles, the least value under each of P permutations (Broder,
 * Charikar, Frieze and Mitzenmacher, "Min-wise independent permutations", 1998). Two sets have the
 * same minimum with a probability near their resemblance, so the share of equal minima estimates
 * it. The permutations are pi_i(x) = (a_i x + b_i) mod 2^61 - 1, with a_i and b_i drawn by a seed:
 * pairwise independent only, so that the estimate is slightly biased on sets of small numbers in a
 * row; shingles are hashes, and there nothing of it is seen. Buckets: bands.h, supershingle.h.
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
 * machine. \return ND_OK, or ND_ERR_MEMORY (minhash is then empty) */
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

#endif
