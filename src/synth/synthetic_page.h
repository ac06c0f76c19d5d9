/** \file src/synth/synthetic_page.h
 * One page of a synthetic corpus, made from the corpus's plan: its HTML, URL, id, and what the
 * truth says of it. Nothing is kept from page to page but memory, so pages can be made in any
 * order. Files are written elsewhere.
 */
#ifndef ND_SYNTH_SYNTHETIC_PAGE_H
#define ND_SYNTH_SYNTHETIC_PAGE_H

#include "src/synth/corpus_plan.h"
#include "src/synth/markup.h"
#include "src/synth/story.h"

/** Makes pages, one after the other; the same plan and vocabulary may serve several. */
typedef struct nd_page_factory {
    const nd_corpus_plan *plan;
    const nd_vocabulary *vocabulary;
    nd_story original, story;
    nd_buffer title;
} nd_page_factory;

/** All zero is valid and empty; memory is reused from page to page. */
typedef struct nd_synthetic_page {
    nd_page_plan plan;
    nd_buffer id;      /**< urn:neardup:SEED:PAGE */
    nd_buffer url;     /**< different for each page */
    nd_buffer html;    /**< UTF-8 */
    nd_buffer cluster; /**< name of its true cluster */
    uint64_t tokens;   /**< of its main text, without template, title and licence */
    /** common / all of its tokens and those of its story's original, where a token is common if the
     * copy took it over; for pages that look alike: with another page of the family, as if that was
     * as long as this one. */
    double similarity;
} nd_synthetic_page;

/** Make page `page`; its main text, without HTML, is in factory->story. */
void nd_synthetic_page_make(nd_page_factory *factory, uint64_t page, nd_synthetic_page *out);

void nd_synthetic_page_free(nd_synthetic_page *page);

/** Free what the factory has made for itself. */
void nd_page_factory_free(nd_page_factory *factory);

#endif
