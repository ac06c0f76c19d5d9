/* Sampled sets, their representative pages and what follows from them: counted by hand. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { A, B, C, CLUSTERS, PAGES = 10, ALL_SETS = 1000 };

/* Sets of the evaluated result: {0 A, 1 A, 2 A, 3 B}, {4 B, 5 A, 8 B}, {6 C, 7 C}, {9 A}.
 * Of the baseline: {0 A, 5 A}, {1 A, 2 A, 8 B}, {3 B, 4 B} and single pages. */
static const uint64_t cluster[PAGES] = {A, A, A, B, B, A, C, C, B, A};
static const uint64_t set[PAGES] = {10, 10, 10, 10, 11, 11, 12, 12, 11, 13};
static const uint64_t baseline[PAGES] = {0, 1, 1, 2, 2, 0, 3, 4, 1, 6};
static const uint64_t site[PAGES] = {77, 77, 88, 77, 77, 77, 88, 88, 88, 77};

static nd_sampled_pages example(void) {
    return (nd_sampled_pages){
        .labelled = {.set = set, .cluster = cluster, .count = PAGES, .cluster_count = CLUSTERS},
        .sampled = set,
        .baseline = baseline,
        .site = site};
}

static nd_set_sample draw(const nd_sampled_pages *pages, uint64_t most, bool singletons) {
    nd_set_sample sample;
    CU_ASSERT_EQUAL_FATAL(nd_set_sample_draw(pages, most, singletons, 1, &sample), ND_OK);
    return sample;
}

static void check_counts(const nd_sample_counts *c, uint64_t pages, uint64_t similar,
                         uint64_t in_baseline, uint64_t anywhere) {
    CU_ASSERT_EQUAL(c->pages, pages);
    CU_ASSERT_EQUAL(c->similar, similar);
    CU_ASSERT_EQUAL(c->baseline, in_baseline);
    CU_ASSERT_EQUAL(c->anywhere, anywhere);
}

static void check_mean(const nd_set_sample *sample, nd_sample_scope scope,
                       nd_sample_measure measure, double mean) {
    nd_estimate e;
    nd_set_sample_estimate(sample, scope, measure, 100, 1, &e);
    CU_ASSERT_DOUBLE_EQUAL(e.mean, mean, 1e-12);
    CU_ASSERT(e.lower <= e.mean && e.mean <= e.upper);
}

static void test_own_sets(void) {
    const nd_sampled_pages pages = example();
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    CU_ASSERT_EQUAL(s.population, 3);
    CU_ASSERT_EQUAL(s.sets[0].set, 10);
    CU_ASSERT_EQUAL(s.sets[0].pages, 4);
    CU_ASSERT_EQUAL(s.sets[0].representative, 0);
    CU_ASSERT_EQUAL(s.sets[1].representative, 4);
    CU_ASSERT_EQUAL(s.sets[2].representative, 6);
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 4, 3, 2, 5);
    check_counts(&s.sets[1].counts[ND_SCOPE_ALL], 3, 2, 2, 3);
    check_counts(&s.sets[2].counts[ND_SCOPE_ALL], 2, 2, 1, 2);
    /* on site 77: pages 0, 1, 3 of the first set; 4, 5 of the second; 6, 7 are on 88 */
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 3, 2, 2, 4);
    check_counts(&s.sets[1].counts[ND_SCOPE_SITE], 2, 1, 2, 2);
    check_counts(&s.sets[2].counts[ND_SCOPE_SITE], 2, 2, 1, 2);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_PRECISION, (3 / 4. + 2 / 3. + 1) / 3);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_RELATIVE_RECALL, (3 / 2. + 1 + 2) / 3);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_RECALL, (3 / 5. + 2 / 3. + 1) / 3);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_BASELINE_RECALL, (2 / 5. + 2 / 3. + 1 / 2.) / 3);
    check_mean(&s, ND_SCOPE_SITE, ND_SAMPLE_PRECISION, (2 / 3. + 1 / 2. + 1) / 3);
    check_mean(&s, ND_SCOPE_SITE, ND_SAMPLE_RELATIVE_RECALL, (1 + 1 / 2. + 2) / 3);
    check_mean(&s, ND_SCOPE_SITE, ND_SAMPLE_RECALL, (2 / 4. + 1 / 2. + 1) / 3);
    nd_set_sample_free(&s);
}

