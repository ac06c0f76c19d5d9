/* What a method makes of two pages: keys, similarity, and the rule after the threshold. */
#include "src/method/method.h"
#include "src/method/pair_measures.h"
#include "tests/support/check.h"
#include "tests/support/method_use.h"

#include <string.h>

enum { MOST_TOKENS = 1600, MOST_KEYS = 64 };

typedef struct text {
    uint32_t tokens[MOST_TOKENS];
    nd_sentence_digest sentence;
    nd_document document;
} text;

/* One sentence: a window on a long text without repetition. */
static void write_window(text *t, uint32_t first, uint32_t count, uint64_t site) {
    for (uint32_t i = 0; i < count; i++) {
        t->tokens[i] = (uint32_t)nd_mix64(first + i + 1);
    }
    const nd_span bytes = {(const uint8_t *)t->tokens, count * sizeof t->tokens[0]};
    nd_md5_batch(&bytes, 1, &t->sentence.digest);
    t->sentence.token_count = count;
    t->document = (nd_document){
        t->tokens, count, &t->sentence, 1, nd_test_hash(t->tokens, count), {.site = site}};
}

static nd_method_decision compare_pages(const char *method, const nd_method_options *options,
                                        const text *a, const text *b, bool index_page) {
    nd_method_decision decision;
    CU_ASSERT_EQUAL(nd_method_decide(nd_method_find(method), options, &a->document, &b->document,
                                     index_page, &decision),
                    ND_OK);
    return decision;
}

static nd_method_decision compare(const char *method, const nd_method_options *options,
                                  const text *a, const text *b) {
    return compare_pages(method, options, a, b, false);
}

static nd_method_options own(const char *method) {
    nd_method_options options;
    CU_ASSERT_EQUAL(nd_method_own_options(nd_method_find(method), &options), ND_OK);
    return options;
}

static void test_equal_and_different(void) {
    static text a, b;
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method *method = nd_method_row(i);
        const nd_method_options options = own(method->name);
        write_window(&a, 0, 400, 1);
        write_window(&b, 0, 400, 2);
        nd_method_decision v = compare(method->name, &options, &a, &b);
        CU_ASSERT(v.similar && v.similarity == 1 && !v.same_site);
        CU_ASSERT(v.a_keys > 0 && v.a_keys == v.b_keys && v.shared_keys == v.a_keys);
        for (size_t k = 1; k < v.shared_keys; k++) {
            CU_ASSERT(v.shared[k - 1] < v.shared[k]);
        }
        nd_method_decision_free(&v);
        write_window(&b, 9000, 300, 2);
        v = compare(method->name, &options, &a, &b);
        CU_ASSERT(!v.similar && v.similarity < 1 && v.shared_keys == 0);
        nd_method_decision_free(&v);
    }
}

/* Keys that both pages have, one by one. */
static size_t count_shared(const nd_method_options *options, const text *a, const text *b) {
    uint64_t keys[2][MOST_KEYS];
    const nd_method *method = nd_method_find("lsh");
    size_t shared = 0;
    CU_ASSERT_FATAL(method->sizes(options, 0).keys <= MOST_KEYS);
    const size_t of_a = nd_test_sign(method, options, &a->document, keys[0]);
    const size_t of_b = nd_test_sign(method, options, &b->document, keys[1]);
    for (size_t i = 0; i < of_a * of_b; i++) {
        shared += keys[0][i / of_b] == keys[1][i % of_b];
    }
    return shared;
}

static void test_some_keys(void) {
    static text a, b;
    const nd_method_options options = own("lsh");
    write_window(&a, 0, 400, 1);
    write_window(&b, 20, 400, 1);
    nd_method_decision v = compare("lsh", &options, &a, &b);
    CU_ASSERT_DOUBLE_EQUAL(v.similarity, 376.0 / 416, 1e-12); /* shingles of 5 tokens */
    CU_ASSERT(v.shared_keys > 0 && v.shared_keys < v.a_keys && v.a_keys == 25);
    CU_ASSERT_EQUAL(v.shared_keys, count_shared(&options, &a, &b));
    nd_method_decision_free(&v);
    CU_ASSERT(v.shared == NULL);
}

