/** \file src/lcs/lcs_estimate.h
 * How far two sequences are apart at least, found out for less than an LCS costs. Internal to the
 * kernels and their tests.
 */
#ifndef ND_LCS_LCS_ESTIMATE_H
#define ND_LCS_LCS_ESTIMATE_H

#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

/** A number that the distance is not below: what one sequence has of tokens of a kind that the
 * other one lacks, kinds being known by a hash. On pages it is mostly near the distance. */
void nd_lcs_least_distance(const nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *distance);

#endif
