/* Made-up crawls: their plan, their markup, their pages. */
#include "src/base/sort.h"
#include "src/synth/corpus_plan.h"
#include "src/synth/markup.h"
#include "src/synth/synthetic_page.h"
#include "src/text/page.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <xxhash.h>
#include <zlib.h>

/* ---- The plan of a synthetic corpus: every page has one place, clusters have the sizes and sites
 * that the options ask for, and a page can be planned alone. */

enum { PAGES_CORPUS_PLAN = 30000 };
static const nd_corpus_options BASE = {.pages = PAGES_CORPUS_PLAN, .seed = 7, .page_bytes = 23000};

static nd_corpus_plan *plan_of(const nd_corpus_options *options) {
    nd_corpus_plan *plan = NULL;
    ND_TEST_MUST(nd_corpus_plan_new(options, &plan));
    return plan;
}

/* What a pass over all pages counts. */
typedef struct survey {
    uint64_t classes[ND_PAGE_CLASSES];
    uint64_t copies, at_home, on_first_site, licences, large_templates;
    uint64_t distinct; /* (story, member) */
} survey;

static survey survey_of(const nd_corpus_options *options) {
    survey s = {.copies = 0};
    nd_corpus_plan *plan = plan_of(options);
    ND_FREED uint64_t *places = nd_alloc_zero(options->pages, sizeof *places);
    for (uint64_t i = 0; i < options->pages; i++) {
        nd_page_plan p;
        nd_corpus_plan_page(plan, i, &p);
        CU_ASSERT_EQUAL(p.page, i);
        CU_ASSERT_TRUE(p.member < 1 << 20);
        CU_ASSERT_TRUE(p.site < nd_corpus_plan_options(plan)->sites);
        CU_ASSERT_TRUE(p.words >= 60);
        places[i] = p.story << 20 | p.member;
        s.classes[p.class]++;
        const bool copy = p.class > ND_PAGE_ORIGINAL && p.class <= ND_PAGE_PARTIAL;
        s.copies += copy;
        s.at_home += copy && p.site == p.home;
        s.on_first_site += p.site == 0;
        s.licences += p.licence;
        s.large_templates += p.class == ND_PAGE_TEMPLATE &&
                             nd_site_traits_get(options->seed, p.site).template_share >= .55;
        CU_ASSERT_EQUAL(nd_site_traits_get(options->seed, p.site).language,
                        nd_site_traits_get(options->seed, p.home).language);
    }
    s.distinct = nd_numbers_distinct(places, options->pages);
    nd_corpus_plan_free(&plan);
    CU_ASSERT_PTR_NULL(plan);
    return s;
}

static void check_near(double value, double wanted, double tolerance) {
    CU_ASSERT_DOUBLE_EQUAL(value, wanted, tolerance);
}

static void check_profile(nd_corpus_profile profile, double mean, double tolerance) {
    nd_corpus_options o = BASE;
    o.profile = profile;
    const survey s = survey_of(&o);
    CU_ASSERT_EQUAL(s.distinct, PAGES_CORPUS_PLAN);
    const uint64_t originals = s.classes[ND_PAGE_ORIGINAL];
    check_near((double)(originals + s.copies) / (double)originals, mean, tolerance);
    check_near((double)s.at_home / (double)s.copies, .8, .06);
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        CU_ASSERT_TRUE(s.classes[i] > 0);
    }
    CU_ASSERT_TRUE(s.classes[ND_PAGE_STAMPED] > s.classes[ND_PAGE_REORDERED]);
    CU_ASSERT_EQUAL(s.large_templates, s.classes[ND_PAGE_TEMPLATE]);
    CU_ASSERT_EQUAL(s.licences, 0);
}

ND_TEST("profiles") {
    check_profile(ND_PROFILE_ARCHIVE, 6, .3);
    check_profile(ND_PROFILE_CRAWL, 1.4, .05);
}

