/** \file src/sketch/shingle_internal.h
 * The variants of hashing shingles of the usual width, so that tests and benchmarks can call each
 * of them. Internal to src/sketch/ and its tests.
 */
#ifndef ND_SKETCH_SHINGLE_INTERNAL_H
#define ND_SKETCH_SHINGLE_INTERNAL_H

#include "src/base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/** Tokens of a shingle that the variants are for. */
enum { ND_SHINGLE_USUAL = 5 };

typedef struct nd_shingle_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    /** values[i] = XXH3 with a seed of the tokens from i on, for `count` shingles of the usual
     * width that follow one another. */
    void (*fill)(uint64_t seed, const uint32_t *tokens, size_t count, uint64_t *values);
} nd_shingle_variant;

/** nd_shingle_variant.fill by xxHash, on any machine. */
void nd_shingle_fill_plain(uint64_t seed, const uint32_t *tokens, size_t count, uint64_t *values);

#if defined(__x86_64__) && ND_SIMD
extern const nd_shingle_variant nd_shingle_avx512;
#endif

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_shingle_variant *const nd_shingle_variants[];
extern const size_t nd_shingle_variant_count;

#endif
