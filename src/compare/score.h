/** \file src/compare/score.h
 * How similar two token sequences are, by each of the scores of the program, and how much of one
 * stands in the other.
 *
 * The scores by which two token sequences are compared (`--score`): a table with one row each. A
 * score is a number in [0, 1] that grows with the number of common tokens; ratio() bounds it from
 * above for any bound on that number, so that the exact tests before the comparison (lengths,
 * histograms) and the comparison itself use one formula and never disagree at the threshold. All
 * scores are symmetric, 1 for equal sequences and 0 for disjoint ones or if one is empty.
 */
#ifndef ND_COMPARE_SCORE_H
#define ND_COMPARE_SCORE_H

#include "src/lcs/lcs.h"

typedef struct nd_score {
    const char *name;
    const char *summary; /**< one line for --help, with its source */

    /** Upper bound of the score of sequences of n and m tokens that have at most `common` in
     * common, as multisets; of the scores that only count matched tokens it is the score with that
     * number matched. Never falls when `common` grows, nor when the shorter sequence and `common`
     * do. 0 if both are empty. */
    double (*ratio)(uint64_t common, uint64_t n, uint64_t m);

    /** The exact score if it is >= threshold, else 0 (a threshold of 0 asks for the score). */
    void (*similarity)(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                       nd_lcs_work *work, double *similarity);

    /** The exact score without a limit below which it does not matter and, where that is not far
     * too slow, without any step that shortens the sequences: what the filters of similarity() are
     * held against. */
    void (*plain)(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                  double *similarity);

    /** What similarity() does once for a sequence that is `a` of several pairs, one after the
     * other: per token as many times what a pair takes per token of its two. Measured; for sharing
     * out work. */
    uint32_t preparation;
} nd_score;

/** The row of that name; NULL if there is none. */
const nd_score *nd_score_find(const char *name);

/** Rows 0, 1, ... of the table; NULL after the last. */
const nd_score *nd_score_row(size_t row);

/** Smallest number of common tokens with which ratio() reaches the threshold; n + m + 1 if none of
 * 0 .. min(n, m) does. Exact: found by ratio() itself. */
uint64_t nd_score_least_common(const nd_score *score, uint64_t n, uint64_t m, double threshold);

/* ---- How much of a text stands in another one: the tokens of the longest common subsequence as a
 * share of the first text's. Of a text that is much longer only a stretch counts, three times as
 * long as the first text: in order and far apart, the words of a sentence stand in any book. */

/** Tokens of the longer text that are looked at at a time, as many times those of the other. */
enum { ND_CONTAINMENT_STRETCH = 3 };

/** The most of |LCS| / n over the stretches of b: b itself if m <= 3 n, else b[i n .. (i + 3) n)
 * for i = 0, 1, ... up to the first that reaches its end. So whatever lies within 2 n tokens of b
 * lies in one of them. Not symmetric.
 * \param[out] share  exact if it is >= threshold (above 0), else 0; 0 if a text is empty */
void nd_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                    nd_lcs_work *work, double *share);

#endif
