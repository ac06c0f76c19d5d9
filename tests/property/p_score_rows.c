/* What every row of the score table promises: in [0, 1], symmetric, 1 for equal sequences and 0 for
 * disjoint ones, the same at every threshold that it reaches, and never above its bounds by common
 * tokens, lengths or histograms. */
#include "src/base/sort.h"
#include "src/compare/score.h"
#include "src/method/method.h"
#include "src/sketch/histogram.h"
#include "tests/support/check.h"
#include "tests/support/token_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 6000, LONGEST = 250, THRESHOLDS = 6, RATIOS = 20000 };

static nd_lcs_work work;

static double similarity(const nd_score *score, const uint32_t *a, size_t n, const uint32_t *b,
                         size_t m, double threshold) {
    double found = -1;
    CU_ASSERT_EQUAL(score->similarity(a, n, b, m, threshold, &work, &found), ND_OK);
    return found;
}

/* What similarity() finds without a limit, plain() finds too. */
static bool equals_plain(const nd_score *score, const nd_token_pair *p, double s) {
    double found = -1;
    CU_ASSERT_EQUAL(score->plain(p->a, p->n, p->b, p->m, &work, &found), ND_OK);
    return found == s;
}

static int by_value(const void *x, const void *y) {
    const uint32_t a = *(const uint32_t *)x;
    const uint32_t b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Tokens common to both, each as often as in the one that has it less often. */
static uint64_t common_tokens(const nd_token_pair *p) {
    static nd_token_pair sorted;
    uint64_t common = 0;
    sorted = *p;
    nd_sort(sorted.a, p->n, sizeof *sorted.a, by_value);
    nd_sort(sorted.b, p->m, sizeof *sorted.b, by_value);
    for (size_t i = 0, j = 0; i < p->n && j < p->m;) {
        const int order = by_value(&sorted.a[i], &sorted.b[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return common;
}

static bool keeps_bounds(const nd_score *score, const nd_token_pair *p, double s) {
    nd_histogram a, b;
    nd_method_options options = nd_method_default_options();
    options.score = score;
    nd_histogram_fill(p->a, p->n, &a);
    nd_histogram_fill(p->b, p->m, &b);
    return s >= 0 && s <= 1 && score->ratio(common_tokens(p), p->n, p->m) >= s &&
           nd_method_find("lcs")->bound(&options, &a, &b) >= s &&
           nd_method_find("lcs")->bound(&options, &b, &a) >= s &&
           nd_method_find("lcs")->length_bound(&options, p->n, p->m) >= s &&
           nd_method_find("lcs")->length_bound(&options, p->m, p->n) >= s;
}

static bool keeps_thresholds(const nd_score *score, const nd_token_pair *p, double s,
                             nd_random *random) {
    bool good = similarity(score, p->b, p->m, p->a, p->n, 0) == s;
    for (int i = 0; i < THRESHOLDS; i++) {
        const double threshold = nd_random_threshold(random, s);
        const double expected = s >= threshold ? s : 0;
        good = good && similarity(score, p->a, p->n, p->b, p->m, threshold) == expected &&
               similarity(score, p->b, p->m, p->a, p->n, threshold) == expected;
    }
    return good;
}

static bool knows_equal_and_disjoint(const nd_score *score, const nd_token_pair *p) {
    static uint32_t other[ND_TEST_TOKENS];
    for (size_t i = 0; i < p->m; i++) {
        other[i] = p->b[i] ^ UINT32_C(0x5a000000);
    }
    bool disjoint = true;
    for (size_t i = 0; i < p->n && disjoint; i++) {
        for (size_t j = 0; j < p->m && disjoint; j++) {
            disjoint = p->a[i] != other[j];
        }
    }
    return (!disjoint || similarity(score, p->a, p->n, other, p->m, 0) == 0) &&
           similarity(score, p->a, p->n, p->a, p->n, 0) == (p->n > 0 ? 1 : 0);
}

static void test_pairs(void) {
    static nd_token_pair p;
    nd_random random = nd_test_random("pairs");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(PAIRS) && wrong == 0; i++) {
        nd_random_token_pair(&random, LONGEST, &p);
        for (size_t row = 0; nd_score_row(row) != NULL; row++) {
            const nd_score *score = nd_score_row(row);
            const double s = similarity(score, p.a, p.n, p.b, p.m, 0);
            if (!keeps_bounds(score, &p, s) || !keeps_thresholds(score, &p, s, &random) ||
                !knows_equal_and_disjoint(score, &p) || !equals_plain(score, &p, s)) {
                printf("%s: pair %d, n=%zu m=%zu, score %.17g\n", score->name, i, p.n, p.m, s);
                wrong++;
            }
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_lcs_work_free(&work);
}

/* ratio() does not fall with more common tokens, nor with a longer shorter sequence. */
static void test_ratio_grows(void) {
    nd_random random = nd_test_random("ratio");
    size_t wrong = 0;
    for (int i = 0; i < nd_test_rounds(RATIOS); i++) {
        const uint64_t longer = nd_random_below(&random, i % 2 == 0 ? 12 : 3000);
        const uint64_t shorter = nd_random_below(&random, longer + 1);
        const uint64_t common = nd_random_below(&random, shorter + 1);
        for (size_t row = 0; nd_score_row(row) != NULL; row++) {
            const nd_score *score = nd_score_row(row);
            const double ratio = score->ratio(common, shorter, longer);
            wrong += !(ratio >= 0 && ratio <= 1 && ratio == score->ratio(common, longer, shorter));
            wrong += common < shorter && score->ratio(common + 1, shorter, longer) < ratio;
            wrong += shorter < longer && score->ratio(shorter + 1, shorter + 1, longer) <
                                             score->ratio(shorter, shorter, longer);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_names(void) {
    for (size_t row = 0; nd_score_row(row) != NULL; row++) {
        CU_ASSERT_PTR_EQUAL(nd_score_find(nd_score_row(row)->name), nd_score_row(row));
    }
    CU_ASSERT_PTR_NULL(nd_score_find("no such score"));
    CU_ASSERT_STRING_EQUAL(nd_score_row(0)->name, "r");
}

static const nd_test tests[] = {
    {"promises of every row", test_pairs},
    {"ratio grows", test_ratio_grows},
    {"names", test_names},
};
ND_SUITE(p_score_rows, tests)
