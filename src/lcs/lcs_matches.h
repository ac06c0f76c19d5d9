/** \file src/lcs/lcs_matches.h
 * Which tokens a longest common subsequence matches, and which q-grams two sequences share.
 *
 * The matches of one longest common subsequence, always the same one of the many that there may be.
 * Exact, in bounded memory: the bit-parallel rows of the table are kept at intervals and worked
 * again from there when the way back through the table needs them.
 *
 * The one chosen is found from the ends of both sequences backwards: equal tokens are matched; of
 * unequal ones that of a is left out if the rest still has an LCS of the same length without it,
 * else that of b. So matches stay together where that costs no length.
 */
#ifndef ND_LCS_LCS_MATCHES_H
#define ND_LCS_LCS_MATCHES_H

#include "src/lcs/lcs.h"

/** A match: places in a and b. */
typedef struct nd_lcs_match {
    uint32_t a;
    uint32_t b;
} nd_lcs_match;

/** The matches of a[0..n) and b[0..m), ascending.
 * \param[in]  at_least  the smallest length of interest
 * \param[out] matches   in work memory, valid until the next call with the same work
 * \param[out] count     how many, the length of the LCS; 0 if that is below at_least */
void nd_lcs_matches(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                    nd_lcs_work *work, nd_lcs_match **matches, size_t *count);

/** The same, with about block_bytes of rows kept at a time (more if the pages are so long that it
 * must be); the matches do not depend on it. For tests. */
void nd_lcs_matches_by(size_t block_bytes, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                       uint64_t at_least, nd_lcs_work *work, nd_lcs_match **matches, size_t *count);

/* ---- Numbers the q-grams (q tokens in a row) of two token sequences, so that comparing two
 * q-grams is comparing two numbers. Exact: the hash only finds the place in a table, the tokens
 * decide. */

/** The number of a q-gram of a that b lacks. */
#define ND_NO_GRAM UINT32_MAX

/** The numbers, in work memory: valid until the next call with the same work. */
typedef struct nd_qgram_ids {
    uint32_t *a;     /**< by place in a: number of the q-gram that begins there, or ND_NO_GRAM */
    uint32_t *b;     /**< by place in b: numbers from 0 in the order of first appearance */
    uint32_t *count; /**< by number: how often b holds it */
    size_t a_count;  /**< places in a: its length - q + 1, or 0 */
    size_t b_count;
    size_t distinct; /**< numbers given */
} nd_qgram_ids;

/** Number the q-grams of b[0..m) and look up those of a[0..n).
 * \param[in] q  tokens of a q-gram, at least 1 */
void nd_qgram_ids_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t q,
                         nd_lcs_work *work, nd_qgram_ids *grams);

#endif
