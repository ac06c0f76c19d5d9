/** \file mpi/digests.h
 * Fetching what methods compare: the digests (for the bounds) and the payloads (for the
 * similarity) of any pages, from the ranks that hold the pages.
 */
#ifndef ND_MPI_DIGESTS_H
#define ND_MPI_DIGESTS_H

#include "mpi/fetch.h"
#include "mpi/job.h"

/** Collective. Digests of pages (ascending, distinct), digest_size bytes each, in their order; the
 * caller's to free(). \return ND_OK on all ranks, or a failure on all (*digests is then NULL) */
nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **digests);

/** Collective. Payloads of pages likewise, to be given to nd_fetched_free(). */
nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads);

#endif
