/* What is measured with labels, and between collections. */
#include "src/measure/agreement.h"
#include "src/measure/collections.h"
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <math.h>

/* ---- Agreement of a partition with clusters: the measures of counts. */

ND_TEST("measures") {
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

ND_TEST("Rand index") {
    const nd_agreement apart = {.pages = 5, .evaluated_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&apart), 1);
    const nd_agreement whole = {
        .evaluated_pairs = 10, .true_pairs = 10, .predicted_pairs = 10, .common_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&whole), 1);
    const nd_agreement against = {.evaluated_pairs = 10, .true_pairs = 10};
    CU_ASSERT_EQUAL(nd_adjusted_rand_index(&against), 0);
}

/* Pairs do not fit in 32 bits. */
ND_TEST("large") {
    enum { MANY = 100000 };
    ND_FREED uint64_t *zeros = nd_alloc_zero(MANY, sizeof *zeros);
    const nd_labelled_pages pages = {
        .set = zeros, .cluster = zeros, .count = MANY, .cluster_count = 1};
    nd_agreement a;
    nd_agreement_count(&pages, &a);
    CU_ASSERT_EQUAL(a.true_pairs, UINT64_C(4999950000));
    CU_ASSERT_EQUAL(a.predicted_pairs, UINT64_C(4999950000));
    CU_ASSERT_EQUAL(a.common_pairs, UINT64_C(4999950000));
    CU_ASSERT_EQUAL(a.cubed_precision, 1);
}

/* ---- Precision from labelled samples of bands: known intervals, and what bands add up to. */

