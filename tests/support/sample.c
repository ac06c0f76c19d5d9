#include "tests/support/sample.h"

#include "src/base/util.h"

#include <stdbool.h>
#include <stdlib.h>

void nd_shuffle_pages(const nd_corpus *corpus, uint64_t seed, uint32_t **pages) {
    nd_random random = {seed};
    const size_t count = corpus->pages.count;
    nd_new(pages, count, sizeof **pages);
    for (size_t i = 0; i < count; i++) {
        const size_t other = nd_random_below(&random, i + 1);
        (*pages)[i] = (*pages)[other];
        (*pages)[other] = (uint32_t)i;
    }
}

void nd_sample_draw(const nd_corpus *corpus, const uint32_t *shuffled, uint64_t count,
                    nd_sample *sample) {
    bool *taken = NULL;
    *sample = (nd_sample){.page_count = count};
    nd_new(&taken, corpus->pages.count, sizeof *taken);
    nd_new(&sample->pages, corpus->text_count, sizeof *sample->pages);
    nd_new(&sample->copies, corpus->text_count, sizeof *sample->copies);
    for (uint64_t i = 0; i < count; i++) {
        taken[shuffled[i]] = true;
    }
    for (uint32_t page = 0; page < corpus->pages.count; page++) {
        const uint32_t text = corpus->text_of[page];
        if (taken[page] && text != ND_NO_TEXT && sample->copies[text]++ == 0) {
            sample->pages[sample->text_count++] = page;
        }
    }
    free(taken);
}

void nd_sample_free(nd_sample *sample) {
    free(sample->pages);
    free(sample->copies);
    *sample = (nd_sample){0};
}