ND_TEST("few pages") {
    for (uint64_t pages = 1; pages < 3000; pages = pages * 3 / 2 + 1) {
        nd_corpus_options o = BASE;
        o.pages = pages;
        CU_ASSERT_EQUAL(survey_of(&o).distinct, pages);
    }
}

ND_TEST("one large site, one common text") {
    nd_corpus_options o = BASE;
    o.profile = ND_PROFILE_CRAWL; /* small clusters: shares are near their mean */
    o.skew = .3;
    o.hot_key = .2;
    const survey s = survey_of(&o);
    check_near((double)s.on_first_site / (double)PAGES_CORPUS_PLAN, .3, .03);
    check_near((double)s.licences / (double)PAGES_CORPUS_PLAN, .2, .03);
    o.skew = 1;
    o.hot_key = 1;
    const survey all = survey_of(&o);
    CU_ASSERT_EQUAL(all.on_first_site, PAGES_CORPUS_PLAN);
    CU_ASSERT_EQUAL(all.licences, PAGES_CORPUS_PLAN);
}

ND_TEST("ten thousand million pages") {
    nd_corpus_options o = BASE;
    o.pages = UINT64_C(10000000000);
    ND_OWNED(nd_corpus_plan_free) nd_corpus_plan *plan = plan_of(&o);
    nd_page_plan first, again;
    nd_corpus_plan_page(plan, o.pages - 1, &first);
    nd_corpus_plan_page(plan, 0, &again);
    nd_corpus_plan_page(plan, o.pages - 1, &again);
    CU_ASSERT_EQUAL(first.story, again.story);
    CU_ASSERT_EQUAL(first.member, again.member);
    CU_ASSERT_EQUAL(first.site, again.site);
}

ND_TEST("bad options") {
    static const struct {
        nd_corpus_options options;
        const char *name;
    } bad[] = {
        {{.pages = 0, .page_bytes = 23000}, "--pages"},
        {{.pages = UINT64_MAX, .page_bytes = 23000}, "--pages"},
        {{.pages = 10, .page_bytes = 10}, "--page-bytes"},
        {{.pages = 10, .page_bytes = UINT64_MAX}, "--page-bytes"},
        {{.pages = 10, .page_bytes = 23000, .text = 4}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .text = 37}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .text = -20}, "--text"},
        {{.pages = 10, .page_bytes = 6000, .text = 20}, "--text"},
        {{.pages = 10, .page_bytes = 23000, .sites = 11}, "--sites"},
        {{.pages = 10, .page_bytes = 23000, .skew = -.1}, "--skew"},
        {{.pages = 10, .page_bytes = 23000, .skew = 1.5}, "--skew"},
        {{.pages = 10, .page_bytes = 23000, .hot_key = 2}, "--hot-key"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        nd_corpus_plan *plan = NULL;
        CU_ASSERT_EQUAL(nd_corpus_plan_new(&bad[i].options, &plan), ND_ERR_USAGE);
        CU_ASSERT_PTR_NULL(plan);
        CU_ASSERT_PTR_EQUAL(strstr(nd_fail_text(), bad[i].name), nd_fail_text());
    }
}

/* ---- Markup of synthetic pages: as much of it as asked for, as compressible as that of real
 * pages, the same on all pages of a site's design, and nothing of it in what the extractor finds.
 */

enum { PAGES_PAGE_MARKUP = 1200 };

static void open_markup(nd_made_pages *c, uint64_t page_bytes, double text) {
    const nd_corpus_options options = {.pages = PAGES_PAGE_MARKUP,
                                       .seed = 21,
                                       .page_bytes = page_bytes,
                                       .text = text,
                                       .sites = 30,
                                       .hot_key = .1};
    nd_made_pages_open(c, &options);
}

/* ---- what is extracted */

static bool same_blocks(const nd_page *a, const nd_page *b) {
    return a->block_count == b->block_count &&
           memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0;
}

