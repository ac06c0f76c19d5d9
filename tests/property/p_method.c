/* Methods find what their papers promise. */
#include "src/hash/md5.h"
#include "src/method/method.h"
#include "src/plan/curve.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/minhash.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <math.h>

/* ---- How many similar pairs the keys of a method bring together, against its formula: all pairs
 * of generated pages are compared. Where the search loses nothing, no pair may be lost. Elsewhere
 * pairs of different pages are independent of each other but for the hash functions: of a set of
 * pairs in which no page occurs twice, with chances p of meeting, between sum p - 5 s and
 * sum p + 5 s must meet, s^2 = sum p (1 - p). Keys of sentences are tested below, by themselves. */

enum { PAGES = 600, MOST_TOKENS = 400 };

typedef struct pages {
    nd_document documents[PAGES];
    uint32_t *tokens;
} pages;

/* A method with its options, and the chance that two similar pages meet. */
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
    p->tokens = nd_alloc_zero((size_t)PAGES * MOST_TOKENS, sizeof *p->tokens);
    for (size_t page = 0; page < PAGES; page++) {
        uint32_t *tokens = p->tokens + page * MOST_TOKENS;
        uint32_t length = 100 + (uint32_t)nd_random_below(random, MOST_TOKENS - 100);
        if (page % 2 == 0) {
            for (uint32_t i = 0; i < length; i++) {
                tokens[i] = (uint32_t)nd_mix64(1 + nd_random_below(random, 3000));
            }
        } else {
            const nd_document *model = &p->documents[page - 1];
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
        p->documents[page] = (nd_document){
            .tokens = tokens, .token_count = length, .hash = nd_test_hash(tokens, length)};
    }
}

/* ---- all pairs */

