/* Sets out of verified pairs, with the guard against chains and without, against one process that
 * holds all pages and takes no shortcut. */
#include "mpi/run/run.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/stage.h"
#include "tests/support/mpi_job.h"
#include "tests/support/mpi_world.h"
#include "tests/support/slow_names.h"

#include <stdlib.h>
#include <string.h>

/* The pairs that are similar, as far as they are known: of `keep` out of 8 it is. */
static void link_pages(nd_world *w, const nd_job_options *options, nd_random *random,
                       uint64_t keep) {
    nd_world_compare(w, options);
    w->links = nd_mpi_test_new(ND_WORLD_PAGES * ND_WORLD_PAGES, sizeof *w->links);
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            if (w->similarity[a][b] >= nd_world_threshold(w, options, a, b) &&
                nd_random_below(random, 8) < keep) {
                w->links[w->link_count++] = (nd_link){a, b, w->similarity[a][b]};
            }
        }
    }
}

/* ---- the reference */

static uint64_t degree_of(const nd_world *w, uint64_t page) {
    uint64_t degree = 0;
    for (uint64_t i = 0; i < w->link_count; i++) {
        degree += w->links[i].a == page || w->links[i].b == page;
    }
    return degree;
}

/* Whether x comes before y: by links where the component is guarded, then by length, then first. */
static bool is_before(const nd_world *w, bool guarded, uint64_t x, uint64_t y) {
    const uint64_t x_degree = guarded ? degree_of(w, x) : 0;
    const uint64_t y_degree = guarded ? degree_of(w, y) : 0;
    const uint32_t x_tokens = w->all.pages[x].token_count;
    const uint32_t y_tokens = w->all.pages[y].token_count;
    if (x_degree != y_degree) {
        return x_degree > y_degree;
    }
    return x_tokens != y_tokens ? x_tokens > y_tokens : x < y;
}

static bool is_known(const nd_world *w, uint64_t a, uint64_t b) {
    for (uint64_t i = 0; i < w->link_count; i++) {
        if ((w->links[i].a == a && w->links[i].b == b) ||
            (w->links[i].a == b && w->links[i].b == a)) {
            return true;
        }
    }
    return false;
}

static double of_member(const nd_world *w, uint64_t leader, uint64_t member) {
    return nd_slow_names_member(w->score[leader][member], w->similarity[leader][member]);
}

/* Prim's algorithm from the representative, the best link (by similarity, then pages) at each step;
 * it gives the tree and the way of each page to the representative at once. */