static bool same_tokens(const nd_page *a, const nd_page *b) {
    return a->token_count == b->token_count && a->sentence_count == b->sentence_count &&
           memcmp(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) == 0;
}

/* Every page, with markup and without: text, blocks, links and tokens are the same. */
static void check_extracted(uint64_t page_bytes, double percent) {
    ND_OWNED(nd_made_pages_close) nd_made_pages with, without;
    ND_OWNED(nd_page_free) nd_page a = {0}, b = {0};
    uint64_t seen[ND_PAGE_CLASSES] = {0};
    open_markup(&with, page_bytes, percent);
    open_markup(&without, nd_markup_share_of(page_bytes, percent).plain_bytes, 0);
    for (uint64_t i = 0; i < PAGES_PAGE_MARKUP; i++) {
        const nd_span marked = nd_made_pages_make(&with, i);
        const nd_span plain = nd_made_pages_make(&without, i);
        CU_ASSERT_TRUE(percent > 30 || marked.size > plain.size);
        ND_TEST_OK(nd_page_from_html(&a, marked));
        ND_TEST_OK(nd_page_from_html(&b, plain));
        const bool same = nd_span_is_equal(nd_buffer_span(&a.text), nd_buffer_span(&b.text)) &&
                          same_blocks(&a, &b) && same_tokens(&a, &b);
        CU_ASSERT_TRUE(same);
        CU_ASSERT_TRUE(nd_span_is_equal(nd_buffer_span(&with.page.cluster),
                                        nd_buffer_span(&without.page.cluster)));
        seen[with.page.plan.class]++;
        if (!same) {
            (void)printf("%g percent, page %llu, class %s\n", percent, (unsigned long long)i,
                         nd_page_class_get(with.page.plan.class)->name);
        }
    }
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        CU_ASSERT_TRUE(seen[i] > 0);
    }
}

ND_TEST("nothing of it is extracted") {
    check_extracted(23000, 20);
    check_extracted(44000, ND_TEXT_LEAST);
    check_extracted(8000, ND_TEXT_MOST);
}

/* ---- how much there is, and how it packs */

/* Means over the pages of a corpus. */
typedef struct means {
    double bytes, text, tokens, packed;
} means;

/* Bytes of text without white space around the blocks. */
static size_t text_bytes(const nd_page *page) {
    size_t bytes = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        bytes += page->blocks[i].end - page->blocks[i].begin;
    }
    return bytes;
}

static double packed_bytes(nd_span html) {
    enum { LEVEL = 6 };
    uLongf size = compressBound(html.size);
    Bytef *packed = nd_alloc(size, 1);
    CU_ASSERT_EQUAL(compress2(packed, &size, html.data, html.size, LEVEL), Z_OK);
    free(packed);
    return (double)size;
}

static means means_of(uint64_t page_bytes, double percent) {
    ND_OWNED(nd_made_pages_close) nd_made_pages c;
    ND_OWNED(nd_page_free) nd_page page = {0};
    means m = {0};
    open_markup(&c, page_bytes, percent);
    for (uint64_t i = 0; i < PAGES_PAGE_MARKUP; i += 2) {
        const nd_span html = nd_made_pages_make(&c, i);
        ND_TEST_OK(nd_page_from_html(&page, html));
        m.bytes += (double)html.size / (PAGES_PAGE_MARKUP / 2);
        m.text += (double)text_bytes(&page) / (PAGES_PAGE_MARKUP / 2);
        m.tokens += (double)page.token_count / (PAGES_PAGE_MARKUP / 2);
        m.packed += packed_bytes(html) / (PAGES_PAGE_MARKUP / 2);
    }
    return m;
}

