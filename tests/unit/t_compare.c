/* What two pages have in common: LCS, cosine, penalties, scores. */
#include "src/compare/cosine.h"
#include "src/compare/penalties.h"
#include "src/compare/score.h"
#include "src/lcs/lcs.h"
#include "src/lcs/lcs_internal.h"
#include "tests/support/check.h"
#include "tests/support/lcs_kernels.h"

#include <math.h>

/* ---- LCS: the example of Myers' paper and the corners of the contract, for each kernel. */

typedef void (*kernel)(const uint32_t *, size_t, const uint32_t *, size_t, uint64_t, nd_lcs_work *,
                       uint64_t *);
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
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    for (size_t i = 0; i < KERNELS; i++) {
        uint64_t forth = UINT64_MAX, back = UINT64_MAX;
        kernels[i](a, n, b, m, at_least, &work, &forth);
        CU_ASSERT_EQUAL(forth, expected);
        kernels[i](b, m, a, n, at_least, &work, &back);
        CU_ASSERT_EQUAL(back, expected);
    }
}

/* Myers 1986, figure 1: D = 5, so the LCS has (7 + 6 - 5) / 2 tokens, and r = 4 / (7 + 6 - 4). */
ND_TEST("the example of Myers") {
    uint32_t a[MAX_TEXT], b[MAX_TEXT];
    size_t n = tokens_of("abcabba", a), m = tokens_of("cbabac", b);
    uint64_t length = 0;
    check("abcabba", "cbabac", 0, 4);
    nd_lcs_table(a, n, b, m, &length);
    CU_ASSERT_EQUAL(length, 4);
    CU_ASSERT_EQUAL(n + m - 2 * length, 5);
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
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
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
}

ND_TEST("the band ends with the row") {
    check_band(0);
    check_band(4096);
}

/* ---- Cosine of term frequencies: what p_compare does not draw. */

/* (1, 2, 2) and (2, 2, 1): 8 / (3 * 3). */
static const nd_term first[] = {{1, 1}, {2, 2}, {3, 2}};
static const nd_term second[] = {{1, 2}, {2, 2}, {3, 1}};

/* Frequencies at the limit: no sum wraps around. */
ND_TEST("large frequencies") {
    const nd_term a[] = {{1, 0xFFFFFFF0}, {2, 1}};
    const nd_term b[] = {{1, 0xFFFFFFF0}, {3, 1}};
    const nd_term c[] = {{2, 0xFFFFFFFF}};
    nd_cosine_digest of_a, of_b;
    CU_ASSERT_EQUAL(nd_cosine(a, 2, a, 2, 1), 1);
    CU_ASSERT_DOUBLE_EQUAL(nd_cosine(a, 2, b, 2, .999), 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(nd_cosine(a, 2, c, 1, 0), 1 / 4294967280.0, 1e-20);
    nd_cosine_digest_fill(a, 2, &of_a);
    nd_cosine_digest_fill(b, 2, &of_b);
    CU_ASSERT(nd_cosine_bound(&of_a, &of_b) >= nd_cosine(a, 2, b, 2, 0));
}

/* One token in a bin has a whole length, so the bound of two such pages is the cosine. */
ND_TEST("bound") {
    nd_cosine_digest a, b, none;
    nd_cosine_digest_fill(first, 3, &a);
    nd_cosine_digest_fill(second, 3, &b);
    nd_cosine_digest_fill(NULL, 0, &none);
    CU_ASSERT_EQUAL(a.square, 9);
    CU_ASSERT_EQUAL(a.terms, 3);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &b), 8.0 / 9);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &a), 1);
    CU_ASSERT_EQUAL(nd_cosine_bound(&a, &none), 0);
    CU_ASSERT_EQUAL(nd_cosine_bound(&none, &none), 0);
}

/* The root of 2^54 + 1 is 2^27 as a double, but the length is rounded up: in units of 2^12, one
 * more than 2^15. */
ND_TEST("lengths are rounded up") {
    nd_term terms[] = {{0, 1}, {1, UINT32_C(1) << 27}};
    nd_cosine_digest digest;
    nd_cosine_digest_fill(terms, 2, &digest);
    while (digest.length[0] == 1) { /* until both are in the bin of token 0 */
        terms[1].token++;
        nd_cosine_digest_fill(terms, 2, &digest);
    }
    CU_ASSERT_EQUAL(digest.scale, -12);
    CU_ASSERT_EQUAL(digest.length[0], (1 << 15) + 1);
}

/* ---- How far apart two sequences differ: by hand. */

enum { MOST = 400 };

/* Tokens by their letters. */
static double of_texts(const char *x, const char *y) {
    uint32_t a[MOST];
    uint32_t b[MOST];
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    double displacement[2] = {-1, -1};
    const size_t n = strlen(x);
    const size_t m = strlen(y);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint8_t)x[i];
    }
    for (size_t i = 0; i < m; i++) {
        b[i] = (uint8_t)y[i];
    }
    nd_displacement(a, n, b, m, &work, &displacement[0]);
    nd_displacement(b, m, a, n, &work, &displacement[1]);
    CU_ASSERT_DOUBLE_EQUAL(displacement[0], displacement[1], 1e-12);
    return displacement[0];
}

