/* Furthest-reaching paths on 16 diagonals at a time with AVX-512, on 8 with AVX2. Most paths end at
 * the first token that is looked at; those that match it are followed one by one. */
#if defined(__x86_64__) && ND_SIMD

#include "src/lcs/lcs_front.h"

#include <immintrin.h>

/* As a plain loop, which compilers widen. */
static inline __attribute__((always_inline)) bool any_meet(const int32_t *forward,
                                                           const int32_t *backward, int32_t count) {
    int32_t least = -1;
    for (int32_t i = 0; i < count; i++) {
        const int32_t sum = forward[i] + backward[-i];
        least = sum > least ? sum : least;
    }
    return least >= 0;
}

/* ---- AVX-512 */

#define AVX512_TARGET __attribute__((target("avx512f,avx512bw,avx512dq")))

enum { LANES512 = 16 };

/* Whether each of 16 paths matches a token at its end. */
AVX512_TARGET static inline __mmask16 match512(const nd_lcs_front *front, __m512i x, __m512i y,
                                               __mmask16 live) {
    const __m512i flip = _mm512_set1_epi32(front->flip);
    const __mmask16 in_a = _mm512_mask_cmplt_epi32_mask(live, x, _mm512_set1_epi32(front->a_end));
    const __mmask16 in = _mm512_mask_cmplt_epi32_mask(in_a, y, _mm512_set1_epi32(front->b_end));
/* Without optimisation gcc's gather is a macro that takes its mask for a signed number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    const __m512i of_a =
        _mm512_mask_i32gather_epi32(x, in, _mm512_xor_si512(x, flip), (const int *)front->a, 4);
    const __m512i of_b =
        _mm512_mask_i32gather_epi32(x, in, _mm512_xor_si512(y, flip), (const int *)front->b, 4);
#pragma GCC diagnostic pop
    return _mm512_mask_cmpeq_epi32_mask(in, of_a, of_b);
}

/* Matches from (x, y) on: those of 16 tokens without a loop, as most are fewer. */
AVX512_TARGET static inline int32_t run512(const nd_lcs_front *front, int32_t x, int32_t y) {
    const int32_t of_a = front->a_end - x, of_b = front->b_end - y;
    const int32_t left = of_a < of_b ? of_a : of_b;
    if (left < LANES512) {
        return nd_lcs_front_run(front, x, y);
    }
    uint32_t differing = 0;
    if (front->flip == 0) {
        differing = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(front->a + x),
                                             _mm512_loadu_si512(front->b + y));
        return differing != 0 ? __builtin_ctz(differing) : nd_lcs_front_run(front, x, y);
    }
    differing = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(front->a - x - LANES512),
                                         _mm512_loadu_si512(front->b - y - LANES512));
    return differing != 0 ? __builtin_clz(differing) - LANES512 : nd_lcs_front_run(front, x, y);
}

/* The paths after those of them that match have been followed. What is known of a path is taken
 * from copies, since to read from memory a part of what was written a moment ago takes long. */
AVX512_TARGET static inline __m512i follow512(const nd_lcs_front *front, __m512i x, __m512i y,
                                              uint32_t matches) {
    int32_t of_a[LANES512], of_b[LANES512];
    if (matches != 0) {
        _mm512_storeu_si512(of_a, x);
        _mm512_storeu_si512(of_b, y);
    }
    for (; matches != 0; matches &= matches - 1) {
        const int lane = __builtin_ctz(matches);
        const int32_t at = of_a[lane] + 1;
        const uint32_t bit = matches & -matches;
        x = _mm512_mask_set1_epi32(x, (__mmask16)bit, at + run512(front, at, of_b[lane] + 1));
    }
    return x;
}

