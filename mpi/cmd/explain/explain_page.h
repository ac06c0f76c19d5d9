/** \file mpi/cmd/explain/explain_page.h
 * A page for `neardup explain`: read from a file of its own, or again from the input that a result
 * names, with what is compared of it as far as the page alone shows it. Where a page stands in the
 * result is kept beside it. Pages are not compared here.
 */
#ifndef ND_CMD_EXPLAIN_EXPLAIN_PAGE_H
#define ND_CMD_EXPLAIN_EXPLAIN_PAGE_H

#include "io/input/page_maker.h"
#include "io/result/result_pages.h"
#include "mpi/job/job.h"

/** Where a page stands in a result. */
typedef struct nd_page_place {
    uint64_t page;
    uint64_t namesakes; /**< pages of this URL or id, itself included */
    uint64_t set, set_pages, representative, link, exact_of;
    float similarity, link_similarity;
    uint32_t tokens; /**< of the whole text, as the run met it */
    uint32_t source;
    uint64_t offset;
} nd_page_place;

/** All zero is a valid start; everything is owned. */
typedef struct nd_explained_page {
    nd_page_maker maker; /**< maker.page has the sentences' texts */
    nd_page_store store;
    nd_document whole;   /**< lies in the store */
    nd_document content; /**< what is compared of it, by the page alone */
    uint32_t *tokens;    /**< of the content */
    nd_sentence_digest *sentences;
    bool placed; /**< there is a result: */
    nd_page_place place;
    nd_buffer url;
    nd_buffer source; /**< path, NUL included */
} nd_explained_page;

/** Read the page that a file is; HTML or text, by its content.
 * \param[in] path  borrowed until the page is freed
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT, ND_ERR_MEMORY or ND_ERR_LIMIT; ND_ERR_USAGE if the file
 *         does not hold one page */
nd_status nd_explained_page_read_file(nd_explained_page *page, const char *path,
                                      const nd_job_options *options);

/** Find two pages of a result by URL or id and read them again. Where both names are the same, the
 * second page is the next of that name.
 * \return as above; ND_ERR_USAGE if there is no such page */
nd_status nd_explained_pages_read(nd_explained_page pages[2], const nd_result *result,
                                  char *const names[2], const nd_job_options *options);

void nd_explained_page_free(nd_explained_page *page);

#endif
