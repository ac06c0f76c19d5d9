/** \file src/sketch/charikar_internal.h
 * The variants of nd_charikar_sign(), so that tests and benchmarks can call each of them. Internal
 * to src/sketch/ and its tests.
 */
#ifndef ND_SKETCH_CHARIKAR_INTERNAL_H
#define ND_SKETCH_CHARIKAR_INTERNAL_H

#include "src/base/cpu.h"
#include "src/sketch/simhash.h"

enum {
    /* binary digits of a sum of weights */
    ND_CHARIKAR_PLANES = 32
};

/** Features as the variants take them. */
typedef struct nd_charikar_input {
    const uint64_t *features;
    const uint32_t *weights; /**< NULL: all 1 */
    size_t count;
    uint64_t total; /**< of the weights */
    uint64_t salt;  /**< of the seed */
} nd_charikar_input;

typedef struct nd_charikar_variant {
    const char *name;
    size_t worthwhile; /**< fewer words than this are faster by the variant before; ascending */
    uint32_t needs;    /**< features of the processor, see src/base/cpu.h */
    /** Write `words` words of the string; bits beyond the wanted ones may be anything. */
    void (*project)(const nd_charikar_input *input, size_t words, uint64_t *string);
} nd_charikar_variant;

extern const nd_charikar_variant nd_charikar_plain;
#if defined(__x86_64__) && ND_SIMD
extern const nd_charikar_variant nd_charikar_avx2;
extern const nd_charikar_variant nd_charikar_avx512;
#endif

/** All variants compiled in, the slowest first; [0] works everywhere. */
extern const nd_charikar_variant *const nd_charikar_variants[];
extern const size_t nd_charikar_variant_count;

/** nd_charikar_sign() by one variant that this machine supports. */
void nd_charikar_sign_by(const nd_charikar_variant *variant, const uint64_t *features,
                         const uint32_t *weights, size_t count, uint32_t bits, uint64_t seed,
                         uint64_t *string);

#endif
