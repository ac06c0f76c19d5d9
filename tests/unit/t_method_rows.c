/* A worked example of each method, and what explain says of a pair. */
#include "src/method/method.h"
#include "src/method/pair_measures.h"
#include "src/method/signature.h"
#include "src/sketch/minhash.h"
#include "src/sketch/simhash.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <math.h>

/* ---- What each method of the literature makes of small pages, worked out by hand or by the
 * formulas of its source; and which options it refuses. */

enum { MOST_TOKENS_METHOD_ROWS = 4000, MOST_KEYS = 1024 };
typedef struct text_method_rows {
    uint32_t tokens[MOST_TOKENS_METHOD_ROWS];
    nd_document document;
} text_method_rows;

/* Tokens first, first + 1, ...: a window on one long text without repetition. */
static void write_page(text_method_rows *t, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        t->tokens[i] = (uint32_t)nd_mix64(first + i + 1);
    }
    t->document = (nd_document){
        .tokens = t->tokens, .token_count = count, .hash = nd_test_hash(t->tokens, count)};
}

static nd_method_options options_of(const char *method) {
    return nd_test_options(nd_method_find(method));
}

static double similarity_of(const char *method, const nd_method_options *options,
                            const text_method_rows *a, const text_method_rows *b,
                            double threshold) {
    return nd_test_similarity(nd_method_find(method), options, &a->document, &b->document,
                              threshold);
}

static size_t shared_keys(const char *name, const nd_method_options *options,
                          const text_method_rows *a, const text_method_rows *b) {
    static uint64_t keys[2][MOST_KEYS];
    const nd_method *method = nd_method_find(name);
    size_t shared = 0;
    CU_ASSERT_FATAL(method->sizes(options, 0).keys <= MOST_KEYS);
    const size_t count = nd_test_sign(method, options, &a->document, keys[0]);
    const size_t other = nd_test_sign(method, options, &b->document, keys[1]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < other; k++) {
            shared += keys[0][i] == keys[1][k];
        }
    }
    return shared;
}

/* ---- options */

/* Set an option as the command line does. */
static nd_status set(nd_method_options *options, const char *name, const char *value) {
    const nd_option *option = nd_method_option_table;
    for (; option->help != NULL; option++) {
        if (option->name != NULL && strcmp(option->name, name) == 0) {
            return nd_option_set(option, value, options);
        }
    }
    return nd_fail(ND_ERR_USAGE, "no option %s", name);
}

static nd_method_options defaults_of(const char *method) {
    nd_method_options options = nd_method_default_options();
    nd_method_set_defaults(nd_method_find(method), &options);
    return options;
}

static void refuse(const char *method, const char *name, const char *value) {
    nd_method_options options = defaults_of(method);
    ND_TEST_OK(set(&options, name, value));
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find(method), &options), ND_ERR_USAGE);
    if (strstr(nd_fail_text(), name) == NULL) {
        (void)printf("%s --%s %s: %s\n", method, name, value, nd_fail_text());
        CU_FAIL("the text does not name the option");
    }
}

static nd_method_options with(const char *method, const char *name, const char *value) {
    nd_method_options options = defaults_of(method);
    ND_TEST_OK(set(&options, name, value));
    ND_TEST_OK(nd_method_derive(nd_method_find(method), &options));
    return options;
}

/* Every option can be read back as it was printed, and every method names options that exist. */
ND_TEST("option table") {
    const nd_option *option = NULL;
    for (size_t m = 0; nd_method_row(m) != NULL; m++) {
        const nd_method_options options = nd_test_options(nd_method_row(m));
        for (const nd_method_use *use = nd_method_row(m)->options; use->name != NULL; use++) {
            bool found = false;
            for (option = nd_method_option_table; option->help != NULL; option++) {
                found = found || (option->name != NULL && strcmp(option->name, use->name) == 0);
            }
            CU_ASSERT(found);
        }
        for (option = nd_method_option_table; option->help != NULL; option++) {
            nd_method_options copy = options;
            char room[ND_OPTION_TEXT_SIZE];
            if (option->name == NULL) {
                continue;
            }
            const char *value = nd_option_print(option, &options, room);
            ND_TEST_OK(nd_option_set(option, value, &copy));
            copy.own_bands = options.own_bands; /* set by being read */
            copy.own_rows = options.own_rows;
            CU_ASSERT_EQUAL(memcmp(&copy, &options, sizeof copy), 0);
        }
    }
}

