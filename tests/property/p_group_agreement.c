/* Groups of pages, the pairs of one site, and pairs with leaders, against references that look at
 * every pair of pages, on random partitions with loose pages and ambiguous clusters. */
#include "src/measure/agreement.h"
#include "tests/support/check.h"
#include "tests/support/labelled_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 2000 };

typedef nd_labelled_scene scene;

static bool on_one_site(const scene *s, size_t i, size_t j) {
    return s->site[i] == s->site[j] && s->site[i] != ND_NO_SITE;
}

static bool is_pair(const scene *s, size_t i, size_t j, bool one_site) {
    return i != j && !nd_labelled_scene_is_loose(s, i) && !nd_labelled_scene_is_loose(s, j) &&
           (!one_site || on_one_site(s, i, j));
}

/* Count a pair of pages. */
static void count_pair(const scene *s, size_t i, size_t j, nd_pair_counts *counts) {
    const bool same_set = s->set[i] == s->set[j];
    const bool same_cluster = s->cluster[i] == s->cluster[j];
    const bool evaluated = !nd_labelled_scene_is_ambiguous(s, i, j);
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

static void score_page(const scene *s, size_t i, bool one_site, nd_group_agreement *g) {
    size_t partners = 0;
    size_t found = 0;
    bool mixed = false;
    for (size_t j = 0; j < s->pages.count; j++) {
        if (is_pair(s, i, j, one_site)) {
            const bool same_cluster = s->cluster[i] == s->cluster[j];
            const bool same_set = s->set[i] == s->set[j];
            partners += same_cluster;
            found += same_cluster && same_set;
            mixed =
                mixed || (same_set && !same_cluster && !nd_labelled_scene_is_ambiguous(s, i, j));
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
        if (s->group[i] == group && !nd_labelled_scene_is_loose(s, i) &&
            (!one_site || s->site[i] != ND_NO_SITE)) {
            score_page(s, i, one_site, &g);
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
    nd_group_agreement groups[ND_SCENE_GROUPS];
    bool same = nd_group_agreement_count(pages, s->group, ND_SCENE_GROUPS, groups) == ND_OK;
    for (uint64_t g = 0; g < ND_SCENE_GROUPS; g++) {
        const nd_group_agreement slow = slow_group(s, g, one_site);
        same = same && groups[g].pages == slow.pages && same_pairs(groups[g].pairs, slow.pairs) &&
               groups[g].partnered_pages == slow.partnered_pages &&
               groups[g].mixed_pages == slow.mixed_pages &&
               fabs(groups[g].page_recall - slow.page_recall) < 1e-9;
    }
    return same;
}

static void test_groups(void) {
    nd_random random = nd_test_random("groups");
    static scene s;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_labelled_scene_make(&random, &s);
        CU_ASSERT_TRUE_FATAL(same_groups(&s, &s.pages, false));
    }
}

static void test_same_site(void) {
    nd_random random = nd_test_random("same site");
    static scene s;
    uint64_t skipped = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_same_site same;
        nd_agreement agreement;
        nd_labelled_scene_make(&random, &s);
        CU_ASSERT_EQUAL_FATAL(nd_same_site_make(&s.pages, s.site, &same), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_agreement_count(&same.pages, &agreement), ND_OK);
        CU_ASSERT_TRUE_FATAL(
            same_pairs(nd_agreement_pairs(&agreement), slow_pairs(&s, ND_NO_GROUP, true)));
        CU_ASSERT_TRUE_FATAL(same_groups(&s, &same.pages, true));
        skipped += agreement.skipped_pairs;
        nd_same_site_free(&same);
    }
    CU_ASSERT(skipped > 0); /* the scenes do have what they are about */
}

/* The first leader of the page's set or cluster; the number of pages if there is none. */
static size_t slow_leader(const scene *s, size_t i, bool of_sets) {
    for (size_t j = 0; j < s->pages.count; j++) {
        if (s->leader[j] && !nd_labelled_scene_is_loose(s, j) &&
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
            nd_labelled_scene_is_ambiguous(s, i, j)) {
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

static void test_leaders(void) {
    nd_random random = nd_test_random("leaders");
    static scene s;
    const nd_leaders leaders = {s.leader, s.site, s.group, ND_SCENE_GROUPS};
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_leader_tally sets[ND_SCENE_GROUPS];
        nd_leader_tally clusters[ND_SCENE_GROUPS];
        nd_labelled_scene_make(&random, &s);
        CU_ASSERT_EQUAL_FATAL(nd_leader_tally_sets(&s.pages, &leaders, sets), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_leader_tally_clusters(&s.pages, &leaders, clusters), ND_OK);
        for (uint64_t g = 0; g < ND_SCENE_GROUPS; g++) {
            const nd_leader_tally of_sets = slow_tally(&s, g, true);
            const nd_leader_tally of_clusters = slow_tally(&s, g, false);
            CU_ASSERT_TRUE_FATAL(memcmp(&sets[g], &of_sets, sizeof of_sets) == 0);
            CU_ASSERT_TRUE_FATAL(memcmp(&clusters[g], &of_clusters, sizeof of_clusters) == 0);
        }
    }
}

static void test_deciles(void) {
    CU_ASSERT_EQUAL(nd_decile_of(0), 0);
    CU_ASSERT_EQUAL(nd_decile_of(.0999), 0);
    CU_ASSERT_EQUAL(nd_decile_of((double).7F), 7);
    CU_ASSERT_EQUAL(nd_decile_of(.699999), 6);
    CU_ASSERT_EQUAL(nd_decile_of(.999), 9);
    CU_ASSERT_EQUAL(nd_decile_of(1), 10);
    CU_ASSERT_EQUAL(nd_decile_of(-.1), 0);
}

static const nd_test tests[] = {{"groups", test_groups},
                                {"same site", test_same_site},
                                {"leaders", test_leaders},
                                {"deciles", test_deciles}};
ND_SUITE(p_group_agreement, tests)
