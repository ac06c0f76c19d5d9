/** \file mpi/stage/digests.h
 * Fetching what methods compare: the digests (for the bounds) and the payloads (for the
 * similarity) of any pages, from the ranks that hold the pages.
 */
#ifndef ND_MPI_STAGE_DIGESTS_H
#define ND_MPI_STAGE_DIGESTS_H

#include "mpi/comm/fetch.h"
#include "mpi/job/job.h"

/** What is fetched of a page to bound its similarities: its site, its flags, then its digest. Not
 * collective, as the two that follow. */
size_t nd_digest_record_size(const nd_job_options *options);
const void *nd_digest_record_digest(const uint8_t *record);

/** Not collective. What two pages are to each other, by their records: ND_PAIR_*. */
uint32_t nd_digest_record_pair(const uint8_t *a, const uint8_t *b);

/** Not collective. Are both plain texts? */
bool nd_digest_record_are_texts(const uint8_t *a, const uint8_t *b);

/** Not collective. Make the digest record of this rank's next page: they are made in order, once.
 * \param[in] document  of a new page; of an old one the index has it */
nd_status nd_digests_add(nd_job *job, const nd_document *document);

/** Not collective. Make those of all pages that have none yet. */
nd_status nd_digests_fill(nd_job *job);

/** Not collective. The record of one of this rank's pages, borrowed until the next call. */
nd_status nd_digest_record(nd_job *job, uint64_t page, nd_span *record);

/** Not collective. Forget them all. */
void nd_digests_drop(nd_job *job);

/** Collective. Digest records of pages (ascending, distinct), in their order, which are packed
 * while they are sent; the caller's to free(). \return ND_OK on all ranks, or a failure on all
 * (*records is then NULL) */
nd_status nd_fetch_digests(nd_job *job, const uint64_t *pages, uint64_t count, uint8_t **records);

/** Collective. Payloads of pages likewise, to be given to nd_fetched_free(). */
nd_status nd_fetch_payloads(nd_job *job, const uint64_t *pages, uint64_t count,
                            nd_fetched *payloads);

/** Not collective. Which pages to fetch for some pairs, and where each stands among them.
 * \param[in,out] places   numbers of pages, repeats allowed; each becomes its place in `pages`
 * \param[out] pages       ascending, distinct; the caller's to free(), on failure too
 * \param[out] page_count  of them \return ND_OK or ND_ERR_MEMORY */
nd_status nd_pages_places(uint64_t *places, uint64_t count, uint64_t **pages, uint64_t *page_count);

#endif