ND_TEST("published defaults") {
    nd_method_options o = options_of("sketch");
    CU_ASSERT(o.shingle_tokens == 4 && o.minima == 100 && o.threshold == 0.9);
    CU_ASSERT_EQUAL(o.bands, 20); /* the fewest divisors of 100 above its 10 differences */
    CU_ASSERT_EQUAL(with("sketch", "threshold", "0.8").bands, 25); /* above 20 */
    CU_ASSERT_EQUAL(with("sketch", "threshold", "1").bands, 1);
    CU_ASSERT_EQUAL(with("sketch", "threshold", "0.5").bands, 50); /* 100 of 1 are exact */
    o = options_of("lsh");
    CU_ASSERT(o.shingle_tokens == 5 && o.bands == 25 && o.rows == 5 && o.minima == 125);
    CU_ASSERT(o.threshold == 0.7 && o.verify);
    o = options_of("broder");
    CU_ASSERT(o.shingle_tokens == 8 && o.minima == 84 && o.supershingles == 6);
    CU_ASSERT(o.supershingle_minima == 14 && o.agree == 2 && o.threshold == 2.0 / 6);
    CU_ASSERT(o.wrap_around && o.shingle_hash == ND_SHINGLE_RABIN && o.image_terms);
    o = options_of("simhash");
    CU_ASSERT(o.distance == 3 && o.simhash_blocks == 6 && o.threshold == 61.0 / 64);
    CU_ASSERT_EQUAL(with("simhash", "distance", "5").simhash_blocks, 8);
    o = options_of("charikar");
    CU_ASSERT(o.bits == 384 && o.agree == 372 && o.pieces == 12 && o.threshold == 372.0 / 384);
    CU_ASSERT_EQUAL(with("charikar", "bits", "192").agree, 186);
    CU_ASSERT_EQUAL(options_of("cosine").threshold, 0.9);
    o = options_of("henzinger");
    CU_ASSERT(o.filter_bits == 372 && o.agree == 2 && o.threshold == 372.0 / 384);
    for (size_t i = 1; nd_method_row(i) != NULL; i++) {
        const nd_method_options none = nd_test_options(nd_method_row(i));
        CU_ASSERT(none.site_extra == 0 && !none.lists);
    }
}

