/** \file src/lcs/lcs_reduce.h
 * The lossless steps that make a pair shorter before its LCS is looked for. Internal to the kernels
 * and their tests.
 */
#ifndef ND_LCS_LCS_REDUCE_H
#define ND_LCS_LCS_REDUCE_H

#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

/** Cut off the common prefix and suffix. \return their length; the limit is lowered by it */
uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair);

/** Replace the sequences by those of their shared tokens, numbered from 0 (in work memory).
 * \param[out] ids  how many numbers were given */
void nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids);

#endif