/* Pages of two sites, where 0 is none; 3 in 4 of the tokens are common, in one piece. */
static void check_rule(const nd_method_options *options, uint64_t site_a, uint64_t site_b,
                       nd_threshold_rule rule, double threshold) {
    static text a, b;
    write_window(&a, 0, 600, site_a);
    write_window(&b, 150, 600, site_b);
    nd_method_decision v = compare("lcs", options, &a, &b);
    CU_ASSERT_EQUAL(v.rule, rule);
    CU_ASSERT_DOUBLE_EQUAL(v.threshold, threshold, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(v.similarity, (450. / 750 + 446. / 746) / 2, 1e-12);
    CU_ASSERT(v.similar == (v.similarity >= v.threshold));
    CU_ASSERT(v.same_site == (site_a == site_b && site_a != 0));
    CU_ASSERT(v.may_be_same_site == (v.same_site || site_a == 0 || site_b == 0));
    nd_method_decision_free(&v);
}

static void test_rules(void) {
    nd_method_options options = own("lcs");
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
    check_rule(&options, 1, 1, ND_RULE_SITE, .56);
    options.site_extra = .15; /* pages of no site meet the stricter threshold */
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
    check_rule(&options, 1, 1, ND_RULE_SITE, .61);
    check_rule(&options, 0, 0, ND_RULE_SITE, .61);
    check_rule(&options, 0, 1, ND_RULE_SITE, .61);
    check_rule(&options, 1, 0, ND_RULE_SITE, .61);
    options.site_extra = 0;
    check_rule(&options, 1, 1, ND_RULE_PLAIN, .46);
    options.site_threshold = .3;
    check_rule(&options, 1, 1, ND_RULE_SITE, .3);
    check_rule(&options, 1, 2, ND_RULE_PLAIN, .46);
}

/* Addresses that name different things raise the threshold further, on one site alone. */
static void test_addresss(void) {
    static const struct {
        nd_origin a, b;
        nd_threshold_rule rule;
        double threshold;
    } cases[] = {{{1, 5, false}, {1, 6, false}, ND_RULE_SUBJECT, .76},
                 {{1, 5, false}, {1, 5, false}, ND_RULE_SITE, .56},
                 {{1, 5, false}, {1, 0, false}, ND_RULE_SITE, .56},
                 {{1, 5, false}, {2, 6, false}, ND_RULE_SUBJECT, .56},
                 {{1, 5, false}, {2, 5, false}, ND_RULE_PLAIN, .46}};
    static text a, b;
    const nd_method_options options = own("lcs");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_window(&a, 0, 600, 0);
        write_window(&b, 150, 600, 0);
        a.document.origin = cases[i].a;
        b.document.origin = cases[i].b;
        nd_method_decision v = compare("lcs", &options, &a, &b);
        CU_ASSERT_EQUAL(v.rule, cases[i].rule);
        CU_ASSERT_DOUBLE_EQUAL(v.threshold, cases[i].threshold, 1e-12);
        CU_ASSERT(v.similar == (cases[i].threshold < .7));
        nd_method_decision_free(&v);
    }
}

/* Two texts of no site meet the threshold of two sites. What only one has is taken off, unless it
 * has all of the other; of pages of HTML nothing is. */
