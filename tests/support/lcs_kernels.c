#include "tests/support/lcs_kernels.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- lcs kernels */

void nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length) {
    uint64_t *row = NULL; /* row[j] = length for the tokens of a so far and b[0..j) */
    nd_new(&row, m + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        uint64_t diagonal = 0;
        for (size_t j = 0; j < m; j++) {
            uint64_t above = row[j + 1];
            uint64_t longer = above > row[j] ? above : row[j];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : longer;
            diagonal = above;
        }
    }
    *length = row[m];
    free(row);
}

void nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                    uint64_t *length) {
    size_t ids = 0;
    *length = 0;
    if (nd_lcs_below_limit(&pair)) {
        return;
    }
    if (!nd_lcs_compares(variant, &pair, nd_lcs_largest_distance(&pair))) {
        nd_lcs_reduce(&pair, work, &ids);
        if (ids == 0) { /* an empty sequence */
            return;
        }
    }
    nd_lcs_band_length(variant, &pair, ids, work, length);
}

void nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                 nd_lcs_work *work, uint64_t *length) {
    const nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    nd_lcs_bits_by(nd_lcs_bits_best(), pair, work, length);
}

/* ---- all of them */

/* The ladder where a common subsequence is known: the longest, or one that is shorter by up to a
 * half. */
static void ladder_above(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *memory, uint64_t *length) {
    uint64_t longest = 0;
    nd_lcs_myers(a, n, b, m, 0, memory, &longest);
    const uint64_t known = longest - longest * (n % 4) / 6;
    nd_lcs_length_above(a, n, b, m, at_least, known, memory, length);
}

/* The bit-parallel kernel by a variant, with its tokens numbered or compared as they are. */
static void bits_by(size_t variant, bool numbered, nd_lcs_pair pair, nd_lcs_work *memory,
                    uint64_t *length) {
    size_t ids = 0;
    variant = variant < nd_lcs_bits_variant_count ? variant : 0;
    variant = nd_cpu_has(nd_lcs_bits_variants[variant]->needs) ? variant : 0;
    *length = 0;
    if (nd_lcs_below_limit(&pair)) {
        return;
    }
    if (numbered) {
        nd_lcs_reduce(&pair, memory, &ids);
        if (ids == 0) {
            return;
        }
    }
    nd_lcs_band_length(nd_lcs_bits_variants[variant], &pair, ids, memory, length);
}

#define BITS(name, variant, numbered)                                                              \
    static void name(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,  \
                     nd_lcs_work *memory, uint64_t *length) {                                      \
        const nd_lcs_pair p = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};              \
        bits_by(variant, numbered, p, memory, length);                                             \
    }
BITS(numbered_plain, 0, true)
BITS(compared_plain, 0, false)
BITS(numbered_avx2, 1, true)
BITS(compared_avx2, 1, false)
BITS(numbered_avx512, 2, true)
BITS(compared_avx512, 2, false)
const nd_test_lcs_kernel nd_test_lcs_kernels[] = {{"ladder", nd_lcs_length},
                                                  {"ladder, a subsequence known", ladder_above},
                                                  {"myers", nd_lcs_myers},
                                                  {"bits", nd_lcs_bits},
                                                  {"bits, plain, numbered", numbered_plain},
                                                  {"bits, plain, compared", compared_plain},
                                                  {"bits, AVX2, numbered", numbered_avx2},
                                                  {"bits, AVX2, compared", compared_avx2},
                                                  {"bits, AVX-512, numbered", numbered_avx512},
                                                  {"bits, AVX-512, compared", compared_avx512}};
const size_t nd_test_lcs_kernel_count = sizeof nd_test_lcs_kernels / sizeof nd_test_lcs_kernels[0];
