/* What the shingle family costs: the median CPU time of several repeats per item, and how many
 * times faster than the reference of its group (the first row) that is. usage: b_sketches
 * ["GROUP..."], of shingles, minima and resemblance. */
#include "src/base/sort.h"
#include "src/compare/jaccard.h"
#include "src/sketch/minhash.h"
#include "src/sketch/minhash_internal.h"
#include "src/sketch/shingle.h"
#include "src/sketch/shingle_internal.h"
#include "tests/support/bench.h"
#include "tests/support/slow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 1000, WIDTH = 8, MINIMA = 100, FEW_MINIMA = 4 };

typedef struct page {
    uint32_t tokens[TOKENS];
    uint64_t values[TOKENS];
    size_t count; /* of values */
} page;

static void fill(nd_random *random, page *p) {
    for (size_t i = 0; i < TOKENS; i++) {
        p->tokens[i] = nd_bench_word(random);
    }
}

/* ---- shingles */

typedef struct shingling {
    nd_shingle_options options;
    page page;
} shingling;

static void run_bitwise(void *context) {
    shingling *s = context;
    for (size_t i = 0; i + WIDTH <= TOKENS; i++) {
        s->page.values[i] = nd_slow_rabin(s->options.rabin->polynomial, s->page.tokens + i, WIDTH);
    }
}

static void run_anew(void *context) {
    shingling *s = context;
    for (size_t i = 0; i + WIDTH <= TOKENS; i++) {
        s->page.values[i] = nd_rabin_of(s->options.rabin, s->page.tokens + i, WIDTH);
    }
}

static void run_shingles(void *context) {
    shingling *s = context;
    s->page.count = nd_shingle_values(&s->options, s->page.tokens, TOKENS, s->page.values);
}

static const nd_shingle_variant *usual_variant;

static void run_usual(void *context) {
    shingling *s = context;
    usual_variant->fill(s->options.seed, s->page.tokens, TOKENS - ND_SHINGLE_USUAL + 1,
                        s->page.values);
}

static void bench_usual_shingles(shingling *s) {
    double reference = 0;
    printf("shingles of %d tokens, per token of a page of %d\n", ND_SHINGLE_USUAL, TOKENS);
    for (size_t i = 0; i < nd_shingle_variant_count; i++) {
        usual_variant = nd_shingle_variants[i];
        if (nd_cpu_has(usual_variant->needs)) {
            nd_bench_report(usual_variant->name, run_usual, s, TOKENS, &reference);
        }
    }
}

static void bench_shingles(nd_random *random) {
    static nd_rabin rabin;
    static shingling s;
    double reference = 0;
    nd_rabin_start(&rabin, 1, WIDTH);
    fill(random, &s.page);
    s.options = (nd_shingle_options){.tokens = WIDTH, .modulus = 1, .rabin = &rabin};
    printf("shingles of %d tokens, per token of a page of %d\n", WIDTH, TOKENS);
    nd_bench_report("Rabin, bit by bit", run_bitwise, &s, TOKENS, &reference);
    nd_bench_report("Rabin, tables, each anew", run_anew, &s, TOKENS, &reference);
    nd_bench_report("Rabin, rolling", run_shingles, &s, TOKENS, &reference);
    s.options.rabin = NULL;
    nd_bench_report("xxHash", run_shingles, &s, TOKENS, &reference);
    s.options.modulus = 16;
    nd_bench_report("xxHash, one in 16", run_shingles, &s, TOKENS, &reference);
    s.options.modulus = 1;
    s.options.distinct = true;
    nd_bench_report("xxHash, distinct set", run_shingles, &s, TOKENS, &reference);
    bench_usual_shingles(&s);
}

/* ---- minima */

typedef struct sketching {
    const nd_minhash_variant *variant;
    nd_minhash minhash;
    page page;
    uint64_t minima[MINIMA];
    uint64_t keys[MINIMA];
} sketching;

static void run_slow(void *context) {
    sketching *s = context;
    for (size_t i = 0; i < FEW_MINIMA; i++) {
        s->minima[i] = nd_slow_minimum(s->minhash.multipliers[i], s->minhash.offsets[i],
                                       ND_MINHASH_MODULUS, s->page.values, s->page.count);
    }
}

