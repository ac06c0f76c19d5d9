/** \file src/compare/lcs_reduce.h
 * The lossless steps that make a pair shorter before its LCS is looked for. Internal to the kernels
 * and their tests.
 */
#ifndef ND_COMPARE_LCS_REDUCE_H
#define ND_COMPARE_LCS_REDUCE_H

#include "src/compare/lcs_pair.h"
#include "src/compare/lcs_work.h"

/** Cut off the common prefix and suffix. \return their length; the limit is lowered by it */
uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair);

/** Replace the sequences by those of their shared tokens, numbered from 0 (in work memory).
 * \param[out] ids  how many numbers were given \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids);

#endif
