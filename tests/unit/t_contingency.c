/* Agreement of a partition with clusters: small cases counted by hand. */
#include "src/measure/agreement.h"
#include "tests/support/check.h"

#include <stdlib.h>

static nd_agreement count(const nd_labelled_pages *pages) {
    nd_agreement a;
    CU_ASSERT_EQUAL_FATAL(nd_agreement_count(pages, &a), ND_OK);
    return a;
}

static void check_pairs(const nd_agreement *a, uint64_t true_pairs, uint64_t predicted,
                        uint64_t common, uint64_t skipped) {
    CU_ASSERT_EQUAL(a->true_pairs, true_pairs);
    CU_ASSERT_EQUAL(a->predicted_pairs, predicted);
    CU_ASSERT_EQUAL(a->common_pairs, common);
    CU_ASSERT_EQUAL(a->skipped_pairs, skipped);
}

/* Set 7 holds three pages of cluster 0 and one of cluster 1; set 9 one of 0, two of 1, one of 2. */
static const uint64_t set[] = {7, 7, 7, 7, 9, 9, 9, 9};
static const uint64_t cluster[] = {0, 0, 0, 1, 0, 1, 1, 2};
enum { PAGES = sizeof set / sizeof set[0] };
static const nd_labelled_pages example = {
    .set = set, .cluster = cluster, .count = PAGES, .cluster_count = 3};

static void test_plain(void) {
    const nd_agreement a = count(&example);
    CU_ASSERT_EQUAL(a.pages, 8);
    CU_ASSERT_EQUAL(a.sets, 2);
    CU_ASSERT_EQUAL(a.clusters, 3);
    CU_ASSERT_EQUAL(a.cells, 5);
    check_pairs(&a, 6 + 3, 6 + 6, 3 + 1, 0);
    /* precision: set 7: 3 pages of 3/4, 1 of 1/4; set 9: 1 of 1/4, 2 of 2/4, 1 of 1/4 */
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_precision, (9 / 4. + 1 / 4. + 1 / 4. + 4 / 4. + 1 / 4.) / 8,
                           1e-12);
    /* recall: cluster 0: 3 of 3/4, 1 of 1/4; cluster 1: 1 of 1/3, 2 of 2/3; cluster 2: 1 */
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_recall, (9 / 4. + 1 / 4. + 1 / 3. + 4 / 3. + 1) / 8, 1e-12);
}

/* Clusters 0 and 1 are not distinguished: three pairs in set 7 and two in set 9 are not evaluated.
 */
static void test_ambiguous(void) {
    static const nd_cluster_pair ambiguous[] = {{1, 0}, {0, 1}, {1, 0}};
    nd_labelled_pages pages = example;
    pages.ambiguous = ambiguous;
    pages.ambiguous_count = 3;
    const nd_agreement a = count(&pages);
    check_pairs(&a, 9, 3 + 4, 4, 3 + 2);
    /* set 7: 3 pages of 3/3, 1 of 1/1; set 9: 1 of 1/2 (itself and cluster 2), 2 of 2/3, 1 of 1/4
     */
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_precision, (3 + 1 + 1 / 2. + 4 / 3. + 1 / 4.) / 8, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_recall, (9 / 4. + 1 / 4. + 1 / 3. + 4 / 3. + 1) / 8, 1e-12);
}

/* Without its first page and its last one. */
static void test_loose(void) {
    static const bool loose[PAGES] = {[0] = true, [7] = true};
    nd_labelled_pages pages = example;
    pages.loose = loose;
    const nd_agreement a = count(&pages);
    CU_ASSERT_EQUAL(a.pages, 6);
    CU_ASSERT_EQUAL(a.clusters, 2);
    check_pairs(&a, 3 + 3, 3 + 3, 1 + 1, 0);
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_precision, (4 / 3. + 1 / 3. + 1 / 3. + 4 / 3.) / 6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(a.cubed_recall, (4 / 3. + 1 / 3. + 1 / 3. + 4 / 3.) / 6, 1e-12);
}

