/** \file mpi/cmd/extract/kept_text.h
 * What is kept of a page, as text: the sentences that a run would compare, as they stand on the
 * page, a line for each of its blocks. The page alone decides: what its site repeats is not known
 * here, and nothing is written.
 */
#ifndef ND_CMD_EXTRACT_KEPT_TEXT_H
#define ND_CMD_EXTRACT_KEPT_TEXT_H

#include "mpi/job/job.h"

/** Append what is kept of a page. Its title is kept apart, for it is no part of the text.
 * \param[in] sentences    of the page, as nd_content_sentences() describes them
 * \param[out] title, text  UTF-8; added to
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_kept_text(const nd_page *page, const nd_content_sentence *sentences,
                       const nd_job_options *options, nd_buffer *title, nd_buffer *text);

#endif
