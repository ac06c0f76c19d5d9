/* The bit-parallel kernel in plain C; and which variant is the best. */
#include "src/lcs/lcs_bits.h"

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

/* Words of V that are kept in registers while a tile's rows are added. */
enum { BLOCK = 4 };

static void compare_plain(const uint32_t *columns, size_t words, const uint32_t *tokens,
                          size_t rows, uint64_t *masks, size_t stride) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t w = 0; w < words; w++) {
            const uint32_t *here = columns + w * ND_LCS_WORD;
            uint64_t mask = 0;
            for (size_t j = 0; j < ND_LCS_WORD; j++) {
                mask |= (uint64_t)(here[j] == tokens[r]) << j;
            }
            masks[r * stride + w] = mask;
        }
    }
}

/* value = (value + match + carry) | (value & ~match) as one number of BLOCK words, where match is a
 * part of value. \return the carry out of it */
static inline uint64_t add_four(uint64_t *value, const uint64_t *match, uint64_t carry) {
    uint64_t sum[BLOCK] = {value[0], value[1], value[2], value[3]};
#if defined(__x86_64__)
    /* compilers do not keep a carry in its flag from word to word */
    __asm__("addb $255, %b0\n\t"
            "adcq %5, %1\n\t"
            "adcq %6, %2\n\t"
            "adcq %7, %3\n\t"
            "adcq %8, %4\n\t"
            "setc %b0"
            : "+&q"(carry), "+&r"(sum[0]), "+&r"(sum[1]), "+&r"(sum[2]), "+&r"(sum[3])
            : "r"(match[0]), "r"(match[1]), "r"(match[2]), "r"(match[3])
            : "cc");
#else
    for (size_t w = 0; w < BLOCK; w++) {
        const uint64_t first = sum[w] + match[w];
        const uint64_t carried = first < match[w];
        sum[w] = first + carry;
        carry = carried | (sum[w] < carry);
    }
#endif
    for (size_t w = 0; w < BLOCK; w++) {
        value[w] = sum[w] | (value[w] ^ match[w]);
    }
    return carry;
}

/* Add the rows to the words [word, word + BLOCK), of which the first `count` are of the masks and
 * the others stay as they are. Bit r of the carries is that into row r, and then that out of it. */
static inline __attribute__((always_inline)) uint64_t add_block(uint64_t *v, size_t count,
                                                                const uint64_t *const *masks,
                                                                size_t word, size_t rows,
                                                                uint64_t carries) {
    uint64_t value[BLOCK] = {0};
    uint64_t carries_out = 0;
    for (size_t w = 0; w < count; w++) {
        value[w] = v[word + w];
    }
    for (size_t r = 0; r < rows; r++) {
        const uint64_t *mask = masks[r] + word;
        uint64_t match[BLOCK] = {0};
        for (size_t w = 0; w < count; w++) {
            match[w] = value[w] & mask[w];
        }
        carries_out |= add_four(value, match, carries >> r & 1) << r;
    }
    for (size_t w = 0; w < count; w++) {
        v[word + w] = value[w];
    }
    return carries_out;
}

static void add_plain(uint64_t *v, size_t words, const uint64_t *const *masks, size_t rows) {
    uint64_t carries = 0;
    size_t word = 0;
    for (; word + BLOCK <= words; word += BLOCK) {
        carries = add_block(v, BLOCK, masks, word, rows, carries);
    }
    switch (words - word) {
    case 3:
        (void)add_block(v, 3, masks, word, rows, carries);
        break;
    case 2:
        (void)add_block(v, 2, masks, word, rows, carries);
        break;
    case 1:
        (void)add_block(v, 1, masks, word, rows, carries);
        break;
    default:
        break;
    }
}

const nd_lcs_bits_variant nd_lcs_bits_plain = {
    .name = "plain",
    .needs = 0,
    .compare_cost = 36000,
    .add_cost = 600,
    .row_cost = 3000,
    .compare = compare_plain,
    .add = add_plain,
};

#if defined(__x86_64__) && ND_SIMD

/* ---- AVX2: the comparison; adding is no faster than in plain C */

__attribute__((target("avx2"))) static void compare_avx2(const uint32_t *columns, size_t words,
                                                         const uint32_t *tokens, size_t rows,
                                                         uint64_t *masks, size_t stride) {
    enum { LANES = 8 };
    for (size_t r = 0; r < rows; r++) {
        const __m256i token = _mm256_set1_epi32((int)tokens[r]);
        for (size_t w = 0; w < words; w++) {
            const uint32_t *here = columns + w * ND_LCS_WORD;
            uint64_t mask = 0;
            for (size_t j = 0; j < ND_LCS_WORD; j += LANES) {
                const __m256i equal = _mm256_cmpeq_epi32(
                    token, _mm256_loadu_si256((const __m256i *)(const void *)(here + j)));
                mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << j;
            }
            masks[r * stride + w] = mask;
        }
    }
}

const nd_lcs_bits_variant nd_lcs_bits_avx2 = {
    .name = "AVX2",
    .needs = ND_CPU_AVX2,
    .compare_cost = 3500,
    .add_cost = 600,
    .row_cost = 3000,
    .compare = compare_avx2,
    .add = add_plain,
};

#endif

const nd_lcs_bits_variant *const nd_lcs_bits_variants[] = {
    &nd_lcs_bits_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_lcs_bits_avx2,
    &nd_lcs_bits_avx512,
#endif
};
const size_t nd_lcs_bits_variant_count =
    sizeof nd_lcs_bits_variants / sizeof nd_lcs_bits_variants[0];

const nd_lcs_bits_variant *nd_lcs_bits_best(void) {
    size_t best;
    ND_CPU_BEST(best, nd_lcs_bits_variant_count, nd_lcs_bits_variants[best]->needs);
    return nd_lcs_bits_variants[best];
}