ND_TEST("as much as asked for") {
    static const struct {
        uint64_t page_bytes;
        double percent;
    } corpora[] = {{44000, ND_TEXT_LEAST}, {23000, 10},           {23000, 20},
                   {12000, 30.5},          {23000, ND_TEXT_MOST}, {100000, 15}};
    for (size_t i = 0; i < sizeof corpora / sizeof corpora[0]; i++) {
        const double wanted = (double)corpora[i].page_bytes;
        const means m = means_of(corpora[i].page_bytes, corpora[i].percent);
        const double percent = 100 * m.text / m.bytes;
        CU_ASSERT_DOUBLE_EQUAL(m.bytes, wanted, wanted / 10);
        CU_ASSERT_DOUBLE_EQUAL(percent, corpora[i].percent, corpora[i].percent / 10);
        (void)printf("%.0f bytes for %.0f, %.1f %% text for %.1f, packs %.2f : 1\n", m.bytes,
                     wanted, percent, corpora[i].percent, m.bytes / m.packed);
    }
}

/* As real pages of that share of text. */
ND_TEST("it packs as real pages do") {
    const means m = means_of(23000, 20);
    CU_ASSERT_TRUE(m.bytes / m.packed > 4 && m.bytes / m.packed < 5);
    CU_ASSERT_TRUE(1000 * m.tokens / m.bytes > 35 && 1000 * m.tokens / m.bytes < 50);
    const means plain = means_of(23000, 0);
    CU_ASSERT_TRUE(plain.bytes / plain.packed < 3.2);
}

/* ---- Synthetic pages as the program reads them: each can be made alone, main texts come through
 * the extractor whole, and pages that look alike stand in the relation that their class says. */

enum { MADE_PAGES = 3000 };

static void open_pages(nd_made_pages *c, uint64_t seed, double hot_key) {
    const nd_corpus_options options = {
        .pages = MADE_PAGES, .seed = seed, .page_bytes = 12000, .hot_key = hot_key};
    nd_made_pages_open(c, &options);
}

/* A page that is made first and one that is made after others are the same. */
ND_TEST("a page made alone") {
    nd_made_pages one, all, other;
    open_pages(&all, 5, .5);
    open_pages(&other, 6, .5);
    for (uint64_t i = 0; i < 300; i++) {
        (void)nd_made_pages_make(&all, i);
        (void)nd_made_pages_make(&other, i);
        CU_ASSERT_FALSE(
            nd_span_is_equal(nd_buffer_span(&all.page.html), nd_buffer_span(&other.page.html)));
        if (i % 7 == 0) {
            open_pages(&one, 5, .5);
            (void)nd_made_pages_make(&one, i);
            CU_ASSERT_TRUE(
                nd_span_is_equal(nd_buffer_span(&one.page.html), nd_buffer_span(&all.page.html)));
            CU_ASSERT_TRUE(
                nd_span_is_equal(nd_buffer_span(&one.page.url), nd_buffer_span(&all.page.url)));
            CU_ASSERT_TRUE(
                nd_span_is_equal(nd_buffer_span(&one.page.id), nd_buffer_span(&all.page.id)));
            CU_ASSERT_TRUE(nd_span_is_equal(nd_buffer_span(&one.page.cluster),
                                            nd_buffer_span(&all.page.cluster)));
            CU_ASSERT_EQUAL(one.page.similarity, all.page.similarity);
            nd_made_pages_close(&one);
        }
    }
    nd_made_pages_close(&all);
    nd_made_pages_close(&other);
}

/* ---- the text, as extracted */

/* The main text without HTML, one sentence after the other, as the extractor should give it. */
static void plain_text(const nd_made_pages *c, nd_buffer *out) {
    const nd_story *story = &c->factory.story;
    out->size = 0;
    for (size_t i = 0; i < story->words.count; i++) {
        const nd_word word = story->words.items[i];
        nd_buffer_append_text(out, " ");
        if ((word & ND_WORD_DECIMAL) != 0) {
            nd_text_number(out, word & ND_WORD_VALUE, 1);
        } else {
            nd_text_span(out,
                         nd_vocabulary_word(c->vocabulary, story->language, word & ND_WORD_VALUE));
        }
    }
}

