/* What compares, groups and makes pages, with each allocation failing in turn: that is
 * said, nothing is lost, and where the work ends well its answers are those without failures. */
#include "src/base/numbers.h"
#include "src/lcs/lcs.h"
#include "src/method/method_decision.h"
#include "src/method/method_option.h"
#include "src/method/methods.h"
#include "src/method/pair_measures.h"
#include "src/method/sentence_alignment.h"
#include "src/plan/curve_plot.h"
#include "src/sets/capped_union.h"
#include "src/sets/forest.h"
#include "src/sets/keep.h"
#include "src/sets/middles.h"
#include "src/sets/repeated_keys.h"
#include "src/sets/template.h"
#include "src/sets/tree.h"
#include "src/synth/synthetic_page.h"
#include "src/text/page.h"
#include "src/text/surt.h"
#include "tests/support/check.h"
#include "tests/support/faults.h"
#include "tests/support/method_use.h"
#include "tests/support/random_tree.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- methods */

enum { TOKENS = 400, SENTENCES = 40 };

typedef struct made_page {
    uint32_t tokens[TOKENS];
    nd_sentence_digest sentences[SENTENCES];
    nd_document document;
} made_page;

static made_page pages[2];

/* Two pages of which the second lacks a part, has another and repeats a third one. */
static void make_pages(void) {
    for (size_t p = 0; p < 2; p++) {
        made_page *page = &pages[p];
        for (uint32_t i = 0; i < TOKENS; i++) {
            const uint32_t from = p == 1 && i >= 300 ? i - 40 : i;
            const bool other = p == 1 && (i % 97 == 50 || (i >= 200 && i < 230));
            page->tokens[i] = (uint32_t)nd_mix64(from + (other ? 100000 : 1));
        }
        for (uint32_t i = 0; i < SENTENCES; i++) {
            page->sentences[i] =
                (nd_sentence_digest){.masked = i % 7 + 1, .token_count = TOKENS / SENTENCES};
            memset(&page->sentences[i].digest, (int)(p == 1 && i % 5 == 4 ? 200 + i : i),
                   sizeof(nd_md5));
        }
        page->document = (nd_document){.tokens = page->tokens,
                                       .token_count = TOKENS,
                                       .sentences = page->sentences,
                                       .sentence_count = SENTENCES,
                                       .origin = {.site = 5}};
    }
}

static const nd_method *method;
static nd_method_options options;
static double expected; /* similarity; below 0: not known yet */

static nd_status decide(void) {
    nd_method_decision decision;
    const nd_status st =
        nd_method_decide(method, &options, &pages[0].document, &pages[1].document, true, &decision);
    if (st == ND_OK) {
        expected = expected < 0 ? decision.similarity : expected;
        CU_ASSERT_EQUAL(decision.similarity, expected);
    }
    nd_method_decision_free(&decision);
    return st;
}

static void fail_decisions(void) {
    expected = -1;
    CU_ASSERT(nd_test_all_faults(decide, NULL) >= 1);
}

/* What a page has of a method: its keys, its digest and its payload. */
static nd_status describe(void) {
    enum { MOST_KEYS = 4096 };
    nd_status st = ND_OK;
    nd_method_work work = {0};
    nd_buffer scratch = {0};
    uint8_t *digest = NULL;
    uint64_t keys[MOST_KEYS];
    size_t count = 0;
    nd_span payload;
    const nd_document *page = &pages[1].document;
    const nd_method_sizes sizes = method->sizes(&options, page->token_count);
    CU_ASSERT_FATAL(sizes.keys <= MOST_KEYS);
    ND_TRY(nd_new(&digest, 1, sizes.digest));
    ND_TRY(method->sign(&options, &work, page, keys, &count));
    ND_TRY(method->digest(&options, &work, page, digest));
    ND_TRY(nd_method_payload(method, &options, &work, page, &scratch, &payload));
    CU_ASSERT(count > 0 && count <= sizes.keys && payload.size > 0);
out:
    nd_method_work_free(&work);
    nd_buffer_free(&scratch);
    free(digest);
    return st;
}

