/** \file mpi/cmd/explain/explain_page.h
 * A page for `neardup explain`: read from a file of its own, or again from the input that a result
 * names, with what is compared of it: by the page alone, or with what the result says of its site.
 * Where a page stands in the result is kept beside it. Pages are not compared here.
 */
#ifndef ND_CMD_EXPLAIN_EXPLAIN_PAGE_H
#define ND_CMD_EXPLAIN_EXPLAIN_PAGE_H

#include "io/input/page_maker.h"
#include "io/result/result_pages.h"
#include "io/result/result_sites.h"
#include "mpi/job/job.h"

/** Where a page stands in a result. */
typedef struct nd_page_place {
    uint64_t page;
    uint64_t namesakes; /**< pages of this URL or id, itself included */
    uint64_t set, set_pages, representative, link, exact_of;
    float similarity, link_similarity;
    uint32_t source;
    uint64_t offset;
} nd_page_place;

/** All zero is a valid start; everything is owned. */
typedef struct nd_explained_page {
    nd_page_maker maker; /**< maker.page has the sentences' texts */
    nd_page_store store;
    nd_document whole;   /**< lies in the store */
    bool *keep;          /**< of its sentences: it is compared */
    bool *is_template;   /**< of its sentences: known to be of the site's template */
    bool *is_repeated;   /**< of its sentences: a link that the site repeats, as far as is known */
    nd_document content; /**< what is compared of it */
    uint16_t flags;      /**< ND_PAGE_* */
    uint32_t *tokens;    /**< of the content */
    nd_sentence_digest *sentences;
    bool placed; /**< there is a result: */
    nd_page_place place;
    uint64_t compared; /**< number of the page that was read: the one that the run compared in place
                            of this one, whose text or content is equal; itself as a rule */
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
 * \param[in,out] sites  of the result; NULL: it does not say what was learned of sites
 * \return as above; ND_ERR_USAGE if there is no such page */
nd_status nd_explained_pages_read(nd_explained_page pages[2], const nd_result *result,
                                  nd_result_sites *sites, char *const names[2],
                                  const nd_job_options *options);

/** Read page `number` of a result again, as above. Its place stays empty. */
nd_status nd_explained_page_read_number(nd_explained_page *page, const nd_result *result,
                                        nd_result_sites *sites, uint64_t number,
                                        const nd_job_options *options);

void nd_explained_page_free(nd_explained_page *page);

#endif
