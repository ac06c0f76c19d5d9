/* nd_template_find() against a reference that compares all pairs of pages, on random sites: unlike
 * pages, archives of a few stories in many versions, everything in one page, empty pages. */
#include "src/sets/template.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 1500, MOST_PAGES = 60, LONGEST = 40, VOCABULARY = 400, HEAVIEST = 30 };

typedef struct test_page {
    nd_template_sentence sentences[LONGEST];
    size_t count;
} test_page;

typedef struct test_site {
    test_page pages[MOST_PAGES];
    size_t count;
    uint32_t tokens[VOCABULARY]; /* of each sentence; the sentence i has the hash nd_mix64(i) */
    nd_template_options options;
} test_site;

/* ---- the reference: sentences are numbers below VOCABULARY, pages are sets of them */

typedef struct reference {
    bool on_page[MOST_PAGES][VOCABULARY];
    bool has[MOST_PAGES][VOCABULARY]; /* minima, of both functions in turn */
    uint32_t weights[VOCABULARY];     /* theirs */
    size_t class[MOST_PAGES];
    bool is_template[VOCABULARY];
} reference;

/* A sentence has its minima with one or two others: it is an edit of them. */
static uint32_t minimum(size_t sentence, size_t which) {
    return (uint32_t)(sentence / (which == 0 ? 3 : 2));
}

/* Pages have a minimum if a sentence that is left of them has it; it weighs as much as the heaviest
 * such sentence of the site. */
static void find_minima(const test_site *site, reference *r) {
    memset(r->has, 0, sizeof r->has);
    memset(r->weights, 0, sizeof r->weights);
    for (size_t a = 0; a < site->count; a++) {
        for (size_t i = 0; i < VOCABULARY; i++) {
            for (size_t m = 0; m < 2 && r->on_page[a][i] && !r->is_template[i]; m++) {
                const size_t number = 2 * minimum(i, m) + m;
                r->has[a][number] = true;
                if (r->weights[number] < site->tokens[i]) {
                    r->weights[number] = site->tokens[i];
                }
            }
        }
    }
}

static bool alike(const reference *r, size_t a, size_t b, double least) {
    uint64_t common = 0, all = 0;
    for (size_t i = 0; i < VOCABULARY; i++) {
        common += r->has[a][i] && r->has[b][i] ? r->weights[i] : 0;
        all += r->has[a][i] || r->has[b][i] ? r->weights[i] : 0;
    }
    return common > 0 && (double)common >= least * (double)all;
}

/* Of the minima of what two pages do not share, do so many stand in other sentences of both? */
static bool edited(const test_site *site, const reference *r, size_t a, size_t b, double least) {
    uint64_t own_a = 0, own_b = 0, shared = 0, common = 0;
    bool counted[VOCABULARY] = {false};
    for (size_t i = 0; i < VOCABULARY; i++) {
        const bool of_a = r->on_page[a][i] && !r->is_template[i];
        const bool of_b = r->on_page[b][i] && !r->is_template[i];
        own_a += of_a ? site->tokens[i] : 0;
        own_b += of_b ? site->tokens[i] : 0;
        shared += of_a && of_b ? site->tokens[i] : 0;
        for (size_t j = 0; of_a && j < VOCABULARY; j++) {
            for (size_t m = 0; m < 2 && j != i && r->on_page[b][j] && !r->is_template[j]; m++) {
                const size_t number = 2 * minimum(i, m) + m;
                if (minimum(i, m) == minimum(j, m) && !counted[number]) {
                    counted[number] = true;
                    common += r->weights[number];
                }
            }
        }
    }
    const double rest = 2. * (double)(own_a + own_b - 2 * shared) - (double)common;
    return least > 0 && common > 0 && 2 * shared <= (own_a < own_b ? own_a : own_b) &&
           (double)common >= least * rest;
}

static void reference_classes(const test_site *site, reference *r, const nd_template_round *round) {
    find_minima(site, r);
    for (size_t a = 0; a < site->count; a++) {
        r->class[a] = a;
    }
    for (size_t a = 0; a < site->count; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t from = r->class[a], to = r->class[b];
            if (from != to &&
                (alike(r, a, b, round->similarity) || edited(site, r, a, b, round->edited))) {
                for (size_t i = 0; i < site->count; i++) {
                    r->class[i] = r->class[i] == from ? to : r->class[i];
                }
            }
        }
    }
}

static uint64_t classes_with(const test_site *site, const reference *r, size_t sentence) {
    bool seen[MOST_PAGES] = {false};
    uint64_t count = 0;
    for (size_t a = 0; a < site->count; a++) {
        bool any = false;
        for (size_t i = 0; sentence == VOCABULARY && i < VOCABULARY; i++) {
            any = any || (r->on_page[a][i] && !r->is_template[i]);
        }
        if ((any || (sentence < VOCABULARY && r->on_page[a][sentence])) && !seen[r->class[a]]) {
            seen[r->class[a]] = true;
            count++;
        }
    }
    return count;
}

