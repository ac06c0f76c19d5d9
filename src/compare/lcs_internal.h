/** \file src/compare/lcs_internal.h
 * What the LCS kernels share: a pair of sequences on its way down the ladder, the lossless steps
 * that shorten it, and the kernels in the form in which the ladder calls them. Internal to
 * src/compare/ and its tests.
 */
#ifndef ND_COMPARE_LCS_INTERNAL_H
#define ND_COMPARE_LCS_INTERNAL_H

#include "src/compare/lcs_cost.h"
#include "src/compare/lcs_front.h"

/** The uses of nd_lcs_work.memory. */
enum nd_lcs_memory {
    ND_LCS_SLOTS, /**< hash table of distinct tokens */
    ND_LCS_IDS_A, /**< reduced sequences */
    ND_LCS_IDS_B,
    ND_LCS_SIFT_KINDS, /**< which kinds of tokens a sequence has */
    ND_LCS_SIFTED_A,   /**< what is left of the sequences */
    ND_LCS_SIFTED_B,
    ND_LCS_SEEN,       /**< which ids the second sequence holds */
    ND_LCS_KINDS,      /**< how often tokens of a kind occur */
    ND_LCS_REACH,      /**< Myers: furthest points of the diagonals */
    ND_LCS_IDS,        /**< bits: the ids */
    ND_LCS_PLACES,     /**< bits: where they stand */
    ND_LCS_MASKS,      /**< bits: masks of the frequent ids */
    ND_LCS_PADDED,     /**< bits: the columns */
    ND_LCS_ROWS,       /**< bits: the row of the table, matches of rows */
    ND_LCS_GRAM_SLOTS, /**< hash table of distinct q-grams */
    ND_LCS_GRAM_FIRST,
    ND_LCS_GRAM_A, /**< numbers of the q-grams */
    ND_LCS_GRAM_B,
    ND_LCS_GRAM_COUNT,
    ND_LCS_SHINGLE_BUCKETS, /**< jaccard: the table of the sequence that was compared last */
    ND_LCS_SHINGLES,
    ND_LCS_RUNS_LISTS,  /**< runs: where the q-grams stand */
    ND_LCS_RUNS_FINISH, /**< runs: first ends of common sequences, by length */
    ND_LCS_RUNS_RING,   /**< runs: values of the latest rows */
    ND_LCS_MATCH_ROWS,  /**< matches: rows of the table */
    ND_LCS_MATCH_STARTS,
    ND_LCS_MATCHES,
    ND_LCS_COVER_BITS, /**< trustable: the filter of the sequence that was compared last */
    ND_LCS_COVER_TOKENS,
    ND_LCS_COVERED, /**< trustable: what of a page can be matched */
    ND_LCS_COVERED_BEFORE,
    ND_LCS_DENSITY,
    ND_LCS_USES
};
_Static_assert((int)ND_LCS_USES <= (int)ND_LCS_MEMORIES, "a use of work memory has no place");

/** `bytes` of uninitialised memory for one use, valid until the next call for that use.
 * \param[out] memory  address of a pointer \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_room(nd_lcs_work *work, enum nd_lcs_memory use, size_t bytes, void *memory);

/** Whether even the shorter sequence is too short for the limit. */
static inline bool nd_lcs_hopeless(const nd_lcs_pair *pair) {
    return pair->at_least > (pair->n < pair->m ? pair->n : pair->m);
}

/** Cut off the common prefix and suffix. \return their length; the limit is lowered by it */
uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair);

/** Replace the sequences by those of their shared tokens, numbered from 0 (in work memory).
 * \param[out] ids  how many numbers were given \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids);

/** Myers under way: furthest-reaching paths from both corners of the pair. */
typedef struct nd_lcs_search {
    const nd_lcs_front_variant *variant;
    nd_lcs_front forward, backward;
    int32_t limit; /**< of the same parity as the diagonal of the far corner; or -2 */
    int32_t steps; /**< that the next paths will have */
} nd_lcs_search;

/** Start to look for the number of insertions and deletions between the sequences, as far as it is
 * not above `limit` (which may be any number >= -1). The paths lie in work memory until the next
 * search starts.
 * \return ND_OK, ND_ERR_LIMIT (of more than some 500 million tokens) or ND_ERR_MEMORY */
nd_status nd_lcs_search_start(nd_lcs_search *search, const nd_lcs_front_variant *variant,
                              const nd_lcs_pair *pair, int64_t limit, nd_lcs_work *work);

/** Go on until the distance is found or is above `stop`. \return the distance, or -1 */
int64_t nd_lcs_search_go(nd_lcs_search *search, int64_t stop);

/** How much of the way between the corners the paths have come so far, in [0, 1]. */
double nd_lcs_search_progress(const nd_lcs_search *search);

/** nd_lcs_myers() by one variant that this machine supports. */
nd_status nd_lcs_myers_by(const nd_lcs_front_variant *variant, const nd_lcs_pair *pair,
                          nd_lcs_work *work, uint64_t *length);

/** A number that the distance is not below: what one sequence has of tokens of a kind that the
 * other one lacks, kinds being told by a hash. On pages it is mostly near the distance.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_least_distance(const nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *distance);

#endif
