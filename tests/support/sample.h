/** \file tests/support/sample.h
 * Nested random samples of a corpus's pages: a sample is the beginning of one seeded shuffle, so
 * that a larger sample holds every smaller one.
 */
#ifndef ND_TESTS_SAMPLE_H
#define ND_TESTS_SAMPLE_H

#include "tests/support/corpus.h"

typedef struct nd_sample {
    uint64_t page_count; /**< those without text included */
    uint32_t *pages;     /**< the first page of each text that is in the sample, ascending */
    size_t text_count;
    uint32_t *copies; /**< by text of the corpus: pages of the sample that have it */
} nd_sample;

/** All pages in random order. \param[out] pages  the caller's to free() */
void nd_shuffle_pages(const nd_corpus *corpus, uint64_t seed, uint32_t **pages);

/** The first `count` pages of a shuffle. On failure the sample is empty. */
void nd_sample_draw(const nd_corpus *corpus, const uint32_t *shuffled, uint64_t count,
                    nd_sample *sample);

void nd_sample_free(nd_sample *sample);

#endif
