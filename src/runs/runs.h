/** \file src/runs/runs.h
 * Longest common subsequence made of runs: the largest number of tokens that two sequences have in
 * common in the same order where each matched token belongs to at least ND_RUN_TOKENS tokens in a
 * row that are matched in both ("LCS in at least k length substrings": Benson, Levy, Shalom,
 * "Longest common subsequence in k length substrings", SISAP 2013; Pavetic, Zuzic, Sikic, "LCSk++",
 * 2014). So stray matches of common words do not count. The number is unique and symmetric. Where a
 * sequence is shorter than a run, a run is the whole of the shorter one.
 *
 * Positions are not computed here.
 */
#ifndef ND_RUNS_RUNS_H
#define ND_RUNS_RUNS_H

#include "src/base/order.h"
#include "src/lcs/lcs_work.h"

/** Two tokens in a row are common by chance too often (notes of any language are full of "of the"),
 * four lose matches between two edits; three did best on labelled pages. */
enum { ND_RUN_TOKENS = 3 };

/** Length of the shortest run for sequences of n and m tokens; 0 if one is empty. */
static inline size_t nd_run_tokens(uint64_t n, uint64_t m) {
    return (size_t)nd_min(nd_min(n, m), ND_RUN_TOKENS);
}

/** The length for a[0..n) and b[0..m).
 * \param[in]  at_least  the smallest length of interest; 0 asks for the length in any case
 * \param[out] length    the exact length if it is >= at_least, else 0; untouched on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_runs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                         uint64_t at_least, nd_lcs_work *work, uint64_t *length);

#endif
