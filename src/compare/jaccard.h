/** \file src/compare/jaccard.h
 * Shared shingles: counted as often as they occur (jaccard), the runs that they make, and as sets
 * of values (resemblance).
 *
 * Exact Jaccard similarity of the 5-token shingles of two token sequences, shingles counted as
 * often as they occur: Broder, "On the resemblance and containment of documents", 1997, option A
 * (the k-th occurrence of a shingle is an element of its own). A sequence of fewer than 5 tokens is
 * one shingle.
 *
 * Option A and not plain sets, because its bounds are exact and need nothing but what is known of
 * every page: a page of n tokens has n - 4 elements, whereas its distinct shingles may be one or
 * n - 4; so lengths and token histograms rule pairs out. On pages of prose the two hardly differ;
 * pages that repeat one line are similar here only if they repeat it about as often.
 */
#ifndef ND_COMPARE_JACCARD_H
#define ND_COMPARE_JACCARD_H

#include "src/lcs/lcs.h"

#include <stddef.h>
#include <stdint.h>

enum { ND_SHINGLE_TOKENS = 5 };

/** Shingles of a sequence of n tokens; 0 only if it is empty. */
static inline uint64_t nd_shingle_count(uint64_t n) {
    return n > ND_SHINGLE_TOKENS ? n - ND_SHINGLE_TOKENS + 1 : n > 0;
}

/** Most shingles that sequences of n and m tokens can share if they share `common` tokens. */
uint64_t nd_shingle_bound(uint64_t common, uint64_t n, uint64_t m);

/** The number of shingles that a[0..n) and b[0..m) share.
 * \param[in]  at_least  the smallest number of interest; 0 asks for the number in any case
 * \param[out] shared    the exact number if it is >= at_least, else 0
 * \param[out] in_order  NULL, or, found along with it, the tokens of a common subsequence
 *                       (nd_shared_runs_chain()); 0 where `shared` is */
void nd_shingles_shared(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *work, uint64_t *shared, uint64_t *in_order);

/** hashes[i] = the hash of tokens[i .. i + 4], for i < count; the high bits are the best mixed.
 * They find places in a table; tokens decide whether shingles are equal. */
void nd_shingle_hashes(const uint32_t *tokens, size_t count, uint64_t *hashes);

/* ---- How many tokens the runs of equal tokens that two sequences share have in one order: a
 * number that the length of the longest common subsequence is not below, and on pages of one text
 * mostly is. Found in about linear time; the length itself is the business of src/lcs/, which ends
 * sooner if it is told so much. Invariant: what is counted is a common subsequence. */

/** Tokens that follow one another in both sequences. */
typedef struct nd_shared_run {
    uint32_t a, b;   /**< where it begins */
    uint32_t tokens; /**< above 0 */
    uint32_t chain;  /**< those of the best chain of runs that was found to end with this one; set
                          by nd_shared_runs_chain() */
} nd_shared_run;

/** The tokens of a common subsequence of a[0..n) and b[0..m) that is made of runs, and of what
 * stands at the same place between two of them; runs may overlap, and be of any order in `a`.
 * \param[in,out] runs  ascending by b
 * \return at most the length of the longest common subsequence; 0 if there are no runs */
uint64_t nd_shared_runs_chain(nd_shared_run *runs, size_t count, const uint32_t *a, size_t n,
                              const uint32_t *b, size_t m);

/* ---- Resemblance of two pages, |A n B| / |A u B|, where A and B are the sets of their shingles
 * (Broder, "On the resemblance and containment of documents", 1997; the Jaccard coefficient),
 * exact, with tests that end early where a threshold cannot be reached. A set is an ascending array
 * of distinct values, see nd_shingle_options.distinct. Shingles counted as often as they occur, by
 * tokens and not by values: nd_shingles_shared(). */

/** |A n B|.
 * \param[in] at_least  the smallest number of interest; 0 asks for the number in any case
 * \return the exact number if it is >= at_least, else 0 */
uint64_t nd_set_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m, uint64_t at_least);

/** The resemblance of sets of n and m values that share `shared`; 0 for two empty sets. */
double nd_resemblance_ratio(uint64_t shared, uint64_t n, uint64_t m);

/** The resemblance of A and B if it is >= threshold, else 0. Exact and symmetric: the threshold
 * decides where the comparison ends, not its result.
 * \param[in] threshold  in [0, 1] */
double nd_resemblance(const uint64_t *a, size_t n, const uint64_t *b, size_t m, double threshold);

#endif
