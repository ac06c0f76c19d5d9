/** \file src/sketch/minhash_internal.h
 * The variants of nd_minhash_sketch(), so that tests and benchmarks can call each of them. Internal
 * to src/sketch/ and its tests.
 */
#ifndef ND_SKETCH_MINHASH_INTERNAL_H
#define ND_SKETCH_MINHASH_INTERNAL_H

#include "src/base/cpu.h"
#include "src/sketch/minhash.h"

/** Most values at a time: with what a variant makes of them they stay in the L1 cache. */
enum { ND_MINHASH_CHUNK = 512 };

typedef struct nd_minhash_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    /** Lower the minima of all permutations to those of `count` <= ND_MINHASH_CHUNK more values,
     * each below ND_MINHASH_MODULUS. */
    void (*lower)(const nd_minhash *minhash, const uint64_t *values, size_t count,
                  uint64_t *minima);
} nd_minhash_variant;

/** nd_minhash_variant.lower in plain C, of permutations [first, end). */
void nd_minhash_lower(const nd_minhash *minhash, size_t first, size_t end, const uint64_t *values,
                      size_t count, uint64_t *minima);

#if defined(__x86_64__) && ND_SIMD
extern const nd_minhash_variant nd_minhash_avx2;
extern const nd_minhash_variant nd_minhash_ifma;
#endif

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_minhash_variant *const nd_minhash_variants[];
extern const size_t nd_minhash_variant_count;

/** nd_minhash_sketch() by one variant that this machine supports. */
bool nd_minhash_sketch_by(const nd_minhash_variant *variant, const nd_minhash *minhash,
                          const uint64_t *values, size_t count, uint64_t *minima);

/* ---- Values in two limbs, as the variants of nd_minhash_sketch() multiply them that have no
 * product of 64 bits. Internal to src/sketch/. */

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
