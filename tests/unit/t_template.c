/* Templates of small sites, written as strings: a character is a sentence, of one token. */
#include "src/sets/template.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, LONGEST = 64 };

/* The template of the pages, as a string. */
static const char *template_of(const char *const *texts, size_t count,
                               const nd_template_options *options) {
    static char found[256];
    static nd_template_sentence sentences[MOST][LONGEST];
    nd_template_page pages[MOST] = {{0}};
    uint64_t *hashes = NULL;
    size_t hash_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]);
        for (size_t j = 0; j < length; j++) {
            const uint8_t letter = (uint8_t)texts[i][j];
            sentences[i][j] = (nd_template_sentence){letter, 1, {letter, letter}};
        }
        pages[i] = (nd_template_page){sentences[i], length};
    }
    CU_ASSERT_EQUAL_FATAL(nd_template_find(pages, count, options, &hashes, &hash_count), ND_OK);
    CU_ASSERT_FATAL(hash_count < sizeof found);
    for (size_t i = 0; i < hash_count; i++) {
        found[i] = (char)hashes[i];
    }
    found[hash_count] = '\0';
    free(hashes);
    return found;
}

#define IS(template, ...)                                                                          \
    do {                                                                                           \
        const char *const texts[] = {__VA_ARGS__};                                                 \
        CU_ASSERT_STRING_EQUAL(                                                                    \
            template_of(texts, sizeof texts / sizeof texts[0], &ND_TEMPLATE_DEFAULTS), template);  \
    } while (0)

static void test_what_stands_on_four_classes(void) {
    IS("ab", "abcdefg", "hijkabl", "mnopqab", "rastbuv");
    IS("", "abcdefg", "hijkabl", "mnopqab", "rstuv");
    IS("", "abcdefg", "hijkabl", "mnopqab");
}

static void test_copies_are_one_class(void) {
    /* twenty pages with one story, but for a sentence of each: no template */
    char copies[20][16];
    const char *texts[24];
    for (int i = 0; i < 20; i++) {
        (void)strcpy(copies[i], "abcdefghijk?");
        copies[i][11] = (char)('A' + i);
        texts[i] = copies[i];
    }
    CU_ASSERT_STRING_EQUAL(template_of(texts, 20, &ND_TEMPLATE_DEFAULTS), "");
    /* but what they have in common with three other classes is */
    texts[20] = "alm", texts[21] = "ano", texts[22] = "apq";
    CU_ASSERT_STRING_EQUAL(template_of(texts, 23, &ND_TEMPLATE_DEFAULTS), "a");
}

/* Write sentences that no other page has: the next `count` numbers. \return after them */
static char *write_own(char *to, int count, int *next) {
    for (int i = 0; i < count; i++) {
        *to++ = (char)(*next)++;
    }
    *to = '\0';
    return to;
}

static void test_a_share_of_the_classes(void) {
    enum { PAGES = 60, OWN = 2, FIRST = 130 };
    char pages[PAGES][OWN + 3];
    const char *texts[PAGES];
    int next = FIRST;
    for (int i = 0; i < PAGES; i++) { /* 60 classes: 24 for round one, 6 for round two */
        char *end = write_own(pages[i], OWN, &next);
        *end++ = i < 6 ? 'b' : (char)(1 + i);
        *end++ = i < 5 ? 'a' : '\0';
        *end = '\0';
        texts[i] = pages[i];
    }
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.rounds[1].similarity = .5; /* two shared sentences of four are no copy */
    CU_ASSERT_STRING_EQUAL(template_of(texts, PAGES, &options), "b");
}

/* A frame of 30 sentences makes the first four pages one class; without it they are four, and all
 * have z. */
static void test_second_round_sees_what_is_left(void) {
    enum { FRAME = 30, FIRST = 130, PAGES = 8, ROOM = 80 };
    char pages[PAGES][ROOM];
    char expected[FRAME + 2];
    const char *texts[PAGES];
    int next = FIRST + FRAME;
    for (int i = 0; i < PAGES; i++) {
        int frame = FIRST;
        int *own = i < 4 ? &next : &(int){1 + 16 * (i - 4)};
        char *end = write_own(pages[i], FRAME, &frame);
        end = write_own(end, i < 4 ? 5 : 16, own);
        *end++ = i < 4 ? 'z' : '\0';
        *end = '\0';
        texts[i] = pages[i];
    }
    int frame = FIRST;
    expected[0] = 'z';
    (void)write_own(expected + 1, FRAME, &frame);
    CU_ASSERT_STRING_EQUAL(template_of(texts, PAGES, &ND_TEMPLATE_DEFAULTS), expected);
}

/* Copies of one story that share a third of their sentences with each other are one class once the
 * frame of the site is gone: no template, however many there are. */
