/** \file src/lcs/gram.h
 * Numbers the q-grams (q tokens in a row) of two token sequences, so that comparing two q-grams is
 * comparing two numbers. Exact: the hash only finds the place in a table, the tokens decide.
 */
#ifndef ND_LCS_GRAM_H
#define ND_LCS_GRAM_H

#include "src/lcs/lcs_work.h"

/** The number of a q-gram of a that b lacks. */
#define ND_NO_GRAM UINT32_MAX

/** The numbers, in work memory: valid until the next call with the same work. */
typedef struct nd_grams {
    uint32_t *a;     /**< by place in a: number of the q-gram that begins there, or ND_NO_GRAM */
    uint32_t *b;     /**< by place in b: numbers from 0 in the order of first appearance */
    uint32_t *count; /**< by number: how often b holds it */
    size_t a_count;  /**< places in a: its length - q + 1, or 0 */
    size_t b_count;
    size_t distinct; /**< numbers given */
} nd_grams;

/** Number the q-grams of b[0..m) and look up those of a[0..n).
 * \param[in] q  tokens of a q-gram, at least 1 */
void nd_grams_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t q,
                     nd_lcs_work *work, nd_grams *grams);

#endif
