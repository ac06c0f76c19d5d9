/** \file src/lcs/lcs_sift.h
 * Dropping tokens that the other sequence lacks, which are part of no common subsequence: most of
 * them, in a fraction of the time in which nd_lcs_reduce() drops all and numbers the rest. Kinds of
 * tokens are known by a hash; what is kept are the tokens of which kind the other sequence has one.
 * Internal to src/lcs/ and its tests.
 */
#ifndef ND_LCS_LCS_SIFT_H
#define ND_LCS_LCS_SIFT_H

#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

/** Replace the sequences by what is kept of them (in work memory).
 */
void nd_lcs_sift(nd_lcs_pair *pair, nd_lcs_work *work);

#endif