/* Where the tokens of `part` stand in `whole`, one after the other; SIZE_MAX if they do not. */
static size_t find_tokens(const nd_page *whole, const nd_page *part) {
    for (size_t i = 0; i + part->token_count <= whole->token_count; i++) {
        if (memcmp(whole->tokens + i, part->tokens, part->token_count * sizeof *part->tokens) ==
            0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Every class of page, in both languages: the extractor finds the story's tokens in the page. */
ND_TEST("the main text comes through the extractor") {
    ND_OWNED(nd_made_pages_close) nd_made_pages c;
    ND_OWNED(nd_page_free) nd_page page = {0}, story = {0};
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    uint64_t seen[ND_PAGE_CLASSES] = {0};
    open_pages(&c, 8, 0);
    for (uint64_t i = 0; i < MADE_PAGES; i++) {
        (void)nd_made_pages_make(&c, i);
        const nd_page_class class = c.page.plan.class;
        if (seen[class]++ >= 12) {
            continue;
        }
        plain_text(&c, &text);
        ND_TEST_OK(nd_page_from_html(&page, nd_buffer_span(&c.page.html)));
        ND_TEST_OK(nd_page_from_text(&story, nd_buffer_span(&text)));
        CU_ASSERT_EQUAL(story.token_count, c.page.tokens);
        CU_ASSERT_NOT_EQUAL(find_tokens(&page, &story), SIZE_MAX);
        CU_ASSERT_TRUE(page.token_count > story.token_count);
        if (find_tokens(&page, &story) == SIZE_MAX) {
            (void)printf("page %llu, class %s\n", (unsigned long long)i,
                         nd_page_class_get(class)->name);
        }
    }
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        CU_ASSERT_TRUE(seen[i] > 0);
    }
}

/* ---- relations between pages */

/* Sentences by the hash of their tokens. */
static uint64_t sentence_hash(const nd_story *story, size_t number) {
    uint64_t hash = 1;
    for (size_t i = nd_story_first_word(story, number); i < story->sentences.items[number]; i++) {
        hash = nd_mix64(hash + (story->words.items[i] & ~ND_WORD_COMMA) + 1);
    }
    return hash;
}

/* Words of `story` in sentences of at least `least` words that the hashes hold. */
static uint64_t words_shared(const nd_story *story, const uint64_t *hashes, size_t count,
                             size_t least) {
    uint64_t words = 0;
    for (size_t s = 0; s < story->sentences.count; s++) {
        const size_t size = story->sentences.items[s] - nd_story_first_word(story, s);
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || hashes[i] == sentence_hash(story, s);
        }
        words += found && size >= least ? size : 0;
    }
    return words;
}

typedef struct relation {
    nd_page_class class;
    double least, most; /* share of the words in whole sentences of another page of the family */
    bool same_site;
} relation;
static const relation relations[] = {
    {ND_PAGE_TEMPLATE, 0, 0, true},     {ND_PAGE_FORM, .2, .95, true},
    {ND_PAGE_SERIES, .001, .75, true},  {ND_PAGE_QUOTING, .02, .75, false},
    {ND_PAGE_HEADLINES, .5, .99, true}, {ND_PAGE_TOPIC, 0, 0, false},
};

/* The pages of the second member, and the first, of each family of a class. */
static void check_relation(nd_made_pages *c, const relation *r) {
    enum { MOST_SENTENCES = 4096 };
    static uint64_t hashes[MOST_SENTENCES];
    uint64_t checked = 0;
    for (uint64_t i = 0; i < MADE_PAGES; i++) {
        nd_page_plan a, b;
        nd_corpus_plan_page(c->plan, i, &a);
        if (a.class != r->class || a.member != 0) {
            continue;
        }
        nd_synthetic_page_make(&c->factory, i, &c->page);
        const size_t count = c->factory.story.sentences.count;
        CU_ASSERT_TRUE_FATAL(count <= MOST_SENTENCES);
        for (size_t s = 0; s < count; s++) {
            hashes[s] = sentence_hash(&c->factory.story, s);
        }
        uint64_t j = 0;
        do {
            nd_corpus_plan_page(c->plan, j++, &b);
        } while (j < MADE_PAGES && (b.story != a.story || b.member != 1));
        nd_synthetic_page_make(&c->factory, b.page, &c->page);
        const double shared = (double)words_shared(&c->factory.story, hashes, count, 1) /
                              (double)c->factory.story.words.count;
        CU_ASSERT_TRUE(shared >= r->least && shared <= r->most);
        if (shared < r->least || shared > r->most) {
            (void)printf("class %s: %.3f\n", nd_page_class_get(r->class)->name, shared);
        }
        CU_ASSERT_TRUE(!r->same_site || a.site == b.site);
        CU_ASSERT_EQUAL(c->page.cluster.data[0], 'n');
        checked++;
    }
    CU_ASSERT_TRUE(checked > 0);
}

ND_TEST("pages that look alike") {
    ND_OWNED(nd_made_pages_close) nd_made_pages c;
    open_pages(&c, 9, 0);
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        check_relation(&c, &relations[i]);
    }
}

