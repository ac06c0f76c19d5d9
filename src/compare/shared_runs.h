/** \file src/compare/shared_runs.h
 * How many tokens the runs of equal tokens that two sequences share have in one order: a number
 * that the length of the longest common subsequence is not below, and on pages of one text mostly
 * is. Found in about linear time; the length itself is the business of src/lcs/, which ends sooner
 * if it is told so much. Invariant: what is counted is a common subsequence.
 */
#ifndef ND_COMPARE_SHARED_RUNS_H
#define ND_COMPARE_SHARED_RUNS_H

#include <stddef.h>
#include <stdint.h>

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

#endif
