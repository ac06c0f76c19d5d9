/* Measures against what a count over all pairs gives. */
#include "src/measure/agreement.h"
#include "src/measure/collections.h"
#include "src/measure/precision.h"
#include "tests/support/check.h"

#include <math.h>

/* ---- Random labelled pages: few enough to look at every pair of them, with all that makes pairs
 * not count: loose pages, ambiguous clusters, pages without a site or a group. */

enum {
    SCENE_PAGES = 60,
    SCENE_CLUSTERS = 12,
    SCENE_AMBIGUOUS = 20,
    SCENE_SITES = 4,
    SCENE_GROUPS = 5
};

typedef struct labelled_scene {
    uint64_t set[SCENE_PAGES];
    uint64_t cluster[SCENE_PAGES];
    bool loose[SCENE_PAGES];
    nd_cluster_pair ambiguous[SCENE_AMBIGUOUS];
    uint64_t site[SCENE_PAGES];  /**< or ND_NO_SITE */
    uint64_t group[SCENE_PAGES]; /**< below SCENE_GROUPS, or ND_NO_GROUP */
    bool leader[SCENE_PAGES];
    nd_labelled_pages pages; /**< views of the arrays above */
} labelled_scene;

static void make_pages(nd_random *random, labelled_scene *s, uint64_t sets, uint64_t looseness) {
    const uint64_t agreement = nd_random_below(random, 101); /* per cent of pages in their place */
    for (size_t i = 0; i < s->pages.count; i++) {
        s->cluster[i] = nd_random_below(random, s->pages.cluster_count);
        s->set[i] = nd_random_below(random, 100) < agreement ? s->cluster[i]
                                                             : nd_random_below(random, sets);
        s->set[i] = nd_mix64(s->set[i]); /* sets are any numbers */
        s->loose[i] = nd_random_below(random, 100) < looseness;
        const uint64_t site = nd_random_below(random, SCENE_SITES + 1);
        s->site[i] = site < SCENE_SITES ? nd_mix64(site) : ND_NO_SITE;
        const uint64_t group = nd_random_below(random, SCENE_GROUPS + 1);
        s->group[i] = group < SCENE_GROUPS ? group : ND_NO_GROUP;
        s->leader[i] = nd_random_below(random, 5) == 0;
    }
}

static void make_scene(nd_random *random, labelled_scene *s) {
    const uint64_t sets = 1 + nd_random_below(random, SCENE_CLUSTERS);
    const uint64_t clusters = 1 + nd_random_below(random, SCENE_CLUSTERS);
    const uint64_t looseness = nd_random_below(random, 3) * 10;
    s->pages = (nd_labelled_pages){
        .set = s->set,
        .cluster = s->cluster,
        .loose = looseness > 0 ? s->loose : NULL,
        .count = nd_random_below(random, SCENE_PAGES + 1),
        .cluster_count = clusters,
        .ambiguous = s->ambiguous,
        .ambiguous_count = clusters < 2 ? 0 : nd_random_below(random, SCENE_AMBIGUOUS + 1)};
    make_pages(random, s, sets, looseness);
    for (size_t i = 0; i < s->pages.ambiguous_count; i++) {
        const uint64_t a = nd_random_below(random, clusters);
        s->ambiguous[i] =
            (nd_cluster_pair){a, (a + 1 + nd_random_below(random, clusters - 1)) % clusters};
    }
}

static bool is_loose(const labelled_scene *s, size_t i) {
    return s->pages.loose != NULL && s->loose[i];
}

static bool is_ambiguous(const labelled_scene *s, size_t i, size_t j) {
    const uint64_t a = s->cluster[i];
    const uint64_t b = s->cluster[j];
    for (size_t p = 0; p < s->pages.ambiguous_count; p++) {
        const nd_cluster_pair *pair = &s->ambiguous[p];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return true;
        }
    }
    return false;
}

/* ---- Agreement by the contingency table against a reference that looks at every pair of pages, on
 * random partitions with loose pages and ambiguous clusters. */

enum { ROUNDS = 2000 };
typedef labelled_scene scene;

