/** \file tests/support/made_pages.h
 * Pages of a synthetic corpus, made one at a time for a test; what cannot be made ends the test.
 */
#ifndef ND_TESTS_MADE_PAGES_H
#define ND_TESTS_MADE_PAGES_H

#include "src/synth/synthetic_page.h"

typedef struct nd_made_pages {
    nd_corpus_plan *plan;
    nd_vocabulary *vocabulary;
    nd_page_factory factory;
    nd_synthetic_page page; /**< the last one */
} nd_made_pages;

void nd_made_pages_open(nd_made_pages *pages, const nd_corpus_options *options);

void nd_made_pages_close(nd_made_pages *pages);

/** Make page `number`. \return its HTML, valid until the next one is made */
nd_span nd_made_pages_make(nd_made_pages *pages, uint64_t number);

#endif
