/* What the projections and the cosine cost on pages of words by Zipf's law: the median CPU time per
 * item of several repeats, and how many times faster than the reference of its group (the first
 * row) that is. */
#include "src/base/sort.h"
#include "src/compare/cosine.h"
#include "src/sketch/charikar_internal.h"
#include "src/sketch/simhash.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/slow.h"
#include <stdbool.h>
#include <stdio.h>

enum { PAGES = 200, PAGE_WORDS = 1000, EDITED_OF_100 = 4, TOPIC_OF_100 = 40 };

typedef struct bench_page {
    uint64_t features[PAGE_WORDS];
    uint32_t tokens[PAGE_WORDS];
    uint64_t string[ND_CHARIKAR_MAX_WORDS];
    nd_term_vector vector;
    nd_cosine_digest digest;
} bench_page;

/* Page 2 i + 1 is an edited copy of page 2 i; a part of its words is of its topic alone. */
static bench_page pages[PAGES];
static nd_simhash_tables tables;
static volatile uint64_t sink; /* keeps the calls from being left out */

typedef struct job {
    void (*run)(const struct job *job, size_t page);
    const nd_charikar_variant *variant; /* NULL: the reference */
    uint32_t bits;
    double threshold;
    size_t distance; /* between the pages of a pair */
} job;

static void run_all(void *context) {
    const job *j = context;
    for (size_t page = 0; page < PAGES; page++) {
        j->run(j, page);
    }
}

/* A row for something done to every page. */
static void report(const char *name, void (*run)(const job *, size_t page), const job *work,
                   double *reference) {
    job j = *work;
    j.run = run;
    nd_bench_report(name, run_all, &j, PAGES, reference);
}

/* ---- pages */

static void make_pages(nd_random *random) {
    for (size_t p = 0; p < PAGES; p++) {
        for (size_t i = 0; i < PAGE_WORDS; i++) {
            const bool copied = p % 2 != 0 && nd_random_below(random, 100) >= EDITED_OF_100;
            const bool topical = nd_random_below(random, 100) < TOPIC_OF_100;
            pages[p].tokens[i] =
                copied ? pages[p - 1].tokens[i]
                       : nd_bench_word(random) ^ (topical ? (uint32_t)nd_mix64(p / 2 + 1) : 0);
            pages[p].features[i] = pages[p].tokens[i];
        }
        nd_term_vector_fill(pages[p].tokens, PAGE_WORDS, &pages[p].vector);
        nd_cosine_digest_fill(pages[p].vector.terms, pages[p].vector.count, &pages[p].digest);
    }
}

/* ---- projections */

static void run_sign(const job *j, size_t page) {
    bench_page *p = &pages[page];
    if (j->variant == NULL) {
        nd_slow_charikar_sign(p->features, NULL, PAGE_WORDS, j->bits, 0, p->string);
    } else {
        nd_charikar_sign_by(j->variant, p->features, NULL, PAGE_WORDS, j->bits, 0, p->string);
    }
}

/* Distinct tokens with their frequencies, made first. */
static void run_sign_distinct(const job *j, size_t page) {
    bench_page *p = &pages[page];
    static uint64_t features[PAGE_WORDS];
    static uint32_t weights[PAGE_WORDS];
    nd_term_vector_fill(p->tokens, PAGE_WORDS, &p->vector);
    for (size_t i = 0; i < p->vector.count; i++) {
        features[i] = p->vector.terms[i].token;
        weights[i] = p->vector.terms[i].frequency;
    }
    nd_charikar_sign_by(j->variant, features, weights, p->vector.count, j->bits, 0, p->string);
}

static void bench_sign(uint32_t bits) {
    double reference = 0;
    job j = {.bits = bits};
    printf("projection to %u bits per page of %d words\n", bits, PAGE_WORDS);
    report("reference", run_sign, &j, &reference);
    for (size_t v = 0; v < nd_charikar_variant_count; v++) {
        j.variant = nd_charikar_variants[v];
        if (nd_cpu_has(j.variant->needs)) {
            char name[64];
            report(j.variant->name, run_sign, &j, &reference);
            (void)snprintf(name, sizeof name, "%s, distinct words", j.variant->name);
            report(name, run_sign_distinct, &j, &reference);
        }
    }
}

static void run_agreeing_reference(const job *j, size_t page) {
    sink += nd_slow_charikar_agreeing(pages[page].string, pages[page ^ 1].string, j->bits);
}