/* One page against all: its share of the B-cubed means, and its pairs with later pages. */
static void score_page_contingency(const scene *s, size_t i, nd_agreement *a) {
    double in_set = 0;
    double in_cluster = 0;
    double in_both = 0;
    for (size_t j = 0; j < s->pages.count; j++) {
        if (is_loose(s, j)) {
            continue;
        }
        const bool same_set = s->set[i] == s->set[j];
        const bool same_cluster = s->cluster[i] == s->cluster[j];
        const bool evaluated = !is_ambiguous(s, i, j);
        in_set += same_set && evaluated;
        in_cluster += same_cluster;
        in_both += same_set && same_cluster;
        if (j > i) {
            a->true_pairs += same_cluster;
            a->predicted_pairs += same_set && evaluated;
            a->common_pairs += same_set && same_cluster;
            a->skipped_pairs += same_set && !evaluated;
            a->evaluated_pairs += evaluated;
        }
    }
    a->pages++;
    a->cubed_precision += in_both / in_set;
    a->cubed_recall += in_both / in_cluster;
}

static nd_agreement score_all(const scene *s) {
    nd_agreement a = {0};
    for (size_t i = 0; i < s->pages.count; i++) {
        bool first_of_set = !is_loose(s, i);
        bool first_of_cluster = first_of_set;
        bool first_of_cell = first_of_set;
        if (is_loose(s, i)) {
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            first_of_set = first_of_set && (is_loose(s, j) || s->set[i] != s->set[j]);
            first_of_cluster =
                first_of_cluster && (is_loose(s, j) || s->cluster[i] != s->cluster[j]);
            first_of_cell = first_of_cell && (is_loose(s, j) || s->set[i] != s->set[j] ||
                                              s->cluster[i] != s->cluster[j]);
        }
        a.sets += first_of_set;
        a.clusters += first_of_cluster;
        a.cells += first_of_cell;
        score_page_contingency(s, i, &a);
    }
    a.cubed_precision = a.pages == 0 ? 1 : a.cubed_precision / (double)a.pages;
    a.cubed_recall = a.pages == 0 ? 1 : a.cubed_recall / (double)a.pages;
    return a;
}

/* The same index as Cohen's kappa of the two-by-two table of pairs (Warrens, 2008). */
static double slow_rand_index(const nd_agreement *a) {
    const double both = (double)a->common_pairs;
    const double missed = (double)a->true_pairs - both;
    const double wrong = (double)a->predicted_pairs - both;
    const double neither = (double)a->evaluated_pairs - both - missed - wrong;
    return missed == 0 && wrong == 0
               ? 1
               : 2 * (both * neither - missed * wrong) /
                     ((both + missed) * (missed + neither) + (both + wrong) * (wrong + neither));
}

ND_TEST("against all pairs") {
    nd_random random = nd_test_random("contingency");
    static scene s;
    uint64_t skipped = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_agreement a;
        make_scene(&random, &s);
        const nd_agreement slow = score_all(&s);
        nd_agreement_count(&s.pages, &a);
        const bool same =
            a.pages == slow.pages && a.sets == slow.sets && a.clusters == slow.clusters &&
            a.true_pairs == slow.true_pairs && a.predicted_pairs == slow.predicted_pairs &&
            a.common_pairs == slow.common_pairs && a.skipped_pairs == slow.skipped_pairs &&
            a.evaluated_pairs == slow.evaluated_pairs &&
            fabs(nd_adjusted_rand_index(&a) - slow_rand_index(&slow)) < 1e-9 &&
            fabs(a.cubed_precision - slow.cubed_precision) < 1e-9 &&
            fabs(a.cubed_recall - slow.cubed_recall) < 1e-9;
        if (!same) {
            printf("round %d of %zu pages differs\n", round, s.pages.count);
        }
        CU_ASSERT_TRUE_FATAL(same);
        skipped += a.skipped_pairs;
    }
    CU_ASSERT(skipped > 0); /* the scenes do have what they are about */
}

/* ---- Groups of pages, the pairs of one site, and pairs with leaders, against references that look
 * at every pair of pages, on random partitions with loose pages and ambiguous clusters. */

static bool on_one_site(const scene *s, size_t i, size_t j) {
    return s->site[i] == s->site[j] && s->site[i] != ND_NO_SITE;
}

static bool is_pair(const scene *s, size_t i, size_t j, bool one_site) {
    return i != j && !is_loose(s, i) && !is_loose(s, j) && (!one_site || on_one_site(s, i, j));
}

/* Count a pair of pages. */
static void count_pair(const scene *s, size_t i, size_t j, nd_pair_counts *counts) {
    const bool same_set = s->set[i] == s->set[j];
    const bool same_cluster = s->cluster[i] == s->cluster[j];
    const bool evaluated = !is_ambiguous(s, i, j);
    counts->true_pairs += same_cluster;
    counts->common_pairs += same_cluster && same_set;
    counts->predicted_pairs += same_set && evaluated;
    counts->skipped_pairs += same_set && !evaluated;
}