AVX512_TARGET static void grow_avx512(const nd_lcs_front *front, int32_t first, int32_t last) {
    const nd_lcs_front fixed = *front; /* which stores to the paths cannot change */
    const int32_t *beside = nd_lcs_front_reach(front, first - 1);
    int32_t *reach = nd_lcs_front_reach(front, first);
    const int32_t count = (last - first) / 2 + 1;
    const __m512i one = _mm512_set1_epi32(1);
    __m512i k =
        _mm512_add_epi32(_mm512_set1_epi32(first), _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16,
                                                                     18, 20, 22, 24, 26, 28, 30));
    for (int32_t i = 0; i < count; i += LANES512) {
        const int32_t left = count - i;
        const unsigned lanes = left < LANES512 ? (1U << left) - 1 : 0xffffU;
        const __mmask16 live = (__mmask16)lanes;
        const __m512i x = _mm512_max_epi32(_mm512_add_epi32(_mm512_loadu_si512(beside + i), one),
                                           _mm512_loadu_si512(beside + i + 1));
        const __m512i y = _mm512_sub_epi32(x, k);
        const uint32_t matches = match512(&fixed, x, y, live);
        _mm512_mask_storeu_epi32(reach + i, live, follow512(&fixed, x, y, matches));
        k = _mm512_add_epi32(k, _mm512_set1_epi32(2 * LANES512));
    }
}

AVX512_TARGET static bool meet_avx512(const int32_t *forward, const int32_t *backward,
                                      int32_t count) {
    return any_meet(forward, backward, count);
}

const nd_lcs_front_variant nd_lcs_front_avx512 = {
    .name = "AVX-512",
    .needs = ND_CPU_AVX512F | ND_CPU_AVX512BW | ND_CPU_AVX512DQ,
    .step_cost = 26000,
    .square_cost = 160,
    .few = 16,
    .grow = grow_avx512,
    .meet = meet_avx512,
};

/* ---- AVX2 */

#define AVX2_TARGET __attribute__((target("avx2")))

enum { LANES = 8 };

/* As match512(), of 8 paths; bit i is of path i. */
AVX2_TARGET static inline uint32_t match8(const nd_lcs_front *front, __m256i x, __m256i y,
                                          __m256i live) {
    const __m256i flip = _mm256_set1_epi32(front->flip);
    const __m256i in_a = _mm256_cmpgt_epi32(_mm256_set1_epi32(front->a_end), x);
    const __m256i in_b = _mm256_cmpgt_epi32(_mm256_set1_epi32(front->b_end), y);
    const __m256i in = _mm256_and_si256(live, _mm256_and_si256(in_a, in_b));
    const __m256i of_a =
        _mm256_mask_i32gather_epi32(x, (const int *)front->a, _mm256_xor_si256(x, flip), in, 4);
    const __m256i of_b =
        _mm256_mask_i32gather_epi32(x, (const int *)front->b, _mm256_xor_si256(y, flip), in, 4);
    const __m256i equal = _mm256_and_si256(in, _mm256_cmpeq_epi32(of_a, of_b));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
}

AVX2_TARGET static inline __m256i load8(const int32_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2_TARGET static void grow_avx2(const nd_lcs_front *front, int32_t first, int32_t last) {
    const nd_lcs_front fixed = *front; /* which stores to the paths cannot change */
    const int32_t *beside = nd_lcs_front_reach(front, first - 1);
    int32_t *reach = nd_lcs_front_reach(front, first);
    const int32_t count = (last - first) / 2 + 1;
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int32_t i = 0; i < count; i += LANES) {
        const __m256i live = _mm256_cmpgt_epi32(_mm256_set1_epi32(count - i), number);
        const __m256i k =
            _mm256_add_epi32(_mm256_set1_epi32(first + 2 * i), _mm256_add_epi32(number, number));
        const __m256i x =
            _mm256_max_epi32(_mm256_add_epi32(load8(beside + i), one), load8(beside + i + 1));
        uint32_t matches = match8(&fixed, x, _mm256_sub_epi32(x, k), live);
        _mm256_maskstore_epi32(reach + i, live, x);
        for (; matches != 0; matches &= matches - 1) {
            const int32_t lane = i + __builtin_ctz(matches);
            const int32_t at = reach[lane] + 1;
            reach[lane] = at + nd_lcs_front_run(&fixed, at, at - first - 2 * lane);
        }
    }
}

AVX2_TARGET static bool meet_avx2(const int32_t *forward, const int32_t *backward, int32_t count) {
    return any_meet(forward, backward, count);
}

const nd_lcs_front_variant nd_lcs_front_avx2 = {
    .name = "AVX2",
    .needs = ND_CPU_AVX2,
    .step_cost = 26000,
    .square_cost = 200,
    .few = 16,
    .grow = grow_avx2,
    .meet = meet_avx2,
};

#else
typedef int nd_lcs_front_wide_is_for_x86; /* a source file must not be empty */
#endif
