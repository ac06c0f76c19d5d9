/* Measures of labelled pages and of overlapping collections, with each allocation failing in turn:
 * that is said, nothing is lost, and where the work ends well its numbers are right. */
#include "src/measure/group_agreement.h"
#include "src/measure/leader_tally.h"
#include "src/measure/overlap_counts.h"
#include "src/measure/relative_recall.h"
#include "src/measure/relative_size.h"
#include "src/measure/same_site.h"
#include "tests/support/check.h"
#include "tests/support/faults.h"
#include "tests/support/labelled_scene.h"

static nd_labelled_scene scene;

static nd_status agree(void) {
    nd_status st = ND_OK;
    nd_agreement all, own;
    nd_group_agreement groups[ND_SCENE_GROUPS];
    nd_leader_tally sets[ND_SCENE_GROUPS], clusters[ND_SCENE_GROUPS];
    nd_same_site same = {0};
    const nd_leaders leaders = {scene.leader, scene.site, scene.group, ND_SCENE_GROUPS};
    ND_TRY(nd_agreement_count(&scene.pages, &all));
    ND_TRY(nd_group_agreement_count(&scene.pages, scene.group, ND_SCENE_GROUPS, groups));
    ND_TRY(nd_leader_tally_sets(&scene.pages, &leaders, sets));
    ND_TRY(nd_leader_tally_clusters(&scene.pages, &leaders, clusters));
    ND_TRY(nd_same_site_make(&scene.pages, scene.site, &same));
    ND_TRY(nd_agreement_count(&same.pages, &own));
    CU_ASSERT(own.true_pairs <= all.true_pairs && own.pages <= all.pages);
out:
    nd_same_site_free(&same);
    return st;
}

static nd_status draw_sets(void) {
    nd_status st = ND_OK;
    nd_set_sample sample = {0};
    nd_estimate estimate;
    const nd_sampled_pages sampled = {.labelled = scene.pages,
                                      .sampled = scene.set,
                                      .baseline = scene.cluster,
                                      .site = scene.site};
    ND_TRY(nd_set_sample_draw(&sampled, 5, false, 1, &sample));
    CU_ASSERT(sample.count == 5 && sample.population >= 5);
    for (int m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        ND_TRY(
            nd_set_sample_estimate(&sample, ND_SCOPE_ALL, (nd_sample_measure)m, 50, 1, &estimate));
        CU_ASSERT(estimate.lower <= estimate.mean && estimate.mean <= estimate.upper);
    }
out:
    nd_set_sample_free(&sample);
    return st;
}

static nd_status estimate_sizes(void) {
    nd_status st = ND_OK;
    nd_overlap_sample sample = {0};
    nd_size_estimates estimates = {0};
    nd_overlap_counts counts = {0};
    const nd_overlap_part parts[] = {{0, 1}, {1, 2}};
    ND_TRY(nd_overlap_sample_open(&sample, 2, 30));
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t in = i % 3 == 0 ? 3 : 1 + i % 2;
        for (size_t x = 0; x < 2; x++) {
            if ((in >> x & 1) != 0) {
                ND_TRY(nd_overlap_sample_offer(&sample, x, nd_mix64(2 * i + x), i, &in));
            }
        }
    }
    ND_TRY(nd_overlap_sample_finish(&sample));
    CU_ASSERT(sample.of[0].count == 30);
    ND_TRY(nd_size_estimates_make(&estimates, &sample, 0, 40, 1));
    CU_ASSERT_EQUAL(estimates.by[ND_SIZE_SQUARES][0].size.mean, 1);
    ND_TRY(nd_overlap_counts_open(&counts, 2));
    nd_overlap_counts_add(&counts, parts, 2);
    CU_ASSERT(nd_overlap_both(&counts, 0, 1) == 1 && nd_overlap_both(&counts, 1, 0) == 1);
out:
    nd_overlap_sample_free(&sample);
    nd_size_estimates_free(&estimates);
    nd_overlap_counts_free(&counts);
    return st;
}

static void test_measures(void) {
    nd_random random = {3};
    nd_labelled_scene_make(&random, &scene);
    CU_ASSERT(nd_test_all_faults(agree, NULL) >= 20);
    CU_ASSERT(nd_test_all_faults(draw_sets, NULL) >= 10);
    CU_ASSERT(nd_test_all_faults(estimate_sizes, NULL) >= 10);
}

static const nd_test tests[] = {{"measures", test_measures}};
ND_SUITE(t_measure_failures, tests)