/* ---- the licence */

ND_TEST("the licence") {
    ND_OWNED(nd_made_pages_close) nd_made_pages with, without;
    open_pages(&with, 11, 1);
    open_pages(&without, 11, 0);
    ND_OWNED(nd_page_free) nd_page a = {0}, b = {0};
    for (uint64_t i = 0; i < 20; i++) {
        (void)nd_made_pages_make(&with, i);
        (void)nd_made_pages_make(&without, i);
        ND_TEST_OK(nd_page_from_html(&a, nd_buffer_span(&with.page.html)));
        ND_TEST_OK(nd_page_from_html(&b, nd_buffer_span(&without.page.html)));
        CU_ASSERT_EQUAL(a.sentence_count, b.sentence_count + 32);
        CU_ASSERT_TRUE(a.token_count >= b.token_count + 32 * 9);
        CU_ASSERT_TRUE(a.token_count <= b.token_count + 32 * 14);
    }
}

/* ---- a corpus is known by its seed */

/* Figures are measured on made-up corpora, which are named by their options alone: these give the
 * same bytes in every version. Where that changes on purpose, the figures are of another corpus. */
ND_TEST("the same bytes") {
    static const struct {
        nd_corpus_options options;
        uint64_t hash;
    } corpora[] = {
        {{.pages = 3000, .seed = 1, .page_bytes = 12000, .hot_key = .2, .skew = .3},
         UINT64_C(0x8ab6bc10d5bd2fd5)},
        {{.pages = 2000000, .seed = 2, .page_bytes = 23000, .profile = ND_PROFILE_CRAWL},
         UINT64_C(0x443c64258ea70eb5)},
        {{.pages = 3000, .seed = 3, .page_bytes = 40000, .text = 30, .sites = 17},
         UINT64_C(0xc2823573627d67ae)},
    };
    for (size_t i = 0; i < sizeof corpora / sizeof corpora[0]; i++) {
        ND_OWNED(nd_made_pages_close) nd_made_pages c;
        uint64_t hash = 0;
        nd_made_pages_open(&c, &corpora[i].options);
        for (uint64_t k = 0; k < 150; k++) {
            (void)nd_made_pages_make(&c, k < 100 ? k : nd_mix64(k) % corpora[i].options.pages);
            const nd_buffer *const parts[] = {&c.page.id, &c.page.url, &c.page.html,
                                              &c.page.cluster};
            for (size_t p = 0; p < 4; p++) {
                hash = XXH3_64bits_withSeed(parts[p]->data, parts[p]->size, hash);
            }
            hash = nd_mix64(hash + c.page.tokens + (uint64_t)(1e6 * c.page.similarity + .5));
        }
        if (hash != corpora[i].hash) {
            printf("corpus %zu: %#llx\n", i, (unsigned long long)hash);
            CU_FAIL("another corpus");
        }
    }
}
