/** \file src/sketch/minhash_limbs.h
 * Values in two limbs, as the variants of nd_minhash_sketch() multiply them that have no product of
 * 64 bits. Internal to src/sketch/.
 */
#ifndef ND_SKETCH_MINHASH_LIMBS_H
#define ND_SKETCH_MINHASH_LIMBS_H

#include "src/sketch/minhash_internal.h"

/** Of a number below 2^61 - 1; of its low limb; of what is above. */
enum {
    ND_MINHASH_BITS = 61,
    ND_MINHASH_LOW_BITS = 31,
    ND_MINHASH_HIGH_BITS = ND_MINHASH_BITS - ND_MINHASH_LOW_BITS
};

typedef struct nd_minhash_limbs {
    uint64_t low[ND_MINHASH_CHUNK];
    uint64_t high[ND_MINHASH_CHUNK];
} nd_minhash_limbs;

/** Split `count` >= 1 values, the last of them repeated to whole blocks of `block` values, a
 * divisor of ND_MINHASH_CHUNK. \return how many blocks */
static inline size_t nd_minhash_split(const uint64_t *values, size_t count, size_t block,
                                      nd_minhash_limbs *to) {
    const size_t blocks = (count + block - 1) / block;
    for (size_t i = 0; i < count; i++) {
        to->low[i] = values[i] & ((UINT64_C(1) << ND_MINHASH_LOW_BITS) - 1);
        to->high[i] = values[i] >> ND_MINHASH_LOW_BITS;
    }
    for (size_t i = count; i < blocks * block; i++) {
        to->low[i] = to->low[count - 1];
        to->high[i] = to->high[count - 1];
    }
    return blocks;
}

#endif
