/** \file mpi/stage/compare_batch.h
 * Comparing pages at will, as many as fit in memory: their digests and payloads are fetched once,
 * then any two of them can be compared, the exact bound first. What is compared with what is
 * decided by the caller.
 */
#ifndef ND_MPI_STAGE_COMPARE_BATCH_H
#define ND_MPI_STAGE_COMPARE_BATCH_H

#include "mpi/comm/fetch.h"
#include "mpi/job/job.h"

/** All zero but the job is one without pages. */
typedef struct nd_compare_batch {
    nd_job *job;     /**< whose pages are compared, by its method */
    uint64_t *pages; /**< ascending, distinct */
    uint64_t page_count;
    uint8_t *records; /**< their digest records */
    nd_fetched payloads;
    uint64_t compared; /**< pairs that passed the bound; kept from batch to batch */
} nd_compare_batch;

/** Collective. Fetch what the comparisons among these pages need; a batch that is open is replaced.
 * \param[in] pages  any order, repeats allowed; borrowed
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_compare_batch_fetch(nd_compare_batch *batch, const uint64_t *pages, uint64_t count);

/** Not collective. The similarity of two pages of the batch by nd_method_compare(). */
nd_status nd_compare_batch_pair(nd_compare_batch *batch, uint64_t a, uint64_t b, double threshold,
                                double *similarity);

/** Not collective. The same of a set's leader and a page that links join to it, by
 * nd_method_compare_member(). */
nd_status nd_compare_batch_member(nd_compare_batch *batch, uint64_t leader, uint64_t member,
                                  double threshold, double *similarity);

/** Not collective. What is known of two pages of the batch besides what is compared (ND_PAIR_*). */
uint32_t nd_compare_batch_relation(const nd_compare_batch *batch, uint64_t a, uint64_t b);

/** Not collective. Are two pages of the batch plain texts, both? */
bool nd_compare_batch_are_texts(const nd_compare_batch *batch, uint64_t a, uint64_t b);

/** Not collective. Bytes a page of that many tokens takes in a batch. */
uint64_t nd_compare_batch_bytes(const nd_job_options *options, uint64_t tokens);

/** Not collective. */
void nd_compare_batch_free(nd_compare_batch *batch);

#endif
