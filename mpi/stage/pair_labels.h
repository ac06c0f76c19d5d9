/** \file mpi/stage/pair_labels.h
 * Which pairs should be compared together: those that share pages, so that each page is fetched,
 * and prepared, for all its pairs at once. A page's label is the smallest page that is at most two
 * pairs away from it; a pair's item comes from the smaller label of its two pages. So a story's
 * pairs are in one item, and an item is bounded by how many pairs a page has, where components grow
 * with the corpus. Nothing but the order of comparing depends on it.
 */
#ifndef ND_STAGE_PAIR_LABELS_H
#define ND_STAGE_PAIR_LABELS_H

#include "mpi/stage/state.h"

/** Collective. The labels of this rank's pages, by all ranks' pairs (nd_pair).
 * \param[out] labels  the caller's to free(), on failure too
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_pair_labels(nd_job *job, const nd_spool *pairs, uint64_t **labels);

/** Collective. Send pairs to the ranks of their items, which are set by the labels.
 * \param[in] stream  goes by the owners of items */
nd_status nd_pair_labels_send(nd_job *job, const uint64_t *labels, nd_record_source pairs,
                              void *context, const nd_shuffle_stream *stream);

#endif