/* The baseline's sets sampled: their representatives are 0, 1 and 3. */
static void test_other_sets(void) {
    nd_sampled_pages pages = example();
    pages.sampled = baseline;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    CU_ASSERT_EQUAL(s.sets[2].representative, 3);
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 4, 3, 2, 5);
    check_counts(&s.sets[1].counts[ND_SCOPE_ALL], 4, 3, 2, 5);
    check_counts(&s.sets[2].counts[ND_SCOPE_ALL], 4, 1, 2, 3);
    nd_set_sample_free(&s);
}

/* Of two clusters with as many pages in the set, the one of the first page, whatever its number. */
static void test_ties(void) {
    static const uint64_t tied[PAGES] = {0, 1, 2, 3, 4, 3, 5, 6, 3, 3};
    nd_sampled_pages pages = example();
    pages.sampled = tied; /* {3 B, 5 A, 8 B, 9 A} */
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 1);
    CU_ASSERT_EQUAL(s.sets[0].representative, 3);
    nd_set_sample_free(&s);
}

/* Without pages 0 and 7 the sets are {1 A, 2 A, 3 B}, {4 B, 5 A, 8 B} and single pages. */
static void test_loose(void) {
    static const bool loose[PAGES] = {[0] = true, [7] = true};
    nd_sampled_pages pages = example();
    pages.labelled.loose = loose;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 2);
    CU_ASSERT_EQUAL(s.sets[0].pages, 3);
    CU_ASSERT_EQUAL(s.sets[0].representative, 1);
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 3, 2, 2, 4);
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 2, 1, 1, 3);
    nd_set_sample_free(&s);
    s = draw(&pages, ALL_SETS, true);
    CU_ASSERT_EQUAL_FATAL(s.count, 4);
    CU_ASSERT_EQUAL(s.sets[2].representative, 6);
    check_counts(&s.sets[2].counts[ND_SCOPE_ALL], 1, 1, 1, 1);
    nd_set_sample_free(&s);
}

/* The page of B in the first set is not counted, nor that of A in the second. */
static void test_ambiguous(void) {
    static const nd_cluster_pair ambiguous[] = {{B, A}, {A, B}};
    nd_sampled_pages pages = example();
    pages.labelled.ambiguous = ambiguous;
    pages.labelled.ambiguous_count = 2;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 3, 3, 2, 5);
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 2, 2, 2, 4);
    check_counts(&s.sets[1].counts[ND_SCOPE_ALL], 2, 2, 2, 3);
    check_counts(&s.sets[1].counts[ND_SCOPE_SITE], 1, 1, 2, 2);
    nd_set_sample_free(&s);
}

static void test_no_baseline(void) {
    nd_sampled_pages pages = example();
    pages.baseline = NULL;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    CU_ASSERT_FALSE(s.has_baseline);
    CU_ASSERT(nd_set_sample_has(&s, ND_SAMPLE_PRECISION) &&
              nd_set_sample_has(&s, ND_SAMPLE_RECALL));
    CU_ASSERT_FALSE(nd_set_sample_has(&s, ND_SAMPLE_RELATIVE_RECALL));
    CU_ASSERT_FALSE(nd_set_sample_has(&s, ND_SAMPLE_BASELINE_RECALL));
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 4, 3, 0, 5);
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 3, 2, 0, 4);
    nd_set_sample_free(&s);
}

/* A page of which no site is known shares it with none. */
static void test_no_site(void) {
    uint64_t none[PAGES];
    nd_sampled_pages pages = example();
    for (size_t i = 0; i < PAGES; i++) {
        none[i] = ND_NO_SITE;
    }
    pages.site = none;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 4, 3, 2, 5);
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 1, 1, 1, 1);
    nd_set_sample_free(&s);
}

static void test_nothing(void) {
    static const uint64_t apart[PAGES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    nd_sampled_pages pages = example();
    pages.sampled = apart;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL(s.count, 0);
    CU_ASSERT_EQUAL(s.population, 0);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_PRECISION, 0);
    nd_set_sample_free(&s);
    s = draw(&pages, 0, true);
    CU_ASSERT_EQUAL(s.count, 0);
    CU_ASSERT_EQUAL(s.population, PAGES);
    nd_set_sample_free(&s);
}

static const nd_test tests[] = {{"own sets", test_own_sets},   {"other sets", test_other_sets},
                                {"ties", test_ties},           {"loose", test_loose},
                                {"ambiguous", test_ambiguous}, {"no baseline", test_no_baseline},
                                {"no site", test_no_site},     {"nothing", test_nothing}};
ND_SUITE(t_relative_recall, tests)
