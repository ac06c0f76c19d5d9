/** \file mpi/stage/old_texts.h
 * What is compared of an old page, which is not at hand like that of a new one: it lies packed in
 * the index or, of an index that was made with --index-texts inputs, is taken from the page's input
 * again, by what the index had learned of its site then. Only pages that are compared are read.
 * Invariant: the text is the one that the page's own run compared, by the hash that the index has
 * of it, or a failure that names input and page.
 */
#ifndef ND_MPI_STAGE_OLD_TEXTS_H
#define ND_MPI_STAGE_OLD_TEXTS_H

#include "mpi/job/job.h"

/** In place of where a page's text is, in an index: it is in the input alone. */
#define ND_TEXT_IN_INPUT UINT64_MAX
/** Likewise, with a page's number added: that page, of equal content, is compared in its place. */
#define ND_TEXT_OF_PAGE (UINT64_C(1) << 62)

/** Collective. Before any work, with an index open and its inputs in front of the job's: is every
 * input there that old pages may be read from again, and of the size that it had?
 * \return ND_OK on all ranks; on all ND_ERR_CHANGED, naming an input and a page, or a failure */
nd_status nd_old_texts_open(nd_job *job);

/** Collective. After the old pages are recalled: what it takes to read some of them again. */
nd_status nd_old_texts_recall(nd_job *job);

/** Not collective. The tokens of an old page, wherever it is.
 * \param[in] number, page  as the index has it
 * \param[out] tokens       page->token_count; borrowed until the next call
 * \return ND_OK; ND_ERR_CHANGED; ND_ERR_FORMAT if the index is damaged; or another failure */
nd_status nd_old_text_read(nd_job *job, uint64_t number, const nd_stored_page *page,
                           const uint32_t **tokens);

/** Not collective. Have the tokens of this rank's page `index` in its store, old or new: once they
 * are, they stay. \return as nd_old_text_read() */
nd_status nd_old_text_have(nd_job *job, size_t index);

void nd_old_texts_close(nd_job *job);

#endif
