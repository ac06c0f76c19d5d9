/* Sets out of verified pairs, with the guard against chains and without, against one process that
 * holds all pages and takes no shortcut. */
#include "mpi/run/run.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/stage.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"

#include <stdlib.h>
#include <string.h>

/* ---- the reference */

static bool is_known(const nd_world *w, uint64_t a, uint64_t b) {
    for (uint64_t i = 0; i < w->link_count; i++) {
        if ((w->links[i].a == a && w->links[i].b == b) ||
            (w->links[i].a == b && w->links[i].b == a)) {
            return true;
        }
    }
    return false;
}

/* Prim's algorithm from the representative, the best link (by similarity, then pages) at each step;
 * it gives the tree and the way of each page to the representative at once. */
static void hang_on(const nd_world *w, const uint64_t *set, uint64_t representative,
                    nd_set_member *members) {
    bool done[ND_WORLD_PAGES] = {false};
    done[representative] = true;
    while (true) {
        nd_link best = {0, 0, -1};
        bool from_a = false;
        for (uint64_t a = 0; a < w->all.count; a++) {
            for (uint64_t b = a + 1; b < w->all.count; b++) {
                const nd_link link = {a, b, w->similarity[a][b]};
                if (is_known(w, a, b) && set[a] == set[representative] &&
                    set[b] == set[representative] && done[a] != done[b] &&
                    link.similarity > best.similarity) {
                    best = link;
                    from_a = done[a];
                }
            }
        }
        if (best.similarity < 0) {
            return;
        }
        const uint64_t page = from_a ? best.b : best.a;
        done[page] = true;
        members[page].link = from_a ? best.a : best.b;
        members[page].link_similarity = (float)best.similarity;
    }
}

/* ---- the rule of src/sets/leaders.h, by removing every page of a part in turn */

/* Mark what of the tree hangs together with `page`, of pages that `out` does not name.
 * \return how many */
static uint64_t flood(const nd_world *w, const nd_set_member *tree, const bool *out, uint64_t page,
                      bool *reached) {
    uint64_t count = 1;
    reached[page] = true;
    for (uint64_t i = 0; i < w->all.count; i++) {
        const bool linked = tree[i].link == page || tree[page].link == i;
        if (linked && !out[i] && !reached[i]) {
            count += flood(w, tree, out, i, reached);
        }
    }
    return count;
}

/* Most pages that hang together in the part without one of them. */
static uint64_t largest_without(const nd_world *w, const nd_set_member *tree, const bool *out,
                                const bool *part, uint64_t page) {
    bool without[ND_WORLD_PAGES];
    uint64_t largest = 0;
    memcpy(without, out, sizeof without);
    without[page] = true;
    for (uint64_t i = 0; i < w->all.count; i++) {
        bool reached[ND_WORLD_PAGES] = {false};
        if (part[i] && i != page) {
            const uint64_t count = flood(w, tree, without, i, reached);
            largest = count > largest ? count : largest;
        }
    }
    return largest;
}

/* Of the part that a page without a set is in: its middle opens a set. */
static void open_set(const nd_world *w, const nd_job_options *options, const nd_set_member *tree,
                     uint64_t page, bool *out, uint64_t *leader) {
    bool part[ND_WORLD_PAGES] = {false};
    uint64_t middle = UINT64_MAX;
    const uint64_t count = flood(w, tree, out, page, part);
    for (uint64_t i = 0; i < w->all.count; i++) {
        const uint32_t tokens = w->all.pages[i].token_count;
        if (part[i] && 2 * largest_without(w, tree, out, part, i) <= count &&
            (middle == UINT64_MAX || tokens > w->all.pages[middle].token_count)) {
            middle = i;
        }
    }
    bool others[ND_WORLD_PAGES]; /* all that the set cannot take */
    bool set[ND_WORLD_PAGES] = {false};
    for (uint64_t i = 0; i < w->all.count; i++) {
        others[i] = !part[i] ||
                    (i != middle && w->score[middle][i] <
                                        nd_world_threshold(w, options, middle, i) - options->guard);
    }
    (void)flood(w, tree, others, middle, set);
    for (uint64_t i = 0; i < w->all.count; i++) {
        leader[i] = set[i] ? middle : leader[i];
        out[i] = out[i] || set[i];
    }
}

static void find_leaders(const nd_world *w, const nd_job_options *options, const uint64_t *label,
                         uint64_t *leader) {
    nd_set_member tree[ND_WORLD_PAGES];
    bool out[ND_WORLD_PAGES] = {false};
    for (uint64_t i = 0; i < w->all.count; i++) {
        tree[i] = (nd_set_member){.link = i};
    }
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (label[i] == i) {
            hang_on(w, label, i, tree);
        }
    }
    for (uint64_t i = 0; i < w->all.count; i++) {
        while (!out[i]) {
            open_set(w, options, tree, i, out, leader);
        }
    }
}

