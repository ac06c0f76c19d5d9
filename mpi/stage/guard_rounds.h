/** \file mpi/stage/guard_rounds.h
 * The guard against chains, of components that no rank could hold: the rule of src/sets/middles.h,
 * worked out by all ranks together. A round is for all parts of the components' trees at once: a
 * walk around them (mpi/comm/tour.h) finds their middles, every page is compared with the middle of
 * its part, the pages taken leave the trees. Parts have at most half of the pages after a round, so
 * there are at most 1 + log2(pages) of them. Nothing is gathered on one rank; a rank holds some 150
 * bytes for each of its pages that is in such a component, beside a batch of pages.
 */
#ifndef ND_MPI_STAGE_GUARD_ROUNDS_H
#define ND_MPI_STAGE_GUARD_ROUNDS_H

#include "mpi/stage/compare_batch.h"
#include "mpi/stage/gather.h"

/** Collective. Sets out of large components.
 * \param[in,out] large        its spools are closed
 * \param[in,out] batch        where pages are compared
 * \param[in,out] memberships  of nd_membership: the sets' pages are appended here, each on its rank
 * \param[in,out] alike_apart  verified pairs of ND_GUARD_ALIKE that this rank found between sets
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_guard_rounds(nd_job *job, nd_large_components *large, nd_compare_batch *batch,
                          nd_spool *memberships, uint64_t *alike_apart);

#endif
