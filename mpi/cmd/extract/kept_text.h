/** \file mpi/cmd/extract/kept_text.h
 * What is kept of a page, as text: the sentences that a run would compare, as they stand on the
 * page, a line for each of its blocks. Which these are is decided by mpi/job/page_content.h, and
 * nothing is written here.
 */
#ifndef ND_CMD_EXTRACT_KEPT_TEXT_H
#define ND_CMD_EXTRACT_KEPT_TEXT_H

#include "io/input/page_maker.h"
#include "mpi/job/page_content.h"

/** All zero is a valid start; its memory is kept from page to page. */
typedef struct nd_kept_text {
    nd_buffer title; /**< UTF-8, as the text, of which it is no part */
    nd_buffer text;
    nd_sentence_digest *sentences; /**< scratch */
    size_t sentence_capacity;
    nd_chosen_content chosen;
} nd_kept_text;

/** Make the text of the page that was read last.
 * \param[out] kept      title and text are replaced
 * \param[in] site       the page's (nd_page_maker_site())
 * \param[in,out] sites  what a run learned of sites. NULL: of a page alone nobody knows what its
 *                       site repeats: no sentence is template, and every link is its own
 * \return ND_OK, ND_ERR_MEMORY, or the failure of nd_result_sites_find() */
nd_status nd_kept_text_make(nd_kept_text *kept, const nd_page_maker *maker, uint64_t site,
                            nd_result_sites *sites, const nd_job_options *options);

void nd_kept_text_free(nd_kept_text *kept);

#endif
