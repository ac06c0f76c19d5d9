/* Scores: the published formula, exactness at the threshold, least common tokens by linear scan. */
#include "src/compare/score.h"
#include "tests/support/check.h"

#include <string.h>

static void test_rows(void) {
    CU_ASSERT_PTR_NOT_NULL(nd_score_row(0));
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        CU_ASSERT_PTR_EQUAL(nd_score_find(nd_score_row(i)->name), nd_score_row(i));
        CU_ASSERT(strlen(nd_score_row(i)->summary) > 0);
    }
    CU_ASSERT_PTR_NULL(nd_score_find("no such score"));
    CU_ASSERT_PTR_NULL(nd_score_row(1000));
}

static void test_ratio_of_r(void) {
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

static void test_least_common(void) {
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
static void test_least_common_of_long_pages(void) {
    const nd_score *r = nd_score_find("r");
    const uint64_t n = UINT64_C(1) << 40;
    const uint64_t least = nd_score_least_common(r, n, n, 0.8);
    CU_ASSERT(r->ratio(least, n, n) >= 0.8);
    CU_ASSERT(r->ratio(least - 1, n, n) < 0.8);
    CU_ASSERT_EQUAL(nd_score_least_common(r, n, n / 2, 0.8), n + n / 2 + 1);
}

static void test_similarity_of_r(void) {
    const nd_score *r = nd_score_find("r");
    const uint32_t a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint32_t b[] = {1, 2, 3, 4, 60, 6, 7, 8, 9}; /* 8 of 9 in common: exactly 0.8 */
    nd_lcs_work work = {0};
    double similarity = -1;
    CU_ASSERT_EQUAL(r->similarity(a, 9, b, 9, 0.8, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 0.8);
    CU_ASSERT_EQUAL(r->similarity(a, 9, b, 9, 0.80000001, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 0);
    CU_ASSERT_EQUAL(r->similarity(a, 9, b, 9, 0, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 0.8);
    CU_ASSERT_EQUAL(r->similarity(a, 9, a, 2, 0.8, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 0);
    CU_ASSERT_EQUAL(r->similarity(a, 9, a, 9, 1, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 1);
    CU_ASSERT_EQUAL(r->similarity(a, 0, b, 0, 0.8, &work, &similarity), ND_OK);
    CU_ASSERT_EQUAL(similarity, 0);
    nd_lcs_work_free(&work);
}

static const nd_test tests[] = {
    {"rows", test_rows},
    {"ratio of r", test_ratio_of_r},
    {"least common tokens", test_least_common},
    {"least common tokens of long pages", test_least_common_of_long_pages},
    {"similarity of r", test_similarity_of_r},
};

ND_SUITE(t_score, tests)
