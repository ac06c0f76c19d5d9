/** \file mpi/stage/signing.h
 * Which pages have equal texts or contents, and what the method makes of the others to find and to
 * bound pairs: keys and digests. Where texts are packed both are made while contents are selected,
 * when a page's content is at hand, so that no text is read again for them. Digests (compare.h)
 * stay; the keys wait in job->state->waiting_keys until the stage `sign` sends them. Elsewhere, and
 * in a job that goes on after that, `sign` makes both of the texts.
 */
#ifndef ND_STAGE_SIGNING_H
#define ND_STAGE_SIGNING_H

#include "io/store/spool.h"
#include "mpi/stage/state.h"

/** Collective. The first page equal to each of this rank's pages.
 * \param[in]  contents  what selection has left of them, of the first pages of each text
 *                       (state->exact_of); else whole texts, which with options.thin_apart are
 *                       known only after selection too
 * \param[out] firsts    the caller's to free()
 * \param[out] copied    pages that are not first, over all ranks
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_firsts_find(nd_job *job, bool contents, uint64_t **firsts, uint64_t *copied);

/** Not collective. Make the digest of this rank's next page, and its keys if it may have to be
 * compared: not of one that job->state->exact_of, if that is there, calls a copy.
 * \param[in] content  what selection leaves of it */
nd_status nd_signing_add(nd_job *job, size_t index, const nd_document *content);

/** Reading the keys that wait. */
typedef struct nd_waiting_keys {
    nd_spool_reader reader;
    const uint64_t *words; /**< read, of which `next` are taken */
    uint64_t count, next;
} nd_waiting_keys;

/** Not collective; cannot fail. */
void nd_waiting_keys_open(nd_waiting_keys *keys, const nd_job *job);

/** Not collective. The keys of a page that has been signed; pages in ascending order.
 * \param[out] to  with room for `most` */
nd_status nd_waiting_keys_read(nd_waiting_keys *keys, uint64_t page, uint64_t *to, size_t most,
                               size_t *count);

/** Not collective. */
void nd_waiting_keys_close(nd_waiting_keys *keys);

#endif
