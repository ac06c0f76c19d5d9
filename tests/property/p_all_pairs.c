/* The exact join gives the pairs that comparing every text with every other gives, and their
 * similarities, for random small corpora and any threshold. */
#include "src/lcs/lcs.h"
#include "tests/support/check.h"
#include "tests/support/exact_join.h"
#include "tests/support/lcs_kernels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CORPORA = 150, MAX_TEXTS = 60, MAX_LENGTH = 80 };

typedef struct corpus {
    nd_join_text texts[MAX_TEXTS];
    uint32_t tokens[MAX_TEXTS][MAX_LENGTH];
    size_t count;
} corpus;

static uint32_t draw_token(nd_random *random, uint64_t alphabet) {
    /* the product of two draws favours small numbers, as words are frequent or rare */
    return (uint32_t)(nd_random_below(random, alphabet) * nd_random_below(random, alphabet));
}

/* A text of its own, or an earlier one with a few tokens dropped, changed or put in. */
static void draw_text(nd_random *random, corpus *c, uint64_t alphabet) {
    uint32_t *tokens = c->tokens[c->count];
    uint32_t count = 0;
    const uint64_t one_in = 2 + nd_random_below(random, 20);
    const nd_join_text *model = NULL;
    if (c->count > 0 && nd_random_below(random, 4) > 0) {
        model = &c->texts[nd_random_below(random, c->count)];
    }
    const uint64_t length = model != NULL ? model->count : nd_random_below(random, MAX_LENGTH + 1);
    for (uint64_t i = 0; i < length; i++) {
        const uint64_t edit = model == NULL ? 1 : nd_random_below(random, 3 * one_in);
        if (edit != 0 && count < MAX_LENGTH) {
            tokens[count++] =
                model == NULL || edit == 1 ? draw_token(random, alphabet) : model->tokens[i];
        }
        if (model != NULL && edit == 2 && count < MAX_LENGTH) {
            tokens[count++] = draw_token(random, alphabet);
        }
    }
    c->texts[c->count++] = (nd_join_text){tokens, count};
}

static void draw_corpus(nd_random *random, corpus *c) {
    static const uint64_t alphabets[] = {1, 2, 5, 40, 1000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 5)];
    const uint64_t count = nd_random_below(random, MAX_TEXTS + 1);
    c->count = 0;
    while (c->count < count) {
        draw_text(random, c, alphabet);
    }
}

/* Thresholds that pairs meet exactly, besides any others. */
static double draw_threshold(nd_random *random) {
    static const double thresholds[] = {0.8, 0.5, 0.75, 1, 0.9, 1.0 / 3};
    const uint64_t choice = nd_random_below(random, 8);
    return choice < 6 ? thresholds[choice] : (double)(1 + nd_random_below(random, 1000)) / 1000;
}

static double plain_similarity(const nd_join_text *a, const nd_join_text *b) {
    uint64_t common = 0;
    if (nd_lcs_table(a->tokens, a->count, b->tokens, b->count, &common) != ND_OK) {
        return -1;
    }
    return a->count + b->count == 0 ? 0 : (double)common / (double)(a->count + b->count - common);
}

/* Every pair, one after the other, in the order in which the join gives them. */
static bool agrees(const corpus *c, double threshold, const nd_join_result *joined, size_t *pairs) {
    size_t place = 0;
    for (uint32_t a = 0; a < c->count; a++) {
        for (uint32_t b = a + 1; b < c->count; b++) {
            const double expected = plain_similarity(&c->texts[a], &c->texts[b]);
            if (expected < threshold) {
                continue;
            }
            const nd_join_pair *p = place < joined->count ? &joined->pairs[place] : NULL;
            if (p == NULL || p->a != a || p->b != b || p->similarity < expected ||
                p->similarity > expected) {
                printf("threshold %.17g, %zu texts: pair %u, %u of %.17g is missing or wrong\n",
                       threshold, c->count, a, b, expected);
                return false;
            }
            place++;
        }
    }
    *pairs += place;
    return place == joined->count;
}

static void test_against_all_pairs(void) {
    nd_random random = nd_test_random("all pairs");
    static corpus c;
    size_t wrong = 0;
    size_t pairs = 0;
    for (int i = 0; i < CORPORA; i++) {
        nd_join_result joined;
        const double threshold = draw_threshold(&random);
        draw_corpus(&random, &c);
        CU_ASSERT_EQUAL_FATAL(nd_exact_join(c.texts, c.count, threshold, &joined), ND_OK);
        wrong += !agrees(&c, threshold, &joined, &pairs);
        free(joined.pairs);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(pairs > 0);
}

/* Tokens that occur often: the multisets decide, not the sets. */
static void test_repeated_tokens(void) {
    static const uint32_t five[] = {7, 7, 7, 7, 7};
    const nd_join_text texts[] = {{five, 5}, {five, 4}, {five, 3}, {five, 0}, {five, 5}};
    nd_join_result joined;
    CU_ASSERT_EQUAL_FATAL(nd_exact_join(texts, 5, 0.8, &joined), ND_OK);
    CU_ASSERT_EQUAL_FATAL(joined.count, 3);
    static const uint32_t expected[][2] = {{0, 1}, {0, 4}, {1, 4}};
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(joined.pairs[i].a, expected[i][0]);
        CU_ASSERT_EQUAL(joined.pairs[i].b, expected[i][1]);
    }
    free(joined.pairs);
    CU_ASSERT_EQUAL_FATAL(nd_exact_join(texts, 0, 0.8, &joined), ND_OK);
    CU_ASSERT_EQUAL(joined.count, 0);
}

static const nd_test tests[] = {
    {"against comparing all pairs", test_against_all_pairs},
    {"repeated tokens", test_repeated_tokens},
};
ND_SUITE(p_all_pairs, tests)