static void test_edited_copies_are_one_class(void) {
    enum { FRAME = 6, FIRST = 130, COPIES = 12, OTHERS = 12, ROOM = 24 };
    char pages[COPIES + OTHERS][ROOM];
    const char *texts[COPIES + OTHERS];
    int next = FIRST + FRAME;
    for (int i = 0; i < COPIES + OTHERS; i++) {
        int frame = FIRST;
        char *end = write_own(pages[i], FRAME, &frame);
        if (i <
            COPIES) { /* three of the story's six sentences, which go round, and one of its own */
            for (int k = 0; k < 3; k++) {
                *end++ = (char)('A' + (i + k) % 6);
            }
        }
        (void)write_own(end, i < COPIES ? 1 : 4, &next);
        texts[i] = pages[i];
    }
    char expected[FRAME + 1];
    int frame = FIRST;
    (void)write_own(expected, FRAME, &frame);
    CU_ASSERT_STRING_EQUAL(template_of(texts, COPIES + OTHERS, &ND_TEMPLATE_DEFAULTS), expected);
}

/* Copies of which every sentence was edited somewhere have no sentence in common, but minima. */
static void test_minima(void) {
    enum { COPIES = 8, LENGTH = 4 };
    static nd_template_sentence sentences[COPIES][LENGTH];
    nd_template_page pages[COPIES];
    uint64_t *hashes = NULL;
    size_t count = 0;
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    for (uint32_t i = 0; i < COPIES; i++) {
        for (uint32_t k = 0; k < LENGTH; k++) {
            const uint32_t own = 100 * (i + 1) + k;
            /* one of six is as all others have it, or as the copy before has it */
            sentences[i][k] = (nd_template_sentence){own, 9, {k, own}};
        }
        sentences[i][0].hash = 7;
        pages[i] = (nd_template_page){sentences[i], LENGTH};
    }
    options.rounds[0].similarity = 1;
    options.rounds[0].share = 1.1; /* never */
    CU_ASSERT_EQUAL_FATAL(nd_template_find(pages, COPIES, &options, &hashes, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 0);
    free(hashes);
    for (uint32_t i = 0; i < COPIES * LENGTH;
         i++) { /* of eight minima one is shared: eight classes */
        sentences[i / LENGTH][i % LENGTH].minima[0] = i % LENGTH == 0 ? 1 : 1000 + i;
    }
    CU_ASSERT_EQUAL_FATAL(nd_template_find(pages, COPIES, &options, &hashes, &count), ND_OK);
    CU_ASSERT(count == 1 && hashes[0] == 7);
    free(hashes);

    static const uint32_t text[] = {3, 1, 4, 1, 5, 9, 2, 6}, other[] = {9, 2, 6, 5};
    uint32_t all[ND_TEMPLATE_MINIMA], some[ND_TEMPLATE_MINIMA], least[ND_TEMPLATE_MINIMA];
    nd_template_minima(text, 8, all);
    memset(least, 0xff, sizeof least);
    for (size_t i = 0; i + 1 < 8; i++) {
        nd_template_minima(text + i, 2, some);
        for (size_t m = 0; m < ND_TEMPLATE_MINIMA; m++) {
            least[m] = some[m] < least[m] ? some[m] : least[m];
        }
    }
    CU_ASSERT_EQUAL(memcmp(all, least, sizeof all), 0);
    nd_template_minima(other, 4, some);
    CU_ASSERT_NOT_EQUAL(memcmp(all, some, sizeof all), 0);
    nd_template_minima(text, 1, all);
    nd_template_minima(text, 0, some);
    CU_ASSERT(all[0] < UINT32_MAX && some[0] == UINT32_MAX && some[1] == UINT32_MAX);
}

/* Is the frame of a site found by its first round? Each page has it and `own` sentences of eight
 * tokens, at most four, of whose minima, twice as many, all pages share some. */
static bool frame_is_template(size_t own, size_t shared, uint32_t frame_tokens, double edited) {
    enum { COPIES = 8, LENGTH = 4, FRAME = 7 };
    nd_template_sentence sentences[COPIES][LENGTH + 1];
    nd_template_page pages[COPIES];
    uint64_t *hashes = NULL;
    size_t count = 0;
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.rounds[0].edited = edited;
    options.rounds[1].share = 1.1; /* never */
    for (uint32_t i = 0; i < COPIES; i++) {
        for (uint32_t k = 0; k < own; k++) {
            const uint32_t hash = 100 * (i + 1) + k;
            sentences[i][k] = (nd_template_sentence){hash, 8, {k < shared ? k : hash, hash}};
        }
        sentences[i][own] = (nd_template_sentence){FRAME, frame_tokens, {FRAME, FRAME}};
        pages[i] = (nd_template_page){sentences[i], own + 1};
    }
    CU_ASSERT_EQUAL_FATAL(nd_template_find(pages, COPIES, &options, &hashes, &count), ND_OK);
    const bool found = count == 1 && hashes[0] == FRAME;
    CU_ASSERT(found || count == 0);
    free(hashes);
    return found;
}

/* Copies of which every sentence was edited are one class, though far from similar: a quarter of
 * what is left of them without the frame. Where the frame is most of them they are a form. */
static void test_edits(void) {
    const double edited = ND_TEMPLATE_DEFAULTS.rounds[0].edited;
    CU_ASSERT_TRUE(frame_is_template(4, 2, 8, edited));
    CU_ASSERT_FALSE(frame_is_template(4, 3, 8, edited));
    CU_ASSERT_FALSE(frame_is_template(4, 3, 32, edited));
    CU_ASSERT_TRUE(frame_is_template(4, 3, 33, edited));
    /* exactly so much, two of ten, and exactly half of the page: rounded one way throughout */
    CU_ASSERT_FALSE(frame_is_template(3, 2, 24, .2));
}

static void test_options(void) {
    static const char *const texts[] = {"abc", "ade", "afg"};
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.least_classes = 3;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 3, &options), "a");
    options.least_site = 4;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 3, &options), "");
}

