/* Agreement by the contingency table against a reference that looks at every pair of pages, on
 * random partitions with loose pages and ambiguous clusters. */
#include "src/measure/contingency.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2000, MOST_PAGES = 60, MOST_CLUSTERS = 12, MOST_AMBIGUOUS = 20 };

typedef struct scene {
    uint64_t set[MOST_PAGES];
    uint64_t cluster[MOST_PAGES];
    bool loose[MOST_PAGES];
    nd_cluster_pair ambiguous[MOST_AMBIGUOUS];
    nd_labelled_pages pages;
} scene;

static void make_scene(nd_random *random, scene *s) {
    const uint64_t sets = 1 + nd_random_below(random, MOST_CLUSTERS);
    const uint64_t clusters = 1 + nd_random_below(random, MOST_CLUSTERS);
    const uint64_t agreement = nd_random_below(random, 101); /* per cent of pages in their place */
    const uint64_t looseness = nd_random_below(random, 3) * 10;
    s->pages = (nd_labelled_pages){
        .set = s->set,
        .cluster = s->cluster,
        .loose = looseness > 0 ? s->loose : NULL,
        .count = nd_random_below(random, MOST_PAGES + 1),
        .cluster_count = clusters,
        .ambiguous = s->ambiguous,
        .ambiguous_count = clusters < 2 ? 0 : nd_random_below(random, MOST_AMBIGUOUS + 1)};
    for (size_t i = 0; i < s->pages.count; i++) {
        s->cluster[i] = nd_random_below(random, clusters);
        s->set[i] = nd_random_below(random, 100) < agreement ? s->cluster[i]
                                                             : nd_random_below(random, sets);
        s->set[i] = nd_mix64(s->set[i]); /* sets are any numbers */
        s->loose[i] = nd_random_below(random, 100) < looseness;
    }
    for (size_t i = 0; i < s->pages.ambiguous_count; i++) {
        const uint64_t a = nd_random_below(random, clusters);
        s->ambiguous[i] =
            (nd_cluster_pair){a, (a + 1 + nd_random_below(random, clusters - 1)) % clusters};
    }
}

static bool is_ambiguous(const scene *s, uint64_t a, uint64_t b) {
    for (size_t i = 0; i < s->pages.ambiguous_count; i++) {
        const nd_cluster_pair *p = &s->ambiguous[i];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            return true;
        }
    }
    return false;
}

static bool is_out(const scene *s, size_t i) {
    return s->pages.loose != NULL && s->loose[i];
}

/* One page against all: its share of the B-cubed means, and its pairs with later pages. */
static void judge_page(const scene *s, size_t i, nd_agreement *a) {
    double in_set = 0;
    double in_cluster = 0;
    double in_both = 0;
    for (size_t j = 0; j < s->pages.count; j++) {
        if (is_out(s, j)) {
            continue;
        }
        const bool same_set = s->set[i] == s->set[j];
        const bool same_cluster = s->cluster[i] == s->cluster[j];
        const bool judged = !is_ambiguous(s, s->cluster[i], s->cluster[j]);
        in_set += same_set && judged;
        in_cluster += same_cluster;
        in_both += same_set && same_cluster;
        if (j > i) {
            a->true_pairs += same_cluster;
            a->predicted_pairs += same_set && judged;
            a->common_pairs += same_set && same_cluster;
            a->skipped_pairs += same_set && !judged;
        }
    }
    a->pages++;
    a->cubed_precision += in_both / in_set;
    a->cubed_recall += in_both / in_cluster;
}

static nd_agreement judge_all(const scene *s) {
    nd_agreement a = {0};
    for (size_t i = 0; i < s->pages.count; i++) {
        bool first_of_set = !is_out(s, i);
        bool first_of_cluster = first_of_set;
        bool first_of_cell = first_of_set;
        if (is_out(s, i)) {
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            first_of_set = first_of_set && (is_out(s, j) || s->set[i] != s->set[j]);
            first_of_cluster = first_of_cluster && (is_out(s, j) || s->cluster[i] != s->cluster[j]);
            first_of_cell = first_of_cell && (is_out(s, j) || s->set[i] != s->set[j] ||
                                              s->cluster[i] != s->cluster[j]);
        }
        a.sets += first_of_set;
        a.clusters += first_of_cluster;
        a.cells += first_of_cell;
        judge_page(s, i, &a);
    }
    a.cubed_precision = a.pages == 0 ? 1 : a.cubed_precision / (double)a.pages;
    a.cubed_recall = a.pages == 0 ? 1 : a.cubed_recall / (double)a.pages;
    return a;
}

static void test_random(void) {
    nd_random random = nd_test_random("contingency");
    static scene s;
    uint64_t skipped = 0;
    for (int round = 0; round < ROUNDS; round++) {
        nd_agreement a;
        make_scene(&random, &s);
        const nd_agreement slow = judge_all(&s);
        CU_ASSERT_EQUAL_FATAL(nd_agreement_count(&s.pages, &a), ND_OK);
        const bool same =
            a.pages == slow.pages && a.sets == slow.sets && a.clusters == slow.clusters &&
            a.true_pairs == slow.true_pairs && a.predicted_pairs == slow.predicted_pairs &&
            a.common_pairs == slow.common_pairs && a.skipped_pairs == slow.skipped_pairs &&
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

static const nd_test tests[] = {{"against all pairs", test_random}};
ND_TEST_MAIN("contingency, random", tests)
