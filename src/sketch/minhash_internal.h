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

#endif