static void set_option(const char *name, const char *value) {
    const nd_option *option = nd_method_option_table;
    while (option->name == NULL || strcmp(option->name, name) != 0) {
        option++;
    }
    nd_test_must(nd_option_set(option, value, &options));
    nd_test_must(nd_method_derive(method, &options));
}

static void test_descriptions(void) {
    make_pages();
    for (size_t m = 0; nd_method_row(m) != NULL; m++) {
        method = nd_method_row(m);
        options = nd_test_options(method);
        CU_ASSERT(nd_test_all_faults(describe, NULL) >= 1);
    }
    method = nd_method_find("lcs"); /* pages of few sentences are signed by chunks besides */
    options = nd_test_options(method);
    set_option("chunk-sentences", "100");
    CU_ASSERT(nd_test_all_faults(describe, NULL) >= 4);
    set_option("verify", "off");
    CU_ASSERT(nd_test_all_faults(describe, NULL) >= 4);
    method = nd_method_find("lsh");
    options = nd_test_options(method);
    set_option("verify", "off");
    CU_ASSERT(nd_test_all_faults(describe, NULL) >= 1);
    method = nd_method_find("henzinger");
    options = nd_test_options(method);
    set_option("henzinger", "union");
    CU_ASSERT(nd_test_all_faults(describe, NULL) >= 1);
}

static void test_methods(void) {
    make_pages();
    for (size_t m = 0; nd_method_row(m) != NULL; m++) {
        method = nd_method_row(m);
        options = nd_test_options(method);
        fail_decisions();
    }
    method = nd_method_find("lcs");
    for (size_t s = 0; nd_score_row(s) != NULL; s++) {
        options = nd_test_options(method);
        options.score = nd_score_row(s);
        options.threshold = .05;
        fail_decisions();
        options.filters = false; /* to the same similarity, the slow way */
        CU_ASSERT(nd_test_all_faults(decide, NULL) >= 1);
    }
}

static nd_status measure(void) {
    nd_pair_measures found;
    const nd_status st =
        nd_pair_measure(&ND_PAIR_DEFAULTS, &pages[0].document, &pages[1].document, &found);
    CU_ASSERT(st != ND_OK || (found.any && found.r.of == 2 * TOKENS - found.r.common));
    return st;
}

static nd_status align(void) {
    nd_aligned_sentence *rows = NULL;
    size_t count = 0, both = 0;
    bool keep[SENTENCES];
    memset(keep, 1, sizeof keep);
    const nd_status st =
        nd_sentences_align(&pages[0].document, keep, &pages[1].document, keep, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        both += rows[i].a != ND_NO_SENTENCE && rows[i].b != ND_NO_SENTENCE;
    }
    CU_ASSERT(st != ND_OK || both == SENTENCES - SENTENCES / 5);
    free(rows);
    return st;
}

static void test_measures_of_pairs(void) {
    make_pages();
    CU_ASSERT(nd_test_all_faults(measure, NULL) >= 10);
    CU_ASSERT(nd_test_all_faults(align, NULL) >= 3);
}

/* ---- LCS of pairs that take each of its ways */

enum { LONG = 6000 };

static uint32_t long_a[LONG], long_b[LONG];
static size_t size_a, size_b;
static uint64_t at_least, length_of;

static nd_status find_length(void) {
    nd_lcs_work work = {0};
    uint64_t length = 0;
    const nd_status st = nd_lcs_length(long_a, size_a, long_b, size_b, at_least, &work, &length);
    CU_ASSERT(st != ND_OK || length == length_of);
    nd_lcs_work_free(&work);
    return st;
}

/* \param[in] letters  different tokens \param[in] edits  of 1,000 tokens, so many are others */
static void draw_pages(size_t n, size_t m, uint64_t letters, uint64_t edits) {
    nd_random random = {n + 31 * letters + edits};
    size_a = n;
    size_b = m;
    for (size_t i = 0; i < n; i++) {
        long_a[i] = (uint32_t)nd_mix64(1 + nd_random_below(&random, letters));
    }
    for (size_t i = 0, k = 0; i < m; i++, k++) {
        const uint64_t draw = nd_random_below(&random, 1000);
        k += draw < edits / 2;
        long_b[i] = draw < edits || k >= n
                        ? (uint32_t)nd_mix64(1 + nd_random_below(&random, letters))
                        : long_a[k];
    }
}