static void hang_on(const nd_world *w, bool guarded, const uint64_t *set, uint64_t representative,
                    nd_set_member *members) {
    bool done[ND_WORLD_PAGES] = {false};
    done[representative] = true;
    while (true) {
        nd_link best = {0, 0, -1};
        bool from_a = false;
        for (uint64_t a = 0; a < w->all.count; a++) {
            for (uint64_t b = a + 1; b < w->all.count; b++) {
                const bool joins =
                    is_known(w, a, b) || (guarded && (a == representative || b == representative));
                const nd_link link = {a, b,
                                      is_known(w, a, b) ? w->similarity[a][b] : of_member(w, a, b)};
                if (joins && set[a] == set[representative] && set[b] == set[representative] &&
                    done[a] != done[b] && link.similarity > best.similarity) {
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

/* The first page in the order among those of the component that have no set yet. */
static uint64_t next_leader(const nd_world *w, bool guarded, const uint64_t *label,
                            uint64_t component, const uint64_t *leader) {
    uint64_t best = UINT64_MAX;
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (label[i] == component && leader[i] == UINT64_MAX &&
            (best == UINT64_MAX || is_before(w, guarded, i, best))) {
            best = i;
        }
    }
    return best;
}

static void find_leaders(const nd_world *w, const nd_job_options *options, const uint64_t *label,
                         uint64_t component, bool guarded, uint64_t *leader) {
    uint64_t page = 0;
    while ((page = next_leader(w, guarded, label, component, leader)) != UINT64_MAX) {
        for (uint64_t i = 0; i < w->all.count; i++) {
            const bool similar =
                w->score[page][i] >= nd_world_threshold(w, options, page, i) - options->guard;
            if (label[i] == component && leader[i] == UINT64_MAX &&
                (!guarded || i == page || similar)) {
                leader[i] = page;
            }
        }
    }
}

static uint64_t count_label(const nd_world *w, const uint64_t *label, uint64_t wanted) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->all.count; i++) {
        count += label[i] == wanted;
    }
    return count;
}

/* Depth first, by page number: the pages below `page` into `walk`. \return how many are there then
 */
static uint64_t walk_from(const nd_world *w, const nd_set_member *tree, const uint64_t *label,
                          uint64_t page, uint64_t *walk, uint64_t count) {
    walk[count++] = page;
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (label[i] == label[page] && i != page && tree[i].link == page) {
            count = walk_from(w, tree, label, i, walk, count);
        }
    }
    return count;
}

/* Components above the cap become pieces, in the labels and in the links. */
static void cut_pieces(nd_world *w, uint64_t cap, uint64_t *label) {
    nd_set_member tree[ND_WORLD_PAGES];
    uint64_t whole[ND_WORLD_PAGES];
    uint64_t walk[ND_WORLD_PAGES];
    uint64_t kept = 0;
    memcpy(whole, label, sizeof whole);
    for (uint64_t i = 0; i < w->all.count; i++) {
        tree[i] = (nd_set_member){.link = i};
    }
    for (uint64_t component = 0; component < w->all.count; component++) {
        const uint64_t count = count_label(w, whole, component);
        const uint64_t pieces = (count + cap - 1) / cap;
        if (count <= cap) {
            continue;
        }
        hang_on(w, false, whole, component, tree);
        CU_ASSERT_EQUAL(walk_from(w, tree, whole, component, walk, 0), count);
        for (uint64_t i = 0; i < count; i++) {
            const bool opens = i == 0 || i * pieces / count != (i - 1) * pieces / count;
            label[walk[i]] = opens ? walk[i] : label[walk[i - 1]];
        }
    }
    for (uint64_t i = 0; i < w->link_count; i++) {
        const nd_link link = w->links[i];
        const bool of_tree = tree[link.a].link == link.b || tree[link.b].link == link.a;
        const bool small = count_label(w, whole, whole[link.a]) <= cap;
        if (small || (of_tree && label[link.a] == label[link.b])) {
            w->links[kept++] = link;
        }
    }
    w->link_count = kept;
}

static nd_set_member *reference(const nd_world *world, const nd_job_options *options) {
    nd_world *w = nd_mpi_test_new(1, sizeof *w);
    nd_set_member *members = nd_mpi_test_new(world->all.count, sizeof *members);
    const bool guarded = options->guard > 0;
    uint64_t label[ND_WORLD_PAGES];
    uint64_t leader[ND_WORLD_PAGES];
    *w = *world;
    w->links = nd_mpi_test_new(w->link_count, sizeof *w->links);
    memcpy(w->links, world->links, w->link_count * sizeof *w->links);
    memset(leader, 0xff, sizeof leader);
    nd_world_components(w, w->links, w->link_count, label);
    if (guarded) {
        cut_pieces(w, options->guard_cap, label);
    }
    for (uint64_t component = 0; component < w->all.count; component++) {
        find_leaders(w, options, label, component, guarded, leader);
        for (uint64_t i = 0; i < w->all.count; i++) {
            if (label[i] == component && leader[i] == i) {
                members[i] = (nd_set_member){i, i, i, 1, 1};
                hang_on(w, guarded, leader, i, members);
            }
        }
    }
    for (uint64_t i = w->all.count; i-- > 0;) {
        members[leader[i]].set = i; /* the smallest comes last */
    }
    for (uint64_t i = 0; i < w->all.count; i++) {
        members[i].set = members[leader[i]].set;
        members[i].representative = leader[i];
        members[i].similarity = i == leader[i] ? 1 : (float)of_member(w, i, leader[i]);
    }
    free(w->links);
    free(w);
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

/* Without the guard, with caps that some components exceed, and with batches of any size. */
static bool check_world(const nd_world *w, nd_job_options options, nd_random *random) {
    static const double guards[] = {0.15, 0, 0.3};
    static const uint64_t caps[] = {20000, 6, 2};
    bool right = true;
    for (size_t i = 0; i < 9 && right; i++) {
        options.guard = guards[i % 3];
        options.guard_cap = caps[i / 3];
        options.memory = nd_mpi_test_memory(i % 2 == 0 ? 1 : 100000);
        options.memory.round = i == 0 ? 64 : 4096;
        nd_set_member *expected = reference(w, &options);
        right = check_members(w, &options, expected, random);
        free(expected);
    }
    return right;
}

/* ---- the tests */

/* Seven pages, each the one before moved by 20 of 96 shingles: similarities 76/116, 56/136, 36/156.
 * The guard's threshold of .3 lets a leader take what is two steps away. Ends have one link, so
 * page 1 leads first, and page 4 the rest. */
static void test_chain(void) {
    nd_random random = nd_mpi_test_random("chain");
    nd_job_options options = nd_mpi_test_job_options();
    options.method_options.score = nd_score_find("jaccard");
    static nd_world w;
    w = (nd_world){0};
    for (uint32_t i = 0; i < 7; i++) {
        nd_world_add_window(&w, 1, 20 * i, 100);
    }
    link_pages(&w, &options, &random, 8);
    const float one = (float)(76. / 116);
    const float two = (float)(56. / 136);
    const nd_set_member guarded[] = {{0, 1, 1, one, one}, {0, 1, 1, 1, 1}, {0, 1, 1, one, one},
                                     {0, 1, 2, one, two}, {4, 4, 4, 1, 1}, {4, 4, 4, one, one},
                                     {4, 4, 5, one, two}};
    const nd_set_member open[] = {{0, 0, 0, 1, 1},
                                  {0, 0, 0, one, one},
                                  {0, 0, 1, one, two},
                                  {0, 0, 2, one, (float)(36. / 156)},
                                  {0, 0, 3, one, (float)(16. / 176)},
                                  {0, 0, 4, one, 0},
                                  {0, 0, 5, one, 0}};
    CU_ASSERT_EQUAL(w.link_count, 6);
    (void)check_members(&w, &options, guarded, &random);
    options.guard_cap = 6; /* pages 0 to 3, and 4 to 6 */
    const nd_set_member cut[] = {{0, 1, 1, one, one}, {0, 1, 1, 1, 1},     {0, 1, 1, one, one},
                                 {0, 1, 2, one, two}, {4, 5, 5, one, one}, {4, 5, 5, 1, 1},
                                 {4, 5, 5, one, one}};
    (void)check_members(&w, &options, cut, &random);
    options.guard = 0;
    (void)check_members(&w, &options, open, &random);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

/* A page in the middle to which all others are similar; they hardly are to each other. The longest
 * page is one of them: without the guard it represents the set, with the guard the middle does. */
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
    link_pages(&w, &options, &random, 8);
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
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static void test_nothing(void) {
    nd_random random = nd_mpi_test_random("nothing");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){0};
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
    w = (nd_world){0};
    nd_world_add_page(&w, NULL, 0); /* a page without text, and one alone */
    nd_world_add_window(&w, 3, 0, 50);
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    nd_world_free(&w);
}

static void test_random_worlds(void) {
    nd_random random = nd_mpi_test_random("guard");
    bool right = true;
    for (uint32_t trial = 0; trial < 12 && right; trial++) {
        nd_job_options options = nd_mpi_test_job_options();
        static nd_world w;
        w = (nd_world){0};
        options.method_options.site_extra = trial % 2 == 0 ? 0.1 : 0;
        options.method_options.names = trial % 3 == 0 ? 2.5 : 0;
        nd_world_draw(&w, &random);
        link_pages(&w, &options, &random, 2 + 2 * (trial % 4));
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

ND_MPI_TEST_MAIN("guard", tests)
