/** \file mpi/job/page_content.h
 * What of a page is compared: the choice among its sentences once it is known which of them its
 * site repeats. A run makes it of every page (mpi/stage/stage_content.c), and whoever reads a page
 * of a result again makes it again. What a site repeats is found elsewhere. Invariant: the same
 * sentences and the same site give the same choice, whoever asks.
 */
#ifndef ND_MPI_JOB_PAGE_CONTENT_H
#define ND_MPI_JOB_PAGE_CONTENT_H

#include "io/input/page_maker.h"
#include "io/result/result_read.h"
#include "mpi/job/job.h"
#include "src/text/page.h"

/** Not collective. Makes of a record the page that a run with these options reads. Limits borrowed.
 */
nd_page_maker nd_job_page_maker(const nd_job_options *options, const nd_record_limits *limits);

/** Not collective. The flags (ND_SENTENCE_*) of sentences that are not kept, as their page alone
 * shows. */
static inline uint32_t nd_content_dropped_flags(const nd_content_choice *choice) {
    return (choice->navigation ? ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE : 0U) |
           (choice->links ? ND_SENTENCE_LINKS : 0U);
}

/** Not collective. Is a sentence kept for all that its page alone shows? */
static inline bool nd_sentence_is_wanted(const nd_content_choice *choice,
                                         const nd_sentence_digest *sentence) {
    return (sentence->flags & nd_content_dropped_flags(choice)) == 0;
}

/** Not collective. Is it a link that is not kept, but that a page of little text, or an index page,
 * gets back unless its site repeats it? */
static inline bool nd_sentence_may_return(const nd_content_choice *choice,
                                          const nd_sentence_digest *sentence) {
    /* dropped for its links, and for nothing else */
    return choice->links &&
           (sentence->flags & nd_content_dropped_flags(choice)) == ND_SENTENCE_LINKS;
}

/** Not collective. Choose among a page's sentences.
 * \param[in] is_template  of each sentence: it is of the template of the page's site
 * \param[in] is_repeated  of each: it is a link that the site repeats
 * \param[out] keep        of each: it is compared
 * \return ND_PAGE_* of the page */
uint16_t nd_page_content_choose(const nd_job_options *options, const nd_document *document,
                                const bool *is_template, const bool *is_repeated, bool *keep);

/** Not collective. Content is known by the digests of its sentences: they hold its tokens and,
 * where the method makes keys of them, where sentences end.
 * \param[in] keep         of each sentence: it counts; NULL: all do
 * \param[in,out] scratch  for digests */
void nd_page_content_hash(const nd_job_options *options, const nd_document *document,
                          const bool *keep, nd_buffer *scratch, nd_text_hash *hash);

/** What of a page is compared, sentence by sentence; kept from page to page. All zero is a valid
 * start. */
typedef struct nd_chosen_content {
    bool *is_template; /**< known to be of the site's template */
    bool *is_repeated; /**< a link that the site repeats, as far as is known */
    bool *keep;        /**< it is compared */
    size_t template_capacity, repeated_capacity, keep_capacity;
    uint16_t flags; /**< ND_PAGE_* of the page */
} nd_chosen_content;

/** Not collective. Make the choice again, or of a page that was in no run.
 * \param[in,out] sites   what the run learned; NULL: no site is known to have a template
 * \param[in] all_repeat  where sites is NULL: of a page's links nobody knows which its site does
 *                        not repeat, so that it gets back none; else all of them are its own
 * \return ND_OK, ND_ERR_MEMORY, or the failure of nd_result_sites_find() */
nd_status nd_page_content_choose_again(nd_chosen_content *chosen, const nd_job_options *options,
                                       nd_result_sites *sites, bool all_repeat,
                                       const nd_document *document);

void nd_chosen_content_free(nd_chosen_content *chosen);

/** Not collective. Is a page with so many tokens of content, and these ND_PAGE_*, compared at all?
 * What is left of a thin page says nothing of it: with the default's rules it shares a set with
 * pages of the same text alone. */
bool nd_page_is_compared(const nd_job_options *options, uint32_t tokens, uint16_t flags);

/** Not collective. What is known of two pages (ND_PAIR_*) with ND_PAIR_COMMON, by the keys that
 * they share: `common` if each is a key of more than ND_GROUP_NEIGHBOURS pages. Between two sites
 * that tells short pages: fewer tokens than content.link_tokens, the longer one.
 * \param[in] relation  by where the pages come from
 * \param[in] tokens    of the longer one's content */
uint32_t nd_pair_of_keys(const nd_job_options *options, uint32_t relation, uint64_t tokens,
                         bool common);

#endif
