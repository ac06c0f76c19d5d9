/* Random projection: every variant gives the reference's string, and the share of agreeing bits is
 * that of the angle (Charikar, STOC 2002). */
#include "src/sketch/charikar_internal.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 400, MOST_FEATURES = 1200, PAGES = 300 };

typedef struct sample_page {
    uint64_t features[MOST_FEATURES];
    uint32_t weights[MOST_FEATURES];
    size_t count;
    bool weighted;
} sample_page;

/* Lengths near the batches' edges too, and features from few to many. */
static void draw(nd_random *random, sample_page *page) {
    static const uint64_t most[] = {3, 20, 40, 300, MOST_FEATURES + 1};
    static const uint64_t alphabets[] = {2, 50, 5000, UINT64_MAX};
    static const uint64_t weights[] = {2, 30, 3000000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 4)];
    const uint64_t weight = weights[nd_random_below(random, 3)];
    page->count = nd_random_below(random, most[nd_random_below(random, 5)]);
    page->weighted = nd_random_below(random, 2) != 0;
    for (size_t i = 0; i < page->count; i++) {
        page->features[i] = nd_random_below(random, alphabet);
        page->weights[i] = (uint32_t)nd_random_below(random, weight);
    }
}

static bool variants_agree(const sample_page *page, uint32_t bits, uint64_t seed) {
    uint64_t expected[ND_CHARIKAR_MAX_WORDS], got[ND_CHARIKAR_MAX_WORDS];
    const size_t size = nd_charikar_words(bits) * sizeof *got;
    const uint32_t *weights = page->weighted ? page->weights : NULL;
    nd_slow_charikar_sign(page->features, weights, page->count, bits, seed, expected);
    nd_charikar_sign(page->features, weights, page->count, bits, seed, got);
    bool agree = memcmp(got, expected, size) == 0;
    for (size_t v = 0; v < nd_charikar_variant_count; v++) {
        if (nd_cpu_has(nd_charikar_variants[v]->needs)) {
            nd_charikar_sign_by(nd_charikar_variants[v], page->features, weights, page->count, bits,
                                seed, got);
            if (memcmp(got, expected, size) != 0) {
                printf("%s: %zu features, %u bits\n", nd_charikar_variants[v]->name, page->count,
                       bits);
                agree = false;
            }
        }
    }
    return agree;
}

static void test_variants(void) {
    static const uint32_t widths[] = {384, 192, 96, 64, 32, 128, 512};
    nd_random random = nd_test_random("charikar");
    sample_page page;
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        draw(&random, &page);
        const uint32_t bits = i % 8 == 7
                                  ? 1 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS)
                                  : widths[i % 8];
        wrong += !variants_agree(&page, bits, nd_random_below(&random, 3));
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* An occurrence of weight w is w occurrences, in any order. */
static void test_weight_is_repetition(void) {
    nd_random random = nd_test_random("weights");
    for (int i = 0; i < nd_test_rounds(ROUNDS / 4); i++) {
        uint64_t features[10], repeated[10 * 20];
        uint32_t weights[10];
        uint64_t by_weight[ND_CHARIKAR_MAX_WORDS], by_repetition[ND_CHARIKAR_MAX_WORDS];
        size_t count = 0;
        for (size_t f = 0; f < 10; f++) {
            features[f] = nd_random_next(&random);
            weights[f] = (uint32_t)nd_random_below(&random, 20);
            for (uint32_t w = 0; w < weights[f]; w++) {
                repeated[count++] = features[f];
            }
        }
        for (size_t k = count; k > 1; k--) {
            const size_t other = nd_random_below(&random, k);
            const uint64_t kept = repeated[k - 1];
            repeated[k - 1] = repeated[other];
            repeated[other] = kept;
        }
        nd_charikar_sign(features, weights, 10, 384, 0, by_weight);
        nd_charikar_sign(repeated, NULL, count, 384, 0, by_repetition);
        CU_ASSERT_EQUAL(memcmp(by_weight, by_repetition, 6 * sizeof *by_weight), 0);
    }
}

static void test_agreeing(void) {
    nd_random random = nd_test_random("agreeing");
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS] = {0}, b[ND_CHARIKAR_MAX_WORDS] = {0};
        const uint32_t bits = 1 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS);
        for (uint32_t bit = 0; bit < bits; bit++) {
            a[bit / 64] |= nd_random_below(&random, 2) << bit % 64;
            b[bit / 64] |= nd_random_below(&random, 2) << bit % 64;
        }
        CU_ASSERT_EQUAL(nd_charikar_agreeing(a, b, bits), nd_slow_charikar_agreeing(a, b, bits));
    }
}

/* Pages of 401 distinct features of which `common` are shared have the cosine common / 401; over
 * many pages the share of agreeing bits is 1 - angle / pi. The bounds are 6 standard errors. The
 * number is odd, since a sum of 0 is no sign. */
static void share_is(nd_random *random, size_t common) {
    enum { FEATURES = 401 };
    uint64_t agreeing = 0;
    for (int i = 0; i < PAGES; i++) {
        uint64_t a[FEATURES], b[FEATURES], of_a[6], of_b[6];
        for (size_t f = 0; f < FEATURES; f++) {
            a[f] = nd_random_next(random);
            b[f] = f < common ? a[f] : nd_random_next(random);
        }
        nd_charikar_sign(a, NULL, FEATURES, 384, 0, of_a);
        nd_charikar_sign(b, NULL, FEATURES, 384, 0, of_b);
        agreeing += nd_charikar_agreeing(of_a, of_b, 384);
    }
    const double bits = 384.0 * (double)PAGES;
    const double share = 1 - acos((double)common / (double)FEATURES) / acos(-1);
    const double error = sqrt(share * (1 - share) / bits);
    printf("cosine %.3f: %.4f of the bits agree, expected %.4f\n",
           (double)common / (double)FEATURES, (double)agreeing / bits, share);
    CU_ASSERT(fabs((double)agreeing / bits - share) < 6 * error);
}

static void test_share_of_agreeing_bits(void) {
    nd_random random = nd_test_random("angles");
    static const size_t common[] = {0, 100, 200, 300, 360, 385};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        share_is(&random, common[i]);
    }
}

static const nd_test tests[] = {
    {"variants against the reference", test_variants},
    {"a weight is a repetition", test_weight_is_repetition},
    {"agreeing bits", test_agreeing},
    {"share of agreeing bits", test_share_of_agreeing_bits},
};
ND_SUITE(p_charikar, tests)
