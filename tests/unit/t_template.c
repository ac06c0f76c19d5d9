/* Templates of small sites, written as strings: a character is a sentence, of one token. */
#include "src/sets/template.h"
#include "tests/support/check.h"

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
            sentences[i][j] = (nd_template_sentence){(uint8_t)texts[i][j], 1};
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

static void test_a_share_of_the_classes(void) {
    char pages[60][4];
    const char *texts[60];
    for (int i = 0; i < 60; i++) { /* 60 classes: 12 for round one, 6 for round two */
        pages[i][0] = (char)(128 + i);
        pages[i][1] = i < 6 ? 'b' : (char)(190 + i);
        pages[i][2] = i < 5 ? 'a' : '\0';
        pages[i][3] = '\0';
        texts[i] = pages[i];
    }
    CU_ASSERT_STRING_EQUAL(template_of(texts, 60, &ND_TEMPLATE_DEFAULTS), "b");
}

static void test_second_round_sees_what_is_left(void) {
    /* The frame a-j makes the first four pages one class; without it they are four, and all have z.
     */
    IS("abcdefghijz", "abcdefghijz1", "abcdefghijz2", "abcdefghijz3", "abcdefghijz4",
       "abcdefghijABCDEFGH", "abcdefghijIJKLMNOP", "abcdefghijQRSTUVWX", "abcdefghijklmnopqr");
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

/* Three pages, the first two of one class; their links. */
static void test_repeated(void) {
    static const nd_template_sentence first[] = {{1, 9}, {2, 1}}, second[] = {{1, 9}},
                                      third[] = {{3, 9}};
    static const nd_template_sentence links[] = {{20, 0}, {10, 0}, {30, 0}, {10, 0}, {40, 0}};
    const nd_template_page pages[] = {{first, 2}, {second, 1}, {third, 1}, {NULL, 0}};
    const nd_template_page others[] = {{links, 2}, {links, 3}, {links + 2, 2}, {links + 4, 1}};
    nd_template_repeat options = {.similarity = .6, .least_classes = 2, .least_site = 3};
    uint64_t *hashes = NULL;
    size_t count = 0;
    CU_ASSERT_EQUAL(nd_template_repeated(pages, others, 4, &options, &hashes, &count), ND_OK);
    CU_ASSERT_EQUAL_FATAL(count, 2);
    CU_ASSERT_EQUAL(hashes[0], 10);
    CU_ASSERT_EQUAL(hashes[1], 30);
    free(hashes);
    options.similarity = .95;
    CU_ASSERT_EQUAL(nd_template_repeated(pages, others, 4, &options, &hashes, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 3);
    free(hashes);
    options.least_site = 5; /* there are four classes: nothing is known, all may be repeated */
    CU_ASSERT_EQUAL(nd_template_repeated(pages, others, 4, &options, &hashes, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 4);
    free(hashes);
    CU_ASSERT_EQUAL(nd_template_repeated(NULL, NULL, 0, &options, &hashes, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 0);
    free(hashes);
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
            sentences[i][0] = (nd_template_sentence){'a', heavy == 1 ? 20 : 1};
            sentences[i][1] = (nd_template_sentence){'b' + i, 2};
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
    {"second round sees what is left", test_second_round_sees_what_is_left},
    {"options", test_options},
    {"small site", test_small_site},
    {"repeated", test_repeated},
    {"empty pages and repeats", test_empty_pages_and_repeats},
    {"tokens are weights", test_tokens_are_weights},
};
ND_TEST_MAIN("template", tests)
