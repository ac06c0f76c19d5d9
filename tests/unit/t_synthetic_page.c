/* Synthetic pages as the program reads them: each can be made alone, main texts come through the
 * extractor whole, and pages that look alike stand in the relation that their class says. */
#include "src/synth/synthetic_page.h"

#include "src/synth/corpus_plan.h"
#include "src/text/page.h"
#include "tests/support/check.h"
#include "tests/support/made_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PAGES = 3000 };

static void open_corpus(nd_made_pages *c, uint64_t seed, double hot_key) {
    const nd_corpus_options options = {
        .pages = PAGES, .seed = seed, .page_bytes = 12000, .hot_key = hot_key};
    nd_made_pages_open(c, &options);
}

static bool equal(const nd_buffer *a, const nd_buffer *b) {
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* A page that is made first and one that is made after others are the same. */
static void test_alone(void) {
    nd_made_pages one, all, other;
    open_corpus(&all, 5, .5);
    open_corpus(&other, 6, .5);
    for (uint64_t i = 0; i < 300; i++) {
        (void)nd_made_pages_make(&all, i);
        (void)nd_made_pages_make(&other, i);
        CU_ASSERT_FALSE(equal(&all.page.html, &other.page.html));
        if (i % 7 == 0) {
            open_corpus(&one, 5, .5);
            (void)nd_made_pages_make(&one, i);
            CU_ASSERT_TRUE(equal(&one.page.html, &all.page.html));
            CU_ASSERT_TRUE(equal(&one.page.url, &all.page.url));
            CU_ASSERT_TRUE(equal(&one.page.id, &all.page.id));
            CU_ASSERT_TRUE(equal(&one.page.cluster, &all.page.cluster));
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
static void test_extracted(void) {
    nd_made_pages c;
    nd_page page = {0}, story = {0};
    nd_buffer text = {0};
    uint64_t seen[ND_PAGE_CLASSES] = {0};
    open_corpus(&c, 8, 0);
    for (uint64_t i = 0; i < PAGES; i++) {
        (void)nd_made_pages_make(&c, i);
        const nd_page_class class = c.page.plan.class;
        if (seen[class]++ >= 12) {
            continue;
        }
        plain_text(&c, &text);
        CU_ASSERT_EQUAL(nd_page_from_html(&page, nd_buffer_span(&c.page.html)), ND_OK);
        CU_ASSERT_EQUAL(nd_page_from_text(&story, nd_buffer_span(&text)), ND_OK);
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
    nd_page_free(&page);
    nd_page_free(&story);
    nd_buffer_free(&text);
    nd_made_pages_close(&c);
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
    for (uint64_t i = 0; i < PAGES; i++) {
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
        } while (j < PAGES && (b.story != a.story || b.member != 1));
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

static void test_look_alikes(void) {
    nd_made_pages c;
    open_corpus(&c, 9, 0);
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        check_relation(&c, &relations[i]);
    }
    nd_made_pages_close(&c);
}

/* The same topic: the pages have rare words in common that other stories have not. */
static uint64_t rare_words_shared(const nd_story *a, const nd_story *b) {
    enum { RARE = 20000 };
    uint64_t shared = 0;
    for (size_t i = 0; i < b->words.count; i++) {
        const nd_word word = b->words.items[i] & ~ND_WORD_COMMA;
        bool found = false;
        for (size_t j = 0; j < a->words.count && word >= RARE && word < ND_WORD_COMMA; j++) {
            found = found || (a->words.items[j] & ~ND_WORD_COMMA) == word;
        }
        shared += found;
    }
    return shared;
}

static void test_topic(void) {
    nd_made_pages c, d;
    open_corpus(&c, 10, 0);
    open_corpus(&d, 10, 0);
    uint64_t pages[2] = {PAGES, PAGES};
    uint64_t story = UINT64_MAX;
    for (uint64_t i = 0; i < PAGES; i++) {
        nd_page_plan p;
        nd_corpus_plan_page(c.plan, i, &p);
        if (p.class == ND_PAGE_TOPIC && p.member < 2 && (story == UINT64_MAX || story == p.story)) {
            story = p.story;
            pages[p.member] = i;
        }
    }
    CU_ASSERT_TRUE_FATAL(pages[0] < PAGES && pages[1] < PAGES);
    nd_synthetic_page_make(&c.factory, pages[0], &c.page);
    nd_synthetic_page_make(&d.factory, pages[1], &d.page);
    CU_ASSERT_TRUE(10 * rare_words_shared(&c.factory.story, &d.factory.story) >
                   d.factory.story.words.count);
    nd_made_pages_close(&c);
    nd_made_pages_close(&d);
}

/* ---- the licence */

static void test_licence(void) {
    nd_made_pages with, without;
    open_corpus(&with, 11, 1);
    open_corpus(&without, 11, 0);
    nd_page a = {0}, b = {0};
    for (uint64_t i = 0; i < 20; i++) {
        (void)nd_made_pages_make(&with, i);
        (void)nd_made_pages_make(&without, i);
        CU_ASSERT_EQUAL(nd_page_from_html(&a, nd_buffer_span(&with.page.html)), ND_OK);
        CU_ASSERT_EQUAL(nd_page_from_html(&b, nd_buffer_span(&without.page.html)), ND_OK);
        CU_ASSERT_EQUAL(a.sentence_count, b.sentence_count + 32);
        CU_ASSERT_TRUE(a.token_count >= b.token_count + 32 * 9);
        CU_ASSERT_TRUE(a.token_count <= b.token_count + 32 * 14);
    }
    nd_page_free(&a);
    nd_page_free(&b);
    nd_made_pages_close(&with);
    nd_made_pages_close(&without);
}

/* ---- a corpus is known by its seed */

/* Figures are measured on made-up corpora, which are named by their options alone: these give the
 * same bytes in every version. Where that changes on purpose, the figures are of another corpus. */
static void test_same_bytes(void) {
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
        nd_made_pages c;
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
        nd_made_pages_close(&c);
    }
}

static const nd_test tests[] = {
    {"the same bytes", test_same_bytes},
    {"a page made alone", test_alone},
    {"the main text comes through the extractor", test_extracted},
    {"pages that look alike", test_look_alikes},
    {"one topic, other words", test_topic},
    {"the licence", test_licence},
};

ND_SUITE(t_synthetic_page, tests)
