/** \file mpi/cmd/review/whole_sets.h
 * Whole sets drawn at random from a result, as Huang, Wang and Li drew them (CIKM 2008): every set
 * of two or more pages has the same chance, and with each come the pages that a baseline puts with
 * its representative. Both results are of the same inputs, so that a page has one number in both.
 * Which sets are drawn depends on the seed and their numbers alone.
 */
#ifndef ND_CMD_REVIEW_WHOLE_SETS_H
#define ND_CMD_REVIEW_WHOLE_SETS_H

#include "io/result/result_read.h"

/** Sets, one after the other, each its representative and then the pages that either result has
 * with it, ascending. All zero is valid and empty; owned. */
typedef struct nd_whole_sets {
    uint64_t *pages;
    uint64_t *begin; /**< of each set in `pages`, and the end */
    uint64_t *sets;  /**< their numbers in the result */
    uint64_t count;
    uint64_t population; /**< sets of two or more pages */
} nd_whole_sets;

/** Draw. \param[in] baseline  NULL: none
 * \param[out] drawn  to be freed in any case
 * \return ND_OK, also where there is no set; ND_ERR_USAGE if the baseline is of other inputs, or
 *         there are more pages than anybody judges; ND_ERR_FORMAT or ND_ERR_IO */
nd_status nd_whole_sets_draw(const nd_result *result, const nd_result *baseline, uint64_t count,
                             uint64_t seed, nd_whole_sets *drawn);

void nd_whole_sets_free(nd_whole_sets *drawn);

#endif
