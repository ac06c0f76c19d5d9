/* The paper's own form of sets - perhaps-similar sets, cut at a cap, and the leader loop by length
 * - against one process that holds all pages and compares all of them. */
#include "mpi/run/run.h"
#include "mpi/stage/stage.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"

#include <stdlib.h>
#include <string.h>

/* ---- why pages are looked at together */

/* One reason for `keep` out of 64 pairs, similar or not; some are better than others. */
static void draw_reasons(nd_world *w, nd_random *random, uint64_t keep) {
    w->links = nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *w->links);
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            if (nd_random_below(random, 64) < keep) {
                const double grade = (double)nd_random_below(random, 4) / 4;
                w->links[w->link_count++] = (nd_link){a, b, grade};
            }
        }
    }
}

/* This rank's share of them as the blocking would leave it: links, or pairs. */
static void give_reasons(nd_job *job, const nd_world *w, nd_random *random) {
    if (job->options.transitivity == ND_TRANSITIVITY_BOUNDED) {
        nd_mpi_test_job_pairs(job, w->links, w->link_count, random);
    } else {
        nd_mpi_test_job_links(job, w->links, w->link_count, random);
    }
}

/* ---- the reference */

typedef struct expected_result {
    nd_set_member members[ND_WORLD_PAGES];
    uint64_t capped_sets, capped_largest, links;
} expected_result;

/* The pages of a component or piece, the longest first, of equals the first. */
static uint64_t list_component(const nd_world *w, const uint64_t *label, uint64_t component,
                               uint64_t *pages) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (label[i] != component) {
            continue;
        }
        uint64_t at = count++;
        for (; at > 0 && w->all.pages[pages[at - 1]].token_count < w->all.pages[i].token_count;
             at--) {
            pages[at] = pages[at - 1];
        }
        pages[at] = i;
    }
    return count;
}

static uint64_t smallest_of(const expected_result *v, const uint64_t *pages, uint64_t count,
                            uint64_t leader) {
    uint64_t smallest = leader;
    for (uint64_t i = 0; i < count; i++) {
        const bool inside = v->members[pages[i]].representative == leader;
        smallest = inside && pages[i] < smallest ? pages[i] : smallest;
    }
    return smallest;
}

static void lead(const nd_world *w, const nd_job_options *options, const uint64_t *pages,
                 uint64_t count, expected_result *v) {
    bool taken[ND_WORLD_PAGES] = {false};
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t k = i; k < count && !taken[pages[i]]; k++) {
            const double s = i == k ? 1 : w->similarity[pages[i]][pages[k]];
            const bool similar = i == k || s >= nd_world_threshold(w, options, pages[i], pages[k]);
            if (!taken[pages[k]] && similar) {
                v->links += k > i;
                v->members[pages[k]] = (nd_set_member){0, pages[i], pages[i], (float)s, (float)s};
                taken[pages[k]] = k > i; /* the leader itself when it is done */
            }
        }
        taken[pages[i]] = true;
    }
    for (uint64_t i = 0; i < count; i++) {
        nd_set_member *member = &v->members[pages[i]];
        member->set = smallest_of(v, pages, count, member->representative);
    }
}

static uint64_t members_of(const nd_world *w, const uint64_t *label, uint64_t name) {
    uint64_t members = 0;
    for (uint64_t i = 0; i < w->all.count; i++) {
        members += label[i] == name;
    }
    return members;
}

/* The best link that has not been looked at and joins pages of different labels; the pairs of the
 * bounded form are all alike. */
static const nd_link *best_link(const nd_world *w, const nd_job_options *options,
                                const uint64_t *label, const bool *seen) {
    const nd_link *best = NULL;
    for (uint64_t i = 0; i < w->link_count; i++) {
        const nd_link *link = &w->links[i]; /* in the order of their pages */
        const bool graded = options->transitivity == ND_TRANSITIVITY_FULL;
        if (!seen[i] && label[link->a] != label[link->b] &&
            (best == NULL || (graded && link->similarity > best->similarity))) {
            best = link;
        }
    }
    return best;
}

static void join_labels(const nd_world *w, uint64_t *label, uint64_t old, uint64_t new) {
    for (uint64_t i = 0; i < w->all.count; i++) {
        label[i] = label[i] == old ? new : label[i];
    }
}

/* Kruskal's algorithm twice in step: without a cap it says which links are of the forest, and of
 * these those that keep under eight times the cap join pieces. */
static void cut(const nd_world *w, const nd_job_options *options, uint64_t *piece) {
    static bool seen[ND_WORLD_PAGES * ND_WORLD_PAGES];
    uint64_t tree[ND_WORLD_PAGES];
    const nd_link *link = NULL;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < w->all.count; i++) {
        tree[i] = piece[i] = i;
    }
    while ((link = best_link(w, options, tree, seen)) != NULL) {
        seen[link - w->links] = true;
        join_labels(w, tree, tree[link->a], tree[link->b]);
        const uint64_t x = piece[link->a], y = piece[link->b];
        if (members_of(w, piece, x) + members_of(w, piece, y) <= 8 * options->set_cap) {
            join_labels(w, piece, x, y);
        }
    }
}