/* Pairs with a page of the group; of all pages if it is ND_NO_GROUP. */
static nd_pair_counts slow_pairs(const scene *s, uint64_t group, bool one_site) {
    nd_pair_counts counts = {0};
    for (size_t i = 0; i < s->pages.count; i++) {
        for (size_t j = 0; j < i; j++) {
            const bool touched =
                group == ND_NO_GROUP || s->group[i] == group || s->group[j] == group;
            if (touched && is_pair(s, i, j, one_site)) {
                count_pair(s, i, j, &counts);
            }
        }
    }
    return counts;
}

static void score_page_group_agreement(const scene *s, size_t i, bool one_site,
                                       nd_group_agreement *g) {
    size_t partners = 0;
    size_t found = 0;
    bool mixed = false;
    for (size_t j = 0; j < s->pages.count; j++) {
        if (is_pair(s, i, j, one_site)) {
            const bool same_cluster = s->cluster[i] == s->cluster[j];
            const bool same_set = s->set[i] == s->set[j];
            partners += same_cluster;
            found += same_cluster && same_set;
            mixed = mixed || (same_set && !same_cluster && !is_ambiguous(s, i, j));
        }
    }
    g->pages++;
    g->mixed_pages += mixed;
    g->partnered_pages += partners > 0;
    g->page_recall += partners > 0 ? (double)found / (double)partners : 0;
}

static nd_group_agreement slow_group(const scene *s, uint64_t group, bool one_site) {
    nd_group_agreement g = {.pairs = slow_pairs(s, group, one_site)};
    for (size_t i = 0; i < s->pages.count; i++) {
        if (s->group[i] == group && !is_loose(s, i) && (!one_site || s->site[i] != ND_NO_SITE)) {
            score_page_group_agreement(s, i, one_site, &g);
        }
    }
    g.page_recall = g.partnered_pages == 0 ? 1 : g.page_recall / (double)g.partnered_pages;
    return g;
}

static bool same_pairs(nd_pair_counts a, nd_pair_counts b) {
    return a.true_pairs == b.true_pairs && a.predicted_pairs == b.predicted_pairs &&
           a.common_pairs == b.common_pairs && a.skipped_pairs == b.skipped_pairs;
}

static bool same_groups(const scene *s, const nd_labelled_pages *pages, bool one_site) {
    nd_group_agreement groups[SCENE_GROUPS];
    bool same = true;
    nd_group_agreement_count(pages, s->group, SCENE_GROUPS, groups);
    for (uint64_t g = 0; g < SCENE_GROUPS; g++) {
        const nd_group_agreement slow = slow_group(s, g, one_site);
        same = same && groups[g].pages == slow.pages && same_pairs(groups[g].pairs, slow.pairs) &&
               groups[g].partnered_pages == slow.partnered_pages &&
               groups[g].mixed_pages == slow.mixed_pages &&
               fabs(groups[g].page_recall - slow.page_recall) < 1e-9;
    }
    return same;
}

ND_TEST("groups") {
    nd_random random = nd_test_random("groups");
    static scene s;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        make_scene(&random, &s);
        CU_ASSERT_TRUE_FATAL(same_groups(&s, &s.pages, false));
    }
}

ND_TEST("same site") {
    nd_random random = nd_test_random("same site");
    static scene s;
    uint64_t skipped = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        ND_OWNED(nd_same_site_free) nd_same_site same;
        nd_agreement agreement;
        make_scene(&random, &s);
        nd_same_site_make(&s.pages, s.site, &same);
        nd_agreement_count(&same.pages, &agreement);
        CU_ASSERT_TRUE_FATAL(
            same_pairs(nd_agreement_pairs(&agreement), slow_pairs(&s, ND_NO_GROUP, true)));
        CU_ASSERT_TRUE_FATAL(same_groups(&s, &same.pages, true));
        skipped += agreement.skipped_pairs;
    }
    CU_ASSERT(skipped > 0); /* the scenes do have what they are about */
}

/* The first leader of the page's set or cluster; the number of pages if there is none. */
static size_t slow_leader(const scene *s, size_t i, bool of_sets) {
    for (size_t j = 0; j < s->pages.count; j++) {
        if (s->leader[j] && !is_loose(s, j) &&
            (of_sets ? s->set[i] == s->set[j] : s->cluster[i] == s->cluster[j])) {
            return j;
        }
    }
    return s->pages.count;
}

