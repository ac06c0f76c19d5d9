/** \file src/compare/run_cover.h
 * How much of one token sequence can be matched in runs with another: a filter before the
 * comparisons that count nothing but runs. It looks each run up by a hash alone, so it may take a
 * token for covered that is not, but never the other way round: what it counts is an upper bound.
 */
#ifndef ND_COMPARE_RUN_COVER_H
#define ND_COMPARE_RUN_COVER_H

#include "src/compare/lcs.h"

/** Count the tokens of b[0..m) that lie in `run` tokens in a row which stand in a[0..n) too, and by
 * chance some more. What is looked up in is kept in the work for the next pair with the same a.
 * \param[in]  run      tokens, at least 1
 * \param[out] covered  [m + 1], in work memory until the next call: tokens among b[0..i)
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_run_cover(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t run,
                       nd_lcs_work *work, uint32_t **covered);

#endif
