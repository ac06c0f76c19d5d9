#include "tests/support/mpi_world.h"

#include "tests/support/in_memory.h"
#include "tests/support/method_use.h"
#include "tests/support/slow_names.h"

#include <stdlib.h>
#include <string.h>

void nd_world_add_page(nd_world *w, const uint32_t *tokens, uint32_t count) {
    nd_sentence_digest sentence = {.masked = count, .token_count = count};
    const nd_stored_page page = {.site = 1, /* of all */
                                 .text_tokens = count,
                                 .token_count = count,
                                 .sentence_count = count > 0};
    CU_ASSERT_EQUAL(nd_page_store_append(&w->all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                         (nd_span){NULL, 0}),
                    ND_OK);
}

void nd_world_add_window(nd_world *w, uint32_t text, uint32_t begin, uint32_t count) {
    uint32_t tokens[ND_WORLD_TOKENS];
    for (uint32_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_mix64((uint64_t)text << 32 | (begin + i + 1));
    }
    nd_world_add_page(w, tokens, count);
}

void nd_world_add_variant(nd_world *w, nd_random *random) {
    uint32_t tokens[ND_WORLD_TOKENS];
    const uint64_t back = 1 + nd_random_below(random, w->all.count < 6 ? w->all.count : 6);
    const size_t from = (size_t)(w->all.count - back);
    const uint32_t count = w->all.pages[from].token_count;
    const uint64_t changes = 1 + nd_random_below(random, 3);
    memcpy(tokens, nd_test_document(&w->all, from).tokens, count * sizeof *tokens);
    for (uint64_t c = 0; c < changes; c++) {
        const uint64_t length = 1 + nd_random_below(random, count / 4 + 1);
        const bool renamed = nd_random_below(random, 8) == 0;
        const uint64_t begin = renamed ? 0 : nd_random_below(random, count - length + 1);
        const uint32_t name = (uint32_t)nd_random_next(random);
        for (uint64_t i = begin; i < begin + length; i++) {
            tokens[i] = renamed && i % 4 == 0 ? name : (uint32_t)nd_random_next(random);
        }
    }
    nd_world_add_page(w, tokens, count - (uint32_t)nd_random_below(random, count / 10 + 1));
}

void nd_world_draw(nd_world *w, nd_random *random) {
    for (uint32_t family = 0; w->all.count < ND_WORLD_PAGES; family++) {
        const uint32_t tokens = 5 + (uint32_t)nd_random_below(random, ND_WORLD_TOKENS - 5);
        nd_world_add_window(w, family, 0, tokens);
        for (uint64_t i = nd_random_below(random, 25); i > 0 && w->all.count < ND_WORLD_PAGES;
             i--) {
            nd_world_add_variant(w, random);
        }
    }
}

void nd_world_compare(nd_world *w, const nd_job_options *options) {
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            const nd_document x = nd_test_document(&w->all, a);
            const nd_document y = nd_test_document(&w->all, b);
            const double score =
                nd_test_similarity(options->method, &options->method_options, &x, &y, 0);
            w->score[a][b] = w->score[b][a] = score;
            w->similarity[a][b] = w->similarity[b][a] =
                nd_slow_names_left(options->method, &options->method_options, &x, &y, score);
        }
    }
}

double nd_world_threshold(const nd_world *w, const nd_job_options *options, size_t a, size_t b) {
    const uint64_t x = w->all.pages[a].site;
    const uint64_t y = w->all.pages[b].site;
    return options->method_options.threshold +
           (x == y || x == 0 || y == 0 ? options->method_options.site_extra : 0);
}

void nd_world_link(nd_world *w, const nd_job_options *options, uint64_t first, nd_random *random,
                   uint64_t keep) {
    nd_world_compare(w, options);
    w->links = nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *w->links);
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            if (b >= first && w->similarity[a][b] >= nd_world_threshold(w, options, a, b) &&
                nd_random_below(random, 8) < keep) {
                w->links[w->link_count++] = (nd_link){a, b, w->similarity[a][b]};
            }
        }
    }
}

double nd_world_member(const nd_world *w, uint64_t leader, uint64_t member) {
    return nd_slow_names_member(w->score[leader][member], w->similarity[leader][member]);
}

void nd_world_components(const nd_world *w, const nd_link *links, uint64_t count, uint64_t *label) {
    bool changed = true;
    for (uint64_t i = 0; i < w->all.count; i++) {
        label[i] = i;
    }
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t *x = &label[links[i].a];
            uint64_t *y = &label[links[i].b];
            const uint64_t least = *x < *y ? *x : *y;
            changed = changed || *x != *y;
            *x = least;
            *y = least;
        }
    }
}

void nd_world_free(nd_world *w) {
    nd_page_store_free(&w->all);
    free(w->links);
}