static nd_leader_tally slow_tally(const scene *s, uint64_t group, bool of_sets) {
    nd_leader_tally t = {0};
    for (size_t i = 0; i < s->pages.count; i++) {
        const size_t j = slow_leader(s, i, of_sets);
        if (s->group[i] != group || j == s->pages.count || !is_pair(s, i, j, false) ||
            is_ambiguous(s, i, j)) {
            continue;
        }
        const bool agreeing = of_sets ? s->cluster[i] == s->cluster[j] : s->set[i] == s->set[j];
        t.all.pairs++;
        t.all.agreeing += agreeing;
        t.same_site.pairs += on_one_site(s, i, j);
        t.same_site.agreeing += on_one_site(s, i, j) && agreeing;
    }
    return t;
}

ND_TEST("leaders") {
    nd_random random = nd_test_random("leaders");
    static scene s;
    const nd_labelled_leaders leaders = {s.leader, s.site, s.group, SCENE_GROUPS};
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_leader_tally sets[SCENE_GROUPS];
        nd_leader_tally clusters[SCENE_GROUPS];
        make_scene(&random, &s);
        nd_leader_tally_sets(&s.pages, &leaders, sets);
        nd_leader_tally_clusters(&s.pages, &leaders, clusters);
        for (uint64_t g = 0; g < SCENE_GROUPS; g++) {
            const nd_leader_tally of_sets = slow_tally(&s, g, true);
            const nd_leader_tally of_clusters = slow_tally(&s, g, false);
            CU_ASSERT_TRUE_FATAL(memcmp(&sets[g], &of_sets, sizeof of_sets) == 0);
            CU_ASSERT_TRUE_FATAL(memcmp(&clusters[g], &of_clusters, sizeof of_clusters) == 0);
        }
    }
}

ND_TEST("deciles") {
    CU_ASSERT_EQUAL(nd_decile_of(0), 0);
    CU_ASSERT_EQUAL(nd_decile_of(.0999), 0);
    CU_ASSERT_EQUAL(nd_decile_of((double).7F), 7);
    CU_ASSERT_EQUAL(nd_decile_of(.699999), 6);
    CU_ASSERT_EQUAL(nd_decile_of(.999), 9);
    CU_ASSERT_EQUAL(nd_decile_of(1), 10);
    CU_ASSERT_EQUAL(nd_decile_of(-.1), 0);
}

/* ---- What an interval is for: of many samples of values with a known mean, the intervals of 95 %
 * hold it, or a little less, as the percentile interval is known to be somewhat narrow. */

enum { SAMPLES = 1000, VALUES = 100, RESAMPLES_BOOTSTRAP = 400 };

/* Shares as of sampled sets: most of them 1, the others k / 4. */
static double draw_value(nd_random *random) {
    return nd_random_below(random, 2) == 0 ? 1 : (double)nd_random_below(random, 5) / 4;
}

ND_TEST("coverage") {
    const double mean = .5 + .5 * .5;
    nd_random random = nd_test_random("bootstrap");
    int held = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double values[VALUES];
        nd_estimate e;
        for (size_t k = 0; k < VALUES; k++) {
            values[k] = draw_value(&random);
        }
        nd_bootstrap_mean(values, VALUES, RESAMPLES_BOOTSTRAP, nd_random_next(&random), &e);
        CU_ASSERT(e.lower <= e.mean && e.mean <= e.upper);
        held += e.lower <= mean && mean <= e.upper;
    }
    printf("%d of %d intervals hold the mean\n", held, SAMPLES);
    /* six standard deviations around 94 % */
    CU_ASSERT(held > (double)SAMPLES * .895 && held < (double)SAMPLES * .985);
}

/* ---- Slopes of power laws: values drawn from one, of which both estimates find the exponent; and
 * the likelihood of the one that is found against those beside it, by plain sums. */

enum { LARGEST = 100000, DRAWS = 200000 };

/* Chances of 1 .. LARGEST, summed up. */
static void fill_chances(double *chances, double exponent) {
    double sum = 0;
    for (int x = 1; x <= LARGEST; x++) {
        sum += pow(x, -exponent);
        chances[x] = sum;
    }
}

