/** \file mpi/score_pairs.h
 * Comparing pairs of pages: the pairs are dealt to the ranks by estimated cost (a few long pages
 * take most of the time), in the order of their work items, so that pairs that share pages stay
 * together; then each rank takes batches of pairs, fetches every distinct payload of a batch once,
 * and compares. Which pairs to compare is decided elsewhere.
 */
#ifndef ND_MPI_SCORE_PAIRS_H
#define ND_MPI_SCORE_PAIRS_H

#include "mpi/job.h"

/** Collective. Compare pairs.
 * \param[in,out] pairs   a malloc'ed array; freed and NULL after the call
 * \param[in] keep_all     true keeps every pair; else those below the method's threshold are
 * dropped \param[out] links      the pairs that are left, a and b as given, with their similarity;
 * the caller's to free(); NULL on failure \return ND_OK on all ranks, or a failure on all */
nd_status nd_score_pairs(nd_job *job, nd_pair **pairs, uint64_t *count, bool keep_all,
                         nd_link **links, uint64_t *link_count);

#endif
