/** \file io/store/page_select.h
 * Keeping some sentences of every stored page and forgetting the others, with the bytes they take.
 * Which ones is the caller's choice.
 */
#ifndef ND_IO_STORE_PAGE_SELECT_H
#define ND_IO_STORE_PAGE_SELECT_H

#include "io/store/page_store.h"

/** Chooses sentences of one page: keep[k] is false on entry for each of its sentences. */
typedef nd_status (*nd_sentence_choice)(void *context, size_t index, const nd_document *document,
                                        bool *keep);

/** Keep the chosen sentences of all pages, with their tokens; the pages' counts follow. No more is
 * in memory meanwhile than the store may have, and a page's text.
 * \return ND_OK or a failure; on failure the store is only good for being freed */
nd_status nd_page_store_select(nd_page_store *store, nd_sentence_choice choose, void *context);

#endif
