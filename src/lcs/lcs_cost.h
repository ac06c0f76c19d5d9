/** \file src/lcs/lcs_cost.h
 * What the kernels of the LCS cost, in picoseconds of one core: the one place from which the ladder
 * learns when to change from one to the next. Times of one machine, as tests/bench/b_lcs.c measures
 * them; another machine may change later or sooner than would be best for it. No length depends on
 * them.
 */
#ifndef ND_LCS_LCS_COST_H
#define ND_LCS_LCS_COST_H

#include "src/lcs/lcs_pair.h"

struct nd_lcs_bits_variant;

/** What the bit-parallel kernel by that variant costs in a band for that distance, of a pair whose
 * tokens have no numbers yet. */
uint64_t nd_lcs_bits_cost(const struct nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                          uint64_t distance);

/** Whether comparing tokens with a band of columns costs less than numbering them. */
bool nd_lcs_compares(const struct nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                     uint64_t distance);

/** Of nd_lcs_least_distance(). */
uint64_t nd_lcs_estimate_cost(const nd_lcs_pair *pair);

/** Of nd_lcs_sift(). */
uint64_t nd_lcs_sift_cost(const nd_lcs_pair *pair);

/** Of Myers' algorithm from both ends, up to that distance. */
uint64_t nd_lcs_myers_cost(uint64_t distance);

/** The distance up to which Myers costs about as much. */
uint64_t nd_lcs_myers_distance(uint64_t cost);

#endif