/* Newcombe (Statistics in Medicine, 1998), table I, method 3. */
ND_TEST("wilson") {
    static const struct {
        uint64_t yes, of;
        double lower, upper;
    } known[] = {{81, 263, .2553, .3662},
                 {15, 148, .0624, .1605},
                 {0, 20, 0, .1611},
                 {1, 29, .0061, .1718},
                 {29, 29, .8830, 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const nd_estimate e = nd_wilson(known[i].yes, known[i].of);
        CU_ASSERT_DOUBLE_EQUAL(e.mean, (double)known[i].yes / (double)known[i].of, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(e.lower, known[i].lower, 6e-5);
        CU_ASSERT_DOUBLE_EQUAL(e.upper, known[i].upper, 6e-5);
    }
}

ND_TEST("bands") {
    nd_estimate all = {0};
    double known = 0;
    const nd_band_count none[] = {{.pairs = 10}, {.pairs = 5}};
    CU_ASSERT_FALSE(nd_band_precision(none, 2, &all, &known));
    CU_ASSERT_FALSE(nd_band_precision(none, 0, &all, &known));
    /* one band is itself, whatever its size, and one without labels is left out */
    const nd_band_count one[] = {{.pairs = 7, .same = 81, .different = 182}, {.pairs = 21}};
    CU_ASSERT_TRUE(nd_band_precision(one, 2, &all, &known));
    CU_ASSERT_DOUBLE_EQUAL(all.mean, 81. / 263, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(all.lower, .2553, 6e-5);
    CU_ASSERT_DOUBLE_EQUAL(all.upper, .3662, 6e-5);
    CU_ASSERT_DOUBLE_EQUAL(known, .25, 1e-12);
    /* bands count by their pairs, not by their labels: .9 * 1 + .1 * .5 */
    const nd_band_count two[] = {{900, 5, 0}, {100, 50, 50}};
    CU_ASSERT_TRUE(nd_band_precision(two, 2, &all, &known));
    CU_ASSERT_DOUBLE_EQUAL(all.mean, .95, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(known, 1, 1e-12);
    /* 5 of 5: from .5655; 50 of 100: .4038 to .5962 */
    CU_ASSERT_DOUBLE_EQUAL(all.lower, .95 - .3911684, 2e-4);
    CU_ASSERT_DOUBLE_EQUAL(all.upper, .95 + .00962, 1e-4);
}

/* ---- The mean of values and its percentile interval. */

static nd_estimate estimate(const double *values, size_t count, size_t resamples, uint64_t seed) {
    nd_estimate e;
    nd_bootstrap_mean(values, count, resamples, seed, &e);
    return e;
}

static void check_equal(nd_estimate a, nd_estimate b) {
    CU_ASSERT_EQUAL(a.mean, b.mean);
    CU_ASSERT_EQUAL(a.lower, b.lower);
    CU_ASSERT_EQUAL(a.upper, b.upper);
}

ND_TEST("point") {
    static const double values[] = {.25, .25, .25};
    check_equal(estimate(values, 1, 1000, 7), (nd_estimate){.25, .25, .25});
    check_equal(estimate(values, 3, 1000, 7), (nd_estimate){.25, .25, .25});
    check_equal(estimate(NULL, 0, 1000, 7), (nd_estimate){0, 0, 0});
}

/* Of 0 and 1 a resample has the mean 0, 1/2 or 1, with probabilities 1/4, 1/2, 1/4. */
ND_TEST("two") {
    static const double values[] = {0, 1};
    check_equal(estimate(values, 2, 1000, 7), (nd_estimate){.5, 0, 1});
}

/* The means of eight 0 and two 1 are binomial: P(no 1) = .107, P(at most 4) = .967, P(at most 5)
 * = .994. So 2.5 % of them lie at 0, and 97.5 % up to 5/10. */
ND_TEST("binomial") {
    static const double values[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    const nd_estimate e = estimate(values, 10, 10000, 1);
    CU_ASSERT_DOUBLE_EQUAL(e.mean, .2, 1e-12);
    CU_ASSERT_EQUAL(e.lower, 0);
    CU_ASSERT_DOUBLE_EQUAL(e.upper, .5, 1e-12);
}

ND_TEST("seed") {
    static const double values[] = {.1, .9, .4, .7, .3, .8, .2};
    const nd_estimate e = estimate(values, 7, 200, 1);
    check_equal(e, estimate(values, 7, 200, 1));
    const nd_estimate other = estimate(values, 7, 200, 2);
    CU_ASSERT_EQUAL(e.mean, other.mean);
    CU_ASSERT(e.lower != other.lower || e.upper != other.upper);
}

/* With so few resamples that no part of them can be left out, the interval spans them all. */
ND_TEST("few") {
    static const double values[] = {.1, .9, .4};
    const nd_estimate one = estimate(values, 3, 1, 5);
    CU_ASSERT_EQUAL(one.lower, one.upper);
    const nd_estimate few = estimate(values, 3, 38, 5);
    CU_ASSERT(few.lower <= one.lower && few.upper >= one.upper && few.lower < few.upper);
    /* of 39 it is the first and the last: that of the first 38 lies within */
    static const double seven[] = {.11, .93, .42, .75, .36, .87, .28};
    const nd_estimate less = estimate(seven, 7, 38, 5), all = estimate(seven, 7, 39, 5);
    CU_ASSERT(all.lower <= less.lower && all.upper >= less.upper);
}

/* For many values the interval is that of the normal distribution: 1.96 standard errors. */
ND_TEST("normal") {
    enum { VALUES = 4000 };
    static double values[VALUES];
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = (double)i / (VALUES - 1);
    }
    const nd_estimate e = estimate(values, VALUES, 4000, 3);
    const double error = 1.96 * sqrt(1 / 12.) / sqrt(VALUES);
    CU_ASSERT_DOUBLE_EQUAL(e.mean, .5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(e.lower, .5 - error, .1 * error);
    CU_ASSERT_DOUBLE_EQUAL(e.upper, .5 + error, .1 * error);
}

/* ---- Precision of pairs: the rows by similarity hold every pair once, exact values while they are
 * few, bins beyond. */

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

ND_TEST("values one by one") {
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
ND_TEST("bins") {
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

ND_TEST("no pairs") {
    nd_pair_precision p;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    nd_pair_precision_open(&p, .9);
    CU_ASSERT_EQUAL(nd_pair_precision_rows(&p, rows), 0);
    CU_ASSERT(isnan(nd_label_precision(&p.all.same_site)));
    nd_pair_precision_add(&p, .95, ND_PAIR_UNDECIDED, true);
    CU_ASSERT_EQUAL(nd_label_precision(&p.all.same_site), 0);
    CU_ASSERT(isnan(nd_label_decided_precision(&p.all.same_site)));
}

/* ---- Sampled sets, their representative pages and what follows from them: counted by hand. */

enum { A, B, C, CLUSTERS, SAMPLED = 10, ALL_SETS = 1000 };

/* Sets of the evaluated result: {0 A, 1 A, 2 A, 3 B}, {4 B, 5 A, 8 B}, {6 C, 7 C}, {9 A}.
 * Of the baseline: {0 A, 5 A}, {1 A, 2 A, 8 B}, {3 B, 4 B} and single pages. */
static const uint64_t cluster_relative_recall[SAMPLED] = {A, A, A, B, B, A, C, C, B, A};
static const uint64_t sampled_set[SAMPLED] = {10, 10, 10, 10, 11, 11, 12, 12, 11, 13};
static const uint64_t baseline[SAMPLED] = {0, 1, 1, 2, 2, 0, 3, 4, 1, 6};
static const uint64_t site[SAMPLED] = {77, 77, 88, 77, 77, 77, 88, 88, 88, 77};

static nd_sampled_pages sampled_pages(void) {
    return (nd_sampled_pages){.labelled = {.set = sampled_set,
                                           .cluster = cluster_relative_recall,
                                           .count = SAMPLED,
                                           .cluster_count = CLUSTERS},
                              .sampled = sampled_set,
                              .baseline = baseline,
                              .site = site};
}

static nd_set_sample draw(const nd_sampled_pages *pages, uint64_t most, bool singletons) {
    nd_set_sample sample;
    nd_set_sample_draw(pages, most, singletons, 1, &sample);
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

ND_TEST("own sets") {
    const nd_sampled_pages pages = sampled_pages();
    ND_OWNED(nd_set_sample_free) nd_set_sample s = draw(&pages, ALL_SETS, false);
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
}

ND_TEST("no baseline") {
    nd_sampled_pages pages = sampled_pages();
    pages.baseline = NULL;
    ND_OWNED(nd_set_sample_free) nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    CU_ASSERT_FALSE(s.has_baseline);
    CU_ASSERT(nd_set_sample_has(&s, ND_SAMPLE_PRECISION) &&
              nd_set_sample_has(&s, ND_SAMPLE_RECALL));
    CU_ASSERT_FALSE(nd_set_sample_has(&s, ND_SAMPLE_RELATIVE_RECALL));
    CU_ASSERT_FALSE(nd_set_sample_has(&s, ND_SAMPLE_BASELINE_RECALL));
    check_counts(&s.sets[0].counts[ND_SCOPE_ALL], 4, 3, 0, 5);
    check_counts(&s.sets[0].counts[ND_SCOPE_SITE], 3, 2, 0, 4);
}

ND_TEST("relative recall: nothing") {
    static const uint64_t apart[SAMPLED] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    nd_sampled_pages pages = sampled_pages();
    pages.sampled = apart;
    nd_set_sample s = draw(&pages, ALL_SETS, false);
    CU_ASSERT_EQUAL(s.count, 0);
    CU_ASSERT_EQUAL(s.population, 0);
    check_mean(&s, ND_SCOPE_ALL, ND_SAMPLE_PRECISION, 0);
    nd_set_sample_free(&s);
    s = draw(&pages, 0, true);
    CU_ASSERT_EQUAL(s.count, 0);
    CU_ASSERT_EQUAL(s.population, SAMPLED);
    nd_set_sample_free(&s);
}

/* ---- Capture and recapture, against values computed in Python from the same formulas' sources. */

static void check(uint64_t a, uint64_t b, uint64_t both, const double *expected) {
    const nd_capture c = nd_capture_recapture(a, b, both);
    CU_ASSERT(c.known);
    CU_ASSERT_DOUBLE_EQUAL(c.lincoln_petersen, expected[0], 1e-9 * expected[0]);
    CU_ASSERT_DOUBLE_EQUAL(c.chapman, expected[1], 1e-9 * expected[1]);
    CU_ASSERT_DOUBLE_EQUAL(c.lower, expected[2], 1e-9 * expected[2]);
    CU_ASSERT_DOUBLE_EQUAL(c.upper, expected[3], 1e-9 * expected[3]);
}

ND_TEST("values") {
    check(100, 200, 40, (double[]){500, 494.1463414634146, 411.64418849299136, 621.5338626922444});
    check(
        77000000, 100000000, 30000000,
        (double[]){256666666.66666666, 256666663.01111123, 256606642.65100503, 256726716.23823664});
    check(5, 7, 1, (double[]){35, 23, 13.95664196642527, 59.70390180320118});
}

/* One holds the other: what was seen is all. */
ND_TEST("one inside the other") {
    check(10, 40, 10, (double[]){40, 40, 40, 40});
    check(7, 7, 7, (double[]){7, 7, 7, 7});
}

ND_TEST("no overlap") {
    CU_ASSERT_FALSE(nd_capture_recapture(10, 40, 0).known);
    CU_ASSERT_FALSE(nd_capture_recapture(0, 40, 0).known);
    CU_ASSERT_EQUAL(nd_capture_recapture(0, 0, 0).chapman, 0);
}

/* ---- What collections share, counted thing by thing. */

static void add(nd_overlap_counts *c, uint64_t times, size_t mask, uint64_t pages) {
    nd_overlap_part parts[8];
    size_t count = 0;
    for (uint32_t x = 0; x < c->collections; x++) {
        if (mask >> x & 1) {
            parts[count++] = (nd_overlap_part){x, pages};
        }
    }
    while (times-- > 0) {
        nd_overlap_counts_add(c, parts, count);
    }
}

ND_TEST("by hand") {
    ND_OWNED(nd_overlap_counts_free) nd_overlap_counts c;
    nd_overlap_counts_open(&c, 3);
    add(&c, 4, 1, 1);
    add(&c, 2, 3, 5);
    add(&c, 1, 7, 2);
    add(&c, 3, 4, 1);
    CU_ASSERT_EQUAL(c.all, 10);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 0, 0), 7);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 0, 1), 3);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 1, 0), 3);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 2, 1), 1);
    CU_ASSERT_EQUAL(c.pages[0], 16);
    CU_ASSERT_EQUAL(c.pages[2], 5);
    CU_ASSERT_EQUAL(c.pages_in[0 * 3 + 1], 12);
    CU_ASSERT_EQUAL(c.pages_in[0 * 3 + 2], 2);
    CU_ASSERT_EQUAL(c.alone[0], 4);
    CU_ASSERT_EQUAL(c.alone[1], 0);
    CU_ASSERT_EQUAL(c.alone[2], 3);
    CU_ASSERT_EQUAL(c.in_exactly[1], 7);
    CU_ASSERT_EQUAL(c.in_exactly[2], 2);
    CU_ASSERT_EQUAL(c.in_exactly[3], 1);
    CU_ASSERT_EQUAL(c.venn[3], 2);
    CU_ASSERT_DOUBLE_EQUAL(nd_overlap_share(&c, 1, 0), 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(nd_overlap_share(&c, 0, 1), 3. / 7, 1e-12);
}

/* More collections than are counted in every combination; one without anything. */
ND_TEST("many") {
    ND_OWNED(nd_overlap_counts_free) nd_overlap_counts c;
    nd_overlap_counts_open(&c, 8);
    add(&c, 6, 0x7f, 3);
    CU_ASSERT_EQUAL(c.in_exactly[7], 6);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 5, 6), 6);
    CU_ASSERT_EQUAL(nd_overlap_share(&c, 7, 0), 0);
}