static void run_sketch(void *context) {
    sketching *s = context;
    (void)nd_minhash_sketch_by(s->variant, &s->minhash, s->page.values, s->page.count, s->minima);
}

static void run_bands(void *context) {
    sketching *s = context;
    nd_band_keys(s->minima, MINIMA / 5, 5, s->keys);
}

static void run_supershingles(void *context) {
    sketching *s = context;
    nd_supershingles(s->minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, s->keys);
    nd_megashingles(s->keys, ND_SUPERSHINGLES, s->keys + ND_SUPERSHINGLES);
}

static void bench_minima(nd_random *random) {
    static sketching s;
    const nd_shingle_options options = {.tokens = WIDTH, .modulus = 1};
    double reference = 0, keys = 0;
    nd_minhash_new(&s.minhash, MINIMA, 1);
    fill(random, &s.page);
    s.page.count = nd_shingle_values(&options, s.page.tokens, TOKENS, s.page.values);
    printf("minima, per value and permutation (%zu values, %d permutations)\n", s.page.count,
           MINIMA);
    nd_bench_report("doubling and adding", run_slow, &s, s.page.count * FEW_MINIMA, &reference);
    for (size_t v = 0; v < nd_minhash_variant_count; v++) {
        s.variant = nd_minhash_variants[v];
        if (nd_cpu_has(s.variant->needs)) {
            nd_bench_report(s.variant->name, run_sketch, &s, s.page.count * MINIMA, &reference);
        }
    }
    printf("keys of a sketch, per page\n");
    nd_bench_report("20 bands of 5", run_bands, &s, 1, &keys);
    nd_bench_report("super- and megashingles", run_supershingles, &s, 1, &keys);
    nd_minhash_free(&s.minhash);
}

/* ---- resemblance */

typedef struct comparison {
    page a;
    page b;
    double threshold;
    double sum;
} comparison;

/* Every value of one set searched in the other. */
static void run_search(void *context) {
    comparison *c = context;
    size_t shared = 0;
    for (size_t i = 0; i < c->a.count; i++) {
        shared += nd_numbers_hold(c->b.values, c->b.count, c->a.values[i]);
    }
    c->sum += nd_resemblance_ratio(shared, c->a.count, c->b.count);
}

static void run_resemblance(void *context) {
    comparison *c = context;
    c->sum += nd_resemblance(c->a.values, c->a.count, c->b.values, c->b.count, c->threshold);
}

/* One word in `one_in` differs. */
static void bench_pair(nd_random *random, uint64_t one_in) {
    static comparison c;
    const nd_shingle_options options = {.tokens = WIDTH, .modulus = 1, .distinct = true};
    double reference = 0;
    fill(random, &c.a);
    for (size_t i = 0; i < TOKENS; i++) {
        c.b.tokens[i] = c.a.tokens[i] + (nd_random_below(random, one_in) == 0);
    }
    c.a.count = nd_shingle_values(&options, c.a.tokens, TOKENS, c.a.values);
    c.b.count = nd_shingle_values(&options, c.b.tokens, TOKENS, c.b.values);
    printf("resemblance of two pages of %d tokens, %.2f, per pair\n", TOKENS,
           nd_resemblance(c.a.values, c.a.count, c.b.values, c.b.count, 0));
    nd_bench_report("binary search", run_search, &c, 1, &reference);
    c.threshold = 0;
    nd_bench_report("merge", run_resemblance, &c, 1, &reference);
    c.threshold = 0.8;
    nd_bench_report("merge, threshold .8", run_resemblance, &c, 1, &reference);
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : "shingles minima resemblance";
    nd_random random = {1};
    if (strstr(only, "shingles") != NULL) {
        bench_shingles(&random);
    }
    if (strstr(only, "minima") != NULL) {
        bench_minima(&random);
    }
    if (strstr(only, "resemblance") != NULL) {
        bench_pair(&random, TOKENS);
        bench_pair(&random, 20);
        bench_pair(&random, 1);
    }
    return 0;
}