ND_TEST("refused options") {
    refuse("lsh", "bands", "2000");
    refuse("lsh", "rows", "30"); /* .7^30 = .00002 in 25 bands: .0006 */
    refuse("sketch", "bands", "30");
    refuse("sketch", "minima", "0");
    refuse("broder", "minima", "83");
    refuse("broder", "supershingles", "7");
    refuse("broder", "agree", "7");
    refuse("simhash", "distance", "9");
    refuse("simhash", "simhash-blocks", "3");
    refuse("charikar", "agree", "192");
    refuse("charikar", "agree", "250");
    refuse("charikar", "pieces", "2");
    refuse("henzinger", "filter-bits", "385");
    refuse("henzinger", "filter-tokens", "0");
    refuse("henzinger", "bits", "1");
    refuse("henzinger", "supershingles", "0");
    refuse("henzinger", "minima", "0");
    refuse("charikar", "bits", "1");
    refuse("charikar", "shingle-tokens", "0");
    refuse("charikar", "pieces", "500");
    refuse("simhash", "shingle-tokens", "0");
    refuse("broder", "thinning", "0");
    refuse("broder", "supershingles", "33");
    refuse("broder", "supershingle-minima", "0");
    refuse("broder", "agree", "0");
    refuse("lsh", "bands", "0");
    refuse("lsh", "rows", "1001");
    refuse("lsh", "rows", "0");
    refuse("lsh", "bands", "1001");
    refuse("henzinger", "charikar-bits", "1");
    refuse("lsh", "threshold", "0");
    refuse("lsh", "shingle-tokens", "0");
    refuse("sketch", "threshold", "1.5");
    refuse("sketch", "bands", "101");
    CU_ASSERT_EQUAL(with("charikar", "agree", "372").agree, 372);
    nd_method_options half = defaults_of("charikar"); /* agree by chance, whatever the pieces */
    half.pieces = half.bits;
    half.agree = half.bits / 2;
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find("charikar"), &half), ND_ERR_USAGE);
    half.agree++;
    ND_TEST_OK(nd_method_derive(nd_method_find("charikar"), &half));
    nd_method_options both = defaults_of("henzinger"); /* bits alone would find what both do */
    ND_TEST_OK(set(&both, "henzinger", "union"));
    ND_TEST_OK(set(&both, "filter-bits", "372"));
    ND_TEST_OK(set(&both, "charikar-bits", "371"));
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find("henzinger"), &both), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--charikar-bits 371: below --filter-bits 372"));
    ND_TEST_OK(set(&both, "charikar-bits", "372"));
    ND_TEST_OK(nd_method_derive(nd_method_find("henzinger"), &both));
    both.pieces = 2; /* of 192 bits, of which no key may be made */
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find("henzinger"), &both), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "pieces"));
    nd_method_options none = defaults_of("lcs");
    CU_ASSERT_EQUAL(set(&none, "score", "none"), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--score none"));
    nd_method_options o = defaults_of("lsh");
    o.bands = 5;
    o.rows = 25;
    o.threshold = 0.5;
    CU_ASSERT_EQUAL(nd_method_derive(nd_method_find("lsh"), &o), ND_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--bands 5 of 25 rows"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "1.5e-07")); /* 5 / 2^25 */
}

/* What all methods use, what some do, and what takes time before pairs do. */
ND_TEST("who uses what") {
    static const struct {
        const char *method, *option;
        bool uses;
    } cases[] = {{"lcs", "threshold", true}, {"lsh", "threshold", true},  {"lcs", "bands", false},
                 {"lsh", "bands", true},     {"simhash", "bands", false}, {"lcs", "score", true},
                 {"lsh", "score", false},    {"charikar", "bits", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const nd_option *option = nd_option_find(nd_method_option_table, cases[i].option);
        CU_ASSERT_PTR_NOT_NULL_FATAL(option);
        CU_ASSERT_EQUAL(nd_method_uses(nd_method_find(cases[i].method), option), cases[i].uses);
    }
    const nd_method_options lcs = options_of("lcs");
    const nd_method_options keys = with("lcs", "verify", "off");
    const nd_method_options lsh = options_of("lsh");
    CU_ASSERT_EQUAL(nd_method_preparation(nd_method_find("lcs"), &lcs), lcs.score->preparation);
    CU_ASSERT_EQUAL(nd_method_preparation(nd_method_find("lcs"), &keys), 0);
    CU_ASSERT_EQUAL(nd_method_preparation(nd_method_find("lsh"), &lsh), 0);
}

/* ---- methods */

/* Pages that are compared by their keys alone: the share of common keys in all. */
ND_TEST("keys suffice") {
    static text_method_rows a, b, none;
    nd_sentence_digest sentences[2][6];
    const nd_method_options o = with("lcs", "verify", "off");
    memset(sentences, 0, sizeof sentences);
    for (uint32_t p = 0; p < 2; p++) {
        text_method_rows *t = p == 0 ? &a : &b;
        write_page(t, 0, 60);
        for (uint32_t i = 0; i < 6; i++) {
            sentences[p][i].token_count = 10;
            memset(&sentences[p][i].digest, (int)(p == 1 && i >= 4 ? 100 + i : i + 1),
                   sizeof(nd_md5));
        }
        t->document.sentences = sentences[p];
        t->document.sentence_count = 6;
    }
    CU_ASSERT(o.keys_suffice);
    const size_t common = shared_keys("lcs", &o, &a, &b);
    const size_t all = shared_keys("lcs", &o, &a, &a) + shared_keys("lcs", &o, &b, &b) - common;
    CU_ASSERT(common > 0 && common < all);
    CU_ASSERT_EQUAL(similarity_of("lcs", &o, &a, &b, 0), (double)common / (double)all);
    CU_ASSERT_EQUAL(similarity_of("lcs", &o, &a, &a, 0), 1);
    CU_ASSERT_EQUAL(similarity_of("lcs", &o, &none, &none, 0), 0);
    CU_ASSERT_EQUAL(nd_method_length_bound(nd_method_find("lcs"), &o, 1, 1000), 1);
    nd_method_options together = options_of("lcs");
    together.fingerprints = false;
    CU_ASSERT_EQUAL(shared_keys("lcs", &together, &a, &none), 1); /* all pages meet */
}

ND_TEST("exact") {
    static text_method_rows a, b;
    const nd_method_options o = options_of("exact");
    write_page(&a, 0, 50);
    write_page(&b, 0, 50);
    CU_ASSERT_EQUAL(similarity_of("exact", &o, &a, &b, 1), 1);
    CU_ASSERT_EQUAL(shared_keys("exact", &o, &a, &b), 1);
    b.document.hash.high++; /* the texts differ, whatever the hashes of their words say */
    CU_ASSERT_EQUAL(similarity_of("exact", &o, &a, &b, 1), 0);
    CU_ASSERT_EQUAL(shared_keys("exact", &o, &a, &b), 1);
    b.document.hash.low++;
    CU_ASSERT_EQUAL(similarity_of("exact", &o, &a, &b, 1), 0);
    CU_ASSERT_EQUAL(shared_keys("exact", &o, &a, &b), 0);
}

/* Windows of 104 tokens that are 50 apart share 50 shingles of 5 of 150. */
ND_TEST("lsh compares shingles") {
    static text_method_rows a, b;
    const nd_method_options o = options_of("lsh");
    nd_method_options thinned = with("lsh", "thinning", "1000000");
    write_page(&a, 0, 104);
    write_page(&b, 50, 104);
    CU_ASSERT_EQUAL(similarity_of("lsh", &o, &a, &b, 0), 50.0 / 150);
    CU_ASSERT_EQUAL(similarity_of("lsh", &o, &a, &b, 1.0 / 3), 1.0 / 3);
    CU_ASSERT_EQUAL(similarity_of("lsh", &o, &a, &b, 0.34), 0);
    /* wrapped around there are 104 each, the same 50 of 158 */
    const nd_method_options wrapped = with("lsh", "wrap-around", "on");
    CU_ASSERT_EQUAL(similarity_of("lsh", &wrapped, &a, &b, 0), 50.0 / 158);
    /* a shingle that only one page repeats weighs against them */
    for (uint32_t i = 0; i < 52; i++) {
        a.tokens[52 + i] = a.tokens[i];
    }
    a.document.hash = nd_test_hash(a.tokens, 104);
    write_page(&b, 0, 52);
    nd_method_options counted = with("lsh", "shingle-tokens", "1");
    CU_ASSERT_EQUAL(similarity_of("lsh", &counted, &a, &b, 0), 1);
    counted.shingle_counts = true;
    CU_ASSERT_EQUAL(similarity_of("lsh", &counted, &a, &b, 0), 52.0 / 104);
    write_page(&a, 0, 104);
    /* a page of which no shingle is kept has no keys and is like none, not even itself */
    CU_ASSERT_EQUAL(shared_keys("lsh", &thinned, &a, &a), 0);
    CU_ASSERT_EQUAL(similarity_of("lsh", &thinned, &a, &a, 0), 0);
    thinned.verify = false;
    CU_ASSERT_EQUAL(similarity_of("lsh", &thinned, &a, &a, 0), 0);
}

/* The share of equal minima has the expectation J and the variance J (1 - J) / P. */
ND_TEST("sketches estimate") {
    static text_method_rows a, b;
    const double resemblance = 700.0 / 1300;
    nd_method_options o = with("sketch", "minima", "2000");
    write_page(&a, 0, 1003); /* 1000 shingles of 4 */
    write_page(&b, 300, 1003);
    const double share = similarity_of("sketch", &o, &a, &b, 0);
    CU_ASSERT(fabs(share - resemblance) < 5 * sqrt(resemblance * (1 - resemblance) / 2000));
    CU_ASSERT_EQUAL(share * 2000, floor(share * 2000));
    CU_ASSERT_EQUAL(similarity_of("sketch", &o, &a, &a, 1), 1);
    o = with("lsh", "verify", "off");
    CU_ASSERT_EQUAL(similarity_of("lsh", &o, &a, &a, 1), 1);
}

/* Supershingles agree in sixths, and pages meet just if two of them do: C(n, 2) megashingles. */
ND_TEST("broder") {
    static text_method_rows a, b;
    const nd_method_options o = options_of("broder");
    const nd_method_options one = with("broder", "agree", "1");
    nd_random random = nd_test_random("broder");
    size_t seen[7] = {0};
    for (int trial = 0; trial < 600; trial++) {
        const uint32_t first = (uint32_t)nd_random_below(&random, 1000000);
        write_page(&a, first, 1000);
        write_page(&b, first + (uint32_t)nd_random_below(&random, 120), 1000);
        const double similarity = similarity_of("broder", &o, &a, &b, 0);
        const size_t agree = (size_t)lround(6 * similarity);
        CU_ASSERT_EQUAL(similarity, (double)agree / 6);
        CU_ASSERT_EQUAL(shared_keys("broder", &o, &a, &b), agree * (agree - 1) / 2);
        CU_ASSERT_EQUAL(shared_keys("broder", &one, &a, &b), agree);
        CU_ASSERT_EQUAL(similarity_of("broder", &o, &a, &b, o.threshold),
                        agree >= 2 ? similarity : 0);
        seen[agree]++;
    }
    CU_ASSERT(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[6] > 0);
}

static void change_tokens(text_method_rows *t, uint32_t count, nd_random *random) {
    for (uint32_t i = 0; i < count; i++) {
        t->tokens[nd_random_below(random, t->document.token_count)] =
            (uint32_t)nd_random_next(random);
    }
}

/* Order does not matter to what counts tokens, frequency does: a page and the same page twice. */
ND_TEST("bags of tokens") {
    static text_method_rows a, b, twice;
    static const char *const names[] = {"simhash", "charikar", "cosine"};
    write_page(&a, 0, 500);
    write_page(&b, 0, 500);
    for (uint32_t i = 0; i < 500; i++) {
        b.tokens[i] = a.tokens[499 - i];
        twice.tokens[i] = twice.tokens[500 + i] = a.tokens[i];
    }
    twice.document = (nd_document){.tokens = twice.tokens, .token_count = 1000};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const nd_method_options o = options_of(names[i]);
        CU_ASSERT_EQUAL(similarity_of(names[i], &o, &a, &b, 1), 1);
        CU_ASSERT_EQUAL(similarity_of(names[i], &o, &a, &twice, 1), 1);
    }
    twice.document.token_count = 750; /* half of the tokens twice: 3 / sqrt(2 * 5) = .949 */
    const nd_method_options o = options_of("cosine");
    CU_ASSERT_DOUBLE_EQUAL(similarity_of("cosine", &o, &a, &twice, 0), 3 / sqrt(10), 1e-12);
    CU_ASSERT_EQUAL(similarity_of("cosine", &o, &a, &twice, 0.95), 0);
}

/* Similarities are shares of the bits; pages within the distance meet in some table or piece. */
ND_TEST("bits") {
    static text_method_rows a, b;
    static const uint32_t changes[] = {0, 1, 3, 10, 40, 200};
    const nd_method_options simhash = options_of("simhash");
    const nd_method_options charikar = with("charikar", "pieces", "13");
    nd_random random = nd_test_random("bits");
    for (int trial = 0; trial < 300; trial++) {
        write_page(&a, (uint32_t)nd_random_below(&random, 1000000), 600);
        b = a;
        b.document.tokens = b.tokens;
        change_tokens(&b, changes[trial % 6], &random);
        const double share = similarity_of("simhash", &simhash, &a, &b, 0);
        CU_ASSERT_EQUAL(share * 64, floor(share * 64));
        CU_ASSERT(share < 61.0 / 64 || shared_keys("simhash", &simhash, &a, &b) > 0);
        const double agreeing = similarity_of("charikar", &charikar, &a, &b, 0);
        CU_ASSERT(agreeing < 372.0 / 384 || shared_keys("charikar", &charikar, &a, &b) > 0);
        CU_ASSERT(share <= 1 && agreeing > 0.3);
    }
}

/* Two techniques: what B finds is kept by C; between sites C alone decides; the union takes both.
 */
ND_TEST("henzinger") {
    static text_method_rows a, b;
    const nd_method_options basic = options_of("henzinger");
    const nd_method_options variant = with("henzinger", "henzinger", "site-variant");
    nd_method_options both = defaults_of("henzinger");
    both.henzinger = ND_HENZINGER_UNION;
    both.filter_bits = 355;
    ND_TEST_OK(nd_method_derive(nd_method_find("henzinger"), &both));
    CU_ASSERT(both.threshold == 355.0 / 384 && variant.site_threshold == 372.0 / 384);
    write_page(&a, 0, 1000);
    write_page(&b, 0, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        b.tokens[i] = a.tokens[999 - i]; /* the same bits, no common shingle */
    }
    CU_ASSERT_EQUAL(similarity_of("henzinger", &basic, &a, &b, basic.threshold), 0);
    CU_ASSERT_EQUAL(similarity_of("henzinger", &basic, &a, &b, 0), 371.0 / 384); /* a bit below */
    CU_ASSERT_EQUAL(similarity_of("henzinger", &both, &a, &b, both.threshold), 1);
    both.filter_tokens = 2; /* bits of shingles, of which they have none in common */
    CU_ASSERT(similarity_of("henzinger", &both, &a, &b, 0) < 0.7);
    /* pages of no site may be of one */
    CU_ASSERT_EQUAL(similarity_of("henzinger", &variant, &a, &b, variant.threshold), 0);
    a.document.origin.site = b.document.origin.site = 1;
    CU_ASSERT_EQUAL(similarity_of("henzinger", &variant, &a, &b, variant.threshold), 0);
    b.document.origin.site = 2;
    CU_ASSERT_EQUAL(similarity_of("henzinger", &variant, &a, &b, variant.threshold), 1);
    CU_ASSERT_EQUAL(shared_keys("henzinger", &basic, &a, &b), 0);
    CU_ASSERT(shared_keys("henzinger", &variant, &a, &b) == 12);
    CU_ASSERT_EQUAL(similarity_of("henzinger", &basic, &a, &a, 1), 1);
    CU_ASSERT_EQUAL(nd_method_threshold(&variant, ND_PAIR_MAY_BE_SAME_SITE), 372.0 / 384);
    nd_method_options looser = defaults_of("henzinger");
    looser.henzinger = ND_HENZINGER_SITE_VARIANT;
    looser.charikar_bits = 380;
    ND_TEST_OK(nd_method_derive(nd_method_find("henzinger"), &looser));
    CU_ASSERT_EQUAL(nd_method_threshold(&looser, ND_PAIR_MAY_BE_SAME_SITE), 372.0 / 384);
    CU_ASSERT_EQUAL(nd_method_threshold(&looser, 0), 380.0 / 384);
}

/* ---- All measures of two pages: worked examples, and the same numbers as the methods and scores
 * give on their own. */

enum { MOST_TOKENS_PAIR_MEASURES = 400 };
typedef struct text_pair_measures {
    uint32_t tokens[MOST_TOKENS_PAIR_MEASURES];
    nd_document document;
} text_pair_measures;

static void write_letters(text_pair_measures *t, const char *letters) {
    const size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++) {
        t->tokens[i] = (uint32_t)nd_mix64((uint64_t)letters[i]);
    }
    t->document = (nd_document){.tokens = t->tokens, .token_count = (uint32_t)count};
}