static void fail_lengths(size_t n, size_t m, uint64_t letters, uint64_t edits, uint64_t least) {
    nd_lcs_work work = {0};
    draw_pages(n, m, letters, edits);
    at_least = least;
    nd_test_must(nd_lcs_length(long_a, n, long_b, m, least, &work, &length_of));
    nd_lcs_work_free(&work);
    CU_ASSERT(nd_test_all_faults(find_length, NULL) >= 1);
}

static void test_lcs(void) {
    fail_lengths(LONG, LONG, 1 << 20, 5, 0);
    fail_lengths(LONG, LONG, 1 << 20, 600, 0);
    fail_lengths(LONG, LONG, 3, 300, 0);
    fail_lengths(LONG, LONG, 40, 500, LONG / 2);
    fail_lengths(2000, 1800, 500, 900, 100);
    fail_lengths(300, 4000, 200, 100, 0);
}

/* ---- scores of such pairs */

static const nd_score *score;
static double lowest, score_of;

static nd_status find_score(void) {
    nd_lcs_work work = {0};
    double similarity = -1;
    const nd_status st =
        score->similarity(long_a, size_a, long_b, size_b, lowest, &work, &similarity);
    CU_ASSERT(st != ND_OK || similarity == score_of);
    nd_lcs_work_free(&work);
    return st;
}

static void fail_scores(size_t n, size_t m, uint64_t letters, uint64_t edits) {
    static const double thresholds[] = {0, .05, .6};
    draw_pages(n, m, letters, edits);
    for (size_t s = 0; nd_score_row(s) != NULL; s++) {
        score = nd_score_row(s);
        for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
            nd_lcs_work work = {0};
            lowest = thresholds[t];
            nd_test_must(score->similarity(long_a, n, long_b, m, lowest, &work, &score_of));
            nd_lcs_work_free(&work);
            (void)nd_test_all_faults(find_score, NULL);
        }
    }
}

static void test_scores(void) {
    fail_scores(800, 760, 1 << 20, 60);
    fail_scores(700, 800, 8, 300);
    fail_scores(300, 700, 60, 100);
}

/* ---- sets */

enum { SITE_PAGES = 12, SITE_SENTENCES = 8 };

static nd_status find_template(void) {
    nd_template_sentence sentences[2][SITE_PAGES][SITE_SENTENCES];
    nd_template_page own[SITE_PAGES], others[SITE_PAGES];
    nd_template_lists lists = {0};
    memset(sentences, 0, sizeof sentences);
    for (size_t p = 0; p < SITE_PAGES; p++) {
        for (size_t i = 0; i < SITE_SENTENCES; i++) {
            const uint64_t number = i < 2 ? i : 100 * (p / 2) + i + (p % 2) * (i == 7 ? 50 : 0);
            for (size_t other = 0; other < 2; other++) {
                nd_template_sentence *s = &sentences[other][p][i];
                const uint32_t tokens[] = {(uint32_t)number, (uint32_t)number + 1, 7};
                *s = (nd_template_sentence){.hash = nd_mix64(number + 1000 * other), .tokens = 9};
                nd_template_minima(tokens, 3, s->minima);
            }
        }
        own[p] = (nd_template_page){sentences[0][p], SITE_SENTENCES};
        others[p] = (nd_template_page){sentences[1][p], SITE_SENTENCES};
    }
    const nd_status st = nd_template_lists_find(own, others, SITE_PAGES, &ND_TEMPLATE_DEFAULTS,
                                                &ND_TEMPLATE_REPEAT_DEFAULTS, &lists);
    CU_ASSERT(st != ND_OK || (lists.template_count == 2 && lists.repeated_count == 2));
    nd_template_lists_free(&lists);
    return st;
}

static nd_random_tree tree;

static nd_status compare_all(void *context, size_t leader, size_t member, double *similarity) {
    (void)context;
    *similarity = (leader + member) % 3 == 0 ? .9 : 0;
    return ND_OK;
}

