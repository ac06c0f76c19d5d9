#include "src/sketch/charikar_internal.h"

#include <stdint.h>

/* One word at a time in plain C. */
#define LANES_TARGET
enum { LANES = 1 };
typedef uint64_t lane;
#include "src/sketch/charikar_lanes.h"

const nd_charikar_variant nd_charikar_plain = {"plain", 1, 0, project_lanes};

const nd_charikar_variant *const nd_charikar_variants[] = {
    &nd_charikar_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_charikar_avx2,
    &nd_charikar_avx512,
#endif
};
const size_t nd_charikar_variant_count =
    sizeof nd_charikar_variants / sizeof nd_charikar_variants[0];

void nd_charikar_sign_by(const nd_charikar_variant *variant, const uint64_t *features,
                         const uint32_t *weights, size_t count, uint32_t bits, uint64_t seed,
                         uint64_t *string) {
    const size_t words = nd_charikar_words(bits);
    const uint32_t rest = bits % ND_CHARIKAR_WORD_BITS; /* of the last word */
    uint64_t total = weights == NULL ? count : 0;
    for (size_t i = 0; weights != NULL && i < count; i++) {
        total += weights[i];
    }
    variant->project(&(nd_charikar_input){features, weights, count, total, nd_mix64(seed)}, words,
                     string);
    string[words - 1] &= rest == 0 ? UINT64_MAX : (UINT64_C(1) << rest) - 1;
}

void nd_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                      uint32_t bits, uint64_t seed, uint64_t *string) {
    size_t worthwhile = nd_charikar_variant_count; /* that one, and so all before it */
    while (nd_charikar_words(bits) < nd_charikar_variants[worthwhile - 1]->worthwhile) {
        worthwhile--; /* [0] is for any */
    }
    size_t best;
    ND_CPU_BEST(best, worthwhile, nd_charikar_variants[best]->needs);
    nd_charikar_sign_by(nd_charikar_variants[best], features, weights, count, bits, seed, string);
}

/* Bits beyond the last are 0 in both strings. */
static inline uint32_t count_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    uint32_t different = 0;
    for (size_t i = 0; i < nd_charikar_words(bits); i++) {
        different += (uint32_t)__builtin_popcountll(a[i] ^ b[i]);
    }
    return bits - different;
}

#if defined(__x86_64__) && ND_SIMD
__attribute__((target("popcnt"))) static uint32_t
agreeing_popcnt(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    return count_agreeing(a, b, bits);
}
#endif

uint32_t nd_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits) {
#if defined(__x86_64__) && ND_SIMD
    if (nd_cpu_has(ND_CPU_POPCNT)) {
        return agreeing_popcnt(a, b, bits);
    }
#endif
    return count_agreeing(a, b, bits);
}