static void test_measures(void) {
    const nd_measure some = nd_measure_pairs(3, 4, 12);
    CU_ASSERT_DOUBLE_EQUAL(some.precision, .75, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(some.recall, .25, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(some.f1, .375, 1e-12);
    const nd_measure silent = nd_measure_pairs(0, 0, 12);
    CU_ASSERT_EQUAL(silent.precision, 1);
    CU_ASSERT_EQUAL(silent.recall, 0);
    CU_ASSERT_EQUAL(silent.f1, 0);
    CU_ASSERT_EQUAL(nd_measure_pairs(0, 5, 0).recall, 1);
    CU_ASSERT_EQUAL(nd_measure_pairs(0, 5, 5).f1, 0);
    const nd_agreement removal = {.pages = 10, .sets = 4, .clusters = 5, .cells = 7};
    CU_ASSERT_DOUBLE_EQUAL(nd_measure_removal(&removal).precision, 3 / 6., 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(nd_measure_removal(&removal).recall, 3 / 5., 1e-12);
    const nd_agreement cubed = {.cubed_precision = .5, .cubed_recall = 1};
    CU_ASSERT_DOUBLE_EQUAL(nd_measure_cubed(&cubed).f1, 2 / 3., 1e-12);
}

static void test_rand_index(void) {
    /* the example of test_plain: 9 true pairs, 12 predicted, 4 both, of 28: 27/7 by chance */
    const nd_agreement plain = count(&example);
    CU_ASSERT_EQUAL(plain.evaluated_pairs, 28);
    CU_ASSERT_DOUBLE_EQUAL(nd_adjusted_rand_index(&plain), (4 - 27 / 7.) / (10.5 - 27 / 7.), 1e-12);
    /* clusters 0 and 1 have 4 and 3 pages: 12 pairs fewer */
    static const nd_cluster_pair ambiguous[] = {{1, 0}, {0, 1}};
    nd_labelled_pages pages = example;
    pages.ambiguous = ambiguous;
    pages.ambiguous_count = 2;
    const nd_agreement a = count(&pages);
    CU_ASSERT_EQUAL(a.evaluated_pairs, 16);
    CU_ASSERT_DOUBLE_EQUAL(nd_adjusted_rand_index(&a), (4 - 63 / 16.) / (8 - 63 / 16.), 1e-12);
    const nd_agreement apart = {.pages = 5, .evaluated_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&apart), 1);
    const nd_agreement whole = {
        .evaluated_pairs = 10, .true_pairs = 10, .predicted_pairs = 10, .common_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&whole), 1);
    const nd_agreement against = {.evaluated_pairs = 10, .true_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&against), 0);
}

static void test_nothing(void) {
    const nd_labelled_pages none = {0};
    const nd_agreement a = count(&none);
    check_pairs(&a, 0, 0, 0, 0);
    CU_ASSERT_EQUAL(a.pages, 0);
    CU_ASSERT_EQUAL(a.cubed_precision, 1);
    CU_ASSERT_EQUAL(a.cubed_recall, 1);
}

/* Pairs do not fit in 32 bits. */
static void test_large(void) {
    enum { MANY = 100000 };
    uint64_t *zeros = calloc(MANY, sizeof *zeros);
    CU_ASSERT_PTR_NOT_NULL_FATAL(zeros);
    const nd_labelled_pages pages = {
        .set = zeros, .cluster = zeros, .count = MANY, .cluster_count = 1};
    const nd_agreement a = count(&pages);
    check_pairs(&a, UINT64_C(4999950000), UINT64_C(4999950000), UINT64_C(4999950000), 0);
    CU_ASSERT_EQUAL(a.cubed_precision, 1);
    free(zeros);
}

static const nd_test tests[] = {
    {"plain", test_plain},       {"ambiguous", test_ambiguous},   {"loose", test_loose},
    {"measures", test_measures}, {"Rand index", test_rand_index}, {"nothing", test_nothing},
    {"large", test_large}};
ND_SUITE(t_contingency, tests)
