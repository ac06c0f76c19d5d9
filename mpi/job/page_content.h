/** \file mpi/job/page_content.h
 * What of a page is compared: the choice among its sentences once it is known which of them its
 * site repeats. A run makes it of every page (mpi/stage/stage_content.c), and whoever reads a page
 * of a result again makes it again. What a site repeats is found elsewhere. Invariant: the same
 * sentences and the same site give the same choice, whoever asks.
 */
#ifndef ND_MPI_JOB_PAGE_CONTENT_H
#define ND_MPI_JOB_PAGE_CONTENT_H

#include "mpi/job/job.h"

/** Not collective. Is a sentence kept for all that its page alone shows? */
bool nd_sentence_is_wanted(const nd_content_choice *choice, const nd_sentence_digest *sentence);

/** Not collective. Is it a link that is not kept, but that a page of little text, or an index page,
 * gets back unless its site repeats it? */
bool nd_sentence_may_return(const nd_content_choice *choice, const nd_sentence_digest *sentence);

/** Not collective. Choose among a page's sentences.
 * \param[in] is_template  of each sentence: it is of the template of the page's site
 * \param[in] is_repeated  of each: it is a link that the site repeats
 * \param[out] keep        of each: it is compared
 * \return ND_PAGE_* of the page */
uint16_t nd_page_content_choose(const nd_job_options *options, const nd_document *document,
                                const bool *is_template, const bool *is_repeated, bool *keep);

/** Not collective. Is a page with so many tokens of content, and these ND_PAGE_*, compared at all?
 * What is left of a thin page says nothing of it: with the default's rules it shares a set with
 * pages of the same text alone. */
bool nd_page_is_compared(const nd_job_options *options, uint32_t tokens, uint16_t flags);

#endif
