/** \file src/base/xxh3_avx512.h
 * What XXH3 of 64 bits is made of, for eight messages in the lanes of an AVX-512 register; steps
 * and constants are those of its specification. Which of them a message of some length takes is for
 * the including source file to know, which checks the machine too. Internal to src/.
 */
#ifndef ND_BASE_XXH3_AVX512_H
#define ND_BASE_XXH3_AVX512_H

#include <immintrin.h>

#include <stdint.h>

#define XXH3_TARGET __attribute__((target("avx512f,avx512dq")))

#define ALL(constant) _mm512_set1_epi64((long long)(constant))

XXH3_TARGET static inline __m512i xor_shift(__m512i x, unsigned shift) {
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, shift));
}

/* The product of 128 bits of each pair, its halves xored. */
XXH3_TARGET static inline __m512i multiply_and_fold(__m512i x, __m512i y) {
    enum { XOR_OF_AND = 0x78 }; /* x ^ (y & z) */
    const __m512i low = ALL(UINT32_MAX);
    const __m512i x_high = _mm512_srli_epi64(x, 32), y_high = _mm512_srli_epi64(y, 32);
    const __m512i low_low = _mm512_mul_epu32(x, y);
    const __m512i high_low =
        _mm512_add_epi64(_mm512_mul_epu32(x_high, y), _mm512_srli_epi64(low_low, 32));
    const __m512i cross =
        _mm512_add_epi64(_mm512_mul_epu32(x, y_high), _mm512_and_si512(high_low, low));
    const __m512i carried =
        _mm512_add_epi64(_mm512_srli_epi64(high_low, 32), _mm512_srli_epi64(cross, 32));
    const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(x_high, y_high), carried);
    return _mm512_xor_si512(_mm512_ternarylogic_epi64(high, low_low, low, XOR_OF_AND),
                            _mm512_slli_epi64(cross, 32));
}

#endif
