/* Precision of pairs: the rows by similarity hold every pair once, exact values while they are few,
 * bins beyond. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <math.h>

static uint64_t pairs_in(const nd_similarity_row *rows, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const nd_label_counts all = nd_pairs_by_site_sum(&rows[i].pairs);
        for (int label = 0; label < ND_PAIR_LABELS; label++) {
            sum += all.pairs[label];
        }
    }
    return sum;
}

static void test_values(void) {
    static const double values[] = {5. / 6, 2. / 6, 1, 2. / 6, 4. / 6};
    nd_pair_precision p;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    nd_pair_precision_open(&p, 2. / 6);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        nd_pair_precision_add(&p, values[i], (nd_pair_label)(i % 3), i == 3);
    }
    CU_ASSERT_EQUAL_FATAL(nd_pair_precision_rows(&p, rows), 4);
    CU_ASSERT_EQUAL(rows[0].from, 2. / 6);
    CU_ASSERT_EQUAL(rows[0].to, 2. / 6);
    CU_ASSERT_EQUAL(rows[0].pairs.same_site.pairs[ND_PAIR_CORRECT], 1);
    CU_ASSERT_EQUAL(rows[0].pairs.different_sites.pairs[ND_PAIR_INCORRECT], 1);
    CU_ASSERT_EQUAL(rows[1].from, 4. / 6);
    CU_ASSERT_EQUAL(rows[2].from, 5. / 6);
    CU_ASSERT_EQUAL(rows[3].from, 1);
    CU_ASSERT_EQUAL(pairs_in(rows, 4), 5);
    CU_ASSERT_DOUBLE_EQUAL(nd_label_precision(&p.all.same_site), 1, 0);
    CU_ASSERT_DOUBLE_EQUAL(nd_label_precision(&p.all.different_sites), .25, 0);
    CU_ASSERT_DOUBLE_EQUAL(nd_label_decided_precision(&p.all.different_sites), 1. / 3, 1e-15);
}

/* The last value that has a row of its own, the first that has none; what lies below the bins. */
static void test_bins(void) {
    nd_pair_precision p;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    nd_pair_precision_open(&p, .5);
    for (size_t i = 0; i <= ND_SIMILARITY_VALUES; i++) {
        const double similarity = 1 - (double)i / 32;
        CU_ASSERT_EQUAL(nd_pair_precision_rows(&p, rows), i);
        CU_ASSERT_EQUAL(pairs_in(rows, i), i);
        nd_pair_precision_add(&p, similarity, ND_PAIR_CORRECT, false);
    }
    nd_pair_precision_add(&p, .25, ND_PAIR_INCORRECT, true);
    nd_pair_precision_add(&p, 1, ND_PAIR_UNDECIDED, true);
    CU_ASSERT_EQUAL_FATAL(nd_pair_precision_rows(&p, rows), ND_SIMILARITY_BINS);
    CU_ASSERT_EQUAL(pairs_in(rows, ND_SIMILARITY_BINS), ND_SIMILARITY_VALUES + 3);
    CU_ASSERT_DOUBLE_EQUAL(rows[0].from, .5, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(rows[0].to, .55, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(rows[9].to, 1, 1e-15);
    /* 16 / 32 and 17 / 32 */
    CU_ASSERT_EQUAL(rows[0].pairs.different_sites.pairs[ND_PAIR_CORRECT], 2);
    CU_ASSERT_EQUAL(rows[0].pairs.same_site.pairs[ND_PAIR_INCORRECT], 1);
    /* 31 / 32 and 32 / 32 */
    CU_ASSERT_EQUAL(rows[9].pairs.different_sites.pairs[ND_PAIR_CORRECT], 2);
    CU_ASSERT_EQUAL(rows[9].pairs.same_site.pairs[ND_PAIR_UNDECIDED], 1);
}

static void test_nothing(void) {
    nd_pair_precision p;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    nd_pair_precision_open(&p, .9);
    CU_ASSERT_EQUAL(nd_pair_precision_rows(&p, rows), 0);
    CU_ASSERT(isnan(nd_label_precision(&p.all.same_site)));
    nd_pair_precision_add(&p, .95, ND_PAIR_UNDECIDED, true);
    CU_ASSERT_EQUAL(nd_label_precision(&p.all.same_site), 0);
    CU_ASSERT(isnan(nd_label_decided_precision(&p.all.same_site)));
}

static const nd_test tests[] = {
    {"values one by one", test_values},
    {"bins", test_bins},
    {"no pairs", test_nothing},
};

ND_SUITE(t_pair_precision, tests)