static void test_rewritten(void) {
    static text a, b;
    const nd_method_options options = own("lcs");
    for (uint32_t kinds = 0; kinds < 8; kinds++) {
        const bool texts = (kinds & 3) == 3;
        const bool part = kinds >= 4;
        write_window(&a, 0, 600, 0);
        write_window(&b, part ? 0 : 150, part ? 450 : 600, 0);
        a.document.origin.text = (kinds & 1) != 0;
        b.document.origin.text = (kinds & 2) != 0;
        nd_method_decision v = compare("lcs", &options, &a, &b);
        const double score = part ? (450. / 600 + 446. / 596) / 2 : (450. / 750 + 446. / 746) / 2;
        CU_ASSERT_DOUBLE_EQUAL(v.threshold, texts ? .46 : .56, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.score, score, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.similarity, texts && !part ? 1 - 1.25 * .4 : score, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(v.off.rewritten, v.score - v.similarity, 1e-12);
        CU_ASSERT(v.may_be_same_site && !v.same_site);
        nd_method_decision_free(&v);
    }
}

/* A name that stands in one page's beginning and again in it is taken off, once for each time. */
static void test_names(void) {
    static text a, b;
    nd_method_options options = own("lcs");
    double plain = 0;
    for (uint32_t times = 0; times <= 3; times++) {
        write_window(&a, 0, 400, 1);
        write_window(&b, 0, 400, 2);
        for (uint32_t i = 0; i < 4; i++) { /* four other words, of which some are one */
            b.tokens[i == 0 ? 2 : 390 + 2 * i] = i <= times ? 77 : 78 + i;
        }
        nd_method_decision v = compare("lcs", &options, &a, &b);
        CU_ASSERT(v.off.asks_names && v.off.repeats == times);
        CU_ASSERT_DOUBLE_EQUAL(v.off.names, 2. * times / 20, 1e-12);
        plain = times == 0 ? v.similarity : plain;
        CU_ASSERT_DOUBLE_EQUAL(v.similarity, plain - v.off.names, 1e-12);
        CU_ASSERT(v.similar == (v.similarity >= .46));
        nd_method_decision_free(&v);
    }
    CU_ASSERT(plain > .9);
    options.names = 0;
    nd_method_decision v = compare("lcs", &options, &a, &b);
    CU_ASSERT(!v.off.asks_names && v.off.names == 0 && v.similarity == plain);
    nd_method_decision_free(&v);
}

/* Two windows on one list, on one site or two, of index pages or of others. */
static nd_method_decision compare_windows(uint32_t moved, uint64_t site, bool index) {
    static text a, b;
    const nd_method_options options = own("lcs");
    write_window(&a, 0, 400, 1);
    write_window(&b, moved, 400, site);
    nd_method_decision v = compare_pages("lcs", &options, &a, &b, index);
    const nd_method_decision plain = {
        .similarity = v.similarity, .threshold = v.threshold, .rule = v.rule, .similar = v.similar};
    nd_method_decision_free(&v);
    return plain;
}

static void test_windows_on_one_list(void) {
    nd_method_decision v = compare_windows(60, 1, true);
    CU_ASSERT(v.rule == ND_RULE_ONE_LIST && v.threshold == 1 && !v.similar);
    CU_ASSERT(v.similarity > .7 && v.similarity < .8);
    v = compare_windows(60, 1, false);
    CU_ASSERT(v.rule == ND_RULE_SITE && v.similar);
    v = compare_windows(60, 2, true);
    CU_ASSERT(v.rule == ND_RULE_PLAIN && v.similar);
    v = compare_windows(0, 1, true);
    CU_ASSERT(v.rule == ND_RULE_SITE && v.similarity == 1 && v.similar);
}

static void test_pages_without_text(void) {
    static text a, b;
    write_window(&a, 0, 0, 1);
    write_window(&b, 0, 300, 1);
    a.document.sentence_count = 0;
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method_options options = own(nd_method_row(i)->name);
        nd_method_decision v = compare(nd_method_row(i)->name, &options, &a, &b);
        CU_ASSERT(!v.similar && v.shared_keys == 0);
        nd_method_decision_free(&v);
        v = compare(nd_method_row(i)->name, &options, &a, &a);
        CU_ASSERT(!v.similar && v.shared_keys == 0);
        nd_method_decision_free(&v);
    }
}

static const nd_test tests[] = {
    {"equal and different pages", test_equal_and_different},
    {"some keys", test_some_keys},
    {"rules of the threshold", test_rules},
    {"subjects", test_addresss},
    {"longer texts", test_rewritten},
    {"names", test_names},
    {"windows on one list", test_windows_on_one_list},
    {"pages without text", test_pages_without_text},
};

ND_SUITE(t_method_decision, tests)
