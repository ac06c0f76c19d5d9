/* Shingles of five tokens, eight side by side in AVX-512. */
#if defined(__x86_64__) && ND_SIMD

#include "src/base/xxh3_avx512.h"
#include "src/sketch/shingle_internal.h"

enum { LANES = 8, BYTES = ND_SHINGLE_USUAL * sizeof(uint32_t) };

#define TARGET __attribute__((target("avx512f,avx512dq")))

/* What XXH3 of 17 to 32 bytes mixes with the first 16 of them and with the last 16. */
typedef struct secrets {
    __m512i first[2], last[2];
} secrets;

TARGET static inline secrets secrets_of(uint64_t seed) {
    return (secrets){{ALL(0xbe4ba423396cfeb8 + seed), ALL(0x1cad21f72c81017c - seed)},
                     {ALL(0xdb979083e96dd4de + seed), ALL(0x1f67b3b7a4a44072 - seed)}};
}

TARGET static inline __m512i mix(const __m512i secret[2], __m512i low, __m512i high) {
    return multiply_and_fold(_mm512_xor_si512(low, secret[0]), _mm512_xor_si512(high, secret[1]));
}

/* Tokens that eight shingles take. */
enum { TAKEN = LANES + ND_SHINGLE_USUAL - 1, ALL_TAKEN = (1 << TAKEN) - 1 };

/* Of each shingle the tokens at two places that follow one another, as a word. */
TARGET static inline __m512i pairs_from(__m512i tokens, int first) {
    const __m512i places = _mm512_set_epi32(8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0);
    return _mm512_permutexvar_epi32(_mm512_add_epi32(places, _mm512_set1_epi32(first)), tokens);
}

TARGET static inline __m512i hash_eight(const secrets *s, const uint32_t *tokens) {
    const __m512i t = _mm512_maskz_loadu_epi32(ALL_TAKEN, tokens);
    __m512i sum = ALL(BYTES * 0x9E3779B185EBCA87);
    sum = _mm512_add_epi64(sum, mix(s->first, pairs_from(t, 0), pairs_from(t, 2)));
    sum = _mm512_add_epi64(sum, mix(s->last, pairs_from(t, 1), pairs_from(t, 3)));
    return xor_shift(_mm512_mullo_epi64(xor_shift(sum, 37), ALL(0x165667919E3779F9)), 32);
}

TARGET static void fill(uint64_t seed, const uint32_t *tokens, size_t count, uint64_t *values) {
    const secrets s = secrets_of(seed);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        _mm512_storeu_si512(values + i, hash_eight(&s, tokens + i));
    }
    nd_shingle_fill_plain(seed, tokens + i, count - i, values + i);
}

const nd_shingle_variant nd_shingle_avx512 = {"AVX-512", ND_CPU_AVX512F | ND_CPU_AVX512DQ, fill};

#else
typedef int nd_shingle_avx512_is_for_x86; /* a source file must not be empty */
#endif