static uint64_t draw_power_law(const double *chances, nd_random *random) {
    const double at =
        (double)nd_random_below(random, UINT64_C(1) << 52) / 0x1p52 * chances[LARGEST];
    uint64_t low = 1;
    uint64_t high = LARGEST;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (chances[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The line through the counts is led by the few largest values, which now and then are far out: of
 * several draws that in the middle is asked. */
ND_TEST("values of a power law") {
    enum { TIMES = 9 };
    static const double exponents[] = {1.8, 2.1, 2.5, 3};
    nd_random random = nd_test_random("drawn");
    ND_FREED double *chances = calloc(LARGEST + 1, sizeof *chances);
    for (size_t e = 0; chances != NULL && e < sizeof exponents / sizeof exponents[0]; e++) {
        double by_squares[TIMES];
        fill_chances(chances, exponents[e]);
        for (int t = 0; t < TIMES; t++) {
            nd_power_law law = {0};
            for (int i = 0; i < DRAWS; i++) {
                nd_power_law_add(&law, draw_power_law(chances, &random));
            }
            CU_ASSERT_EQUAL(law.values, DRAWS);
            CU_ASSERT_DOUBLE_EQUAL(nd_power_law_slope_by_likelihood(&law), -exponents[e], .03);
            by_squares[t] = nd_power_law_slope_by_squares(&law);
        }
        qsort(by_squares, TIMES, sizeof *by_squares, nd_test_by_double);
        CU_ASSERT_DOUBLE_EQUAL(by_squares[TIMES / 2], -exponents[e], .3);
    }
}

/* Natural logarithm of the likelihood per value; the sum is long enough for exponents above 2. */
static double slow_likelihood(const uint64_t *values, int count, double exponent) {
    double zeta = 0;
    double sum = 0;
    for (int k = 1000000; k >= 1; k--) {
        zeta += pow(k, -exponent);
    }
    for (int i = 0; i < count; i++) {
        sum -= exponent * log((double)values[i]);
    }
    return sum / count - log(zeta);
}

ND_TEST("the most likely exponent") {
    static const uint64_t values[] = {1, 1, 1, 2, 1, 3, 1, 1, 1, 5, 1, 2, 1, 1, 4, 1};
    const int count = sizeof values / sizeof values[0];
    nd_power_law law = {0};
    for (int i = 0; i < count; i++) {
        nd_power_law_add(&law, values[i]);
    }
    const double exponent = -nd_power_law_slope_by_likelihood(&law);
    const double most = slow_likelihood(values, count, exponent);
    CU_ASSERT(exponent > 2);
    CU_ASSERT(most > slow_likelihood(values, count, exponent + 1e-3));
    CU_ASSERT(most > slow_likelihood(values, count, exponent - 1e-3));
}

/* Bins whose density falls with the square of their middles lie on a line. */
ND_TEST("bins on a line") {
    nd_power_law law = {.values = 1};
    for (int i = 0; i < 12; i++) {
        const double width = ldexp(1, i);
        law.bins[i] = (uint64_t)llround(1e15 / (2 * width - 1));
    }
    CU_ASSERT_DOUBLE_EQUAL(nd_power_law_slope_by_squares(&law), -2, 1e-9);
}

ND_TEST("too few values") {
    nd_power_law law = {0};
    CU_ASSERT(isnan(nd_power_law_slope_by_squares(&law)));
    CU_ASSERT(isnan(nd_power_law_slope_by_likelihood(&law)));
    nd_power_law_add(&law, 0);
    CU_ASSERT_EQUAL(law.values, 0);
    nd_power_law_add(&law, 1);
    CU_ASSERT(isnan(nd_power_law_slope_by_squares(&law)));
    CU_ASSERT(isnan(nd_power_law_slope_by_likelihood(&law)));
    nd_power_law_add(&law, UINT64_MAX);
    CU_ASSERT_EQUAL(law.bins[0], 1);
    CU_ASSERT_EQUAL(law.bins[63], 1);
    CU_ASSERT_EQUAL(law.most, UINT64_MAX);
    CU_ASSERT(nd_power_law_slope_by_likelihood(&law) < -1);
}

/* ---- Sampled sets against a reference that looks at every pair of pages, on random partitions
 * with loose pages, ambiguous clusters and unknown sites; and the sampling itself: sets of the
 * whole sample, each as often as another. */

enum { ROUNDS_RELATIVE_RECALL = 2000, MOST_SETS = 12 };
typedef struct sample_scene {
    labelled_scene labelled;
    uint64_t sampled[SCENE_PAGES], baseline[SCENE_PAGES];
    nd_sampled_pages pages;
    bool singletons;
} sample_scene;

static void make_sets(nd_random *random, const sample_scene *s, uint64_t *set) {
    const uint64_t sets = 1 + nd_random_below(random, MOST_SETS);
    const uint64_t agreement = nd_random_below(random, 101); /* per cent of pages in their place */
    for (size_t i = 0; i < s->labelled.pages.count; i++) {
        const bool in_place = nd_random_below(random, 100) < agreement;
        set[i] = nd_mix64(in_place ? s->labelled.cluster[i] : nd_random_below(random, sets));
    }
}

static void make_recall_scene(nd_random *random, sample_scene *s) {
    make_scene(random, &s->labelled);
    make_sets(random, s, s->sampled);
    make_sets(random, s, s->baseline);
    s->singletons = nd_random_below(random, 2) == 0;
    s->pages = (nd_sampled_pages){.labelled = s->labelled.pages,
                                  .sampled = nd_random_below(random, 2) == 0 ? s->labelled.set
                                                                             : s->sampled,
                                  .baseline = nd_random_below(random, 4) == 0 ? NULL : s->baseline,
                                  .site = s->labelled.site};
}

/* ---- the reference */

/* Evaluated pages that share the sampled set of page i, and of these its cluster. */
static uint64_t fellows_of(const sample_scene *s, size_t i, bool of_cluster) {
    uint64_t fellows = 0;
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        fellows += !is_loose(&s->labelled, j) && s->pages.sampled[j] == s->pages.sampled[i] &&
                   (!of_cluster || s->labelled.cluster[j] == s->labelled.cluster[i]);
    }
    return fellows;
}

/* Whether i represents its sampled set: no page of it has more fellows, no earlier one as many. */
static bool is_representative(const sample_scene *s, size_t i) {
    if (is_loose(&s->labelled, i) || (!s->singletons && fellows_of(s, i, false) < 2)) {
        return false;
    }
    const uint64_t own = fellows_of(s, i, true);
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        if (j != i && !is_loose(&s->labelled, j) && s->pages.sampled[j] == s->pages.sampled[i]) {
            const uint64_t other = fellows_of(s, j, true);
            if (other > own || (other == own && j < i)) {
                return false;
            }
        }
    }
    return true;
}

static nd_sample_counts count_slowly(const sample_scene *s, size_t page, bool on_site) {
    nd_sample_counts c = {0};
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        const bool same_site =
            s->labelled.site[j] != ND_NO_SITE && s->labelled.site[j] == s->labelled.site[page];
        if (is_loose(&s->labelled, j) || (on_site && j != page && !same_site)) {
            continue;
        }
        const bool similar = s->labelled.cluster[j] == s->labelled.cluster[page];
        const bool same_set = s->labelled.set[j] == s->labelled.set[page];
        c.pages += same_set && !is_ambiguous(&s->labelled, j, page);
        c.similar += same_set && similar;
        c.baseline += s->pages.baseline != NULL && similar && s->baseline[j] == s->baseline[page];
        c.anywhere += similar;
    }
    return c;
}

