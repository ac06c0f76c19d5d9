/** \file mpi/stage/guard.h
 * The guard against chains: no page is in a set to whose leader it is not similar, at the threshold
 * less the guard, or so little that it would leave again (--min-confidence). The centroid of a
 * tree of links (src/sets/leaders.h) opens a set and takes the pages that are similar to it and
 * hang together with it over such pages; each part that is left is a tree for which the same holds.
 * Worked out by all ranks together for all components of verified pairs. A round is for all parts
 * of the components' trees at once: a walk around them (mpi/comm/components.h) finds their
 * centroids, every page is compared with the centroid of its part, the pages taken leave the trees.
 * Parts have at most half of the pages after a round, so there are at most 1 + log2(pages) of them.
 * Nothing is gathered on one rank; a rank holds some 150 bytes for each of its pages with a link,
 * beside a batch of pages.
 */
#ifndef ND_MPI_STAGE_GUARD_H
#define ND_MPI_STAGE_GUARD_H

#include "mpi/stage/compare.h"
#include "mpi/stage/state.h"

/** Pages of a verified pair of at least this similarity are all but the same: where they end in two
 * sets nevertheless, each similar to another leader, that is counted. */
static const double ND_GUARD_ALIKE = 0.9;

/** Not collective. Compare two pages of the batch, of so many tokens, as a leader and a page that
 * may be in its set. \param[out] similarity  0: it may not */
void nd_guard_compare(const nd_job_options *options, nd_compare_batch *batch, uint64_t x,
                      uint64_t x_tokens, uint64_t y, uint64_t y_tokens, double *similarity);

/** Collective. Sets out of the components of job->state->links (gone afterwards, unless pairs are
 * kept).
 * \param[in,out] batch        where pages are compared
 * \param[in,out] memberships  of nd_membership: the sets' pages are appended here, each on its rank
 * \param[out]    alike_apart  verified pairs of ND_GUARD_ALIKE that this rank found between sets
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_guard_sets(nd_job *job, nd_compare_batch *batch, nd_spool *memberships,
                        uint64_t *alike_apart);

#endif