static void sign_page(const nd_method *method, const nd_method_options *options,
                      nd_method_work *work, const nd_document *document, signed_page *page) {
    nd_span payload = {NULL, 0};
    ND_OWNED(nd_buffer_free) nd_buffer scratch = {0};
    page->keys = nd_alloc_zero(method->sizes(options, 0).keys, sizeof *page->keys);
    method->sign(options, work, document, page->keys, &page->key_count);
    qsort(page->keys, page->key_count, sizeof *page->keys, nd_test_by_u64);
    nd_method_payload(method, options, work, document, &scratch, &payload);
    CU_ASSERT_EQUAL(payload.size, nd_method_payload_size(method, options, document->token_count));
    page->payload = nd_alloc(payload.size, 1);
    memcpy(page->payload, payload.data, payload.size);
    page->payload_size = payload.size;
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

/* Most pairs are of unlike lengths: what is known from them is tested elsewhere (p_score_rows). */
static bool lengths_forbid(const nd_method *method, const nd_method_options *options,
                           const nd_document *a, const nd_document *b) {
    return nd_method_length_bound(method, options, a->token_count, b->token_count) <
           options->threshold;
}

static void compare_pages(const search *s, const nd_method_options *options, nd_method_work *work,
                          const pages *p, const signed_page *signed_pages, tally *t) {
    const nd_method *method = nd_method_find(s->method);
    ND_FREED bool *taken = nd_alloc_zero(PAGES, sizeof *taken);
    for (size_t i = 0; i < PAGES; i++) {
        for (size_t k = i + 1; k < PAGES; k++) {
            double similarity = 0;
            const signed_page *a = &signed_pages[i];
            const signed_page *b = &signed_pages[k];
            if (lengths_forbid(method, options, &p->documents[i], &p->documents[k])) {
                continue;
            }
            nd_method_similarity(method, options, work, (nd_span){a->payload, a->payload_size},
                                 (nd_span){b->payload, b->payload_size}, options->threshold,
                                 &similarity);
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
}

static void run_search(const search *s, const pages *p, uint64_t seed, tally *t) {
    const nd_method *method = nd_method_find(s->method);
    nd_method_options options = nd_method_default_options();
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    ND_FREED signed_page *signed_pages = nd_alloc_zero(PAGES, sizeof *signed_pages);
    nd_method_set_defaults(method, &options);
    s->change(&options);
    options.seed = seed;
    ND_TEST_MUST(nd_method_derive(method, &options));
    for (size_t i = 0; i < PAGES; i++) {
        sign_page(method, &options, &work, &p->documents[i], &signed_pages[i]);
    }
    compare_pages(s, &options, &work, p, signed_pages, t);
    for (size_t i = 0; i < PAGES; i++) {
        free(signed_pages[i].keys);
        free(signed_pages[i].payload);
    }
}

static double allowance(double variance) {
    const double once_in = log(2e6);
    return once_in / 3 + sqrt(once_in * once_in / 9 + 2 * once_in * variance);
}

/* A search with a formula by other and other hash functions, to see small differences. */
static void check_search(const search *s, const pages *p, nd_random *random) {
    enum { SEEDS = 24 };
    tally t = {0};
    for (int i = 0; i < (s->chance == surely ? 1 : nd_test_rounds(SEEDS)); i++) {
        run_search(s, p, nd_random_next(random), &t);
    }
    (void)printf("%s: %llu of %llu similar pairs meet; of %llu apart %llu, by its formula %.1f\n",
                 s->method, (unsigned long long)t.met, (unsigned long long)t.similar,
                 (unsigned long long)t.apart, (unsigned long long)t.apart_met, t.expected);
    CU_ASSERT(fabs((double)t.apart_met - t.expected) <= allowance(t.variance));
    if (s->chance == surely) {
        CU_ASSERT(t.met == t.similar && t.met > 0);
    }
}

ND_TEST("generated pages") {
    static pages p; /* a quarter of the copies are not changed at all */
    nd_random random = nd_test_random("search");
    generate(&p, &random);
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++) {
        check_search(&searches[i], &p, &random);
    }
    free(p.tokens);
}

/* ---- Curves against slow ways to the same numbers, and against what the keys that they are models
 * of really do on random pages. */

static double random_share(nd_random *random) {
    return (double)(nd_random_next(random) >> 11) * 0x1p-53;
}

/* ---- slow ways */

enum { CURVES = 400, MOST_GROUPS = 300, MOST_ROWS = 30 };

/* Below about this doubles themselves have fewer digits. */
static const double FEW_DIGITS = 1e-300;

/* Group by group: how likely it is that so many have agreed so far. */
static double slow_at(const nd_curve *curve, double similarity) {
    double agreed[MOST_GROUPS + 1] = {1};
    double tail = 0;
    const double p = pow(similarity, curve->rows);
    for (uint32_t g = 0; g < curve->groups; g++) {
        for (uint32_t k = g + 1; k > 0; k--) {
            agreed[k] = agreed[k] * (1 - p) + agreed[k - 1] * p;
        }
        agreed[0] *= 1 - p;
    }
    for (uint32_t k = curve->needed; k <= curve->groups; k++) {
        tail += agreed[k];
    }
    return tail;
}

ND_TEST("groups one by one") {
    nd_random random = nd_test_random("curves");
    size_t wrong = 0;
    for (int i = 0; i < CURVES; i++) {
        nd_curve c = {.groups = 1 + (uint32_t)nd_random_below(&random, MOST_GROUPS),
                      .rows = 1 + (uint32_t)nd_random_below(&random, MOST_ROWS)};
        c.needed = i % 2 == 0 ? 1 : (uint32_t)nd_random_below(&random, c.groups + 1);
        const double similarity = pow(random_share(&random), 1.0 / c.rows);
        const double expected = slow_at(&c, similarity), found = nd_curve_at(&c, similarity);
        if (fabs(found - expected) > 1e-9 * expected + FEW_DIGITS) {
            printf("%u x %u, %u needed, at %.17g: %g, not %g\n", c.groups, c.rows, c.needed,
                   similarity, found, expected);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

ND_TEST("points are the inverse") {
    nd_random random = nd_test_random("points");
    for (int i = 0; i < CURVES; i++) {
        const nd_curve c = nd_curve_of_bands(1 + (uint32_t)nd_random_below(&random, MOST_GROUPS),
                                             1 + (uint32_t)nd_random_below(&random, MOST_ROWS));
        const double probability = 0.001 + 0.998 * random_share(&random);
        const double point = nd_curve_point(&c, probability);
        CU_ASSERT(fabs(nd_curve_at(&c, point) - probability) < 1e-8);
    }
}

enum { MOST_BITS = 14 };

/* All strings of so many bits that have `distance` ones. */
static double slow_pieces(const nd_pieces *p, uint32_t distance) {
    uint32_t meet = 0, all = 0;
    for (uint32_t mask = 0; mask < UINT32_C(1) << p->bits; mask++) {
        uint32_t clean = 0, first = 0;
        for (uint32_t i = 0; i < p->pieces; i++) {
            const uint32_t size = p->bits / p->pieces + (i < p->bits % p->pieces);
            clean += (mask >> first & ((UINT32_C(1) << size) - 1)) == 0;
            first += size;
        }
        const bool counts = (uint32_t)__builtin_popcount(mask) == distance;
        all += counts;
        meet += counts && clean >= p->needed;
    }
    return (double)meet / all;
}

ND_TEST("pieces against all strings") {
    nd_random random = nd_test_random("pieces");
    for (int i = 0; i < CURVES / 4; i++) {
        nd_pieces p = {.bits = 1 + (uint32_t)nd_random_below(&random, MOST_BITS)};
        p.pieces = 1 + (uint32_t)nd_random_below(&random, p.bits);
        p.needed = (uint32_t)nd_random_below(&random, p.pieces + 1);
        const uint32_t distance = (uint32_t)nd_random_below(&random, p.bits + 1);
        CU_ASSERT(fabs(nd_pieces_at(&p, distance) - slow_pieces(&p, distance)) < 1e-9);
    }
}

/* ---- the choice */

enum { CHOICES = 8, MOST_BUDGET = 60, SLICES = 4000 };

/* The cost of a setting, by the middle of thin slices. */
static double slow_cost(const nd_curve *c, double threshold, nd_curve_weights weights) {
    double cost = 0;
    for (int i = 0; i < SLICES; i++) {
        const double below = threshold * (i + 0.5) / (double)SLICES;
        const double above = threshold + (1 - threshold) * (i + 0.5) / (double)SLICES;
        cost += weights.meet_below * nd_curve_at(c, below) * threshold / (double)SLICES;
        cost += weights.miss_above * (1 - nd_curve_at(c, above)) * (1 - threshold) / (double)SLICES;
    }
    return cost;
}

ND_TEST("the choice is the cheapest") {
    nd_random random = nd_test_random("choice");
    for (int i = 0; i < CHOICES; i++) {
        const double threshold = 0.05 + 0.9 * random_share(&random), share = random_share(&random);
        const nd_curve_weights weights = {share, 1 - share};
        const uint32_t budget = 1 + (uint32_t)nd_random_below(&random, MOST_BUDGET);
        const nd_curve chosen = nd_curve_choose(threshold, budget, weights);
        const double cost = slow_cost(&chosen, threshold, weights);
        CU_ASSERT(chosen.groups * chosen.rows <= budget);
        for (uint32_t rows = 1; rows <= budget; rows++) {
            for (uint32_t bands = 1; bands <= budget / rows; bands++) {
                const nd_curve other = nd_curve_of_bands(bands, rows);
                CU_ASSERT(cost <= slow_cost(&other, threshold, weights) + 1e-5);
            }
        }
    }
}

/* ---- what keys do */

enum { TRIALS = 4000, UNION = 200, SKETCH = 100, BANDS = 20, ROWS = 5 };

/* Six standard errors of TRIALS trials, three meetings more where hardly any is expected, and what
 * the model may be off. */
static bool near_model(const char *name, nd_curve curve, double similarity, size_t met,
                       double off) {
    const double expected = nd_curve_at(&curve, similarity),
                 found = (double)met / nd_test_rounds(TRIALS);
    printf("%s at %.2f: %.3f, model %.3f\n", name, similarity, found, expected);
    const double error = sqrt(expected * (1 - expected) / nd_test_rounds(TRIALS));
    return fabs(found - expected) < off + 6 * error + 3.0 / nd_test_rounds(TRIALS);
}

/* Two sets of random numbers: all but `only` of the first, all but `only` of the last. */
static double similarity_of(size_t only) {
    return (double)(UNION - 2 * only) / (double)UNION;
}

static bool any_equal(const uint64_t *a, const uint64_t *b, size_t count) {
    return nd_minhash_equal(a, b, count) > 0;
}

static void meet_by_sketch(nd_random *random, size_t only, size_t *by_bands, size_t *by_groups) {
    uint64_t values[UNION], a[SKETCH], b[SKETCH], of_a[BANDS], of_b[BANDS];
    ND_OWNED(nd_minhash_free) nd_minhash minhash;
    nd_minhash_new(&minhash, SKETCH, nd_random_next(random));
    for (size_t i = 0; i < UNION; i++) {
        values[i] = nd_random_next(random);
    }
    CU_ASSERT(nd_minhash_sketch(&minhash, values, UNION - only, a));
    CU_ASSERT(nd_minhash_sketch(&minhash, values + only, UNION - only, b));
    nd_band_keys(a, BANDS, ROWS, of_a);
    nd_band_keys(b, BANDS, ROWS, of_b);
    *by_bands += any_equal(of_a, of_b, BANDS);
    nd_supershingles(a, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, of_a);
    nd_supershingles(b, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, of_b);
    *by_groups += nd_supershingles_equal(of_a, of_b, ND_SUPERSHINGLES) >= ND_SUPERSHINGLES_NEEDED;
}

ND_TEST("sketches meet as said") {
    nd_random random = nd_test_random("sketches");
    for (size_t only = 5; only <= 80; only += 15) {
        const double similarity = similarity_of(only);
        size_t by_bands = 0, by_groups = 0;
        for (int i = 0; i < nd_test_rounds(TRIALS); i++) {
            meet_by_sketch(&random, only, &by_bands, &by_groups);
        }
        CU_ASSERT(near_model("bands", nd_curve_of_bands(BANDS, ROWS), similarity, by_bands, 0));
        CU_ASSERT(near_model("supershingles", (nd_curve){6, 14, 2}, similarity, by_groups, 0));
    }
}

static size_t meet_by_buckets(nd_random *random, size_t only, nd_fingerprint_options options) {
    nd_md5 digests[UNION];
    uint64_t a[ND_FINGERPRINT_MAX_BUCKETS], b[ND_FINGERPRINT_MAX_BUCKETS];
    for (size_t i = 0; i < UNION; i++) {
        for (size_t j = 0; j < sizeof digests[i].bytes; j++) {
            digests[i].bytes[j] = (uint8_t)nd_random_next(random);
        }
    }
    const size_t n = nd_fingerprint_keys(digests, UNION - only, &options, a);
    const size_t m = nd_fingerprint_keys(digests + only, UNION - only, &options, b);
    return n == options.buckets && m == n && any_equal(a, b, n);
}

ND_TEST("buckets meet as said") {
    static const nd_fingerprint_options both[] = {{7, 3}, {14, 2}};
    nd_random random = nd_test_random("buckets");
    for (size_t only = 20; only <= 80; only += 20) {
        for (size_t o = 0; o < 2; o++) {
            size_t met = 0;
            for (int i = 0; i < nd_test_rounds(TRIALS); i++) {
                met += meet_by_buckets(&random, only, both[o]);
            }
            const nd_curve curve = {both[o].buckets, both[o].smallest, 1};
            CU_ASSERT(near_model("buckets", curve, similarity_of(only), met, 0.02));
        }
    }
}
