/* Each class of edit does to the words what it promises, seen by other means: the words compared
 * as sequences and as multisets, and by the exact LCS. */
#include "src/synth/story.h"

#include "src/base/sort.h"
#include "src/lcs/lcs.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { STORIES = 60, TRIALS = 6 };

typedef struct trial {
    nd_vocabulary *vocabulary;
    nd_story original, copy;
    nd_story_source source;
    nd_lcs_work work;
    uint64_t common; /* as the edit said */
} trial;

static void start(trial *t, nd_random *random) {
    const nd_language language = (nd_language)nd_random_below(random, ND_LANGUAGES);
    t->source = (nd_story_source){.vocabulary = t->vocabulary,
                                  .language = language,
                                  .topic = {nd_random_next(random)},
                                  .topic_share = .1,
                                  .random = {nd_random_next(random)}};
    nd_story_clear(&t->original, language);
    nd_story_draw_head(&t->original, &t->source);
    nd_story_draw_body(&t->original, &t->source, nd_draw_between(random, 60, 2000));
    CU_ASSERT_TRUE(t->original.paragraphs.count >= 3);
    CU_ASSERT_EQUAL(t->original.paragraphs.items[t->original.paragraphs.count - 1],
                    t->original.sentences.count);
    CU_ASSERT_EQUAL(t->original.sentences.items[t->original.sentences.count - 1],
                    t->original.words.count);
}

static void edit(trial *t, nd_page_class class) {
    t->common = nd_story_edit(&t->copy, &t->original, class, &t->source);
    CU_ASSERT_TRUE(t->copy.words.count > 0);
}

static uint64_t tokens_of(const trial *t, const nd_story *story) {
    return nd_story_tokens(story, t->vocabulary, 0, story->words.count);
}

/* Commas are no words. */
static void drop_commas(nd_story *story) {
    for (size_t i = 0; i < story->words.count; i++) {
        story->words.items[i] &= ~ND_WORD_COMMA;
    }
}

static uint64_t lcs(trial *t) {
    uint64_t length = 0;
    drop_commas(&t->original);
    drop_commas(&t->copy);
    CU_ASSERT_EQUAL(nd_lcs_length(t->original.words.items, t->original.words.count,
                                  t->copy.words.items, t->copy.words.count, 0, &t->work, &length),
                    ND_OK);
    return length;
}

static bool same_list(const nd_word_list *a, const nd_word_list *b) {
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

/* ---- the classes */

static void check_same(trial *t) {
    static const nd_page_class classes[] = {ND_PAGE_ORIGINAL, ND_PAGE_SAME, ND_PAGE_STAMPED,
                                            ND_PAGE_NOISY};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        edit(t, classes[i]);
        CU_ASSERT_TRUE(same_list(&t->original.words, &t->copy.words));
        CU_ASSERT_TRUE(same_list(&t->original.sentences, &t->copy.sentences));
        CU_ASSERT_TRUE(same_list(&t->original.paragraphs, &t->copy.paragraphs));
        CU_ASSERT_TRUE(same_list(&t->original.title, &t->copy.title));
        CU_ASSERT_EQUAL(t->common, tokens_of(t, &t->original));
    }
}

static void check_inserted(trial *t) {
    edit(t, ND_PAGE_INSERTED);
    const uint64_t words = t->original.words.count;
    const uint64_t more = t->copy.words.count - words;
    CU_ASSERT_TRUE(t->copy.paragraphs.count > t->original.paragraphs.count);
    CU_ASSERT_TRUE(more >= 8 && more <= words / 5);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, &t->original));
    CU_ASSERT_EQUAL(lcs(t), words); /* all of it, in order */
}

/* An edited word is lost, new, or both: it costs one or two. */
static void check_words(trial *t, nd_page_class class, double least, double most) {
    edit(t, class);
    const double words = (double)t->original.words.count;
    const double unchanged = (double)lcs(t);
    const double cost = words + (double)t->copy.words.count - 2 * unchanged;
    CU_ASSERT_TRUE(cost > 0);
    CU_ASSERT_TRUE(cost <= 2 * most * words);
    /* a word may find its like elsewhere, but not many can */
    CU_ASSERT_TRUE(cost >= .7 * (least * words - 1));
    CU_ASSERT_TRUE(t->common <= tokens_of(t, &t->original));
    CU_ASSERT_TRUE(t->common <= tokens_of(t, &t->copy));
    if (t->original.language == ND_LANGUAGE_SPACED) { /* where a word is a token */
        const double said = words + (double)t->copy.words.count - 2 * (double)t->common;
        CU_ASSERT_TRUE(said >= least * words - 1 && said <= 2 * most * words);
        CU_ASSERT_TRUE(unchanged >= (double)t->common);
    }
}

