/** \file mpi/stage/old_pages.h
 * Pages of earlier runs in a job: their index holds what the stages up to block leave of a page,
 * and its set. Reading and content selection see the new pages alone, which are numbered after the
 * old ones; then the old ones are recalled in front of them, and all are dealt to the ranks anew.
 * Which sets the new pages join is attach.h's business. Invariant: what an index says of a page is
 * never changed.
 *
 * Arrays of an index: pages (nd_stored_page, whose texts are where old_texts.h says), text (packed)
 * and ingest.names (bytes), digests (packed: those of all pages), members
 * (nd_set_member), form (uint8_t), links (nd_link: all verified pairs), key.ranges (nd_key_range),
 * keys (uint64_t), sites (nd_found_site), sites.templates and sites.repeated (uint64_t), inputs
 * (bytes), source.totals (nd_source_totals), ingest.skipped (bytes).
 */
#ifndef ND_MPI_STAGE_OLD_PAGES_H
#define ND_MPI_STAGE_OLD_PAGES_H

#include "mpi/job/job.h"

/** Not collective. Pages [0, n) are in the sets of the index, which stay as they are; with
 * options.rejoin none is. */
uint64_t nd_old_staying(const nd_job *job);

/** Not collective. How many of this rank's pages are old: they are its first ones. */
uint64_t nd_old_own_count(const nd_job *job);

/** Not collective. Records of pages [begin, end): of the old ones out of the index, of the new ones
 * out of the work folder. \return as nd_checkpoint_load() */
nd_status nd_old_load(const nd_job *job, const char *array, size_t record_size, uint64_t begin,
                      uint64_t end, void *records);

/** The keys of some pages of an index, page after page. All zero may be closed. */
typedef struct nd_old_keys {
    const nd_checkpoint *index;
    nd_key_range *ranges;
    uint64_t *window; /* keys [begin, end) of the array */
    uint64_t begin, end, last;
    size_t room;
} nd_old_keys;

/** Not collective. Pages [first, first + count) of an index, which is borrowed. */
nd_status nd_old_keys_open(nd_old_keys *keys, const nd_checkpoint *index, uint64_t first,
                           uint64_t count);

/** Not collective. The keys of page `first + at`; pages in ascending order.
 * \param[out] to  with room for as many as the job's method gives */
nd_status nd_old_keys_read(nd_old_keys *keys, const nd_job *job, uint64_t at, uint64_t *to,
                           size_t *count);

void nd_old_keys_close(nd_old_keys *keys);

#endif
