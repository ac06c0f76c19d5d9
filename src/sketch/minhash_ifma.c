/* Min-wise sketches with eight permutations in the lanes of an AVX-512 register. Nearly all values
 * are far from the minimum, so where a value stands among the others is known from the high bits of
 * it alone, for which two products of 52 bits (AVX-512 IFMA) are enough; the minimum itself is then
 * made of the few values that it can be of, exactly.
 */
#if defined(__x86_64__) && ND_SIMD

#include "src/sketch/minhash_internal.h"

#include <immintrin.h>

enum {
    LANES = 8,
    BLOCK = 4, /* values of which only the least is looked at, and which are all made exactly */
    FRACTION_BITS = 52,
    DROPPED_BITS = ND_MINHASH_BITS - FRACTION_BITS,
    PLACE_BITS = 8, /* of a key, which name the block */
};

_Static_assert(ND_MINHASH_CHUNK / BLOCK <= 1 << PLACE_BITS, "a key names the block");

/* Estimates are above the truth by less than this, see the keys below. */
static const uint64_t RAISED = UINT64_C(1) << 32;
/* Keys that differ by less may be in another order than what they stand for. */
static const uint64_t DOUBT = UINT64_C(1) << 33;
/* Keys are compared as numbers from 1 to 2 in binary floating point, for which there are more units
 * than for integers of 64 bits. */
static const uint64_t ONE = UINT64_C(0x3ff) << FRACTION_BITS;
static const uint64_t FRACTION = (UINT64_C(1) << FRACTION_BITS) - 1;
static const uint64_t PLACE = (UINT64_C(1) << PLACE_BITS) - 1;

enum { AND_THEN_OR = 0xea }; /* (x & y) | z */

#define TARGET __attribute__((target("avx512f,avx512ifma")))

TARGET static inline __m512i all(uint64_t value) {
    return _mm512_set1_epi64((long long)value);
}

/* ---- keys
 *
 * With v = (a x + b) mod p and x = l + 2^31 h, v / p is the fraction of a l / p + a' h / p + b / p,
 * where a' = 2^31 a mod p. The fractions a / p, a' / p and b / p are cut off after 52 bits, which
 * is what a >> 9 does since p is 2^61 but for one; they lack less than 1.01 units, so that the sum
 * lacks less than 1.01 (2^31 + 2^30 + 1) < 2^32 units. That much is added: a sum in units modulo
 * 2^52 is above v / p by at most RAISED, unless it went beyond 2^52 and is below RAISED.
 *
 * The key of a block is the least sum of its values, with the block's number in the low bits. If
 * the least key is DOUBT from zero and from the second, then the least value is in its block.
 */

typedef struct multipliers {
    __m512i low;  /* for l */
    __m512i high; /* for h */
    __m512i offset;
} multipliers;

typedef struct smallest {
    __m512d key;
    __m512d second;
} smallest;

TARGET static inline multipliers fractions_of(__m512i a, __m512i b) {
    const __m512i turned = _mm512_and_si512(
        _mm512_or_si512(_mm512_slli_epi64(a, ND_MINHASH_LOW_BITS),
                        _mm512_srli_epi64(a, ND_MINHASH_BITS - ND_MINHASH_LOW_BITS)),
        all(ND_MINHASH_MODULUS));
    return (multipliers){_mm512_srli_epi64(a, DROPPED_BITS),
                         _mm512_srli_epi64(turned, DROPPED_BITS),
                         _mm512_add_epi64(_mm512_srli_epi64(b, DROPPED_BITS), all(RAISED))};
}

TARGET static inline __m512d estimate(const multipliers *m, const nd_minhash_limbs *x, size_t j) {
    __m512i sum = _mm512_madd52lo_epu64(m->offset, m->low, all(x->low[j]));
    sum = _mm512_madd52lo_epu64(sum, m->high, all(x->high[j]));
    return _mm512_castsi512_pd(
        _mm512_ternarylogic_epi64(sum, all(FRACTION), all(ONE), AND_THEN_OR));
}

TARGET static inline smallest find(const multipliers *m, const nd_minhash_limbs *x, size_t blocks) {
    const __m512d most = _mm512_castsi512_pd(all(ONE | FRACTION));
    smallest s = {most, most};
    for (size_t block = 0; block < blocks; block++) {
        const size_t j = block * BLOCK;
        const __m512d least =
            _mm512_min_pd(_mm512_min_pd(estimate(m, x, j), estimate(m, x, j + 1)),
                          _mm512_min_pd(estimate(m, x, j + 2), estimate(m, x, j + 3)));
        const __m512d key = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
            _mm512_castpd_si512(least), all(~PLACE), all(block), AND_THEN_OR));
        s.second = _mm512_min_pd(s.second, _mm512_max_pd(s.key, key));
        s.key = _mm512_min_pd(s.key, key);
    }
    return s;
}

