/** \file src/compare/trustable.h
 * The similarity of the part of two pages that can be trusted: that part of their longest common
 * subsequence which is coherent and lies in the central portion of both pages, since head and tail
 * are where templates and other noise stand (Huang, Wang and Li, CIKM 2008). The publication names
 * the idea; the steps here are this program's:
 *
 * 1. The matches of the LCS (see lcs_matches.h; of the two pages the shorter one, then the one with
 *    the smaller tokens, comes first, so that the order of the arguments does not matter).
 * 2. Runs of fewer than run_tokens matches in a row are dropped. Of the intervals of the rest the
 *    one with the most matches less gap_weight times the tokens in the gaps between them (in the
 *    page where the gap is wider) is taken; of equal ones the longer, then the first.
 * 3. L* = its matches. Its spans sA and sB in both pages must make it coherent:
 *    L* / (sA + sB - L*) >= cohesion.
 * 4. What lies outside of the spans is noise, but at most the share `trimmed` of a page:
 *    a* = max(sA, (1 - trimmed) |A|) rounded up to whole tokens, b* likewise.
 * 5. At least half of L* must lie between centre_begin and centre_end of both pages.
 * 6. L* must be at least least_tokens.
 * 7. The score is L* / (a* + b* - L*), or 0 if 3, 5 or 6 fail.
 *
 * Not meant for pages shorter than least_tokens: their score would always be 0.
 */
#ifndef ND_COMPARE_TRUSTABLE_H
#define ND_COMPARE_TRUSTABLE_H

#include "src/lcs/lcs_matches.h"

typedef struct nd_trustable_options {
    double gap_weight;     /**< >= 0 */
    uint32_t run_tokens;   /**< tokens, at least 1, which keeps all matches */
    double cohesion;       /**< in [0, 1] */
    double trimmed;        /**< in [0, 1]: 0 trims nothing, 1 compares the best parts alone */
    double centre_begin;   /**< share of the page, in [0, 1] */
    double centre_end;     /**< likewise */
    uint32_t least_tokens; /**< tokens */
} nd_trustable_options;

extern const nd_trustable_options nd_trustable_defaults;

/** The score, from the matches of an LCS of sequences of n and m tokens.
 * \param[in,out] matches  ascending; those of short runs are gone afterwards */
double nd_trustable_score(const nd_trustable_options *options, nd_lcs_match *matches, size_t count,
                          uint64_t n, uint64_t m);

/** Upper bound of the score of sequences of n and m tokens whose LCS is at most `common`; never
 * falls when `common` grows. */
double nd_trustable_bound(const nd_trustable_options *options, uint64_t common, uint64_t n,
                          uint64_t m);

/** The score of a[0..n) and b[0..m), or 0 if L* is seen to be below at_least. Fastest where pairs
 * with the same `a` follow one another. */
void nd_trustable_similarity(const nd_trustable_options *options, const uint32_t *a, size_t n,
                             const uint32_t *b, size_t m, uint64_t at_least, nd_lcs_work *work,
                             double *similarity);

/** Which tokens of b are covered, in work memory until the next call. */
typedef struct nd_run_cover {
    uint64_t *bits; /**< token i is bit i % 64 of word i / 64; after the last one all is 0 */
    uint64_t count; /**< how many are set */
} nd_run_cover;

/** Find the tokens of b[0..m) that lie in `run` tokens in a row which stand in a[0..n) too, and by
 * chance some more: a filter before the comparison. What is looked up in is kept in the work for
 * the next pair with the same a. \param[in] run  tokens, at least 1
 */
void nd_run_cover_find(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                       nd_lcs_work *work, nd_run_cover *cover);

#endif