static void reference(const nd_world *w, const nd_job_options *options, expected_result *v) {
    uint64_t label[ND_WORLD_PAGES];
    uint64_t pages[ND_WORLD_PAGES];
    *v = (expected_result){.capped_sets = 0};
    nd_world_components(w, w->links, w->link_count, label);
    for (uint64_t component = 0; component < w->all.count; component++) {
        const uint64_t count = list_component(w, label, component, pages);
        if (count > options->set_cap) {
            v->capped_sets++;
            v->capped_largest = count > v->capped_largest ? count : v->capped_largest;
        }
    }
    cut(w, options, label);
    for (uint64_t piece = 0; piece < w->all.count; piece++) {
        const uint64_t count = list_component(w, label, piece, pages);
        for (uint64_t begin = 0; begin < count; begin += options->set_cap) {
            const uint64_t left = count - begin;
            lead(w, options, pages + begin, left < options->set_cap ? left : options->set_cap, v);
        }
    }
}

/* ---- the comparison */

static bool check_members(const nd_world *w, const nd_job_options *options,
                          const expected_result *v, nd_random *random) {
    nd_job job;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    give_reasons(&job, w, random);
    bool right = ND_CHECK_ALL(&job.comm, nd_stage_leaders.run(&job) == ND_OK);
    right = right && nd_mpi_test_job_members(&job, v->members);
    right = ND_CHECK_ALL(&job.comm, job.totals.capped_sets == v->capped_sets &&
                                        job.totals.capped_largest == v->capped_largest) &&
            right;
    right = ND_CHECK_ALL(&job.comm, job.totals.links == v->links) && right;
    nd_run_close(&job);
    return right;
}

static bool check_world(const nd_world *w, nd_job_options options, nd_random *random) {
    static const uint64_t caps[] = {4096, 2, 3, 7};
    static expected_result v;
    bool right = true;
    for (size_t i = 0; i < 8 && right; i++) {
        options.transitivity = i < 4 ? ND_TRANSITIVITY_FULL : ND_TRANSITIVITY_BOUNDED;
        options.set_cap = caps[i % 4];
        options.memory = nd_mpi_test_memory(i % 2 == 0 ? 1 : 100000);
        options.memory.round = i == 0 ? 64 : 4096;
        reference(w, &options, &v);
        right = check_members(w, &options, &v, random);
    }
    return right;
}

/* ---- the tests */

static void test_random_worlds(void) {
    static const char *const scores[] = {"jaccard", "r", "trustable", "mixed"};
    nd_random random = nd_mpi_test_random("leaders");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(12) && right; r++) {
        const uint64_t trial = nd_test_case(&random, r, 12);
        nd_job_options options = nd_mpi_test_job_options();
        static nd_world w;
        w = (nd_world){.link_count = 0};
        options.method_options.score = nd_score_find(scores[trial % 4]);
        options.method_options.threshold = trial / 4 % 2 == 0 ? 0.45 : 0.8;
        CU_ASSERT_PTR_NOT_NULL(options.method_options.score);
        nd_world_draw(&w, &random);
        nd_world_compare(&w, &options);
        draw_reasons(&w, &random, nd_random_below(&random, 4));
        right = check_world(&w, options, &random);
        nd_world_free(&w);
    }
}

/* Six windows of one text, each moved by 20 of 96 shingles, the first the longest, all in one
 * perhaps-similar set: the first takes only the second, the third the fourth, and so on. Cut at
 * three, the third is alone. */
static void test_cut(void) {
    nd_random random = nd_mpi_test_random("cut");
    nd_job_options options = nd_mpi_test_job_options();
    options.method_options.score = nd_score_find("jaccard");
    const float first = (float)(77. / (97 + 96 - 77)); /* its end lies one token further */
    const float next = (float)(76. / 116);
    static nd_world w;
    static expected_result v;
    w = (nd_world){.link_count = 0};
    for (uint32_t i = 0; i < 6; i++) {
        nd_world_add_window(&w, 1, 20 * i, i == 0 ? 101 : 100);
    }
    w.links = nd_mpi_test_new(5, sizeof *w.links);
    for (uint64_t i = 1; i < 6; i++) {
        w.links[w.link_count++] = (nd_link){i - 1, i, 0.5};
    }
    options.transitivity = ND_TRANSITIVITY_FULL;
    v = (expected_result){.links = 3};
    for (uint64_t i = 0; i < 6; i++) {
        const uint64_t leader = i - i % 2;
        const float s = i % 2 == 0 ? 1 : next;
        v.members[i] = (nd_set_member){leader, leader, leader, s, s};
    }
    v.members[1] = (nd_set_member){0, 0, 0, first, first};
    (void)check_members(&w, &options, &v, &random);
    options.set_cap = 3;
    v.members[2] = (nd_set_member){2, 2, 2, 1, 1};
    v.members[3] = (nd_set_member){3, 3, 3, 1, 1};
    v.members[4] = (nd_set_member){3, 3, 3, next, next};
    v.members[5] = (nd_set_member){5, 5, 5, 1, 1};
    v.links = 2;
    v.capped_sets = 1;
    v.capped_largest = 6;
    (void)check_members(&w, &options, &v, &random);
    nd_world_free(&w);
}

/* A page that nobody speaks for is a set of one, also where there are no others. */
static void test_nothing(void) {
    nd_random random = nd_mpi_test_random("nothing");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){.link_count = 0};
    draw_reasons(&w, &random, 0);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
    w = (nd_world){.link_count = 0};
    nd_world_add_page(&w, NULL, 0);
    nd_world_add_window(&w, 3, 0, 50);
    draw_reasons(&w, &random, 0);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static const nd_test tests[] = {
    {"random worlds", test_random_worlds},
    {"a set beyond the cap", test_cut},
    {"nothing to look at", test_nothing},
};

ND_SUITE(m_leaders, tests)
