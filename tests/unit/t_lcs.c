/* LCS: the example of Myers' paper and the corners of the contract, for each kernel. */
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"

#include <string.h>

typedef nd_status (*kernel)(const uint32_t *, size_t, const uint32_t *, size_t, uint64_t,
                            nd_lcs_work *, uint64_t *);
static const kernel kernels[] = {nd_lcs_length, nd_lcs_myers, nd_lcs_bits};
enum { KERNELS = sizeof kernels / sizeof kernels[0], MAX_TEXT = 64 };

static size_t tokens_of(const char *text, uint32_t *tokens) {
    size_t count = strlen(text);
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)text[i];
    }
    return count;
}

/* Every kernel must return `expected` for the two texts, in both orders. */
static void check(const char *text_a, const char *text_b, uint64_t at_least, uint64_t expected) {
    uint32_t a[MAX_TEXT], b[MAX_TEXT];
    size_t n = tokens_of(text_a, a), m = tokens_of(text_b, b);
    nd_lcs_work work = {0};
    for (size_t i = 0; i < KERNELS; i++) {
        uint64_t forth = UINT64_MAX, back = UINT64_MAX;
        CU_ASSERT_EQUAL(kernels[i](a, n, b, m, at_least, &work, &forth), ND_OK);
        CU_ASSERT_EQUAL(forth, expected);
        CU_ASSERT_EQUAL(kernels[i](b, m, a, n, at_least, &work, &back), ND_OK);
        CU_ASSERT_EQUAL(back, expected);
    }
    nd_lcs_work_free(&work);
}

/* Myers 1986, figure 1: D = 5, so the LCS has (7 + 6 - 5) / 2 tokens, and r = 4 / (7 + 6 - 4). */
static void test_example_of_myers(void) {
    uint32_t a[MAX_TEXT], b[MAX_TEXT];
    size_t n = tokens_of("abcabba", a), m = tokens_of("cbabac", b);
    uint64_t length = 0;
    check("abcabba", "cbabac", 0, 4);
    CU_ASSERT_EQUAL(nd_lcs_table(a, n, b, m, &length), ND_OK);
    CU_ASSERT_EQUAL(length, 4);
    CU_ASSERT_EQUAL(n + m - 2 * length, 5);
}

static void test_limit_at_and_above_the_length(void) {
    check("abcabba", "cbabac", 4, 4);
    check("abcabba", "cbabac", 5, 0);
    check("abcabba", "cbabac", 100, 0);
}

static void test_empty_sequences(void) {
    nd_lcs_work work = {0};
    check("", "", 0, 0);
    check("abc", "", 0, 0);
    check("abc", "", 1, 0);
    for (size_t i = 0; i < KERNELS; i++) {
        uint64_t length = UINT64_MAX;
        CU_ASSERT_EQUAL(kernels[i](NULL, 0, NULL, 0, 0, &work, &length), ND_OK);
        CU_ASSERT_EQUAL(length, 0);
    }
    nd_lcs_work_free(&work);
}

static void test_identical_and_disjoint(void) {
    check("the same text", "the same text", 0, 13);
    check("the same text", "the same text", 13, 13);
    check("aaaa", "bbb", 0, 0);
    check("aaaa", "aa", 0, 2);
}

/* Of a swap of two parts only the longer part is common. */
static void test_swapped_parts(void) {
    check("abcdefgh12345", "12345abcdefgh", 0, 8);
    check("abcdefgh12345", "12345abcdefgh", 9, 0);
}

static const uint64_t *first_row; /* of the watched kernel */
static size_t reached;            /* words from there on that a row has worked */
static size_t widest;             /* most words that a row has worked */

static void add_watched(uint64_t *v, size_t words, const uint64_t *const *masks, size_t rows) {
    first_row = first_row == NULL ? v : first_row;
    const size_t end = (size_t)(v - first_row) + words;
    reached = end > reached ? end : reached;
    widest = words > widest ? words : widest;
    nd_lcs_bits_plain.add(v, words, masks, rows);
}

/* With a quarter of the tokens to spare the band is half as wide as the row at first; it must not
 * reach past the last word, where the memory of the row and of the masks ends. */
static void check_band(size_t ids) {
    enum { TOKENS = 4096, WORDS = TOKENS / 64 };
    nd_lcs_bits_variant watched = nd_lcs_bits_plain;
    static uint32_t tokens[TOKENS];
    nd_lcs_work work = {0};
    uint64_t length = 0;
    watched.add = add_watched;
    first_row = NULL;
    reached = widest = 0;
    for (uint32_t i = 0; i < TOKENS; i++) {
        tokens[i] = i;
    }
    nd_lcs_pair pair = {
        .a = tokens, .b = tokens, .n = TOKENS, .m = TOKENS, .at_least = TOKENS / 4 * 3};
    nd_lcs_band_length(&watched, &pair, ids, &work, &length);
    CU_ASSERT_EQUAL(length, TOKENS);
    CU_ASSERT_EQUAL(reached, WORDS);
    CU_ASSERT(widest <= WORDS / 2 + 2);
    nd_lcs_work_free(&work);
}

static void test_band_ends_with_the_row(void) {
    check_band(0);
    check_band(4096);
}

static const nd_test tests[] = {
    {"the example of Myers", test_example_of_myers},
    {"limits at and above the length", test_limit_at_and_above_the_length},
    {"empty sequences", test_empty_sequences},
    {"identical and disjoint", test_identical_and_disjoint},
    {"swapped parts", test_swapped_parts},
    {"the band ends with the row", test_band_ends_with_the_row},
};
ND_SUITE(t_lcs, tests)