static void reference_find(const test_site *site, reference *r) {
    memset(r, 0, sizeof *r);
    for (size_t a = 0; a < site->count; a++) {
        for (size_t i = 0; i < site->pages[a].count; i++) {
            for (size_t s = 0; s < VOCABULARY; s++) {
                r->on_page[a][s] |= nd_mix64(s) == site->pages[a].sentences[i].hash;
            }
        }
    }
    for (size_t round = 0; round < ND_TEMPLATE_ROUNDS; round++) {
        bool found[VOCABULARY];
        reference_classes(site, r, &site->options.rounds[round]);
        uint64_t all = classes_with(site, r, VOCABULARY); /* with any sentence left */
        for (size_t i = 0; i < VOCABULARY; i++) {
            uint64_t count = r->is_template[i] ? 0 : classes_with(site, r, i);
            found[i] = all >= site->options.least_site && count >= site->options.least_classes &&
                       (double)count >= site->options.rounds[round].share * (double)all;
        }
        for (size_t i = 0; i < VOCABULARY; i++) {
            r->is_template[i] |= found[i];
        }
    }
}

/* ---- random sites */

static nd_template_sentence make(const test_site *site, size_t sentence) {
    return (nd_template_sentence){.hash = nd_mix64(sentence),
                                  .tokens = site->tokens[sentence],
                                  .minima = {minimum(sentence, 0), minimum(sentence, 1)}};
}

static void add(test_site *site, test_page *page, size_t sentence) {
    if (page->count < LONGEST) {
        page->sentences[page->count++] = make(site, sentence);
    }
}

/* A page: some of the first `common` sentences (the site's frame), then sentences of its own. */
static void fill_page(nd_random *random, test_site *site, test_page *page, size_t common) {
    size_t rate = 1 + nd_random_below(random, 6);
    page->count = 0;
    for (size_t i = 0; i < common; i++) {
        if (nd_random_below(random, rate + 1) < rate) {
            add(site, page, i);
        }
    }
    for (size_t n = nd_random_below(random, 12); n > 0; n--) {
        add(site, page, nd_random_below(random, VOCABULARY));
    }
}

/* A version of an earlier page: some sentences replaced. */
static void edit_page(nd_random *random, test_site *site, test_page *page) {
    for (size_t n = nd_random_below(random, 5); n > 0 && page->count > 0; n--) {
        size_t sentence = nd_random_below(random, VOCABULARY);
        page->sentences[nd_random_below(random, page->count)] = make(site, sentence);
    }
}

static void fill_site(nd_random *random, test_site *site) {
    static const double similarities[] = {.3, .5, .6, .75, .8, 1};
    size_t common = nd_random_below(random, 20);
    size_t versions = nd_random_below(random, 10); /* of ten pages that are copies of others */
    uint64_t heaviest = 1 + nd_random_below(random, HEAVIEST);
    site->count = nd_random_below(random, MOST_PAGES + 1);
    for (size_t i = 0; i < VOCABULARY; i++) {
        site->tokens[i] = (uint32_t)(1 + nd_random_below(random, heaviest));
    }
    for (size_t i = 0; i < site->count; i++) {
        if (i > 0 && nd_random_below(random, 10) < versions) {
            site->pages[i] = site->pages[nd_random_below(random, i)];
            edit_page(random, site, &site->pages[i]);
        } else {
            fill_page(random, site, &site->pages[i], common);
        }
    }
    site->options = ND_TEMPLATE_DEFAULTS;
    site->options.least_classes = 2 + nd_random_below(random, 4);
    for (size_t i = 0; i < ND_TEMPLATE_ROUNDS; i++) {
        site->options.rounds[i].similarity = similarities[nd_random_below(random, 6)];
        site->options.rounds[i].edited =
            nd_random_below(random, 3) == 0 ? 0 : similarities[nd_random_below(random, 6)] / 2;
    }
}

/* ---- the comparison */

static bool agrees(const reference *r, const uint64_t *hashes, size_t count) {
    size_t expected = 0;
    for (size_t i = 0; i < VOCABULARY; i++) {
        bool found = false;
        for (size_t j = 0; j < count; j++) {
            found = found || hashes[j] == nd_mix64(i);
        }
        expected += r->is_template[i];
        if (found != r->is_template[i]) {
            return false;
        }
    }
    for (size_t j = 1; j < count; j++) {
        if (hashes[j - 1] >= hashes[j]) {
            return false;
        }
    }
    return expected == count;
}

static void test_agrees_with_all_pairs(void) {
    static test_site site;
    static reference r;
    nd_random random = nd_test_random("template");
    size_t wrong = 0, sentences = 0;
    for (int i = 0; i < nd_test_rounds(SITES); i++) {
        nd_template_page pages[MOST_PAGES] = {{0}};
        uint64_t *hashes = NULL;
        size_t count = 0;
        fill_site(&random, &site);
        reference_find(&site, &r);
        for (size_t j = 0; j < site.count; j++) { /* in the opposite order */
            const test_page *page = &site.pages[site.count - 1 - j];
            pages[j] = (nd_template_page){page->sentences, page->count};
        }
        CU_ASSERT_EQUAL_FATAL(nd_template_find(pages, site.count, &site.options, &hashes, &count),
                              ND_OK);
        if (!agrees(&r, hashes, count)) {
            printf("site %d of %zu pages\n", i, site.count);
            wrong++;
        }
        sentences += count;
        free(hashes);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT((int)sentences >
              nd_test_rounds(SITES)); /* the sites are such that there is something to find */
}

static const nd_test tests[] = {
    {"agrees with all pairs", test_agrees_with_all_pairs},
};
ND_SUITE(p_template, tests)
