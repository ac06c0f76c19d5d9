#include "src/compare/shingle_hash.h"

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

enum { WIDTH = 5 };

/* The last is 2^64 over the golden ratio, made odd: its product moves what differs into the high
 * bits. The others are its products with powers of the multiplier of Knuth's MMIX generator,
 * 6364136223846793005; they are written out so that the terms do not wait for one another. */
static const uint64_t FACTORS[WIDTH] = {UINT64_C(0x55b3b458f763d365), UINT64_C(0x18ce18283eb50819),
                                        UINT64_C(0x9077873b9560201d), UINT64_C(0x18e572a2c7df3ab1),
                                        UINT64_C(0x9e3779b97f4a7c15)};

static void hash_plain(const uint32_t *tokens, size_t count, uint64_t *hashes) {
    for (size_t i = 0; i < count; i++) {
        hashes[i] = tokens[i] * FACTORS[0] + tokens[i + 1] * FACTORS[1] +
                    tokens[i + 2] * FACTORS[2] + tokens[i + 3] * FACTORS[3] +
                    tokens[i + 4] * FACTORS[4];
    }
}

#if defined(__x86_64__) && ND_SIMD

#define AVX2_TARGET   __attribute__((target("avx2")))
#define AVX512_TARGET __attribute__((target("avx512f,avx512dq")))

/* Four tokens times a factor: the products of its halves. */
AVX2_TARGET static inline __m256i product4(const uint32_t *tokens, uint64_t factor) {
    const __m256i wide =
        _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)tokens));
    const __m256i low = _mm256_mul_epu32(wide, _mm256_set1_epi64x((int64_t)(factor & UINT32_MAX)));
    const __m256i high = _mm256_mul_epu32(wide, _mm256_set1_epi64x((int64_t)(factor >> 32)));
    return _mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
}

AVX2_TARGET static void hash_avx2(const uint32_t *tokens, size_t count, uint64_t *hashes) {
    enum { LANES = 4 };
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        __m256i sum = product4(tokens + i, FACTORS[0]);
        for (size_t k = 1; k < WIDTH; k++) {
            sum = _mm256_add_epi64(sum, product4(tokens + i + k, FACTORS[k]));
        }
        _mm256_storeu_si256((__m256i *)(void *)(hashes + i), sum);
    }
    hash_plain(tokens + i, count - i, hashes + i);
}

AVX512_TARGET static inline __m512i product8(const uint32_t *tokens, uint64_t factor) {
    const __m256i loaded = _mm256_loadu_si256((const __m256i *)(const void *)tokens);
    return _mm512_mullo_epi64(_mm512_cvtepu32_epi64(loaded), _mm512_set1_epi64((int64_t)factor));
}

AVX512_TARGET static void hash_avx512(const uint32_t *tokens, size_t count, uint64_t *hashes) {
    enum { LANES = 8 };
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        __m512i sum = product8(tokens + i, FACTORS[0]);
        for (size_t k = 1; k < WIDTH; k++) {
            sum = _mm512_add_epi64(sum, product8(tokens + i + k, FACTORS[k]));
        }
        _mm512_storeu_si512(hashes + i, sum);
    }
    hash_plain(tokens + i, count - i, hashes + i);
}

#endif

const nd_shingle_hash_variant nd_shingle_hash_variants[] = {
    {"plain", 0, hash_plain},
#if defined(__x86_64__) && ND_SIMD
    {"AVX2", ND_CPU_AVX2, hash_avx2},
    {"AVX-512", ND_CPU_AVX512F | ND_CPU_AVX512DQ, hash_avx512},
#endif
};
const size_t nd_shingle_hash_variant_count =
    sizeof nd_shingle_hash_variants / sizeof nd_shingle_hash_variants[0];

void nd_shingle_hashes(const uint32_t *tokens, size_t count, uint64_t *hashes) {
    size_t best;
    ND_CPU_BEST(best, nd_shingle_hash_variant_count, nd_shingle_hash_variants[best].needs);
    nd_shingle_hash_variants[best].hash(tokens, count, hashes);
}