static nd_status use_tree(void) {
    nd_status st = ND_OK;
    uint64_t tokens[ND_TREE_PAGES], labels[ND_TREE_PAGES];
    size_t leaders[ND_TREE_PAGES], kept = 0;
    double similarities[ND_TREE_PAGES];
    nd_parent parents[ND_TREE_PAGES];
    nd_link links[2 * ND_TREE_PAGES];
    nd_key_value records[2 * ND_TREE_PAGES];
    uint64_t count = 2 * tree.count;
    for (size_t i = 0; i < tree.count; i++) {
        tokens[i] = nd_mix64(i) % 1000;
        records[i] = records[i + tree.count] = (nd_key_value){nd_mix64(i), i};
    }
    ND_TRY(nd_middles(tree.pages, tokens, tree.count, tree.links, compare_all, NULL, leaders,
                      similarities));
    CU_ASSERT(leaders[0] < tree.count);
    ND_TRY(nd_tree_orient(tree.pages, tree.count, tree.links, tree.pages[0], parents));
    CU_ASSERT_EQUAL(parents[0].page, tree.pages[0]);
    memcpy(links, tree.links, (tree.count - 1) * sizeof *links);
    memcpy(links + tree.count - 1, tree.links, (tree.count - 1) * sizeof *links);
    ND_TRY(nd_forest(tree.pages, tree.count, links, 2 * (tree.count - 1), &kept));
    CU_ASSERT_EQUAL(kept, tree.count - 1);
    ND_TRY(nd_capped_union(tree.pages, tree.count, tree.links, tree.count - 1, 4, labels));
    CU_ASSERT_EQUAL(labels[0], 0);
    ND_TRY(nd_repeated_keys(records, &count));
    CU_ASSERT_EQUAL(count, 2 * tree.count);
out:
    return st;
}

static nd_status open_keep(void) {
    nd_keep *keep = NULL;
    const nd_span collections[] = {nd_test_span("old"), nd_test_span("new")};
    const nd_keep_wish wish = {.rules = "collection:new,field:date,longest,surt",
                               .each_collection = true,
                               .protect = "old"};
    const char *field = "";
    const nd_status st = nd_keep_open(&wish, collections, 2, &keep);
    if (st == ND_OK) {
        CU_ASSERT(nd_keep_asks(keep, ND_KEEP_LONGEST) && !nd_keep_asks(keep, ND_KEEP_HTTPS));
        CU_ASSERT(nd_keep_order(keep, 0, &field) && strcmp(field, "date") == 0);
        CU_ASSERT(nd_keep_order(keep, 1, &field) && field == NULL);
        CU_ASSERT_FALSE(nd_keep_order(keep, 2, &field));
    }
    nd_keep_close(&keep);
    return st;
}

static void test_sets(void) {
    nd_random random = {7};
    CU_ASSERT(nd_test_all_faults(find_template, NULL) >= 10);
    do {
        nd_random_tree_draw(&random, 1000, &tree);
    } while (tree.count < 100);
    CU_ASSERT(nd_test_all_faults(use_tree, NULL) >= 10);
    CU_ASSERT(nd_test_all_faults(open_keep, NULL) >= 3);
}

/* ---- texts, made pages, pictures */

static nd_status read_texts(void) {
    static const char html[] =
        "<title>T</title><base href='/x/'><body><p>One <a href=b>two</a> three.<img src=a.png>"
        "<table><tr><td>4<td>5</table><pre>6\n7</pre><nav>eight</nav><p class=comments>nine";
    static const char *const urls[] = {
        "http://user@www.A.example:80/b/../c?q=2&a=1;jsessionid=0123456789abcdef0123456789abcdef#f",
        "https://[::1]:8080/%7ea/", "dns:a.example", "", "ftp://b.example"};
    nd_status st = ND_OK;
    nd_page page = {0}, text = {0};
    nd_buffer surt = {0};
    const nd_html_options how = {
        .images = true, .url = nd_test_span("http://a.example/d/"), .beside = true};
    ND_TRY(nd_page_from_html_with(&page, nd_test_span(html), &how));
    CU_ASSERT(page.sentence_count >= 4 && page.block_count >= 4);
    ND_TRY(nd_page_from_text(&text, nd_test_span("one two.\n\nthree \xe6\xbc\xa2\xe5\xad\x97.")));
    CU_ASSERT_EQUAL(text.token_count, 5);
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        ND_TRY(nd_surt_append(nd_test_span(urls[i]), &surt));
    }
    CU_ASSERT(surt.size > 0);