/* ---- Of what is offered the pages of least order are kept, in whatever order they come. */

enum { OFFERED = 1000, WANTED = 7, COLLECTIONS = 70 /* two words of bits */ };

static uint64_t order_of(uint64_t page) {
    return nd_mix64(page / 2 + 1); /* two pages have each order */
}

static void fill(nd_overlap_sample *s, bool backwards) {
    nd_overlap_sample_open(s, COLLECTIONS, WANTED);
    for (uint64_t i = 0; i < OFFERED; i++) {
        const uint64_t page = backwards ? OFFERED - 1 - i : i;
        const uint64_t in[2] = {page, 1};
        nd_overlap_sample_offer(s, page % 3 == 0 ? 69 : 0, order_of(page), page, in);
    }
    nd_overlap_sample_finish(s);
}

ND_TEST("the least, in any order") {
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample a;
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample b;
    fill(&a, false);
    fill(&b, true);
    for (size_t x = 0; x < COLLECTIONS; x++) {
        const size_t count = x == 0 || x == 69 ? WANTED : 0;
        CU_ASSERT_EQUAL_FATAL(a.of[x].count, count);
        CU_ASSERT_EQUAL_FATAL(b.of[x].count, count);
        for (size_t i = 0; i < count; i++) {
            const uint64_t *record = nd_overlap_drawn_at(&a, x, i);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_PAGE], nd_overlap_drawn_at(&b, x, i)[ND_SAMPLE_PAGE]);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_BITS], record[ND_SAMPLE_PAGE]);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_BITS + 1], 1);
        }
        uint64_t least = 0; /* pages that come before the last one kept */
        for (uint64_t page = 0; page < OFFERED && count > 0; page++) {
            const uint64_t *last = nd_overlap_drawn_at(&a, x, count - 1);
            const uint64_t order = order_of(page);
            least += (page % 3 == 0) == (x == 69) &&
                     (order < last[ND_SAMPLE_ORDER] ||
                      (order == last[ND_SAMPLE_ORDER] && page <= last[ND_SAMPLE_PAGE]));
        }
        CU_ASSERT_EQUAL(least, count);
    }
}

