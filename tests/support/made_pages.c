#include "tests/support/made_pages.h"

#include "tests/support/check.h"

void nd_made_pages_open(nd_made_pages *p, const nd_corpus_options *options) {
    *p = (nd_made_pages){.plan = NULL};
    CU_ASSERT_EQUAL_FATAL(nd_corpus_plan_new(options, &p->plan), ND_OK);
    p->vocabulary = nd_vocabulary_new();
    p->factory.plan = p->plan;
    p->factory.vocabulary = p->vocabulary;
}

void nd_made_pages_close(nd_made_pages *p) {
    nd_page_factory_free(&p->factory);
    nd_synthetic_page_free(&p->page);
    nd_vocabulary_free(&p->vocabulary);
    nd_corpus_plan_free(&p->plan);
}

nd_span nd_made_pages_make(nd_made_pages *p, uint64_t number) {
    nd_synthetic_page_make(&p->factory, number, &p->page);
    return nd_buffer_span(&p->page.html);
}
