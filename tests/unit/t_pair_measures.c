/* All measures of two pages: worked examples, and the same numbers as the methods and scores give
 * on their own. */
#include "src/method/method.h"
#include "src/method/pair_measures.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"
#include "tests/support/check.h"
#include "tests/support/method_use.h"

#include <math.h>
#include <string.h>

enum { MOST_TOKENS = 400 };

typedef struct text {
    uint32_t tokens[MOST_TOKENS];
    nd_document document;
} text;

static void write_letters(text *t, const char *letters) {
    const size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++) {
        t->tokens[i] = (uint32_t)nd_mix64((uint64_t)letters[i]);
    }
    t->document = (nd_document){.tokens = t->tokens, .token_count = (uint32_t)count};
}

/* A window on a long text without repetition; every `edit`-th token is another. 0: none */
static void write_window(text *t, uint32_t first, uint32_t count, uint32_t edit) {
    for (uint32_t i = 0; i < count; i++) {
        const bool edited = edit > 0 && i % edit == 0;
        t->tokens[i] = (uint32_t)nd_mix64(first + i + 1 + (edited ? UINT64_C(1) << 32 : 0));
    }
    t->document = (nd_document){.tokens = t->tokens, .token_count = count};
}

static nd_pair_measures measure(const nd_pair_options *options, const text *a, const text *b) {
    nd_pair_measures there, back;
    memset(&there, 0, sizeof there);
    memset(&back, 0, sizeof back);
    CU_ASSERT_EQUAL(nd_pair_measure(options, &a->document, &b->document, &there), ND_OK);
    CU_ASSERT_EQUAL(nd_pair_measure(options, &b->document, &a->document, &back), ND_OK);
    CU_ASSERT(there.r.common == back.r.common && there.trustable == back.trustable &&
              there.cosine == back.cosine && there.resemblance.of == back.resemblance.of &&
              there.equal_minima == back.equal_minima &&
              there.jaccard.common == back.jaccard.common);
    return there;
}

/* Myers 1986, figure 1: r = 4 / (7 + 6 - 4); ab, bc, ca, bb, ba and cb, ba, ab, ac share two. */
static void test_worked_examples(void) {
    text a, b;
    nd_pair_options options = ND_PAIR_DEFAULTS;
    options.shingle_tokens = 2;
    write_letters(&a, "abcabba");
    write_letters(&b, "cbabac");
    const nd_pair_measures m = measure(&options, &a, &b);
    CU_ASSERT(m.r.common == 4 && m.r.of == 9 && m.r.value == 4.0 / 9);
    CU_ASSERT(m.resemblance.common == 2 && m.resemblance.of == 7);
    CU_ASSERT(m.jaccard.common == 0);
    CU_ASSERT_DOUBLE_EQUAL(m.cosine, 14 / sqrt(19.0 * 12), 1e-12); /* (3 3 1) and (2 2 2) */
}

static void test_equal_pages(void) {
    text a, b;
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_window(&a, 0, 300, 0);
    write_window(&b, 0, 300, 0);
    const nd_pair_measures m = measure(&options, &a, &b);
    CU_ASSERT(m.any && m.resemblance.value == 1 && m.estimate.resemblance == 1);
    CU_ASSERT(m.equal_minima == 100 && m.supershingles_agree == ND_SUPERSHINGLES);
    CU_ASSERT(m.simhash_distance == 0 && m.charikar_agree == ND_CHARIKAR_BITS);
    CU_ASSERT(m.cosine == 1 && m.r.value == 1 && m.trustable == 1);
    CU_ASSERT(m.jaccard.value == 1 && m.jaccard.of == 296);
    CU_ASSERT_DOUBLE_EQUAL(m.estimate.low, .97, 1e-12); /* the rule of three */
    CU_ASSERT(m.estimate.high == 1);
}