ND_TEST("windows on one list") {
    CU_ASSERT_EQUAL(of_texts("abcdefghijklmnopqrst", "defghijklmnopqrstuvw"), 1);
    /* between a head and a foot that stay: 7, 14 and 7 shared tokens */
    CU_ASSERT_DOUBLE_EQUAL(
        of_texts("0123456ABCabcdefghijklmn7890123", "0123456abcdefghijklmnXYZ7890123"), 14.0 / 28,
        1e-12);
}

ND_TEST("edits in place") {
    CU_ASSERT_EQUAL(of_texts("abcdefghijklmnopqrst", "abcdefghXXklmnopqrst"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghijXlmnopqrst", "abcdefghijlmnopqrst"), 0);
    CU_ASSERT_EQUAL(of_texts("Xbcdefghijklmnopqrst", "Ybcdefghijklmnopqrst"), 0);
}

ND_TEST("nothing of their own") {
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "abcdefghij"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "abcdefghijklmno"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "ABCDEFGHIJ"), 0); /* nothing is shared */
    CU_ASSERT_EQUAL(of_texts("abc", "abcdefghij"), 0);
    CU_ASSERT_EQUAL(of_texts("", ""), 0);
}

/* ---- Scores: the published formula, exactness at the threshold, least common tokens by linear
 * scan. */

ND_TEST("rows") {
    CU_ASSERT_PTR_NOT_NULL(nd_score_row(0));
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        CU_ASSERT_PTR_EQUAL(nd_score_find(nd_score_row(i)->name), nd_score_row(i));
        CU_ASSERT(strlen(nd_score_row(i)->summary) > 0);
    }
    CU_ASSERT_PTR_NULL(nd_score_find("no such score"));
    CU_ASSERT_PTR_NULL(nd_score_row(1000));
}

ND_TEST("ratio of r") {
    const nd_score *r = nd_score_find("r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(r);
    CU_ASSERT_EQUAL(r->ratio(0, 0, 0), 0); /* no text is like no text */
    CU_ASSERT_EQUAL(r->ratio(0, 5, 0), 0);
    CU_ASSERT_EQUAL(r->ratio(5, 5, 5), 1);
    CU_ASSERT_EQUAL(r->ratio(8, 9, 9), 0.8);
    CU_ASSERT_EQUAL(r->ratio(4, 4, 5), 0.8);
    CU_ASSERT_EQUAL(r->ratio(1, 2, 3), 0.25);
}

/* The smallest number of common tokens that reaches the threshold, one by one. */
static uint64_t least_by_scan(const nd_score *score, uint64_t n, uint64_t m, double threshold) {
    for (uint64_t common = 0; common <= (n < m ? n : m); common++) {
        if (score->ratio(common, n, m) >= threshold) {
            return common;
        }
    }
    return n + m + 1;
}

ND_TEST("least common tokens") {
    nd_random random = nd_test_random("least common");
    for (int trial = 0; trial < 4000; trial++) {
        const uint64_t most = trial % 2 == 0 ? 6 : 400;
        const uint64_t n = nd_random_below(&random, most);
        const uint64_t m = nd_random_below(&random, most);
        /* thresholds that ratios can hit exactly, and any */
        const double threshold = trial % 3 == 0
                                     ? (double)nd_random_below(&random, 21) / 20
                                     : (double)nd_random_below(&random, 1 << 20) / (1 << 20);
        for (size_t i = 0; nd_score_row(i) != NULL; i++) {
            CU_ASSERT_EQUAL(nd_score_least_common(nd_score_row(i), n, m, threshold),
                            least_by_scan(nd_score_row(i), n, m, threshold));
        }
    }
}

/* Lengths for which the program could not go token by token. */
ND_TEST("least common tokens of long pages") {
    const nd_score *r = nd_score_find("r");
    const uint64_t n = UINT64_C(1) << 40;
    const uint64_t least = nd_score_least_common(r, n, n, 0.8);
    CU_ASSERT(r->ratio(least, n, n) >= 0.8);
    CU_ASSERT(r->ratio(least - 1, n, n) < 0.8);
    CU_ASSERT_EQUAL(nd_score_least_common(r, n, n / 2, 0.8), n + n / 2 + 1);
}

ND_TEST("similarity of r") {
    const nd_score *r = nd_score_find("r");
    const uint32_t a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint32_t b[] = {1, 2, 3, 4, 60, 6, 7, 8, 9}; /* 8 of 9 in common: exactly 0.8 */
    ND_OWNED(nd_lcs_work_free) nd_lcs_work work = {0};
    double similarity = -1;
    r->similarity(a, 9, b, 9, 0.8, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 0.8);
    r->similarity(a, 9, b, 9, 0.80000001, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 0);
    r->similarity(a, 9, b, 9, 0, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 0.8);
    r->similarity(a, 9, a, 2, 0.8, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 0);
    r->similarity(a, 9, a, 9, 1, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 1);
    r->similarity(a, 0, b, 0, 0.8, &work, &similarity);
    CU_ASSERT_EQUAL(similarity, 0);
}
