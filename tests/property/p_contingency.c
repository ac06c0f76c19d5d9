/* Agreement by the contingency table against a reference that looks at every pair of pages, on
 * random partitions with loose pages and ambiguous clusters. */
#include "src/measure/agreement.h"
#include "tests/support/check.h"
#include "tests/support/labelled_scene.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 2000 };

typedef nd_labelled_scene scene;

/* One page against all: its share of the B-cubed means, and its pairs with later pages. */
static void score_page(const scene *s, size_t i, nd_agreement *a) {
    double in_set = 0;
    double in_cluster = 0;
    double in_both = 0;
    for (size_t j = 0; j < s->pages.count; j++) {
        if (nd_labelled_scene_is_loose(s, j)) {
            continue;
        }
        const bool same_set = s->set[i] == s->set[j];
        const bool same_cluster = s->cluster[i] == s->cluster[j];
        const bool evaluated = !nd_labelled_scene_is_ambiguous(s, i, j);
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
        bool first_of_set = !nd_labelled_scene_is_loose(s, i);
        bool first_of_cluster = first_of_set;
        bool first_of_cell = first_of_set;
        if (nd_labelled_scene_is_loose(s, i)) {
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            first_of_set =
                first_of_set && (nd_labelled_scene_is_loose(s, j) || s->set[i] != s->set[j]);
            first_of_cluster = first_of_cluster &&
                               (nd_labelled_scene_is_loose(s, j) || s->cluster[i] != s->cluster[j]);
            first_of_cell =
                first_of_cell && (nd_labelled_scene_is_loose(s, j) || s->set[i] != s->set[j] ||
                                  s->cluster[i] != s->cluster[j]);
        }
        a.sets += first_of_set;
        a.clusters += first_of_cluster;
        a.cells += first_of_cell;
        score_page(s, i, &a);
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

static void test_random(void) {
    nd_random random = nd_test_random("contingency");
    static scene s;
    uint64_t skipped = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_agreement a;
        nd_labelled_scene_make(&random, &s);
        const nd_agreement slow = score_all(&s);
        CU_ASSERT_EQUAL_FATAL(nd_agreement_count(&s.pages, &a), ND_OK);
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

static const nd_test tests[] = {{"against all pairs", test_random}};
ND_SUITE(p_contingency, tests)