static void test_pages_without_anything_shared(void) {
    text a, b;
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_window(&a, 0, 300, 0);
    write_window(&b, 5000, 300, 0);
    const nd_pair_measures m = measure(&options, &a, &b);
    CU_ASSERT(m.any && m.resemblance.value == 0 && m.cosine == 0 && m.r.value == 0);
    CU_ASSERT(m.jaccard.value == 0 && m.supershingles_agree == 0 && m.estimate.low == 0);
    CU_ASSERT_DOUBLE_EQUAL(m.estimate.high, .03, 1e-12);
    write_window(&b, 0, 0, 0);
    CU_ASSERT(!measure(&options, &a, &b).any);
    CU_ASSERT(!measure(&options, &b, &b).any);
}

/* The methods and scores with their own options give the same. */
static void test_as_the_methods(void) {
    const struct {
        const char *method;
        double units;
    } rows[] = {{"sketch", 100},
                {"lsh", 1},
                {"simhash", ND_SIMHASH_BITS},
                {"charikar", ND_CHARIKAR_BITS},
                {"cosine", 1},
                {"broder", ND_SUPERSHINGLES},
                {"lcs", 1}};
    text a, b;
    nd_pair_options options = ND_PAIR_DEFAULTS;
    write_window(&a, 0, 300, 0);
    write_window(&b, 0, 310, 40);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const nd_method *method = nd_method_find(rows[i].method);
        const nd_method_options own = nd_test_options(method);
        options.shingle_tokens = strcmp(method->name, "sketch") == 0 ? own.shingle_tokens : 5;
        const nd_pair_measures m = measure(&options, &a, &b);
        const double mine[] = {(double)m.equal_minima,
                               m.resemblance.value,
                               (double)ND_SIMHASH_BITS - (double)m.simhash_distance,
                               (double)m.charikar_agree,
                               m.cosine,
                               (double)m.supershingles_agree,
                               (m.r.value + m.jaccard.value) / 2};
        const double theirs =
            nd_test_similarity(method, &own, &a.document, &b.document, 0) * rows[i].units;
        CU_ASSERT_DOUBLE_EQUAL(mine[i], theirs, 1e-9);
        CU_ASSERT(theirs > 0 || i == 5);
    }
}

static void test_as_the_scores(void) {
    text a, b;
    nd_lcs_work work = {0};
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_window(&a, 0, 300, 0);
    write_window(&b, 0, 310, 40);
    const nd_pair_measures m = measure(&options, &a, &b);
    const double mine[] = {m.r.value, m.trustable, m.jaccard.value};
    const char *const names[] = {"r", "trustable", "jaccard"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double theirs = 0;
        CU_ASSERT_EQUAL(
            nd_score_find(names[i])->similarity(a.tokens, 300, b.tokens, 310, 0, &work, &theirs),
            ND_OK);
        CU_ASSERT(mine[i] == theirs && theirs > 0);
    }
    nd_lcs_work_free(&work);
}

static void test_options(void) {
    text a;
    nd_pair_measures m;
    write_window(&a, 0, 20, 0);
    nd_pair_options options = ND_PAIR_DEFAULTS;
    options.shingle_tokens = 0;
    CU_ASSERT_EQUAL(nd_pair_measure(&options, &a.document, &a.document, &m), ND_ERR_USAGE);
    options = ND_PAIR_DEFAULTS;
    options.minima = 0;
    CU_ASSERT_EQUAL(nd_pair_measure(&options, &a.document, &a.document, &m), ND_ERR_USAGE);
    options = ND_PAIR_DEFAULTS;
    options.supershingle_tokens = 0;
    CU_ASSERT_EQUAL(nd_pair_measure(&options, &a.document, &a.document, &m), ND_ERR_USAGE);
}

static const nd_test tests[] = {
    {"worked examples", test_worked_examples},
    {"equal pages", test_equal_pages},
    {"pages without anything shared", test_pages_without_anything_shared},
    {"as the methods", test_as_the_methods},
    {"as the scores", test_as_the_scores},
    {"options", test_options},
};

ND_SUITE(t_pair_measures, tests)