TARGET static inline __mmask8 doubtful(const smallest *s) {
    const __m512i key = _mm512_castpd_si512(s->key), second = _mm512_castpd_si512(s->second);
    return (__mmask8)(_mm512_cmplt_epu64_mask(key, all(ONE + DOUBT)) |
                      _mm512_cmplt_epu64_mask(_mm512_sub_epi64(second, key), all(DOUBT)));
}

/* ---- exact values, as in the AVX2 variant */

TARGET static inline __m512i permute(__m512i a, __m512i b, __m512i low, __m512i high) {
    const __m512i modulus = all(ND_MINHASH_MODULUS);
    const __m512i a_high = _mm512_srli_epi64(a, ND_MINHASH_LOW_BITS);
    const __m512i a_low = _mm512_and_si512(a, all((UINT64_C(1) << ND_MINHASH_LOW_BITS) - 1));
    const __m512i middle =
        _mm512_add_epi64(_mm512_mul_epu32(a_low, high), _mm512_mul_epu32(a_high, low));
    const __m512i outer = _mm512_add_epi64(_mm512_mul_epu32(a_high, _mm512_add_epi64(high, high)),
                                           _mm512_mul_epu32(a_low, low));
    const __m512i m = _mm512_and_si512(middle, all((UINT64_C(1) << ND_MINHASH_HIGH_BITS) - 1));
    const __m512i moved = _mm512_add_epi64(_mm512_srli_epi64(middle, ND_MINHASH_HIGH_BITS),
                                           _mm512_slli_epi64(m, ND_MINHASH_LOW_BITS));
    const __m512i sum = _mm512_add_epi64(_mm512_add_epi64(outer, b), moved);
    const __m512i folded =
        _mm512_add_epi64(_mm512_and_si512(sum, modulus), _mm512_srli_epi64(sum, ND_MINHASH_BITS));
    return _mm512_min_epu64(folded, _mm512_sub_epi64(folded, modulus));
}

/* The least value of the block that each lane's key names. */
TARGET static inline __m512i least_of_block(const smallest *s, __m512i a, __m512i b,
                                            const nd_minhash_limbs *x) {
    const __m512i first =
        _mm512_slli_epi64(_mm512_and_si512(_mm512_castpd_si512(s->key), all(PLACE)), 2);
    __m512i least = all(ND_MINHASH_MODULUS);
    for (size_t j = 0; j < BLOCK; j++) {
/* Without optimisation gcc's gather is a macro that takes its mask for a signed number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
        const __m512i low = _mm512_i64gather_epi64(first, x->low + j, sizeof(uint64_t));
        const __m512i high = _mm512_i64gather_epi64(first, x->high + j, sizeof(uint64_t));
#pragma GCC diagnostic pop
        least = _mm512_min_epu64(least, permute(a, b, low, high));
    }
    return least;
}

/* ---- sketches */

TARGET static void lower(const nd_minhash *minhash, const uint64_t *values, size_t count,
                         uint64_t *minima) {
    nd_minhash_limbs x;
    const size_t blocks = nd_minhash_split(values, count, BLOCK, &x);
    for (size_t i = 0; i < minhash->count; i += LANES) {
        const size_t rest = minhash->count - i;
        const __mmask8 here = (__mmask8)(rest >= LANES ? 0xff : (1U << rest) - 1);
        const __m512i a = _mm512_maskz_loadu_epi64(here, minhash->multipliers + i);
        const __m512i b = _mm512_maskz_loadu_epi64(here, minhash->offsets + i);
        const multipliers m = fractions_of(a, b);
        const smallest s = find(&m, &x, blocks);
        const __m512i least = _mm512_min_epu64(least_of_block(&s, a, b, &x),
                                               _mm512_maskz_loadu_epi64(here, minima + i));
        _mm512_mask_storeu_epi64(minima + i, here, least);
        for (unsigned lanes = doubtful(&s) & here; lanes != 0; lanes &= lanes - 1) {
            const size_t lane = i + (size_t)__builtin_ctz(lanes);
            nd_minhash_lower(minhash, lane, lane + 1, values, count, minima);
        }
    }
}

const nd_minhash_variant nd_minhash_ifma = {"AVX-512 IFMA", ND_CPU_AVX512F | ND_CPU_AVX512IFMA,
                                            lower};

#else
typedef int nd_minhash_ifma_is_for_x86; /* a source file must not be empty */
#endif