/* ---- Sizes from containment: the slides' example, values computed by numpy's lstsq, the four
 * engines of Bharat and Broder (1998), and collections that do not hang together. */

enum { MOST = 8 };

/* \param[in] found  of `asked` pages of each row's collection those that the column has */
static nd_drawn_pages contain(size_t count, uint64_t asked, const uint64_t *found) {
    nd_drawn_pages c;
    nd_drawn_pages_open(&c, count);
    for (size_t x = 0; x < count; x++) {
        c.asked[x] = asked;
    }
    memcpy(c.found, found, count * count * sizeof *found);
    nd_drawn_pages_group(&c);
    return c;
}

static void check_sizes(const nd_drawn_pages *c, nd_size_form form, size_t fixed,
                        const double *expected) {
    double sizes[MOST];
    double scratch[MOST * MOST];
    nd_relative_sizes(c, form, fixed, sizes, scratch);
    for (size_t x = 0; x < c->collections; x++) {
        CU_ASSERT_DOUBLE_EQUAL(sizes[x], expected[x], 1e-9);
    }
}

/* IIR 19: half of A is in B, a sixth of B is in A: |A| / |B| = 1/3. */
ND_TEST("the slides' example") {
    ND_OWNED(nd_drawn_pages_free) nd_drawn_pages c = contain(2, 60, (uint64_t[]){60, 30, 10, 60});
    nd_estimate ratio;
    CU_ASSERT_TRUE_FATAL(nd_size_ratio(&c, 0, 1, &ratio));
    CU_ASSERT_DOUBLE_EQUAL(ratio.mean, 1. / 3, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(ratio.lower, .1790464762374912, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(ratio.upper, .620571336817212, 1e-9);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        check_sizes(&c, (nd_size_form)form, 0, (double[]){1, 3});
        check_sizes(&c, (nd_size_form)form, 1, (double[]){1. / 3, 1});
    }
}

/* Six equations, three unknowns. Least squares depend on which size is fixed, logarithms do not. */
ND_TEST("against lstsq") {
    static const uint64_t found[] = {100, 30, 20,  10, 50, 100, 25, 20,
                                     80,  40, 100, 30, 60, 45,  50, 100};
    ND_OWNED(nd_drawn_pages_free) nd_drawn_pages c = contain(4, 100, found);
    check_sizes(&c, ND_SIZE_SQUARES, 0,
                (double[]){1, .5501955920601281, .2728007598183011, .1851541135485006});
    check_sizes(&c, ND_SIZE_SQUARES, 2,
                (double[]){3.5101060130250588, 1.9456937916693011, 1, .6593462178852194});
    check_sizes(&c, ND_SIZE_LOGS, 0,
                (double[]){1, .5066520446768085, .2934934619353858, .1887895186905433});
    check_sizes(&c, ND_SIZE_LOGS, 2,
                (double[]){3.4072309257102087, 1.7262805151971332, 1, .6432494865323656});
}

/* A sample that is a whole collection: `cells` things in each combination of collections. */
static void whole(nd_overlap_sample *s, size_t count, const uint64_t *cells) {
    uint64_t page = 0;
    nd_overlap_sample_open(s, count, 10000);
    for (uint64_t mask = 1; mask < UINT64_C(1) << count; mask++) {
        for (uint64_t i = 0; i < cells[mask]; i++, page++) {
            for (size_t x = 0; x < count; x++) {
                if (mask >> x & 1) {
                    nd_overlap_sample_offer(s, x, nd_mix64(page), page, &mask);
                }
            }
        }
    }
    nd_overlap_sample_finish(s);
}

/* November 1997, in units of 100,000 pages: HotBot 77 M, AltaVista 100 M, Excite 32 M, Infoseek
 * 17 M, together 160 M, 2.2 M in all four. How pairs and threes overlap was chosen to fit: from
 * the overlaps alone follow 48, 62, 20 and 11 % of the joint coverage. */
ND_TEST("four engines") {
    static const uint64_t cells[16] = {0,  391, 555, 214, 100, 30, 80, 60,
                                       50, 15,  25,  30,  6,   8,  14, 22};
    static const double expected[] = {770. / 1600, 1000. / 1600, 320. / 1600, 170. / 1600};
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
    nd_size_estimates e;
    whole(&s, 4, cells);
    for (size_t fixed = 0; fixed < 4; fixed++) {
        nd_size_estimates_make(&e, &s, fixed, 10, 1);
        CU_ASSERT_EQUAL(e.of.groups, 1);
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            for (size_t x = 0; x < 4; x++) {
                const nd_size_estimate *by = &e.by[form][x];
                CU_ASSERT_DOUBLE_EQUAL(by->share.mean, expected[x], 1e-9);
                CU_ASSERT_DOUBLE_EQUAL(by->size.mean, expected[x] / expected[fixed], 1e-9);
                CU_ASSERT(by->share.lower <= by->share.upper);
            }
        }
        nd_size_estimates_free(&e);
    }
}