/* ---- the tests */

static bool same_counts(const nd_sample_counts *a, const nd_sample_counts *b) {
    return a->pages == b->pages && a->similar == b->similar && a->baseline == b->baseline &&
           a->anywhere == b->anywhere;
}

static const nd_sampled_set *find_set(const nd_set_sample *sample, uint64_t set) {
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->sets[i].set == set) {
            return &sample->sets[i];
        }
    }
    return NULL;
}

/* The sample of all sets has those of the reference and no others, with its counts. */
static bool is_whole(const sample_scene *s, const nd_set_sample *sample) {
    size_t sets = 0;
    for (size_t i = 0; i < s->pages.labelled.count; i++) {
        if (!is_representative(s, i)) {
            continue;
        }
        const nd_sampled_set *found = find_set(sample, s->pages.sampled[i]);
        const nd_sample_counts all = count_slowly(s, i, false);
        const nd_sample_counts site = count_slowly(s, i, true);
        if (found == NULL || found->representative != i ||
            found->pages != fellows_of(s, i, false) ||
            !same_counts(&found->counts[ND_SCOPE_ALL], &all) ||
            !same_counts(&found->counts[ND_SCOPE_SITE], &site)) {
            printf("set of page %zu differs\n", i);
            return false;
        }
        sets++;
    }
    return sets == sample->count && sets == sample->population;
}