out:
    nd_page_free(&page);
    nd_page_free(&text);
    nd_buffer_free(&surt);
    return st;
}

static double fullness; /* percent of text of made pages */
static uint64_t made_bytes;

static nd_status make_corpus(void) {
    nd_status st = ND_OK;
    const nd_corpus_options corpus = {
        .pages = 200, .seed = 5, .page_bytes = 40000, .hot_key = .5, .text = fullness};
    nd_corpus_plan *plan = NULL;
    nd_vocabulary *vocabulary = NULL;
    nd_page_factory factory = {0};
    nd_synthetic_page page = {0};
    uint64_t bytes = 0;
    ND_TRY(nd_corpus_plan_new(&corpus, &plan));
    ND_TRY(nd_vocabulary_new(&vocabulary));
    factory.plan = plan;
    factory.vocabulary = vocabulary;
    for (uint64_t i = 0; i < 12; i++) {
        ND_TRY(nd_synthetic_page_make(&factory, i, &page));
        bytes += page.html.text.size;
    }
    made_bytes = made_bytes == 0 ? bytes : made_bytes;
    CU_ASSERT_EQUAL(bytes, made_bytes);
out:
    nd_page_factory_free(&factory);
    nd_synthetic_page_free(&page);
    nd_vocabulary_free(&vocabulary);
    nd_corpus_plan_free(&plan);
    return st;
}

static nd_status plot(void) {
    nd_status st = ND_OK;
    nd_curve_spec specs[2];
    nd_buffer svg = {0};
    ND_TRY(nd_curve_spec_parse("bands:20x5", &specs[0]));
    ND_TRY(nd_curve_spec_parse("pieces:12x32:384", &specs[1]));
    ND_TRY(nd_curve_plot(specs, 2, .8, &svg));
    CU_ASSERT(svg.size > 1000 && memcmp(svg.data, "<svg", 4) == 0);
out:
    nd_buffer_free(&svg);
    return st;
}

/* URLs of all parts. */
static nd_status append_surts(nd_buffer *out) {
#define ID32 "0123456789abcdef0123456789abcdef"
    static const char *const urls[] = {
        "https://user:pass@www3.B.example:8443/(S(0123456789abcdef01234567))(a(b))/x/../y//z",
        ("http://a.example/x;jsessionid=" ID32 "?b=2&a&sid=" ID32 "#f"), "http://a.example?",
        "mailto:x y@z", ""};
    nd_status st = ND_OK;
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        ND_TRY(nd_surt_append(nd_test_span(urls[i]), out));
    }
out:
    return st;
}

static nd_status append_plot(nd_buffer *out) {
    nd_curve_spec spec;
    nd_status st = nd_curve_spec_parse("bands:20x5", &spec);
    return st == ND_OK ? nd_curve_plot(&spec, 1, .8, out) : st;
}

static void test_every_room(void) {
    CU_ASSERT(nd_test_every_room(append_surts) >= 100);
    CU_ASSERT(nd_test_every_room(append_plot) >= 100);
}

static void test_texts(void) {
    CU_ASSERT(nd_test_all_faults(read_texts, NULL) >= 10);
    CU_ASSERT(nd_test_all_faults(plot, NULL) >= 1);
    for (fullness = 0; fullness <= 30; fullness += 30) {
        made_bytes = 0;
        CU_ASSERT(nd_test_all_faults(make_corpus, NULL) >= 10);
    }
}

static const nd_test tests[] = {
    {"methods", test_methods}, {"measures of pairs", test_measures_of_pairs},
    {"LCS", test_lcs},         {"sets", test_sets},
    {"scores", test_scores},   {"descriptions", test_descriptions},
    {"texts", test_texts},     {"every room", test_every_room}};
ND_SUITE(t_core_failures, tests)