/* 0 and 2 share things, 1 and 4 do; 3 has none of the others', though 0 has one of its own. */
ND_TEST("not together") {
    static const uint64_t found[] = {10, 0, 5, 0, 0, 0,  10, 0, 0, 4, 2, 0, 10,
                                     0,  0, 1, 0, 0, 10, 0,  0, 8, 0, 0, 10};
    ND_OWNED(nd_drawn_pages_free) nd_drawn_pages c = contain(5, 10, found);
    nd_estimate ratio = {.mean = 7};
    CU_ASSERT_EQUAL(c.groups, 3);
    CU_ASSERT_EQUAL(c.group[0], 0);
    CU_ASSERT_EQUAL(c.group[1], 1);
    CU_ASSERT_EQUAL(c.group[2], 0);
    CU_ASSERT_EQUAL(c.group[3], 3);
    CU_ASSERT_EQUAL(c.group[4], 1);
    CU_ASSERT_FALSE(nd_size_ratio(&c, 0, 1, &ratio));
    CU_ASSERT_FALSE(nd_size_ratio(&c, 0, 3, &ratio));
    CU_ASSERT_EQUAL(ratio.mean, 7);
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        check_sizes(&c, (nd_size_form)form, 2, (double[]){.4, 1, 1, 1, .5});
    }
    for (size_t x = 0; x < 5; x++) {
        c.part[x] = .5;
    }
    double shares[] = {.4, 1, 1, 1, .5};
    nd_joint_shares(&c, shares);
    CU_ASSERT_DOUBLE_EQUAL(shares[0], .4 / .7, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(shares[4], .5 / .75, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(shares[3], 2, 1e-12);
}

/* Without a page nothing is known, and nothing is divided. */
ND_TEST("nothing there") {
    static const uint64_t cells[4] = {0, 3, 0, 0};
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
    ND_OWNED(nd_size_estimates_free) nd_size_estimates e;
    whole(&s, 2, cells);
    nd_size_estimates_make(&e, &s, 0, 5, 1);
    CU_ASSERT_EQUAL(e.of.groups, 2);
    CU_ASSERT_EQUAL(e.apart, 0);
    CU_ASSERT_EQUAL(e.by[ND_SIZE_SQUARES][0].share.mean, 1);
    CU_ASSERT(isnan(e.by[ND_SIZE_SQUARES][1].share.mean));
    CU_ASSERT(isnan(e.by[ND_SIZE_SQUARES][1].share.lower));
}

/* One shared thing: in a third of the resamples it is not drawn, and they are counted apart. */
ND_TEST("resamples apart") {
    static const uint64_t cells[4] = {0, 9, 9, 1};
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
    ND_OWNED(nd_size_estimates_free) nd_size_estimates e;
    whole(&s, 2, cells);
    nd_size_estimates_make(&e, &s, 0, 1000, 1);
    /* (1 - .9^10)^2 = .424 of them have it on both sides */
    CU_ASSERT(e.apart > 500 && e.apart < 650);
    CU_ASSERT(!isnan(e.by[ND_SIZE_LOGS][1].size.lower));
}

ND_TEST("linear equations") {
    double a[] = {4, 0, 0, 1, 5, 0, 2, 3, 6}; /* the lower half */
    double b[] = {1, 2, 3};
    CU_ASSERT_TRUE(nd_linear_solve(a, b, 3));
    CU_ASSERT_DOUBLE_EQUAL(b[0], 0, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b[1], 1. / 7, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b[2], 3. / 7, 1e-12);
    double singular[] = {1, 1, 1, 1};
    CU_ASSERT_FALSE(nd_linear_solve(singular, b, 2));
    double negative[] = {1, 0, 2, 1};
    CU_ASSERT_FALSE(nd_linear_solve(negative, b, 2));
    double nothing[] = {(double)NAN};
    CU_ASSERT_FALSE(nd_linear_solve(nothing, b, 1));
    CU_ASSERT_TRUE(nd_linear_solve(NULL, NULL, 0));
}
