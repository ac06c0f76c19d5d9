/* How many similar pairs the keys of a method bring together, against its formula: all pairs of
 * generated pages (and of up to 2,000 real ones below NEARDUP_GUIDES) are compared. Where the
 * search loses nothing, no pair may be lost. Elsewhere pairs of different pages are independent of
 * each other but for the hash functions: of a set of pairs in which no page occurs twice, with
 * chances p of meeting, between sum p - 5 s and sum p + 5 s must meet, s^2 = sum p (1 - p). */
#include "src/measure/curve.h"
#include "tests/support/check.h"
#include "tests/support/corpus.h"
#include "tests/support/in_memory.h"
#include "tests/support/method_use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 2000, GENERATED = 600, MOST_TOKENS = 400 };

typedef struct pages {
    nd_document documents[MOST_PAGES];
    size_t count;
    uint32_t *tokens; /* of the generated ones */
    nd_corpus corpus; /* of the real ones */
} pages;

/* A method with its options, and the chance that two pages of a similarity meet. */
typedef struct search {
    const char *method;
    double (*chance)(const nd_method_options *options, double similarity);
    void (*change)(nd_method_options *options);

} search;

typedef struct signed_page {
    uint64_t *keys; /* ascending */
    size_t key_count;
    uint8_t *payload;
    size_t payload_size;
} signed_page;

static double surely(const nd_method_options *options, double similarity) {
    (void)options;
    (void)similarity;
    return 1;
}

static double by_bands(const nd_method_options *options, double similarity) {
    const nd_curve curve = nd_curve_of_bands(options->bands, options->rows);
    return nd_curve_at(&curve, similarity);
}

static double by_pieces(const nd_method_options *options, double similarity) {
    const nd_pieces pieces_of = {options->bits, options->pieces, 1};
    return nd_pieces_at(&pieces_of, options->bits - (uint32_t)lround(similarity * options->bits));
}

static void unchanged(nd_method_options *options) {
    (void)options;
}
static void few_bands(nd_method_options *options) {
    options->bands = 5;
    options->rows = 8;
    options->threshold = 0.65;
}
static void thin_and_rabin(nd_method_options *options) {
    options->shingle_hash = ND_SHINGLE_RABIN;
    options->wrap_around = true;
    options->threshold = 0.5;
}
static void enough_pieces(nd_method_options *options) {
    options->pieces = 13;
}
static void low_agreement(nd_method_options *options) {
    options->agree = 345;
}
static void six_bits(nd_method_options *options) {
    options->distance = 6;
}
static void join_both(nd_method_options *options) {
    options->henzinger = ND_HENZINGER_UNION;
    options->filter_bits = 355;
    options->pieces = 13;
}

static const search searches[] = {
    {"exact", surely, unchanged},        {"sketch", surely, unchanged},
    {"lsh", by_bands, unchanged},        {"lsh", by_bands, few_bands},
    {"lsh", by_bands, thin_and_rabin},   {"broder", surely, unchanged},
    {"simhash", surely, unchanged},      {"simhash", surely, six_bits},
    {"charikar", surely, enough_pieces}, {"charikar", by_pieces, low_agreement},
    {"henzinger", surely, unchanged},    {"henzinger", surely, join_both},
};

/* ---- pages */

/* Families: a page, and copies with more and more of their tokens changed in one stretch or one by
 * one. */
static void generate(pages *p, nd_random *random) {
    p->tokens = calloc((size_t)GENERATED * MOST_TOKENS, sizeof *p->tokens);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p->tokens);
    for (p->count = 0; p->count < GENERATED; p->count++) {
        uint32_t *tokens = p->tokens + p->count * MOST_TOKENS;
        uint32_t length = 100 + (uint32_t)nd_random_below(random, MOST_TOKENS - 100);
        if (p->count % 2 == 0) {
            for (uint32_t i = 0; i < length; i++) {
                tokens[i] = (uint32_t)nd_mix64(1 + nd_random_below(random, 3000));
            }
        } else {
            const nd_document *model = &p->documents[p->count - 1];
            const uint64_t changes = nd_random_below(random, 2) * nd_random_below(random, 12);
            const uint64_t stretch = nd_random_below(random, 2) * nd_random_below(random, 40);
            length = model->token_count;
            memcpy(tokens, model->tokens, length * sizeof *tokens);
            for (uint64_t c = 0; c < changes; c++) {
                tokens[nd_random_below(random, length)] = (uint32_t)nd_random_next(random);
            }
            for (uint64_t s = 0; s < stretch; s++) {
                tokens[s] = (uint32_t)nd_random_next(random);
            }
        }
        p->documents[p->count] = (nd_document){.tokens = tokens, .token_count = length};
    }
}

/* Every so-many-th distinct text. */
static bool read_guides(pages *p) {
    const char *folder = getenv("NEARDUP_GUIDES");
    if (folder == NULL || nd_corpus_read(&p->corpus, &folder, 1) != ND_OK) {
        return false;
    }
    const size_t step = 1 + p->corpus.text_count / MOST_PAGES;
    for (size_t t = 0; t < p->corpus.text_count && p->count < MOST_PAGES; t += step) {
        p->documents[p->count++] = nd_test_document(&p->corpus.pages, p->corpus.first_page[t]);
    }
    return p->count > 0;
}

static void free_pages(pages *p) {
    free(p->tokens);
    nd_corpus_free(&p->corpus);
    *p = (pages){0};
}