/* Without the guard a component is a set, of its longest page, of equals the first. */
static void find_longest(const nd_world *w, const uint64_t *label, uint64_t *leader) {
    for (uint64_t i = 0; i < w->all.count; i++) {
        for (uint64_t k = 0; k < w->all.count; k++) {
            if (label[i] == label[k] &&
                (leader[i] == UINT64_MAX ||
                 w->all.pages[k].token_count > w->all.pages[leader[i]].token_count)) {
                leader[i] = k;
            }
        }
    }
}

static nd_set_member *reference(const nd_world *w, const nd_job_options *options) {
    nd_set_member *members = nd_mpi_test_new(w->all.count, sizeof *members);
    const bool guarded = options->guard > 0;
    uint64_t label[ND_WORLD_PAGES];
    uint64_t leader[ND_WORLD_PAGES];
    memset(leader, 0xff, sizeof leader);
    nd_world_components(w, w->links, w->link_count, label);
    if (guarded) {
        find_leaders(w, options, label, leader);
    } else {
        find_longest(w, label, leader);
    }
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (leader[i] == i) {
            members[i] = (nd_set_member){i, i, i, 1, 1};
            hang_on(w, leader, i, members);
        }
    }
    for (uint64_t i = w->all.count; i-- > 0;) {
        members[leader[i]].set = i; /* the smallest comes last */
    }
    for (uint64_t i = 0; i < w->all.count; i++) {
        members[i].set = members[leader[i]].set;
        members[i].representative = leader[i];
        members[i].similarity = i == leader[i] ? 1 : (float)nd_world_member(w, i, leader[i]);
    }
    return members;
}

/* ---- the comparison */

static bool check_members(const nd_world *w, const nd_job_options *options,
                          const nd_set_member *expected, nd_random *random) {
    nd_job job;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_mpi_test_job_links(&job, w->links, w->link_count, random);
    bool right = ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK);
    right = right && nd_mpi_test_job_members(&job, expected);
    nd_run_close(&job);
    return right;
}

/* Without the guard, and with batches into which one comparison, some, and all fit. */
static bool check_world(const nd_world *w, nd_job_options options, nd_random *random) {
    static const double guards[] = {0.15, 0.3, 0.3, 0.15, 0};
    static const uint64_t batches[] = {1, 1, 100000, 10000000, 1};
    bool right = true;
    for (int r = 0; r < nd_test_rounds(5) && right; r++) {
        const uint64_t i = nd_test_case(random, r, 5);
        options.guard = guards[i];
        options.memory = nd_mpi_test_memory(batches[i]);
        options.memory.round = i == 0 ? 64 : 4096;
        nd_set_member *expected = reference(w, &options);
        right = check_members(w, &options, expected, random);
        free(expected);
    }
    return right;
}

/* ---- the tests */

/* Seven pages, each the one before moved by 20 of 96 shingles: similarities 76/116, 56/136, 36/156.
 * Page 3 is in the middle; its set is what is one step away, or with the guard's threshold of .3
 * two steps. Of two pages that are left together the first is the middle. */
