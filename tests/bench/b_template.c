/* What nd_template_find() takes on synthetic sites of 1,000 pages: the milliseconds of one call,
 * the fastest of several, by kind of site. */
#include "src/sets/template.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 1000, SENTENCES = 140, REPEATS = 5, LONGEST_SENTENCE = 40 };

/* A kind of site. Of each page, `frame` sentences are the site's, those of its section follow, the
 * others are its own; pages come in groups of `copies` that differ in one sentence. */
typedef struct kind {
    const char *name;
    size_t frame;
    size_t section;
    size_t sections;
    size_t copies;
} kind;

static const kind kinds[] = {
    {"no template", 0, 0, 1, 1},          {"half is template", 70, 0, 1, 1},
    {"80 % is template", 112, 0, 1, 1},   {"90 % is template", 126, 0, 1, 1},
    {"ten sections", 50, 50, 10, 1},      {"ten sections, 85 %", 70, 50, 10, 1},
    {"ten copies of each", 70, 0, 1, 10}, {"copies of one story", 0, 0, 1, PAGES},
};

static nd_template_sentence sentences[PAGES][SENTENCES];

static nd_template_sentence make_sentence(uint64_t number) {
    uint64_t hash = nd_mix64(number);
    return (nd_template_sentence){.hash = hash,
                                  .tokens = (uint32_t)(1 + hash % LONGEST_SENTENCE),
                                  .minima = {(uint32_t)hash, (uint32_t)(hash >> 32)}};
}

static void fill(const kind *k) {
    nd_random random = {1};
    for (size_t i = 0; i < PAGES; i++) {
        uint64_t section = i / k->copies % k->sections, story = i / k->copies + 1;
        for (size_t j = 0; j < SENTENCES; j++) {
            uint64_t owner = j < k->frame                ? 0
                             : j < k->frame + k->section ? section + PAGES + 1
                                                         : story;
            sentences[i][j] = make_sentence(owner * SENTENCES + j);
        }
        sentences[i][SENTENCES - 1] = make_sentence(nd_random_next(&random));
    }
}

int main(void) {
    static nd_template_page pages[PAGES];
    for (size_t i = 0; i < PAGES; i++) {
        pages[i] = (nd_template_page){sentences[i], SENTENCES};
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        double best = 1e9;
        size_t count = 0;
        fill(&kinds[i]);
        for (int r = 0; r < REPEATS; r++) {
            ND_FREED uint64_t *hashes = NULL;
            double start = nd_bench_now() * 1e3;
            if (nd_template_find(pages, PAGES, &ND_TEMPLATE_DEFAULTS, &hashes, &count) != ND_OK) {
                fprintf(stderr, "%s\n", nd_fail_text());
                return 1;
            }
            double took = nd_bench_now() * 1e3 - start;
            best = took < best ? took : best;
        }
        printf("%-22s %8.2f ms, template of %zu sentences\n", kinds[i].name, best, count);
    }
    return 0;
}
