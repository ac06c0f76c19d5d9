/* The bit-parallel kernel with AVX-512. */
#if defined(__x86_64__) && ND_SIMD

#include "src/lcs/lcs_internal.h"

#include <immintrin.h>

#define WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq")))

enum {
    LANES = 8,      /* words of a register */
    MOST_GROUPS = 4 /* registers of V that are kept while a tile's rows are added */
};

WIDE_TARGET static inline __mmask16 equal_columns(const uint32_t *columns, __m512i token) {
    return _mm512_cmpeq_epi32_mask(token, _mm512_loadu_si512(columns));
}

WIDE_TARGET static void compare_avx512(const uint32_t *columns, size_t words,
                                       const uint32_t *tokens, size_t rows, uint64_t *masks,
                                       size_t stride) {
    for (size_t r = 0; r < rows; r++) {
        const __m512i token = _mm512_set1_epi32((int)tokens[r]);
        for (size_t w = 0; w < words; w++) {
            const uint32_t *here = columns + w * ND_LCS_WORD;
            const __mmask32 low =
                _mm512_kunpackw(equal_columns(here + 16, token), equal_columns(here, token));
            const __mmask32 high =
                _mm512_kunpackw(equal_columns(here + 48, token), equal_columns(here + 32, token));
            masks[r * stride + w] = _mm512_kunpackd(high, low);
        }
    }
}

/* The lanes of a mask as a number. Where registers are scarce, gcc 12 puts a mask aside as a byte
 * and, if nothing keeps the number apart from it, takes eight bytes back. */
WIDE_TARGET static inline uint64_t as_number(__mmask8 mask) {
    uint32_t lanes = _cvtmask8_u32(mask);
    __asm__("" : "+r"(lanes));
    return lanes;
}

/* Add the rows to `groups` registers of words, a number that a compiler knows. A lane makes a carry
 * if it overflows, and passes one on if it is all ones; adding these two sets of lanes as numbers
 * lets the carries run through, and the lanes that differ from the passing ones then are those that
 * a carry comes into. Bit r of the carries is that into row r, and then that out of it.
 * \param[in] last  lanes of the last register that stand for words of the masks */
WIDE_TARGET static inline __attribute__((always_inline)) uint64_t
add_block(uint64_t *v, size_t groups, __mmask8 last, const uint64_t *const *masks, size_t word,
          size_t rows, uint64_t carries) {
    const __m512i ones = _mm512_set1_epi64(-1);
    __m512i value[MOST_GROUPS];
    for (size_t g = 0; g < groups; g++) {
        value[g] = _mm512_loadu_si512(v + word + g * LANES);
    }
    for (size_t r = 0; r < rows; r++) {
        const uint64_t *mask = masks[r] + word;
        const uint64_t into = carries >> r & 1;
        __m512i match[MOST_GROUPS], sum[MOST_GROUPS];
        uint64_t made = 0, passed = 0;
        for (size_t g = 0; g < groups; g++) {
            match[g] = g + 1 < groups ? _mm512_loadu_si512(mask + g * LANES)
                                      : _mm512_maskz_loadu_epi64(last, mask + g * LANES);
            sum[g] = _mm512_add_epi64(value[g], _mm512_and_si512(value[g], match[g]));
            made |= as_number(_mm512_cmplt_epu64_mask(sum[g], value[g])) << g * LANES;
            passed |= as_number(_mm512_cmpeq_epi64_mask(sum[g], ones)) << g * LANES;
        }
        const uint64_t run = (made << 1 | into) + passed;
        for (size_t g = 0; g < groups; g++) {
            const __mmask8 in = _cvtu32_mask8((uint8_t)((run ^ passed) >> g * LANES));
            sum[g] = _mm512_mask_sub_epi64(sum[g], in, sum[g], ones);
            /* sum | (value & ~match) */
            value[g] = _mm512_ternarylogic_epi64(sum[g], value[g], match[g], 0xf4);
        }
        carries ^= (into ^ (run >> groups * LANES & 1)) << r;
    }
    for (size_t g = 0; g < groups; g++) {
        _mm512_storeu_si512(v + word + g * LANES, value[g]);
    }
    return carries;
}

WIDE_TARGET static void add_avx512(uint64_t *v, size_t words, const uint64_t *const *masks,
                                   size_t rows) {
    const size_t all = (words + LANES - 1) / LANES;
    const __mmask8 full = 0xff;
    const __mmask8 last = (__mmask8)(full >> (all * LANES - words));
    uint64_t carries = 0;
    size_t group = 0;
    for (; all - group > MOST_GROUPS; group += MOST_GROUPS) {
        carries = add_block(v, MOST_GROUPS, full, masks, group * LANES, rows, carries);
    }
    switch (all - group) {
    case 4:
        (void)add_block(v, 4, last, masks, group * LANES, rows, carries);
        break;
    case 3:
        (void)add_block(v, 3, last, masks, group * LANES, rows, carries);
        break;
    case 2:
        (void)add_block(v, 2, last, masks, group * LANES, rows, carries);
        break;
    case 1:
        (void)add_block(v, 1, last, masks, group * LANES, rows, carries);
        break;
    default:
        break;
    }
}

/* A register's work waits for that of the row before, so that few words are faster in plain C,
 * which goes on to the next row meanwhile. */
WIDE_TARGET static void add_either(uint64_t *v, size_t words, const uint64_t *const *masks,
                                   size_t rows) {
    enum { PLAIN_WORDS = 15 };
    if (words <= PLAIN_WORDS && rows > 1) {
        nd_lcs_bits_plain.add(v, words, masks, rows);
    } else {
        add_avx512(v, words, masks, rows);
    }
}

const nd_lcs_bits_variant nd_lcs_bits_avx512 = {
    .name = "AVX-512",
    .needs = ND_CPU_AVX512F | ND_CPU_AVX512BW | ND_CPU_AVX512DQ,
    .compare_cost = 1700,
    .add_cost = 500,
    .row_cost = 3000,
    .compare = compare_avx512,
    .add = add_either,
};

#else
typedef int nd_lcs_bits_avx512_is_for_x86; /* a source file must not be empty */
#endif
