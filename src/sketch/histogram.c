#include "src/sketch/histogram_internal.h"

#include "src/base/order.h"

#include <string.h>
#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

/* Knuth's multiplier (2^32 over the golden ratio, made odd): its high bits depend on all of the
 * token's bits, so tokens that are themselves poor hashes still spread over the bins. */
static const uint32_t BIN_MULTIPLIER = UINT32_C(0x9e3779b1);
enum { BIN_SHIFT = 24 };

/* Neighbouring tokens are often equal; two sets of counters keep one increment from waiting for
 * the one before it. */
enum { COUNTER_SETS = 2 };

void nd_histogram_fill(const uint32_t *tokens, size_t count, nd_histogram *histogram) {
    uint32_t counters[COUNTER_SETS][ND_HISTOGRAM_BINS];
    memset(counters, 0, sizeof counters);
    for (size_t i = 0; i < count; i++) {
        counters[i % COUNTER_SETS][tokens[i] * BIN_MULTIPLIER >> BIN_SHIFT]++;
    }
    histogram->tokens = (uint32_t)count;
    histogram->overflow = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        uint32_t sum = counters[0][i] + counters[1][i];
        histogram->overflow |= sum > UINT16_MAX;
        histogram->bins[i] = (uint16_t)nd_min(sum, UINT16_MAX);
    }
}

/* Where the bins say nothing, the bound is the most that it can be at all. */
static uint64_t bound_of(const nd_histogram *a, const nd_histogram *b, uint64_t sum) {
    return a->overflow != 0 || b->overflow != 0 ? nd_min(a->tokens, b->tokens) : sum;
}

static uint64_t common_plain(const nd_histogram *a, const nd_histogram *b) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        sum += nd_min(a->bins[i], b->bins[i]);
    }
    return bound_of(a, b, sum);
}

#if defined(__x86_64__) && ND_SIMD

/* Both variants add the even and the odd bins of a register apart, as the halves of 32-bit lanes:
 * a lane then holds the sum of at most 256 bins of 16 bits, which fits. */

__attribute__((target("avx2"))) static uint64_t common_avx2(const nd_histogram *a,
                                                            const nd_histogram *b) {
    enum { LANES = 16 };
    const __m256i low_half = _mm256_set1_epi32(UINT16_MAX);
    __m256i sum = _mm256_setzero_si256();
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i += LANES) {
        __m256i least =
            _mm256_min_epu16(_mm256_loadu_si256((const __m256i *)(const void *)&a->bins[i]),
                             _mm256_loadu_si256((const __m256i *)(const void *)&b->bins[i]));
        sum = _mm256_add_epi32(sum, _mm256_and_si256(least, low_half));
        sum = _mm256_add_epi32(sum, _mm256_srli_epi32(least, 16));
    }
    uint32_t lanes[LANES / 2];
    uint64_t total = 0;
    _mm256_storeu_si256((__m256i *)(void *)lanes, sum);
    for (size_t i = 0; i < LANES / 2; i++) {
        total += lanes[i];
    }
    return bound_of(a, b, total);
}

__attribute__((target("avx512f,avx512bw"))) static uint64_t common_avx512(const nd_histogram *a,
                                                                          const nd_histogram *b) {
    enum { LANES = 32 };
    const __m512i low_half = _mm512_set1_epi32(UINT16_MAX);
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i += LANES) {
        __m512i least =
            _mm512_min_epu16(_mm512_loadu_si512(&a->bins[i]), _mm512_loadu_si512(&b->bins[i]));
        sum = _mm512_add_epi32(sum, _mm512_and_si512(least, low_half));
        sum = _mm512_add_epi32(sum, _mm512_srli_epi32(least, 16));
    }
    uint64_t total = (uint32_t)_mm512_reduce_add_epi32(sum);
    return bound_of(a, b, total);
}

#endif

const nd_histogram_variant nd_histogram_variants[] = {
    {"plain", 0, common_plain},
#if defined(__x86_64__) && ND_SIMD
    {"AVX2", ND_CPU_AVX2, common_avx2},
    {"AVX-512", ND_CPU_AVX512F | ND_CPU_AVX512BW, common_avx512},
#endif
};
const size_t nd_histogram_variant_count =
    sizeof nd_histogram_variants / sizeof nd_histogram_variants[0];

uint64_t nd_histogram_common(const nd_histogram *a, const nd_histogram *b) {
    size_t best;
    ND_CPU_BEST(best, nd_histogram_variant_count, nd_histogram_variants[best].needs);
    return nd_histogram_variants[best].common(a, b);
}
