/** \file mpi/stage/index_pages.h
 * Pages of earlier runs in a job: their index holds what the stages up to block leave of a page,
 * and its set. Reading and content selection see the new pages alone, which are numbered after the
 * indexed ones; then the indexed ones are recalled in front of them, and all are dealt to the ranks
 * anew. Which sets the new pages join is attach.h's business. Invariant: what an index says of a
 * page is never changed.
 *
 * Arrays of an index: pages (nd_stored_page, whose texts are where index_pages.h says), text
 * (packed) and ingest.names (bytes), digests (packed: those of all pages), members (nd_set_member),
 * form (uint8_t), links (nd_link: all verified pairs), key.ranges (nd_key_range), keys (uint64_t),
 * sites (nd_found_site), sites.templates and sites.repeated (uint64_t), inputs (bytes),
 * source.totals (nd_source_totals), ingest.skipped (bytes).
 */
#ifndef ND_STAGE_INDEX_PAGES_H
#define ND_STAGE_INDEX_PAGES_H

#include "mpi/stage/state.h"

/** Not collective. Pages [0, n) are in the sets of the index, which stay as they are; with
 * options.recluster none is. */
uint64_t nd_index_staying(const nd_job *job);

/** Not collective. How many of this rank's pages are indexed: they are its first ones. */
uint64_t nd_index_own_count(const nd_job *job);

/** Not collective. Records of pages [begin, end): of the indexed ones out of the index, of the new
 * ones out of the work folder. \return as nd_checkpoint_load() */
nd_status nd_index_load(const nd_job *job, const char *array, size_t record_size, uint64_t begin,
                        uint64_t end, void *records);

/** The keys of some pages of an index, page after page. All zero may be closed. */
typedef struct nd_index_keys {
    const nd_checkpoint *index;
    nd_key_range *ranges;
    uint64_t *window; /* keys [begin, end) of the array */
    uint64_t begin, end, last;
    size_t room;
} nd_index_keys;

/** Not collective. Pages [first, first + count) of an index, which is borrowed. */
nd_status nd_index_keys_open(nd_index_keys *keys, const nd_checkpoint *index, uint64_t first,
                             uint64_t count);

/** Not collective. The keys of page `first + at`; pages in ascending order.
 * \param[out] to  with room for as many as the job's method gives */
nd_status nd_index_keys_read(nd_index_keys *keys, const nd_job *job, uint64_t at, uint64_t *to,
                             size_t *count);

void nd_index_keys_close(nd_index_keys *keys);

/* ---- What an index has learned of sites: their templates and the links that they repeat. New
 * pages of a site that it has learned something of are selected by that, so that they are compared
 * as the indexed ones were; all other sites are learned from the new pages alone. Nothing is
 * learned here. */

/** Collective. Before the pages are selected: what the index knows of the sites of this rank's
 * pages into job->state->index.sites. \return ND_OK on all ranks, or a failure on all */
nd_status nd_index_sites_ask(nd_job *job);

/** Collective. All that the index knows, on every rank. \return as above */
nd_status nd_index_sites_load(nd_job *job);

/** Not collective. Has the index learned something of the site? Or this? \param[in] kind  ND_SITE_*
 */
bool nd_index_site_is(const nd_job *job, uint64_t site, uint64_t kind);

/** Not collective. What of a page is compared by what the index knows of its site: nothing, if that
 * was learned later than from the pages which came with this one. Of a site that the index does not
 * know, all but what the page alone shows.
 * \param[in] number  of an indexed page, or above all of them: of one that was in no run
 * \param[out] keep, flags  as for nd_page_content_choose() */
nd_status nd_index_sites_choose(const nd_job *job, uint64_t number, const nd_document *document,
                                bool *keep, uint16_t *flags);

/** Collective. After the pages are selected, and what was learned of new sites is kept in the work
 * folder: job->state->sites has both, by site. */
nd_status nd_index_sites_recall(nd_job *job);

/* ---- What is compared of an indexed page, which is not at hand like that of a new one: it lies
 * packed in the index or, of an index that was made with --index-texts inputs, is taken from the
 * page's input again, by what the index had learned of its site then. Only pages that are compared
 * are read. Invariant: the text is the one that the page's own run compared, by the hash that the
 * index has of it, or a failure that names input and page. */

/** In place of where a page's text is, in an index: it is in the input alone. */
#define ND_TEXT_IN_INPUT UINT64_MAX
/** Likewise, with a page's number added: that page, of equal content, is compared in its place. */
#define ND_TEXT_OF_PAGE (UINT64_C(1) << 62)

/** Collective. Before any work, with an index open and its inputs in front of the job's: is every
 * input there that indexed pages may be read from again, and of the size that it had?
 * \return ND_OK on all ranks; on all ND_ERR_CHANGED, naming an input and a page, or a failure */
nd_status nd_index_texts_open(nd_job *job);

/** Collective. After the indexed pages are recalled: what it takes to read some of them again. */
nd_status nd_index_texts_recall(nd_job *job);

/** Not collective. The tokens of an indexed page, wherever it is.
 * \param[in] number, page  as the index has it
 * \param[out] tokens       page->token_count; borrowed until the next call
 * \return ND_OK; ND_ERR_CHANGED; ND_ERR_FORMAT if the index is damaged; or another failure */
nd_status nd_index_text_read(nd_job *job, uint64_t number, const nd_stored_page *page,
                             const uint32_t **tokens);

/** Not collective. Have the tokens of this rank's page `index` in its store, indexed or new: once
 * they are, they stay. \return as nd_index_text_read() */
nd_status nd_index_text_ensure(nd_job *job, size_t index);

void nd_index_texts_close(nd_job *job);

#endif
