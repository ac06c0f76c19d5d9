/* Sampled sets against a reference that looks at every pair of pages, on random partitions with
 * loose pages, ambiguous clusters and unknown sites; and the sampling itself: sets of the whole
 * sample, each as often as another. */
#include "src/measure/precision.h"
#include "tests/support/check.h"
#include "tests/support/labelled_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2000, MOST_SETS = 12 };

typedef struct scene {
    nd_labelled_scene labelled;
    uint64_t sampled[ND_SCENE_PAGES], baseline[ND_SCENE_PAGES];
    nd_sampled_pages pages;
    bool singletons;
} scene;

static void make_sets(nd_random *random, const scene *s, uint64_t *set) {
    const uint64_t sets = 1 + nd_random_below(random, MOST_SETS);
    const uint64_t agreement = nd_random_below(random, 101); /* per cent of pages in their place */
    for (size_t i = 0; i < s->labelled.pages.count; i++) {
        const bool in_place = nd_random_below(random, 100) < agreement;
        set[i] = nd_mix64(in_place ? s->labelled.cluster[i] : nd_random_below(random, sets));
    }
}

static void make_scene(nd_random *random, scene *s) {
    nd_labelled_scene_make(random, &s->labelled);
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
static uint64_t fellows_of(const scene *s, size_t i, bool of_cluster) {
    uint64_t fellows = 0;
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        fellows += !nd_labelled_scene_is_loose(&s->labelled, j) &&
                   s->pages.sampled[j] == s->pages.sampled[i] &&
                   (!of_cluster || s->labelled.cluster[j] == s->labelled.cluster[i]);
    }
    return fellows;
}

/* Whether i represents its sampled set: no page of it has more fellows, no earlier one as many. */
static bool is_representative(const scene *s, size_t i) {
    if (nd_labelled_scene_is_loose(&s->labelled, i) ||
        (!s->singletons && fellows_of(s, i, false) < 2)) {
        return false;
    }
    const uint64_t own = fellows_of(s, i, true);
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        if (j != i && !nd_labelled_scene_is_loose(&s->labelled, j) &&
            s->pages.sampled[j] == s->pages.sampled[i]) {
            const uint64_t other = fellows_of(s, j, true);
            if (other > own || (other == own && j < i)) {
                return false;
            }
        }
    }
    return true;
}

static nd_sample_counts count_slowly(const scene *s, size_t page, bool on_site) {
    nd_sample_counts c = {0};
    for (size_t j = 0; j < s->pages.labelled.count; j++) {
        const bool same_site =
            s->labelled.site[j] != ND_NO_SITE && s->labelled.site[j] == s->labelled.site[page];
        if (nd_labelled_scene_is_loose(&s->labelled, j) || (on_site && j != page && !same_site)) {
            continue;
        }
        const bool similar = s->labelled.cluster[j] == s->labelled.cluster[page];
        const bool same_set = s->labelled.set[j] == s->labelled.set[page];
        c.pages += same_set && !nd_labelled_scene_is_ambiguous(&s->labelled, j, page);
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
static bool is_whole(const scene *s, const nd_set_sample *sample) {
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

/* A smaller sample: sets of the whole one, ascending, as counted there. */
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

static void test_random(void) {
    nd_random random = nd_test_random("relative recall");
    static scene s;
    uint64_t unlike = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_set_sample whole;
        nd_set_sample part;
        make_scene(&random, &s);
        const uint64_t most = nd_random_below(&random, MOST_SETS);
        CU_ASSERT_EQUAL_FATAL(
            nd_set_sample_draw(&s.pages, UINT64_MAX, s.singletons, (uint64_t)round, &whole), ND_OK);
        CU_ASSERT_EQUAL_FATAL(
            nd_set_sample_draw(&s.pages, most, s.singletons, (uint64_t)round, &part), ND_OK);
        const bool right = is_whole(&s, &whole) && is_part(&part, &whole, most);
        if (!right) {
            printf("round %d of %zu pages differs\n", round, s.pages.labelled.count);
        }
        CU_ASSERT_TRUE_FATAL(right);
        for (size_t i = 0; i < whole.count; i++) {
            unlike += whole.sets[i].counts[ND_SCOPE_ALL].pages !=
                      whole.sets[i].counts[ND_SCOPE_SITE].pages;
        }
        nd_set_sample_free(&whole);
        nd_set_sample_free(&part);
    }
    CU_ASSERT(unlike > 0); /* the scenes do have what they are about */
}

/* Of 20 sets of two pages 5 are drawn, over many seeds each as often as another: within six
 * standard deviations, which a fair draw misses once in 10^7 runs of this test. */
static void test_fairness(void) {
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
        nd_set_sample sample;
        CU_ASSERT_EQUAL_FATAL(
            nd_set_sample_draw(&pages, DRAWN, false, nd_random_next(&random), &sample), ND_OK);
        for (size_t k = 0; k < sample.count; k++) {
            drawn[sample.sets[k].set]++;
        }
        nd_set_sample_free(&sample);
    }
    const double share = (double)DRAWN / (double)SETS;
    const double deviation = sqrt((double)SEEDS * share * (1 - share));
    for (size_t i = 0; i < SETS; i++) {
        CU_ASSERT(fabs((double)drawn[i] - (double)SEEDS * share) < 6 * deviation);
    }
}

static const nd_test tests[] = {{"against all pairs", test_random}, {"fairness", test_fairness}};
ND_SUITE(p_relative_recall, tests)
