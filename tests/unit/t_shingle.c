/* Shingles and their resemblance: the examples of the lecture notes, and counts by definition. */
#include "src/compare/jaccard.h"
#include "src/sketch/shingle.h"
#include "tests/support/check.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

enum { MOST = 64 };

static const nd_shingle_options by_two = {.tokens = 2, .modulus = 1, .distinct = true};

/* The words of a text as tokens. */
static size_t tokens_of(const char *text, uint32_t *tokens) {
    size_t count = 0;
    while (*text != '\0') {
        const size_t size = strcspn(text, " ");
        tokens[count++] = (uint32_t)XXH3_64bits(text, size);
        text += size + (text[size] == ' ');
    }
    return count;
}

static size_t shingles_of(const nd_shingle_options *options, const char *text, uint64_t *values) {
    uint32_t tokens[MOST];
    return nd_shingle_values(options, tokens, tokens_of(text, tokens), values);
}

static double resemblance_of(const nd_shingle_options *options, const char *a, const char *b) {
    uint64_t of_a[MOST], of_b[MOST];
    const size_t n = shingles_of(options, a, of_a), m = shingles_of(options, b, of_b);
    return nd_resemblance(of_a, n, of_b, m, 0);
}

/* Gambosi, lecture "Near duplicate detection" (Rome Tor Vergata): bigrams of three documents. */
static void test_jack_london(void) {
    const char *one = "jack london traveled to oakland";
    const char *two = "jack london traveled to the city of oakland";
    const char *three = "jack traveled from oakland to london";
    CU_ASSERT_EQUAL(resemblance_of(&by_two, one, two), 3.0 / 8);
    CU_ASSERT_EQUAL(resemblance_of(&by_two, one, three), 0);
    CU_ASSERT_EQUAL(resemblance_of(&by_two, two, three), 0);
    static nd_rabin rabin;
    nd_rabin_start(&rabin, 1, 2);
    nd_shingle_options by_rabin = by_two;
    by_rabin.rabin = &rabin;
    CU_ASSERT_EQUAL(resemblance_of(&by_rabin, one, two), 3.0 / 8);
    CU_ASSERT_EQUAL(resemblance_of(&by_rabin, one, three), 0);
}

/* The same notes: six shingles of five words; and of the eight of three words, changing "lived" to
 * "was" changes three. */
static void test_changed_word(void) {
    const char *before = "in a hole in the ground there lived a hobbit";
    const char *after = "in a hole in the ground there was a hobbit";
    uint64_t values[MOST];
    nd_shingle_options options = by_two;
    options.tokens = 5;
    CU_ASSERT_EQUAL(shingles_of(&options, before, values), 6);
    options.tokens = 3;
    CU_ASSERT_EQUAL(resemblance_of(&options, before, after), 5.0 / 11);
}

/* "A rose is a rose is a rose" (Broder 1997): three distinct shingles of four words. */
static void test_rose(void) {
    uint64_t values[MOST];
    nd_shingle_options options = {.tokens = 4, .modulus = 1};
    CU_ASSERT_EQUAL(shingles_of(&options, "a rose is a rose is a rose", values), 5);
    options.distinct = true;
    CU_ASSERT_EQUAL(shingles_of(&options, "a rose is a rose is a rose", values), 3);
}

/* Henzinger: n - k + 1 shingles, or n if the window wraps around. */
static void test_counts(void) {
    nd_shingle_options options = {.tokens = 8, .modulus = 1};
    static const size_t plain[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
    static const size_t wrapped[] = {0, 1, 1, 1, 1, 1, 1, 1, 8, 9, 10};
    for (size_t n = 0; n < sizeof plain / sizeof plain[0]; n++) {
        options.wrap = false;
        CU_ASSERT_EQUAL(nd_shingle_places(&options, n), plain[n]);
        options.wrap = true;
        CU_ASSERT_EQUAL(nd_shingle_places(&options, n), wrapped[n]);
    }
}

/* A page turned round has the same shingles if the window wraps around. */
static void test_rotation(void) {
    nd_shingle_options options = by_two;
    options.tokens = 3;
    options.wrap = true;
    CU_ASSERT_EQUAL(resemblance_of(&options, "a b c d e", "d e a b c"), 1);
    options.wrap = false;
    CU_ASSERT_EQUAL(resemblance_of(&options, "a b c d e", "d e a b c"), 1.0 / 5);
}

/* Shorter than a shingle: one shingle, of all tokens. */
static void test_short_pages(void) {
    nd_shingle_options options = by_two;
    options.tokens = 8;
    CU_ASSERT_EQUAL(resemblance_of(&options, "not found", "not found"), 1);
    CU_ASSERT_EQUAL(resemblance_of(&options, "not found", "not found here"), 0);
    CU_ASSERT_EQUAL(resemblance_of(&options, "", ""), 0);
    CU_ASSERT_EQUAL(resemblance_of(&options, "", "not found"), 0);
}

static void test_seeds_differ(void) {
    uint64_t one[MOST], other[MOST];
    nd_shingle_options options = by_two;
    CU_ASSERT_EQUAL(shingles_of(&options, "not found", one), 1);
    options.seed = 1;
    CU_ASSERT_EQUAL(shingles_of(&options, "not found", other), 1);
    CU_ASSERT_NOT_EQUAL(one[0], other[0]);
}

/* J = 2/4: rows (1,1) (0,0) (1,1) (1,0) (0,1), of which the second is in neither set. */
static void test_columns(void) {
    const uint64_t one[] = {1, 3, 4}, two[] = {1, 3, 5};
    CU_ASSERT_EQUAL(nd_resemblance(one, 3, two, 3, 0), 0.5);
    CU_ASSERT_EQUAL(nd_resemblance(one, 3, two, 3, 0.5), 0.5);
    CU_ASSERT_EQUAL(nd_resemblance(one, 3, two, 3, 0.51), 0);
}

static const nd_test tests[] = {
    {"Jack London", test_jack_london},         {"a changed word", test_changed_word},
    {"a rose is a rose is a rose", test_rose}, {"counts", test_counts},
    {"a page turned round", test_rotation},    {"short pages", test_short_pages},
    {"seeds differ", test_seeds_differ},       {"resemblance of columns", test_columns},
};
ND_SUITE(t_shingle, tests)
