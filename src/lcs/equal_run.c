#include "src/lcs/equal_run.h"

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

static size_t prefix_plain(const uint32_t *a, const uint32_t *b, size_t limit) {
    size_t length = 0;
    while (length < limit && a[length] == b[length]) {
        length++;
    }
    return length;
}

static size_t suffix_plain(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    size_t length = 0;
    while (length < limit && a_end[-1 - (ptrdiff_t)length] == b_end[-1 - (ptrdiff_t)length]) {
        length++;
    }
    return length;
}

#if defined(__x86_64__) && ND_SIMD

#define AVX2_TARGET   __attribute__((target("avx2")))
#define AVX512_TARGET __attribute__((target("avx512f")))

/* A bit for each of eight tokens, set where they differ. */
AVX2_TARGET static inline uint32_t differing8(const uint32_t *a, const uint32_t *b) {
    const __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)a),
                                             _mm256_loadu_si256((const __m256i *)(const void *)b));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) ^ 0xff;
}

AVX2_TARGET static size_t prefix_avx2(const uint32_t *a, const uint32_t *b, size_t limit) {
    enum { LANES = 8 };
    size_t length = 0;
    for (; length + LANES <= limit; length += LANES) {
        const uint32_t differing = differing8(a + length, b + length);
        if (differing != 0) {
            return length + (size_t)__builtin_ctz(differing);
        }
    }
    return length + prefix_plain(a + length, b + length, limit - length);
}

AVX2_TARGET static size_t suffix_avx2(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    enum { LANES = 8 };
    size_t length = 0;
    for (; length + LANES <= limit; length += LANES) {
        const uint32_t differing = differing8(a_end - length - LANES, b_end - length - LANES);
        if (differing != 0) {
            return length + (size_t)__builtin_clz(differing) - 24;
        }
    }
    return length + suffix_plain(a_end - length, b_end - length, limit - length);
}

/* The same of up to sixteen tokens, as the mask says; those that it leaves out are not read. */
AVX512_TARGET static inline uint32_t differing16(const uint32_t *a, const uint32_t *b,
                                                 __mmask16 which) {
    return _mm512_mask_cmpneq_epi32_mask(which, _mm512_maskz_loadu_epi32(which, a),
                                         _mm512_maskz_loadu_epi32(which, b));
}

AVX512_TARGET static size_t prefix_avx512(const uint32_t *a, const uint32_t *b, size_t limit) {
    enum { LANES = 16 };
    for (size_t length = 0; length < limit; length += LANES) {
        const size_t left = limit - length;
        const unsigned all = left < LANES ? (1U << left) - 1 : 0xffffU;
        const __mmask16 which = (__mmask16)all;
        const uint32_t differing = differing16(a + length, b + length, which);
        if (differing != 0) {
            return length + (size_t)__builtin_ctz(differing);
        }
    }
    return limit;
}

AVX512_TARGET static size_t suffix_avx512(const uint32_t *a_end, const uint32_t *b_end,
                                          size_t limit) {
    enum { LANES = 16 };
    size_t length = 0;
    for (; length + LANES <= limit; length += LANES) {
        const uint32_t differing =
            differing16(a_end - length - LANES, b_end - length - LANES, 0xffff);
        if (differing != 0) {
            return length + (size_t)__builtin_clz(differing) - 16;
        }
    }
    return length + suffix_plain(a_end - length, b_end - length, limit - length);
}

#endif

const nd_equal_run_variant nd_equal_run_variants[] = {
    {"plain", 0, prefix_plain, suffix_plain},
#if defined(__x86_64__) && ND_SIMD
    {"AVX2", ND_CPU_AVX2, prefix_avx2, suffix_avx2},
    {"AVX-512", ND_CPU_AVX512F, prefix_avx512, suffix_avx512},
#endif
};
const size_t nd_equal_run_variant_count =
    sizeof nd_equal_run_variants / sizeof nd_equal_run_variants[0];

static const nd_equal_run_variant *best(void) {
    size_t last;
    ND_CPU_BEST(last, nd_equal_run_variant_count, nd_equal_run_variants[last].needs);
    return &nd_equal_run_variants[last];
}

size_t nd_equal_prefix(const uint32_t *a, const uint32_t *b, size_t limit) {
    return best()->prefix(a, b, limit);
}

size_t nd_equal_suffix(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    return best()->suffix(a_end, b_end, limit);
}