/* A window on a long text without repetition; every `edit`-th token is another. 0: none */
static void write_text(text_pair_measures *t, uint32_t first, uint32_t count, uint32_t edit) {
    for (uint32_t i = 0; i < count; i++) {
        const bool edited = edit > 0 && i % edit == 0;
        t->tokens[i] = (uint32_t)nd_mix64(first + i + 1 + (edited ? UINT64_C(1) << 32 : 0));
    }
    t->document = (nd_document){.tokens = t->tokens, .token_count = count};
}

static nd_pair_measures measure(const nd_pair_options *options, const text_pair_measures *a,
                                const text_pair_measures *b) {
    nd_pair_measures there, back;
    memset(&there, 0, sizeof there);
    memset(&back, 0, sizeof back);
    ND_TEST_OK(nd_pair_measure(options, &a->document, &b->document, &there));
    ND_TEST_OK(nd_pair_measure(options, &b->document, &a->document, &back));
    CU_ASSERT(there.r.common == back.r.common && there.trustable == back.trustable &&
              there.cosine == back.cosine && there.resemblance.of == back.resemblance.of &&
              there.equal_minima == back.equal_minima &&
              there.jaccard.common == back.jaccard.common);
    return there;
}

/* Myers 1986, figure 1: r = 4 / (7 + 6 - 4); ab, bc, ca, bb, ba and cb, ba, ab, ac share two. */
ND_TEST("worked examples") {
    text_pair_measures a, b;
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

ND_TEST("equal pages") {
    text_pair_measures a, b;
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_text(&a, 0, 300, 0);
    write_text(&b, 0, 300, 0);
    const nd_pair_measures m = measure(&options, &a, &b);
    CU_ASSERT(m.any && m.resemblance.value == 1 && m.estimate.resemblance == 1);
    CU_ASSERT(m.equal_minima == 100 && m.supershingles_agree == ND_SUPERSHINGLES);
    CU_ASSERT(m.simhash_distance == 0 && m.charikar_agree == ND_CHARIKAR_BITS);
    CU_ASSERT(m.cosine == 1 && m.r.value == 1 && m.trustable == 1);
    CU_ASSERT(m.jaccard.value == 1 && m.jaccard.of == 296);
    CU_ASSERT_DOUBLE_EQUAL(m.estimate.low, .97, 1e-12); /* the rule of three */
    CU_ASSERT(m.estimate.high == 1);
}

ND_TEST("pages without anything shared") {
    text_pair_measures a, b;
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_text(&a, 0, 300, 0);
    write_text(&b, 5000, 300, 0);
    const nd_pair_measures m = measure(&options, &a, &b);
    CU_ASSERT(m.any && m.resemblance.value == 0 && m.cosine == 0 && m.r.value == 0);
    CU_ASSERT(m.jaccard.value == 0 && m.supershingles_agree == 0 && m.estimate.low == 0);
    CU_ASSERT_DOUBLE_EQUAL(m.estimate.high, .03, 1e-12);
    write_text(&b, 0, 0, 0);
    CU_ASSERT(!measure(&options, &a, &b).any);
    CU_ASSERT(!measure(&options, &b, &b).any);
}

/* The methods and scores with their own options give the same. */
ND_TEST("as the methods") {
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
    text_pair_measures a, b;
    nd_pair_options options = ND_PAIR_DEFAULTS;
    write_text(&a, 0, 300, 0);
    write_text(&b, 0, 310, 40);
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

ND_TEST("as the scores") {
    text_pair_measures a, b;
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    const nd_pair_options options = ND_PAIR_DEFAULTS;
    write_text(&a, 0, 300, 0);
    write_text(&b, 0, 310, 40);
    const nd_pair_measures m = measure(&options, &a, &b);
    const double mine[] = {m.r.value, m.trustable, m.jaccard.value};
    const char *const names[] = {"r", "trustable", "jaccard"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double theirs = 0;
        nd_score_find(names[i])->similarity(a.tokens, 300, b.tokens, 310, 0, &work, &theirs);
        CU_ASSERT(mine[i] == theirs && theirs > 0);
    }
}

ND_TEST("options") {
    text_pair_measures a;
    nd_pair_measures m;
    write_text(&a, 0, 20, 0);
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

/* ---- Sentences of two pages side by side, by hand. */

enum { MOST = 32 };

/* A sentence a letter; upper case: dropped. */
static nd_document document_of(const char *letters, nd_sentence_digest sentences[MOST],
                               bool keep[MOST]) {
    const uint32_t count = (uint32_t)strlen(letters);
    memset(sentences, 0, MOST * sizeof *sentences);
    for (uint32_t i = 0; i < count; i++) {
        sentences[i].digest.bytes[0] = (uint8_t)(letters[i] | 0x20);
        keep[i] = letters[i] >= 'a';
    }
    return (nd_document){.sentences = sentences, .sentence_count = count};
}

/* Rows as words: "=a" shared, "-a" of the first page, "+a" of the second; "!" after dropped. */
static void check(const char *a, const char *b, const char *expected) {
    nd_sentence_digest of_a[MOST], of_b[MOST];
    bool keep_a[MOST], keep_b[MOST];
    const nd_document x = document_of(a, of_a, keep_a), y = document_of(b, of_b, keep_b);
    ND_FREED nd_aligned_sentence *rows = NULL;
    size_t count = 0, used = 0;
    char text[8 * MOST] = "";
    nd_sentences_align(&x, keep_a, &y, keep_b, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        const bool in_a = rows[i].a != ND_NO_SENTENCE, in_b = rows[i].b != ND_NO_SENTENCE;
        const nd_sentence_digest *sentence = in_a ? &of_a[rows[i].a] : &of_b[rows[i].b];
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c%s",
                                 in_a && in_b ? '='
                                 : in_a       ? '-'
                                              : '+',
                                 sentence->digest.bytes[0], rows[i].dropped ? "!" : "");
    }
    if (strcmp(text, expected) != 0) {
        (void)printf("%s and %s: %s, not %s\n", a, b, text, expected);
        CU_FAIL("another alignment");
    }
}

ND_TEST("kept sentences") {
    check("", "", "");
    check("abc", "abc", "=a=b=c");
    check("abc", "", "-a-b-c");
    check("", "abc", "+a+b+c");
    check("abcd", "axcd", "=a-b+x=c=d");
    check("abcd", "cd", "-a-b=c=d");
    check("aab", "ab", "-a=a=b");
    check("xy", "ab", "-x-y+a+b");
}

ND_TEST("dropped sentences") {
    check("Nab", "Nac", "=n!=a-b+c");
    check("Nab", "nab", "-n!+n=a=b"); /* dropped in one page only: not the same */
    check("aNb", "ab", "=a-n!=b");
    check("ab", "aLb", "=a+l!=b");
}

/* ---- The shingles of one page after another are those of each alone, however much is alike of
 * what came before: what is kept of the latest page is used for an equal one only. */

enum { LONG = 64, SHORT = 16 };

ND_TEST("the latest page") {
    nd_random random = nd_test_random("pages that are alike");
    nd_method_options options;
    ND_OWNED(nd_method_work_free) nd_method_work kept = {0};
    uint32_t tokens[2][LONG];
    ND_TEST_MUST(nd_method_own_options(nd_method_find("lsh"), &options));
    options.shingle_tokens = 2;
    options.thinning = 0;
    for (int i = 0; i < 2 * LONG; i++) {
        tokens[i / LONG][i % LONG] = (uint32_t)nd_random_below(&random, 1000);
    }
    for (int page = 0; page < 2000; page++) { /* begins as the one text, ends as the other */
        uint32_t mixed[LONG];
        ND_OWNED(nd_method_work_free) nd_method_work fresh = {0};
        const size_t cut = nd_random_below(&random, SHORT + 1);
        const uint32_t count = page % 3 == 0 ? LONG : SHORT;
        memcpy(mixed, tokens[page % 2], sizeof mixed);
        memcpy(mixed, tokens[1 - page % 2], cut * sizeof mixed[0]);
        const nd_document document = {mixed, count, NULL, 0, .origin = {.site = 0}};
        nd_page_shingles(&options, &kept, &document);
        nd_page_shingles(&options, &fresh, &document);
        CU_ASSERT_FATAL(fresh.shingle_count > 0 && kept.shingle_count == fresh.shingle_count);
        CU_ASSERT_EQUAL(
            memcmp(kept.shingles, fresh.shingles, fresh.shingle_count * sizeof *fresh.shingles), 0);
    }
}
