/** \file tests/support/lcs_kernels.h
 * All kernels for the LCS, for the tests that compare them and the benchmark that measures them.
 */
#ifndef ND_SUPPORT_LCS_KERNELS_H
#define ND_SUPPORT_LCS_KERNELS_H

#include "src/base/util.h"
#include "src/lcs/lcs_internal.h"

#include <stddef.h>
#include <stdint.h>

/* ---- What the kernels of the LCS are compared with and measured against: the plain table of all
 * prefixes, and the bit-parallel kernel alone. */

/** The LCS by the O(nm) table. */
void nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length);

/** nd_lcs_bits() by one variant that this machine supports. */
void nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                    uint64_t *length);

/** As nd_lcs_length(), by the bit-parallel kernel alone. */
void nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                 nd_lcs_work *work, uint64_t *length);

/** A way to the length that nd_lcs_length() gives. */
typedef struct nd_test_lcs_kernel {
    const char *name;
    void (*run)(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                nd_lcs_work *work, uint64_t *length);
} nd_test_lcs_kernel;

/** All of them, the ladder of the program first; what this machine cannot do is done by a plain
 * variant. */
extern const nd_test_lcs_kernel nd_test_lcs_kernels[];
extern const size_t nd_test_lcs_kernel_count;

#endif