static void test_chain(void) {
    nd_random random = nd_mpi_test_random("chain");
    nd_job_options options = nd_mpi_test_job_options();
    options.method_options.score = nd_score_find("jaccard");
    static nd_world w;
    w = (nd_world){0};
    for (uint32_t i = 0; i < 7; i++) {
        nd_world_add_window(&w, 1, 20 * i, 100);
    }
    nd_world_link(&w, &options, 0, &random, 8);
    const float one = (float)(76. / 116);
    const float two = (float)(56. / 136);
    const nd_set_member near[] = {{0, 0, 0, 1, 1},    {0, 0, 0, one, one}, {2, 3, 3, one, one},
                                  {2, 3, 3, 1, 1},    {2, 3, 3, one, one}, {5, 5, 5, 1, 1},
                                  {5, 5, 5, one, one}};
    const nd_set_member far[] = {{0, 0, 0, 1, 1}, {1, 3, 2, one, two}, {1, 3, 3, one, one},
                                 {1, 3, 3, 1, 1}, {1, 3, 3, one, one}, {1, 3, 4, one, two},
                                 {6, 6, 6, 1, 1}};
    const nd_set_member open[] = {{0, 0, 0, 1, 1},
                                  {0, 0, 0, one, one},
                                  {0, 0, 1, one, two},
                                  {0, 0, 2, one, (float)(36. / 156)},
                                  {0, 0, 3, one, (float)(16. / 176)},
                                  {0, 0, 4, one, 0},
                                  {0, 0, 5, one, 0}};
    CU_ASSERT_EQUAL(w.link_count, 6);
    options.guard = 0.1; /* of .56: on one site */
    (void)check_members(&w, &options, near, &random);
    options.guard = 0.15;
    (void)check_members(&w, &options, far, &random);
    options.guard = 0;
    (void)check_members(&w, &options, open, &random);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

/* A page to which all others are similar; they hardly are to each other. The longest page is one of
 * them: without the guard it represents the set, with the guard the one in the middle does. */
static void test_star(void) {
    nd_random random = nd_mpi_test_random("star");
    nd_job_options options = nd_mpi_test_job_options();
    options.method_options.score = nd_score_find("jaccard");
    options.method_options.site_extra = 0; /* the sides are not that similar to the middle */
    static nd_world w;
    w = (nd_world){0};
    nd_world_add_window(&w, 2, 30, 100); /* from the middle to both sides */
    nd_world_add_window(&w, 2, 0, 101);
    nd_world_add_window(&w, 2, 60, 100);
    nd_world_link(&w, &options, 0, &random, 8);
    const float left = (float)(67. / (97 + 96 - 67));
    const float right = (float)(66. / (96 + 96 - 66));
    const float ends = (float)(37. / (97 + 96 - 37));
    const nd_set_member guarded[] = {
        {0, 0, 0, 1, 1}, {0, 0, 0, left, left}, {0, 0, 0, right, right}};
    const nd_set_member open[] = {{0, 1, 1, left, left}, {0, 1, 1, 1, 1}, {0, 1, 0, right, ends}};
    CU_ASSERT_EQUAL(w.link_count, 2);
    (void)check_members(&w, &options, guarded, &random);
    options.guard = 0;
    (void)check_members(&w, &options, open, &random);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static void test_cliques(void) {
    nd_random random = nd_mpi_test_random("cliques");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){0};
    for (uint32_t text = 0; text < 8; text++) {
        for (uint32_t i = 0; i < 2 + text; i++) { /* lengths around where a page is short */
            nd_world_add_window(&w, text, i, 30 + 10 * text);
        }
    }
    nd_world_link(&w, &options, 0, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static void test_nothing(void) {
    nd_random random = nd_mpi_test_random("nothing");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){0};
    nd_world_link(&w, &options, 0, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
    w = (nd_world){0};
    nd_world_add_page(&w, NULL, 0); /* a page without text, and one alone */
    nd_world_add_window(&w, 3, 0, 50);
    nd_world_link(&w, &options, 0, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static void test_random_worlds(void) {
    nd_random random = nd_mpi_test_random("guard");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(8) && right; r++) {
        const uint64_t trial = nd_test_case(&random, r, 8);
        nd_job_options options = nd_mpi_test_job_options();
        static nd_world w;
        w = (nd_world){0};
        options.method_options.site_extra = trial % 2 == 0 ? 0.1 : 0;
        options.method_options.names = trial % 3 == 0 ? 2.5 : 0;
        nd_world_draw(&w, &random);
        nd_world_link(&w, &options, 0, &random, 2 + 2 * (trial % 4));
        right = check_world(&w, options, &random);
        nd_world_free(&w);
    }
}

/* Copies of a page's content belong where it belongs, joined to it. */
static void test_copies(void) {
    nd_random random = nd_mpi_test_random("copies");
    nd_job_options options = nd_mpi_test_job_options();
    options.method_options.score = nd_score_find("jaccard");
    static nd_world w;
    w = (nd_world){0};
    for (uint32_t i = 0; i < 4; i++) {
        nd_world_add_window(&w, 1, 20 * (i % 2), 100);
    }
    w.links = nd_mpi_test_new(1, sizeof *w.links);
    w.links[w.link_count++] = (nd_link){0, 1, 76. / 116};
    const float one = (float)(76. / 116);
    const nd_set_member expected[] = {
        {0, 0, 0, 1, 1}, {0, 0, 0, one, one}, {0, 0, 0, 1, 1}, {0, 0, 1, 1, one}};
    for (int guarded = 0; guarded < 2; guarded++) {
        nd_job job;
        options.guard = guarded == 1 ? 0.15 : 0;
        nd_mpi_test_job_open(&job, &options, &w.all, &random);
        nd_mpi_test_job_links(&job, w.links, w.link_count, &random);
        for (size_t i = 0; i < job.pages.count; i++) {
            job.content_of[i] %= 2;
        }
        ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK);
        (void)nd_mpi_test_job_members(&job, expected);
        nd_run_close(&job);
    }
    nd_world_free(&w);
}

static const nd_test tests[] = {
    {"a chain", test_chain},
    {"a star", test_star},
    {"cliques", test_cliques},
    {"nothing to join", test_nothing},
    {"random worlds", test_random_worlds},
    {"copies", test_copies},
};

ND_SUITE(m_guard, tests)
