/* Cosine: that of counting all pairs of equal tokens, at any threshold; never above its bound; the
 * vectors are the tokens, each as often as it occurs. */
#include "src/compare/cosine.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { PAIRS = 3000, MAX_LENGTH = 700 };

typedef struct text {
    uint32_t tokens[2 * MAX_LENGTH];
    size_t count;
    nd_term_vector vector;
    nd_cosine_digest digest;
} text;

/* Words of a language in which low numbers are frequent, as tokens that fill 32 bits. */
static uint32_t random_token(nd_random *random, uint64_t alphabet) {
    const uint64_t most = 1 + nd_random_below(random, alphabet);
    return (uint32_t)nd_mix64(nd_random_below(random, most));
}

static void finish(text *t) {
    nd_term_vector_fill(t->tokens, t->count, &t->vector);
    nd_cosine_digest_fill(t->vector.terms, t->vector.count, &t->digest);
}

/* Two texts, the second at times an edited copy of the first. */
static void draw(nd_random *random, text *a, text *b) {
    static const uint64_t alphabets[] = {1, 3, 40, 2000, 1000000};
    const uint64_t alphabet = alphabets[nd_random_below(random, 5)];
    const uint64_t edits = 1 + nd_random_below(random, 30);
    const bool copy = nd_random_below(random, 3) != 0;
    a->count = nd_random_below(random, MAX_LENGTH + 1);
    b->count = copy ? a->count : nd_random_below(random, MAX_LENGTH + 1);
    for (size_t i = 0; i < a->count; i++) {
        a->tokens[i] = random_token(random, alphabet);
    }
    for (size_t i = 0; i < b->count; i++) {
        const bool kept = copy && nd_random_below(random, edits) != 0;
        b->tokens[i] = kept ? a->tokens[i] : random_token(random, alphabet);
    }
    finish(a);
    finish(b);
}

static uint64_t equal_pairs(const text *a, const text *b) {
    uint64_t pairs = 0;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            pairs += a->tokens[i] == b->tokens[j];
        }
    }
    return pairs;
}

static double slow_cosine(const text *a, const text *b) {
    const uint64_t product = equal_pairs(a, b);
    if (product == 0) {
        return 0;
    }
    const double cosine =
        (double)product / sqrt((double)equal_pairs(a, a) * (double)equal_pairs(b, b));
    return cosine < 1 ? cosine : 1;
}

static bool thresholds_hold(const text *a, const text *b, double cosine) {
    static const double fixed[] = {.01, .5, .8, .9, .95, .99, 1};
    const double at[] = {cosine, nextafter(cosine, 2), nextafter(cosine, -1), cosine * 1.001,
                         cosine * .999};
    bool hold = true;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0] + sizeof at / sizeof at[0]; i++) {
        const size_t known = sizeof fixed / sizeof fixed[0];
        const double threshold = i < known ? fixed[i] : at[i - known];
        const double expected = cosine >= threshold ? cosine : 0;
        hold = hold && nd_cosine(a->vector.terms, a->vector.count, b->vector.terms, b->vector.count,
                                 threshold) == expected;
    }
    return hold;
}

static void test_against_pairs(void) {
    static text a, b;
    nd_random random = nd_test_random("cosine");
    size_t wrong = 0, wrong_threshold = 0, wrong_bound = 0, near = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS); i++) {
        draw(&random, &a, &b);
        const double cosine = slow_cosine(&a, &b);
        const double bound = nd_cosine_bound(&a.digest, &b.digest);
        wrong +=
            nd_cosine(a.vector.terms, a.vector.count, b.vector.terms, b.vector.count, 0) !=
                cosine ||
            nd_cosine(b.vector.terms, b.vector.count, a.vector.terms, a.vector.count, 0) != cosine;
        wrong_threshold += !thresholds_hold(&a, &b, cosine);
        wrong_bound += bound < cosine || bound > 1 ||
                       bound != nd_cosine_bound(&b.digest, &a.digest) ||
                       a.digest.square != equal_pairs(&a, &a);
        near += cosine > .9 && cosine < 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(wrong_threshold, 0);
    CU_ASSERT_EQUAL(wrong_bound, 0);
    CU_ASSERT((int)near > nd_test_rounds(PAIRS) / 20);
    nd_term_vector_free(&a.vector);
    nd_term_vector_free(&b.vector);
}

/* Terms ascend, frequencies are those of the tokens. */
static void test_vectors(void) {
    static text a, b;
    nd_random random = nd_test_random("vectors");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS / 10); i++) {
        draw(&random, &a, &b);
        size_t sum = 0;
        for (size_t k = 0; k < a.vector.count; k++) {
            const nd_term term = a.vector.terms[k];
            size_t found = 0;
            for (size_t t = 0; t < a.count; t++) {
                found += a.tokens[t] == term.token;
            }
            wrong += found != term.frequency || found == 0;
            wrong += k > 0 && a.vector.terms[k - 1].token >= term.token;
            sum += found;
        }
        wrong += sum != a.count;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_term_vector_free(&a.vector);
    nd_term_vector_free(&b.vector);
}

static const nd_test tests[] = {
    {"against counted pairs", test_against_pairs},
    {"vectors", test_vectors},
};
ND_SUITE(p_cosine, tests)
