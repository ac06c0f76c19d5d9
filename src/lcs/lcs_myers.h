/** \file src/lcs/lcs_myers.h
 * Myers' algorithm from both corners of a pair, which can be stopped at a distance and go on later.
 * Internal to the kernels, their tests and the score that asks for distances alone.
 */
#ifndef ND_LCS_LCS_MYERS_H
#define ND_LCS_LCS_MYERS_H

#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

/** Furthest-reaching paths from one corner of a pair. The paths from the far corner are the same
 * thing with both sequences read backwards: there a place is the negative of the number of tokens
 * before it, so that paths grow towards larger places as well. A diagonal is the place in a less
 * the place in b. */
typedef struct nd_lcs_front {
    const uint32_t *a; /**< borrowed; the token after place x is a[x ^ flip] */
    const uint32_t *b;
    int32_t flip; /**< 0; or -1: from the far corner */
    int32_t a_start, a_end;
    int32_t b_end;
    int32_t source; /**< the diagonal of this corner, */
    int32_t target; /**< and of the other one */
    /** The furthest place in a that was reached on diagonal k is reach[k & 1][k >> 1]: those of one
     * step are two apart, and so lie side by side. */
    int32_t *reach[2];
} nd_lcs_front;

/** Myers under way: furthest-reaching paths from both corners of the pair. */
typedef struct nd_lcs_search {
    nd_lcs_front forward, backward;
    int32_t limit; /**< of the same parity as the diagonal of the far corner; or -2 */
    int32_t steps; /**< that the next paths will have */
} nd_lcs_search;

/** Start to look for the number of insertions and deletions between the sequences, as far as it is
 * not above `limit` (which may be any number >= -1). The paths lie in work memory until the next
 * search starts.
 * \return ND_OK, ND_ERR_LIMIT (of more than some 500 million tokens) or ND_ERR_MEMORY */
nd_status nd_lcs_search_start(nd_lcs_search *search, const nd_lcs_pair *pair, int64_t limit,
                              nd_lcs_work *work);

/** Go on until the distance is found or is above `stop`. \return the distance, or -1 */
int64_t nd_lcs_search_go(nd_lcs_search *search, int64_t stop);

/** How much of the way between the corners the paths have come so far, in [0, 1]. */
double nd_lcs_search_progress(const nd_lcs_search *search);

/** As nd_lcs_length(), by this kernel alone. */
nd_status nd_lcs_myers(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                       nd_lcs_work *work, uint64_t *length);

#endif