/* ---- all pairs */

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sign_page(const nd_method *method, const nd_method_options *options, void *state,
                      const nd_document *document, signed_page *page) {
    nd_span payload = {NULL, 0};
    nd_buffer scratch = {0};
    page->keys = calloc(method->max_keys(options), sizeof *page->keys);
    CU_ASSERT_PTR_NOT_NULL_FATAL(page->keys);
    CU_ASSERT_EQUAL(method->sign(options, state, document, page->keys, &page->key_count), ND_OK);
    qsort(page->keys, page->key_count, sizeof *page->keys, by_number);
    CU_ASSERT_EQUAL(nd_method_payload(method, options, state, document, &scratch, &payload), ND_OK);
    CU_ASSERT_EQUAL(payload.size, nd_method_payload_size(method, options, document->token_count));
    page->payload = malloc(payload.size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(page->payload);
    memcpy(page->payload, payload.data, payload.size);
    page->payload_size = payload.size;
    nd_buffer_free(&scratch);
}

static bool meet(const signed_page *a, const signed_page *b) {
    size_t i = 0;
    size_t k = 0;
    while (i < a->key_count && k < b->key_count && a->keys[i] != b->keys[k]) {
        if (a->keys[i] < b->keys[k]) {
            i++;
        } else {
            k++;
        }
    }
    return i < a->key_count && k < b->key_count;
}

typedef struct tally {
    uint64_t similar, met;
    uint64_t apart, apart_met; /* of pairs in which no page occurs twice */
    double expected, variance;
} tally;

static void compare_pages(const search *s, const nd_method_options *options, void *state,
                          const signed_page *signed_pages, size_t count, tally *t) {
    const nd_method *method = nd_method_find(s->method);
    bool *taken = calloc(count, sizeof *taken);
    CU_ASSERT_PTR_NOT_NULL_FATAL(taken);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            double similarity = 0;
            const signed_page *a = &signed_pages[i];
            const signed_page *b = &signed_pages[k];
            CU_ASSERT_EQUAL(nd_method_similarity(method, options, state,
                                                 (nd_span){a->payload, a->payload_size},
                                                 (nd_span){b->payload, b->payload_size},
                                                 options->threshold, &similarity),
                            ND_OK);
            if (similarity < options->threshold) {
                continue;
            }
            const bool met = meet(a, b);
            t->similar++;
            t->met += met;
            if (!taken[i] && !taken[k]) {
                const double chance = s->chance(options, similarity);
                taken[i] = taken[k] = true;
                t->apart++;
                t->apart_met += met;
                t->expected += chance;
                t->variance += chance * (1 - chance);
            }
        }
    }
    free(taken);
}

static void run_search(const search *s, const pages *p, uint64_t seed, tally *t) {
    const nd_method *method = nd_method_find(s->method);
    nd_method_options options = nd_method_default_options();
    void *state = NULL;
    signed_page *signed_pages = calloc(p->count, sizeof *signed_pages);
    CU_ASSERT_PTR_NOT_NULL_FATAL(signed_pages);
    method->defaults(&options);
    s->change(&options);
    options.seed = seed;
    CU_ASSERT_EQUAL_FATAL(nd_method_settle(method, &options), ND_OK);
    CU_ASSERT_EQUAL_FATAL(method->open(&options, &state), ND_OK);
    for (size_t i = 0; i < p->count; i++) {
        sign_page(method, &options, state, &p->documents[i], &signed_pages[i]);
    }
    compare_pages(s, &options, state, signed_pages, p->count, t);
    for (size_t i = 0; i < p->count; i++) {
        free(signed_pages[i].keys);
        free(signed_pages[i].payload);
    }
    free(signed_pages);
    method->close(state);
}

static double allowance(double variance) {
    const double once_in = log(2e6);
    return once_in / 3 + sqrt(once_in * once_in / 9 + 2 * once_in * variance);
}

/* A search with a formula by other and other hash functions, to see small differences. */
static void check_search(const search *s, const pages *p, nd_random *random) {
    enum { SEEDS = 24, SEEDS_OF_GUIDES = 3 };
    tally t = {0};
    const int many = p->tokens != NULL ? SEEDS : SEEDS_OF_GUIDES;
    for (int i = 0; i < (s->chance == surely ? 1 : many); i++) {
        run_search(s, p, nd_random_next(random), &t);
    }
    (void)printf("%s: %llu of %llu similar pairs meet; of %llu apart %llu, by its formula %.1f\n",
                 s->method, (unsigned long long)t.met, (unsigned long long)t.similar,
                 (unsigned long long)t.apart, (unsigned long long)t.apart_met, t.expected);
    CU_ASSERT(fabs((double)t.apart_met - t.expected) <= allowance(t.variance));
    if (s->chance == surely) {
        CU_ASSERT(t.met == t.similar && (t.met > 0 || p->tokens == NULL));
    }
}

static void check_pages(const pages *p, nd_random *random) {
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        check_search(&searches[i], p, random);
    }
}

static void test_generated(void) {
    static pages p; /* a quarter of the copies are not changed at all */
    nd_random random = nd_test_random("search");
    generate(&p, &random);
    check_pages(&p, &random);
    free_pages(&p);
}

static void test_guides(void) {
    static pages p;
    nd_random random = nd_test_random("search in guides");
    if (read_guides(&p)) {
        (void)printf("%zu pages\n", p.count);
        check_pages(&p, &random);
    } else {
        (void)printf("NEARDUP_GUIDES is not set: no real pages were looked at\n");
    }
    free_pages(&p);
}

static const nd_test tests[] = {
    {"generated pages", test_generated},
    {"real pages", test_guides},
};

ND_TEST_MAIN("method search", tests)