static void run_agreeing(const job *j, size_t page) {
    sink += nd_charikar_agreeing(pages[page].string, pages[page ^ 1].string, j->bits);
}

static void run_pieces(const job *j, size_t page) {
    uint64_t keys[ND_PIECES_MAX];
    nd_pieces_keys(pages[page].string, j->bits, 30, keys);
    sink += keys[0];
}

static void run_tables(const job *j, size_t page) {
    uint64_t keys[ND_SIMHASH_MAX_TABLES];
    (void)j;
    nd_simhash_keys(&tables, pages[page].string[0], keys);
    sink += keys[0];
}

static void bench_strings(void) {
    const job j = {.bits = ND_CHARIKAR_BITS};
    double reference = 0;
    printf("agreeing bits of %u per pair\n", j.bits);
    report("reference", run_agreeing_reference, &j, &reference);
    report("by words", run_agreeing, &j, &reference);
    reference = 0;
    printf("keys per page\n");
    report("30 pieces of 384 bits", run_pieces, &j, &reference);
    reference = 0;
    report("20 tables of 64 bits", run_tables, &j, &reference);
}

/* ---- cosine */

static void run_vector(const job *j, size_t page) {
    (void)j;
    nd_term_vector_fill(pages[page].tokens, PAGE_WORDS, &pages[page].vector);
}

static void run_qsort(const job *j, size_t page) {
    uint32_t tokens[PAGE_WORDS];
    (void)j;
    for (size_t i = 0; i < PAGE_WORDS; i++) {
        tokens[i] = pages[page].tokens[i];
    }
    nd_sort(tokens, PAGE_WORDS, sizeof *tokens, nd_test_by_u32);
    sink += tokens[0];
}

static void run_cosine(const job *j, size_t page) {
    const nd_term_vector *a = &pages[page].vector, *b = &pages[(page + j->distance) % PAGES].vector;
    sink += nd_cosine(a->terms, a->count, b->terms, b->count, j->threshold) > 0;
}

static void run_bound(const job *j, size_t page) {
    sink += nd_cosine_bound(&pages[page].digest, &pages[(page + j->distance) % PAGES].digest) >=
            j->threshold;
}

static void run_digest(const job *j, size_t page) {
    (void)j;
    nd_cosine_digest_fill(pages[page].vector.terms, pages[page].vector.count, &pages[page].digest);
}

static void bench_cosine(void) {
    static const struct {
        const char *name;
        job job;
    } rows[] = {{"in full", {.distance = 2}},
                {"at .9, unlike pages", {.distance = 2, .threshold = .9}},
                {"at .9, every other alike", {.distance = 1, .threshold = .9}}};
    const job j = {.distance = 2, .threshold = .9};
    double reference = 0;
    printf("term vector per page of %d words\n", PAGE_WORDS);
    report("qsort of the tokens", run_qsort, &j, &reference);
    report("term vector", run_vector, &j, &reference);
    reference = 0;
    printf("cosine per pair\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report(rows[i].name, run_cosine, &rows[i].job, &reference);
    }
    report("bound of unlike pages", run_bound, &j, &reference);
    report("digest, per page", run_digest, &j, &reference);
}

/* How often the bound alone rules a pair of unlike pages out. */
static void count_ruled_out(void) {
    size_t ruled_out = 0, below = 0, lost = 0;
    for (size_t p = 0; p < PAGES; p++) {
        for (size_t q = 0; q < p; q++) {
            const nd_term_vector *a = &pages[p].vector, *b = &pages[q].vector;
            const bool reaches = nd_cosine(a->terms, a->count, b->terms, b->count, .9) > 0;
            const bool possible = nd_cosine_bound(&pages[p].digest, &pages[q].digest) >= .9;
            below += !reaches;
            ruled_out += !possible;
            lost += reaches && !possible;
        }
    }
    printf("  of %zu pairs below .9 the bound rules out %zu, of those above %zu\n", below,
           ruled_out - lost, lost);
}

int main(void) {
    nd_random random = {1};
    if (nd_simhash_design(ND_SIMHASH_DISTANCE, ND_SIMHASH_BLOCKS, &tables) != ND_OK) {
        return 1;
    }
    make_pages(&random);
    bench_sign(64);
    bench_sign(192);
    bench_sign(ND_CHARIKAR_BITS);
    bench_strings();
    bench_cosine();
    count_ruled_out();
    for (size_t p = 0; p < PAGES; p++) {
        nd_term_vector_free(&pages[p].vector);
    }
    return 0;
}
