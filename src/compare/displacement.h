/** \file src/compare/displacement.h
 * How far what only one of two token sequences holds stands from what only the other holds, counted
 * in what both hold: about 0 where text was written over other text, about 1 where the one lost at
 * its beginning and the other gained at its end. The latter is how two pages of one long list, or
 * one list at two times, differ: entries move through a window. What both hold are shingles, so it
 * is found in linear time; how much of it there is is the business of scores (score.h).
 */
#ifndef ND_COMPARE_DISPLACEMENT_H
#define ND_COMPARE_DISPLACEMENT_H

#include "src/lcs/lcs_work.h"

/** The distance of the mean places of the tokens of a[0..n) and of b[0..m) that stand in no shared
 * shingle. A place is the share of the sequence's other tokens that stand before it.
 * \param[out] displacement  in [0, 1]; 0 where nothing is shared, or one sequence has nothing of
 * its own */
void nd_displacement(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                     double *displacement);

#endif