static void check_extended(trial *t) {
    edit(t, ND_PAGE_EXTENDED);
    const uint64_t words = t->original.words.count;
    const uint64_t other = t->copy.words.count;
    CU_ASSERT_FALSE(same_list(&t->original.title, &t->copy.title));
    CU_ASSERT_TRUE(other <= words + words / 10 && words <= other + words / 10);
    CU_ASSERT_EQUAL(lcs(t), words < other ? words : other);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, words < other ? &t->original : &t->copy));
}

static int by_word(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Each paragraph of the copy is one of the original, each is there once, not all in place. */
static void check_reordered(trial *t) {
    edit(t, ND_PAGE_REORDERED);
    const nd_story *a = &t->original;
    const nd_story *b = &t->copy;
    CU_ASSERT_EQUAL(a->paragraphs.count, b->paragraphs.count);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, a));
    CU_ASSERT_FALSE(same_list(&a->words, &b->words));
    for (size_t p = 0; p < b->paragraphs.count; p++) {
        const size_t begin = nd_story_first_word(b, nd_story_first_sentence(b, p));
        const size_t size = b->sentences.items[b->paragraphs.items[p] - 1] - begin;
        size_t found = 0;
        for (size_t q = 0; q < a->paragraphs.count; q++) {
            const size_t from = nd_story_first_word(a, nd_story_first_sentence(a, q));
            const size_t length = a->sentences.items[a->paragraphs.items[q] - 1] - from;
            found += length == size && memcmp(a->words.items + from, b->words.items + begin,
                                              size * sizeof *b->words.items) == 0;
        }
        CU_ASSERT_EQUAL(found, 1);
    }
    nd_sort(t->original.words.items, a->words.count, sizeof *a->words.items, by_word);
    nd_sort(t->copy.words.items, b->words.count, sizeof *b->words.items, by_word);
    CU_ASSERT_TRUE(same_list(&a->words, &b->words));
}

static bool contains(const nd_story *whole, const nd_story *part) {
    for (size_t i = 0; i + part->words.count <= whole->words.count; i++) {
        if (memcmp(whole->words.items + i, part->words.items,
                   part->words.count * sizeof *part->words.items) == 0) {
            return true;
        }
    }
    return false;
}

static void check_partial(trial *t) {
    edit(t, ND_PAGE_PARTIAL);
    const bool excerpt = t->copy.words.count < t->original.words.count;
    CU_ASSERT_TRUE(excerpt ? contains(&t->original, &t->copy) : contains(&t->copy, &t->original));
    CU_ASSERT_TRUE(excerpt || t->copy.words.count >= 2 * t->original.words.count);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, excerpt ? &t->copy : &t->original));
}

static void run(const char *name, void (*check)(trial *)) {
    nd_random random = nd_test_random(name);
    trial t = {.vocabulary = NULL};
    t.vocabulary = nd_vocabulary_new();
    for (int i = 0; i < STORIES * TRIALS; i++) {
        start(&t, &random);
        check(&t);
    }
    nd_story_free(&t.original);
    nd_story_free(&t.copy);
    nd_lcs_work_free(&t.work);
    nd_vocabulary_free(&t.vocabulary);
}

static void check_revised(trial *t) {
    check_words(t, ND_PAGE_REVISED, .01, .1);
}

static void check_rewritten(trial *t) {
    check_words(t, ND_PAGE_REWRITTEN, .1, .4);
}

static void test_same(void) {
    run("same", check_same);
}
static void test_inserted(void) {
    run("inserted", check_inserted);
}
static void test_revised(void) {
    run("revised", check_revised);
}
static void test_extended(void) {
    run("extended", check_extended);
}
static void test_reordered(void) {
    run("reordered", check_reordered);
}
static void test_rewritten(void) {
    run("rewritten", check_rewritten);
}
static void test_partial(void) {
    run("partial", check_partial);
}

static const nd_test tests[] = {
    {"P0, P1, P5 leave the words alone", test_same},
    {"P2 inserts paragraphs", test_inserted},
    {"P3 edits 1 to 10 % of the words", test_revised},
    {"P4 adds or removes up to a tenth", test_extended},
    {"P6 moves paragraphs", test_reordered},
    {"U1 edits 10 to 40 % of the words", test_rewritten},
    {"U2 contains or is contained", test_partial},
};

ND_SUITE(p_story_edit, tests)
