/* Min-wise sketches with four permutations in the lanes of an AVX2 register. AVX-512 with eight of
 * them, reckoned alike, was no faster to speak of.
 */
#if defined(__x86_64__) && ND_SIMD

#include "src/sketch/minhash_internal.h"

#include <immintrin.h>

/* There is no product of 64 bits, so numbers go in limbs of 31 bits and what is above, 30 bits. */
enum { LANES = 4 };

#define TARGET __attribute__((target("avx2")))

typedef struct permutations {
    __m256i low; /* limbs of the multipliers */
    __m256i high;
    __m256i twice_high;
    __m256i offset;
} permutations;

TARGET static inline __m256i all(uint64_t value) {
    return _mm256_set1_epi64x((long long)value);
}

TARGET static inline __m256i load(const uint64_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* a x + b modulo p = 2^61 - 1, where 2^62 = 2 and 2^31 (m' 2^30 + m) = m' + 2^31 m, so that with
 * limbs l + 2^31 h the sum is 2 ah xh + al xl + b + m' + 2^31 m for the middle products' sum. It is
 * below 2^64; folded once, below p + 8; and taking p off is right where that does not go below 0.
 */
TARGET static inline __m256i permute(const permutations *p, const nd_minhash_limbs *x, size_t j) {
    const __m256i modulus = all(ND_MINHASH_MODULUS);
    const __m256i low = all(x->low[j]), high = all(x->high[j]);
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(p->low, high), _mm256_mul_epu32(p->high, low));
    const __m256i outer =
        _mm256_add_epi64(_mm256_mul_epu32(p->twice_high, high), _mm256_mul_epu32(p->low, low));
    const __m256i m = _mm256_and_si256(middle, all((UINT64_C(1) << ND_MINHASH_HIGH_BITS) - 1));
    const __m256i moved = _mm256_add_epi64(_mm256_srli_epi64(middle, ND_MINHASH_HIGH_BITS),
                                           _mm256_slli_epi64(m, ND_MINHASH_LOW_BITS));
    const __m256i sum = _mm256_add_epi64(_mm256_add_epi64(outer, p->offset), moved);
    const __m256i folded =
        _mm256_add_epi64(_mm256_and_si256(sum, modulus), _mm256_srli_epi64(sum, ND_MINHASH_BITS));
    const __m256i less = _mm256_sub_epi64(folded, modulus);
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(less),
                                                _mm256_castsi256_pd(folded),
                                                _mm256_castsi256_pd(less))); /* by its sign */
}

TARGET static void lower(const nd_minhash *minhash, const uint64_t *values, size_t count,
                         uint64_t *minima) {
    nd_minhash_limbs x;
    size_t i = 0;
    (void)nd_minhash_split(values, count, 1, &x);
    for (; i + LANES <= minhash->count; i += LANES) {
        const __m256i a = load(minhash->multipliers + i);
        const __m256i high = _mm256_srli_epi64(a, ND_MINHASH_LOW_BITS);
        const permutations p = {_mm256_and_si256(a, all((UINT64_C(1) << ND_MINHASH_LOW_BITS) - 1)),
                                high, _mm256_add_epi64(high, high), load(minhash->offsets + i)};
        __m256i least = load(minima + i);
        for (size_t j = 0; j < count; j++) {
            const __m256i value = permute(&p, &x, j);
            least = _mm256_blendv_epi8(least, value, _mm256_cmpgt_epi64(least, value));
        }
        _mm256_storeu_si256((__m256i *)(void *)(minima + i), least);
    }
    nd_minhash_lower(minhash, i, minhash->count, values, count, minima);
}

const nd_minhash_variant nd_minhash_avx2 = {"AVX2", ND_CPU_AVX2, lower};

#else
typedef int nd_minhash_avx2_is_for_x86; /* a source file must not be empty */
#endif