static void test_small_site(void) {
    static const char *const texts[] = {"abc", "ade", "afg", ""};
    nd_template_options options = ND_TEMPLATE_DEFAULTS;
    options.small_site = 3; /* the empty page does not count */
    CU_ASSERT_STRING_EQUAL(template_of(texts, 4, &options), "a");
    options.small_site = 2;
    CU_ASSERT_STRING_EQUAL(template_of(texts, 4, &options), "");
}

/* The repeated ones of `others`, on a site without a template. */
static nd_template_lists repeated_of(const nd_template_page *pages, const nd_template_page *others,
                                     size_t count, const nd_template_repeat *options) {
    nd_template_lists lists;
    nd_template_options none = ND_TEMPLATE_DEFAULTS;
    none.least_site = UINT64_MAX;
    CU_ASSERT_EQUAL(nd_template_lists_find(pages, others, count, &none, options, &lists), ND_OK);
    CU_ASSERT_EQUAL(lists.template_count, 0);
    return lists;
}

/* Three pages, the first two of one class; their links. */
static void test_repeated(void) {
    static const nd_template_sentence first[] = {{1, 9, {1, 1}}, {2, 1, {2, 2}}},
                                      second[] = {{1, 9, {1, 1}}}, third[] = {{3, 9, {3, 3}}};
    static const nd_template_sentence links[] = {{20, 0, {20, 20}},
                                                 {10, 0, {10, 10}},
                                                 {30, 0, {30, 30}},
                                                 {10, 0, {10, 10}},
                                                 {40, 0, {40, 40}}};
    const nd_template_page pages[] = {{first, 2}, {second, 1}, {third, 1}, {NULL, 0}};
    const nd_template_page others[] = {{links, 2}, {links, 3}, {links + 2, 2}, {links + 4, 1}};
    nd_template_repeat options = {.similarity = .6, .least_classes = 2, .least_site = 3};
    nd_template_lists lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL_FATAL(lists.repeated_count, 2);
    CU_ASSERT_EQUAL(lists.repeated[0], 10);
    CU_ASSERT_EQUAL(lists.repeated[1], 30);
    nd_template_lists_free(&lists);
    options.similarity = .95;
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 3);
    nd_template_lists_free(&lists);
    options.share = .5; /* of four classes */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 3);
    nd_template_lists_free(&lists);
    options.share = .51; /* 10 alone stands in three */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 1);
    nd_template_lists_free(&lists);
    options.least_site = 5; /* there are four classes: nothing is known, all may be repeated */
    lists = repeated_of(pages, others, 4, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 4);
    nd_template_lists_free(&lists);
    lists = repeated_of(NULL, NULL, 0, &options);
    CU_ASSERT_EQUAL(lists.repeated_count, 0);
    nd_template_lists_free(&lists);
}

static void test_empty_pages_and_repeats(void) {
    IS("");
    IS("", "", "", "", "", "");
    IS("", "aaaa", "", "abcd", "", "");
    IS("a", "aab", "aac", "ada", "eaaa", "");
}

static void test_tokens_are_weights(void) {
    /* b, c, d, e and f weigh so little that all pages are of one class, the other way round not */
    for (uint32_t heavy = 0; heavy < 2; heavy++) {
        nd_template_sentence sentences[5][2];
        nd_template_page pages[5];
        uint64_t *hashes = NULL;
        size_t count = 0;
        for (uint32_t i = 0; i < 5; i++) {
            sentences[i][0] = (nd_template_sentence){'a', heavy == 1 ? 20 : 1, {'a', 'a'}};
            sentences[i][1] = (nd_template_sentence){'b' + i, 2, {'b' + i, 'b' + i}};
            pages[i] = (nd_template_page){sentences[i], 2};
        }
        CU_ASSERT_EQUAL(nd_template_find(pages, 5, &ND_TEMPLATE_DEFAULTS, &hashes, &count), ND_OK);
        CU_ASSERT_EQUAL(count, 1 - heavy);
        free(hashes);
    }
}

static const nd_test tests[] = {
    {"what stands on four classes", test_what_stands_on_four_classes},
    {"copies are one class", test_copies_are_one_class},
    {"a share of the classes", test_a_share_of_the_classes},
    {"edited copies are one class", test_edited_copies_are_one_class},
    {"second round sees what is left", test_second_round_sees_what_is_left},
    {"minima", test_minima},
    {"edits", test_edits},
    {"options", test_options},
    {"small site", test_small_site},
    {"repeated", test_repeated},
    {"empty pages and repeats", test_empty_pages_and_repeats},
    {"tokens are weights", test_tokens_are_weights},
};
ND_SUITE(t_template, tests)