/* A smaller sample: sets of the whole one, nd_test_by_double, as counted there. */
static bool is_part(const nd_set_sample *part, const nd_set_sample *whole, uint64_t most) {
    bool right = part->population == whole->population &&
                 part->count == (most < whole->count ? (size_t)most : whole->count);
    for (size_t i = 0; right && i < part->count; i++) {
        const nd_sampled_set *same = find_set(whole, part->sets[i].set);
        right = (i == 0 || part->sets[i - 1].set < part->sets[i].set) && same != NULL &&
                memcmp(same, &part->sets[i], sizeof *same) == 0;
    }
    return right;
}

ND_TEST("relative recall: against all pairs") {
    nd_random random = nd_test_random("relative recall");
    static sample_scene s;
    uint64_t unlike = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS_RELATIVE_RECALL); round++) {
        ND_OWNED(nd_set_sample_free) nd_set_sample whole;
        ND_OWNED(nd_set_sample_free) nd_set_sample part;
        make_recall_scene(&random, &s);
        const uint64_t most = nd_random_below(&random, MOST_SETS);
        nd_set_sample_draw(&s.pages, UINT64_MAX, s.singletons, (uint64_t)round, &whole);
        nd_set_sample_draw(&s.pages, most, s.singletons, (uint64_t)round, &part);
        const bool right = is_whole(&s, &whole) && is_part(&part, &whole, most);
        if (!right) {
            printf("round %d of %zu pages differs\n", round, s.pages.labelled.count);
        }
        CU_ASSERT_TRUE_FATAL(right);
        for (size_t i = 0; i < whole.count; i++) {
            unlike += whole.sets[i].counts[ND_SCOPE_ALL].pages !=
                      whole.sets[i].counts[ND_SCOPE_SITE].pages;
        }
    }
    CU_ASSERT(unlike > 0); /* the scenes do have what they are about */
}

/* Of 20 sets of two pages 5 are drawn, over many seeds each as often as another: within six
 * standard deviations, which a fair draw misses once in 10^7 runs of this test. */
ND_TEST("fairness") {
    enum { SETS = 20, DRAWN = 5, SEEDS = 4000 };
    nd_random random = nd_test_random("fairness");
    uint64_t set[2 * SETS];
    uint64_t drawn[SETS] = {0};
    for (size_t i = 0; i < 2 * SETS; i++) {
        set[i] = i / 2;
    }
    const nd_sampled_pages pages = {
        .labelled = {.set = set, .cluster = set, .count = 2 * SETS, .cluster_count = SETS},
        .sampled = set,
        .site = set};
    for (int i = 0; i < SEEDS; i++) {
        ND_OWNED(nd_set_sample_free) nd_set_sample sample;
        nd_set_sample_draw(&pages, DRAWN, false, nd_random_next(&random), &sample);
        for (size_t k = 0; k < sample.count; k++) {
            drawn[sample.sets[k].set]++;
        }
    }
    const double share = (double)DRAWN / (double)SETS;
    const double deviation = sqrt((double)SEEDS * share * (1 - share));
    for (size_t i = 0; i < SETS; i++) {
        CU_ASSERT(fabs((double)drawn[i] - (double)SEEDS * share) < 6 * deviation);
    }
}

/* ---- Sizes from samples of made-up collections: intervals of 95 % hold the true shares about as
 * often, with shares that are exact the sizes are too, and no name and no fixed collection matters
 * where it should not. */

enum {
    COLLECTIONS = 5,
    THINGS = 3000,
    DRAWN_RELATIVE_SIZE = 300,
    RESAMPLES_RELATIVE_SIZE = 200,
    ROUNDS_RELATIVE_SIZE = 60
};

/* Some things are popular. Every collection has a part of them, each by a probability of its own.
 * \param[out] masks  of each thing the collections that have it; 0: none */
static void make_things(nd_random *random, uint64_t *masks, uint64_t *sizes, uint64_t *all) {
    for (size_t x = 0; x < COLLECTIONS; x++) {
        sizes[x] = 0;
    }
    *all = 0;
    for (size_t i = 0; i < THINGS; i++) {
        const uint64_t popular = 1 + nd_random_below(random, 2);
        masks[i] = 0;
        for (size_t x = 0; x < COLLECTIONS; x++) {
            const bool has = nd_random_below(random, 100) < popular * (10 + 8 * x);
            masks[i] |= (uint64_t)has << x;
            sizes[x] += has;
        }
        *all += masks[i] != 0;
    }
}

