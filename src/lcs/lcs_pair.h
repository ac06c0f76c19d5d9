/** \file src/lcs/lcs_pair.h
 * A pair of sequences on its way down the ladder of the LCS kernels. Internal to the kernels and
 * their tests.
 */
#ifndef ND_LCS_LCS_PAIR_H
#define ND_LCS_LCS_PAIR_H

#include "src/base/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two sequences (borrowed) and the smallest length of interest of what is left of them. */
typedef struct nd_lcs_pair {
    const uint32_t *a;
    const uint32_t *b;
    size_t n;
    size_t m;
    uint64_t at_least;
} nd_lcs_pair;

/** The length of the common prefix of a[0..limit) and b[0..limit). */
static inline size_t nd_equal_prefix(const uint32_t *a, const uint32_t *b, size_t limit) {
    size_t length = 0;
    while (length < limit && a[length] == b[length]) {
        length++;
    }
    return length;
}

/** The length of the common suffix of the `limit` tokens before a_end and b_end. */
static inline size_t nd_equal_suffix(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    size_t length = 0;
    while (length < limit && a_end[-1 - (ptrdiff_t)length] == b_end[-1 - (ptrdiff_t)length]) {
        length++;
    }
    return length;
}

/** The most insertions and deletions between sequences whose LCS reaches the limit. */
static inline uint64_t nd_lcs_largest_distance(const nd_lcs_pair *pair) {
    return pair->n + pair->m - 2 * pair->at_least;
}

/** Whether even the shorter sequence is too short for the limit. */
static inline bool nd_lcs_hopeless(const nd_lcs_pair *pair) {
    return pair->at_least > nd_min(pair->n, pair->m);
}

#endif