/* \param[in] names  collection x is called names[x] */
static void draw_relative_size(nd_overlap_sample *s, const uint64_t *masks, size_t wanted,
                               uint64_t seed, const size_t *names) {
    nd_overlap_sample_open(s, COLLECTIONS, wanted);
    for (size_t i = 0; i < THINGS; i++) {
        uint64_t named = 0;
        for (size_t x = 0; x < COLLECTIONS; x++) {
            named |= (masks[i] >> x & 1) << names[x];
        }
        for (size_t x = 0; x < COLLECTIONS; x++) {
            const uint64_t page = COLLECTIONS * i + x;
            if (masks[i] >> x & 1) {
                nd_overlap_sample_offer(s, names[x], nd_mix64(seed + page), page, &named);
            }
        }
    }
    nd_overlap_sample_finish(s);
}

static const size_t as_they_are[COLLECTIONS] = {0, 1, 2, 3, 4};

ND_TEST("intervals") {
    nd_random random = nd_test_random("relative sizes");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    int held[ND_SIZE_FORMS] = {0};
    make_things(&random, masks, sizes, &all);
    for (int round = 0; round < ROUNDS_RELATIVE_SIZE; round++) {
        ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
        ND_OWNED(nd_size_estimates_free) nd_size_estimates e;
        draw_relative_size(&s, masks, DRAWN_RELATIVE_SIZE, nd_random_next(&random), as_they_are);
        nd_size_estimates_make(&e, &s, 0, RESAMPLES_RELATIVE_SIZE, nd_random_next(&random));
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            for (size_t x = 0; x < COLLECTIONS; x++) {
                const nd_estimate *share = &e.by[form][x].share;
                const double truth = (double)sizes[x] / (double)all;
                held[form] += share->lower <= truth && truth <= share->upper;
                CU_ASSERT(fabs(share->mean / truth - 1) < .5);
            }
        }
    }
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        printf("%d of %d intervals hold the share\n", held[form],
               ROUNDS_RELATIVE_SIZE * COLLECTIONS);
        CU_ASSERT(held[form] > ROUNDS_RELATIVE_SIZE * COLLECTIONS * .85);
    }
}

/* Whole collections as samples: nothing is estimated, and everything is exact. */
ND_TEST("whole collections") {
    nd_random random = nd_test_random("relative sizes, whole");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
    ND_OWNED(nd_size_estimates_free) nd_size_estimates e;
    make_things(&random, masks, sizes, &all);
    draw_relative_size(&s, masks, THINGS, 1, as_they_are);
    nd_size_estimates_make(&e, &s, 2, 1, 1);
    for (size_t x = 0; x < COLLECTIONS; x++) {
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            CU_ASSERT_DOUBLE_EQUAL(e.by[form][x].share.mean, (double)sizes[x] / (double)all, 1e-9);
            CU_ASSERT_DOUBLE_EQUAL(e.by[form][x].size.mean, (double)sizes[x] / (double)sizes[2],
                                   1e-9);
        }
    }
}

/* The collections in another order, and another one fixed. */
ND_TEST("other names") {
    static const size_t turned[COLLECTIONS] = {3, 0, 4, 1, 2};
    nd_random random = nd_test_random("relative sizes, names");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample s;
    ND_OWNED(nd_overlap_sample_free) nd_overlap_sample other;
    nd_size_estimates e;
    nd_size_estimates o;
    make_things(&random, masks, sizes, &all);
    draw_relative_size(&s, masks, DRAWN_RELATIVE_SIZE, 7, as_they_are);
    draw_relative_size(&other, masks, DRAWN_RELATIVE_SIZE, 7, turned);
    for (size_t fixed = 0; fixed < COLLECTIONS; fixed++) {
        nd_size_estimates_make(&e, &s, 0, 1, 1);
        nd_size_estimates_make(&o, &other, fixed, 1, 1);
        for (size_t x = 0; x < COLLECTIONS; x++) {
            CU_ASSERT_DOUBLE_EQUAL(e.by[ND_SIZE_LOGS][x].share.mean,
                                   o.by[ND_SIZE_LOGS][turned[x]].share.mean, 1e-9);
            if (fixed == turned[0]) {
                CU_ASSERT_DOUBLE_EQUAL(e.by[ND_SIZE_SQUARES][x].share.mean,
                                       o.by[ND_SIZE_SQUARES][turned[x]].share.mean, 1e-9);
            }
        }
        nd_size_estimates_free(&e);
        nd_size_estimates_free(&o);
    }
}
