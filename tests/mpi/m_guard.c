/* Which pages are one set: the leaders' rules. */
#include "mpi/run/run.h"
#include "mpi/stage/attach.h"
#include "mpi/stage/set_members.h"
#include "mpi/stage/stage.h"
#include "mpi/stage/state.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/sets/forest.h"
#include "src/sets/leaders.h"
#include "src/text/address.h"
#include "tests/support/centroid_sets.h"
#include "tests/support/mpi_check.h"
#include "tests/support/pages.h"

/* ---- Sets out of verified pairs, with the guard against chains and without, against one process
 * that holds all pages and takes no shortcut. */

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
                                        nd_world_threshold(w, options, middle, i) - options->slack);
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

static nd_set_member *reference_guard(const nd_world *w, const nd_job_options *options) {
    nd_set_member *members = nd_mpi_test_new(w->all.count, sizeof *members);
    const bool guarded = options->slack > 0;
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

static bool check_members_guard(const nd_world *w, const nd_job_options *options,
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
static bool check_world_guard(const nd_world *w, nd_job_options options, nd_random *random) {
    static const double guards[] = {0.15, 0.3, 0.3, 0.1, 0};
    static const uint64_t batches[] = {1, 1, 100000, 10000000, 1};
    bool right = true;
    for (int r = 0; r < nd_test_rounds(5) && right; r++) {
        const uint64_t i = nd_test_case(random, r, 5);
        options.slack = guards[i];
        options.memory = nd_mpi_test_memory(batches[i]);
        options.memory.round = i == 0 ? 64 : 4096;
        ND_FREED nd_set_member *expected = reference_guard(w, &options);
        right = check_members_guard(w, &options, expected, random);
    }
    return right;
}

/* ---- the tests */

/* Of the shapes that chance hardly draws: a chain of pages, each the one before moved by 20 of 96
 * shingles; a star, whose longest page is at its side; cliques, of lengths around where a page is
 * short; nothing; a page without text, and one alone. */
ND_TEST("shapes") {
    nd_random random = nd_mpi_test_random("shapes");
    bool right = true;
    for (int shape = 0; shape < 5 && right; shape++) {
        nd_job_options options = nd_mpi_test_job_options();
        static nd_world w;
        w = (nd_world){0};
        options.method_options.score = nd_score_find(shape < 2 ? "jaccard" : "mixed");
        for (uint32_t i = 0; shape == 0 && i < 7; i++) {
            nd_world_add_window(&w, 1, 20 * i, 100);
        }
        for (uint32_t i = 0; shape == 1 && i < 3; i++) { /* the sides are hardly similar */
            options.method_options.site_extra = 0;
            nd_world_add_window(&w, 2, i == 0 ? 30 : i == 1 ? 0 : 60, i == 1 ? 101 : 100);
        }
        for (uint32_t i = 0; shape == 2 && i < 8 * 9; i++) {
            if (i % 9 < 2 + i / 9) {
                nd_world_add_window(&w, i / 9, i % 9, 30 + 10 * (i / 9));
            }
        }
        if (shape == 4) {
            nd_world_add_page(&w, NULL, 0);
            nd_world_add_window(&w, 3, 0, 50);
        }
        nd_world_link(&w, &options, 0, &random, 8);
        CU_ASSERT(shape > 1 || w.link_count == (shape == 0 ? 6U : 2U));
        right = check_world_guard(&w, options, &random);
        nd_world_free(&w);
    }
}

ND_TEST("random worlds") {
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
        right = check_world_guard(&w, options, &random);
        nd_world_free(&w);
    }
}

/* Copies of a page's content belong where it belongs, joined to it. */
ND_TEST("copies") {
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
        options.slack = guarded == 1 ? 0.15 : 0;
        nd_mpi_test_job_open(&job, &options, &w.all, &random);
        nd_mpi_test_job_links(&job, w.links, w.link_count, &random);
        for (size_t i = 0; i < job.state->pages.count; i++) {
            job.state->content_of[i] %= 2;
        }
        ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK);
        (void)nd_mpi_test_job_members(&job, expected);
        nd_run_close(&job);
    }
    nd_world_free(&w);
}

/* ---- One component of many pages, a chain, which no rank could hold within its memory, and one
 * that it could: the sets are those that one process makes of it by src/sets/. */

enum {
    PAGES = 20000,
    TOKENS = 24,
    SHIFT = 2,  /* tokens by which a page differs from the one before */
    STEPS = 10, /* so many pages away nothing is in common */
};

/* Pages stand in the chain in a random order. */
typedef struct chain {
    nd_page_store all;
    uint64_t *order;          /* [place in the chain] the page */
    uint64_t *place;          /* [page] */
    double similarity[STEPS]; /* of pages so many places apart */
    double least;             /* of a page and its leader */
    nd_link *links;
    uint64_t count;
} chain;

static nd_link link_at(const chain *c, uint64_t place, uint64_t steps) {
    const uint64_t x = c->order[place];
    const uint64_t y = c->order[place + steps];
    return (nd_link){x < y ? x : y, x < y ? y : x, c->similarity[steps]};
}

/* All pages are similar to the next, some to the one after that. */
static void make_chain(chain *c, const nd_job_options *o, nd_random *random) {
    c->order = nd_mpi_test_new(PAGES, sizeof *c->order);
    c->place = nd_mpi_test_new(PAGES, sizeof *c->place);
    c->links = nd_mpi_test_new(2 * PAGES, sizeof *c->links);
    for (uint64_t i = 0; i < PAGES; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        c->order[i] = c->order[at];
        c->order[at] = i;
    }
    for (uint64_t i = 0; i < PAGES; i++) {
        c->place[c->order[i]] = i;
    }
    for (uint64_t i = 0; i < PAGES; i++) {
        uint32_t tokens[TOKENS];
        const nd_sentence_digest sentence = {.token_count = TOKENS};
        const nd_stored_page page = {
            .text_tokens = TOKENS, .token_count = TOKENS, .sentence_count = 1};
        for (uint64_t k = 0; k < TOKENS; k++) {
            tokens[k] = (uint32_t)nd_mix64(SHIFT * c->place[i] + k + 1);
        }
        ND_TEST_OK(nd_page_store_append(&c->all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                        (nd_span){NULL, 0}));
    }
    for (size_t d = 0; d < STEPS; d++) {
        const nd_document x = nd_test_document(&c->all, c->order[0]);
        const nd_document y = nd_test_document(&c->all, c->order[d]);
        c->similarity[d] = nd_test_similarity(o->method, &o->method_options, &x, &y, 0);
    }
    c->least = o->method_options.threshold + o->method_options.site_extra - o->slack;
    for (uint64_t i = 0; i + 1 < PAGES; i++) {
        c->links[c->count++] = link_at(c, i, 1);
        if (i % 3 == 0 && i + 2 < PAGES) {
            c->links[c->count++] = link_at(c, i, 2);
        }
    }
}

static void free_chain(chain *c) {
    nd_page_store_free(&c->all);
    free(c->order);
    free(c->place);
    free(c->links);
}

static void compare(void *context, size_t leader, size_t member, double *similarity) {
    const chain *c = context;
    const uint64_t x = c->place[leader];
    const uint64_t y = c->place[member];
    const uint64_t steps = x < y ? y - x : x - y;
    *similarity = steps < STEPS && c->similarity[steps] >= c->least ? c->similarity[steps] : 0;
}

/* The set of some pages, with all links inside. */
static bool join_set(const uint64_t *pages, uint64_t count, uint64_t leader,
                     const double *similarities, nd_link *inside, size_t links,
                     nd_set_member *expected) {
    ND_FREED nd_parent *parents = nd_mpi_test_new(count, sizeof *parents);
    size_t kept = 0;
    nd_forest(pages, count, inside, links, &kept);
    const bool right = nd_tree_orient(pages, count, inside, leader, parents) == ND_OK;
    for (uint64_t i = 0; i < count && right; i++) {
        expected[pages[i]] =
            (nd_set_member){pages[0], leader, parents[i].page, (float)parents[i].similarity,
                            (float)similarities[pages[i]]};
    }
    return right;
}

/* \return how many sets; 0 if anything went wrong */
static uint64_t expect(chain *c, nd_set_member *expected) {
    ND_FREED uint64_t *pages = nd_mpi_test_new(PAGES, sizeof *pages);
    ND_FREED uint64_t *tokens = nd_mpi_test_new(PAGES, sizeof *tokens);
    ND_FREED size_t *leaders = nd_mpi_test_new(PAGES, sizeof *leaders);
    ND_FREED double *similarities = nd_mpi_test_new(PAGES, sizeof *similarities);
    ND_FREED nd_link *tree = nd_mpi_test_new(c->count, sizeof *tree);
    ND_FREED nd_key_value *sets = nd_mpi_test_new(PAGES, sizeof *sets);
    size_t kept = 0;
    uint64_t count = 0;
    memcpy(tree, c->links, c->count * sizeof *tree);
    for (uint64_t i = 0; i < PAGES; i++) {
        pages[i] = i;
        tokens[i] = TOKENS;
    }
    bool right = true;
    nd_forest(pages, PAGES, tree, c->count, &kept);
    nd_centroid_sets(pages, tokens, PAGES, tree, compare, c, leaders, similarities);
    for (uint64_t i = 0; i < PAGES; i++) {
        sets[i] = (nd_key_value){leaders[i], i};
    }
    nd_radix_sort(sets, PAGES);
    for (uint64_t begin = 0, end = 0; begin < PAGES && right; begin = end, count++) {
        nd_link inside[8 * STEPS];
        size_t links = 0;
        const uint64_t leader = sets[begin].key;
        end = nd_key_end(sets, PAGES, begin, leader);
        for (uint64_t i = begin; i < end; i++) {
            const uint64_t place = c->place[sets[i].value];
            for (uint64_t steps = 1; steps <= (place % 3 == 0 ? 2U : 1U); steps++) {
                if (place + steps < PAGES && leaders[c->order[place + steps]] == leader) {
                    inside[links++] = link_at(c, place, steps);
                }
            }
            pages[i - begin] = sets[i].value;
        }
        right = join_set(pages, end - begin, leader, similarities, inside, links, expected);
    }
    return right ? count : 0;
}

ND_TEST("a long chain") {
    nd_random random = nd_mpi_test_random("long chain");
    nd_job_options options = nd_mpi_test_job_options();
    chain c = {0};
    ND_FREED nd_set_member *expected = nd_mpi_test_new(PAGES, sizeof *expected);
    bool right = true;
    options.method_options.score = nd_score_find("jaccard");
    options.method_options.names = 0;
    make_chain(&c, &options, &random);
    const uint64_t sets = expect(&c, expected);
    CU_ASSERT(sets > PAGES / 9 && sets < PAGES / 3); /* from a page up to 4 others at either side */
    for (int r = 0; r < nd_test_rounds(2) && right; r++) {
        const uint64_t fits = nd_test_case(&random, r, 2);
        nd_job job;
        options.memory = nd_mpi_test_memory(fits == 1 ? UINT64_C(1) << 30 : 256 << 10);
        options.memory.round = 1 << 20;
        nd_mpi_test_job_open(&job, &options, &c.all, &random);
        nd_mpi_test_job_links(&job, c.links, c.count, &random);
        right = ND_CHECK_ALL(&job.comm, nd_stage_join.run(&job) == ND_OK) &&
                nd_mpi_test_job_members(&job, expected);
        nd_run_close(&job);
    }
    free_chain(&c);
}

/* ---- The paper's own form of sets - perhaps-similar sets, cut at a cap, and the leader loop by
 * length
 * - against one process that holds all pages and compares all of them. */

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

typedef struct leaders_result {
    nd_set_member members[ND_WORLD_PAGES];
    uint64_t capped_sets, capped_largest, links;
} leaders_result;

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

static uint64_t smallest_of(const leaders_result *v, const uint64_t *pages, uint64_t count,
                            uint64_t leader) {
    uint64_t smallest = leader;
    for (uint64_t i = 0; i < count; i++) {
        const bool inside = v->members[pages[i]].representative == leader;
        smallest = inside && pages[i] < smallest ? pages[i] : smallest;
    }
    return smallest;
}

static void lead(const nd_world *w, const nd_job_options *options, const uint64_t *pages,
                 uint64_t count, leaders_result *v) {
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

static void reference_leaders(const nd_world *w, const nd_job_options *options, leaders_result *v) {
    uint64_t label[ND_WORLD_PAGES];
    uint64_t pages[ND_WORLD_PAGES];
    *v = (leaders_result){.capped_sets = 0};
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

static bool check_members_leaders(const nd_world *w, const nd_job_options *options,
                                  const leaders_result *v, nd_random *random) {
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

static bool check_leaders(const nd_world *w, nd_job_options options, nd_random *random) {
    static const uint64_t caps[] = {4096, 2, 3, 7};
    static leaders_result v;
    bool right = true;
    for (size_t i = 0; i < 8 && right; i++) {
        options.transitivity = i < 4 ? ND_TRANSITIVITY_FULL : ND_TRANSITIVITY_BOUNDED;
        options.set_cap = caps[i % 4];
        options.memory = nd_mpi_test_memory(i % 2 == 0 ? 1 : 100000);
        options.memory.round = i == 0 ? 64 : 4096;
        reference_leaders(w, &options, &v);
        right = check_members_leaders(w, &options, &v, random);
    }
    return right;
}

/* ---- the tests */

ND_TEST("leaders: random worlds") {
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
        right = check_leaders(&w, options, &random);
        nd_world_free(&w);
    }
}

/* A page that nobody speaks for is a set of one, also where there are no others. */
ND_TEST("nothing to look at") {
    nd_random random = nd_mpi_test_random("nothing");
    const nd_job_options options = nd_mpi_test_job_options();
    static nd_world w;
    w = (nd_world){.link_count = 0};
    draw_reasons(&w, &random, 0);
    (void)check_leaders(&w, options, &random);
    nd_world_free(&w);
    w = (nd_world){.link_count = 0};
    nd_world_add_page(&w, NULL, 0);
    nd_world_add_window(&w, 3, 0, 50);
    draw_reasons(&w, &random, 0);
    (void)check_leaders(&w, options, &random);
    nd_world_free(&w);
}

/* ---- New pages that join the sets of old ones, against one process that holds all pages: by the
 * most similar of their old pages, then by those that have just joined, and never into a form. */

enum { OLD = 40, TRIES = 8 };
static const uint64_t NONE = UINT64_MAX;
typedef struct indexed_sets {
    nd_set_member members[OLD];
    uint8_t form[OLD];
} indexed_sets;

/* An old page opens a set, or is in that of one before; the last one represents it. */
static void draw_old(indexed_sets *old, nd_random *random) {
    uint64_t last[OLD];
    for (uint64_t i = 0; i < OLD; i++) {
        const bool opens = i == 0 || nd_random_below(random, 2) == 0;
        const uint64_t set = opens ? i : old->members[nd_random_below(random, i)].set;
        old->members[i] = (nd_set_member){set, i, i, 0.75F, 0.625F};
        last[set] = i;
    }
    for (uint64_t i = 0; i < OLD; i++) {
        nd_set_member *m = &old->members[i];
        m->representative = m->link = last[m->set];
        old->form[i] = m->representative == m->set && nd_random_below(random, 4) == 0;
    }
}

/* ---- the reference */

typedef struct attach_result {
    nd_set_member members[ND_WORLD_PAGES]; /* representative NONE: in no old set */
    uint8_t form[ND_WORLD_PAGES];
} attach_result;

/* Neither so similar nor of addresses that may name one thing. */
static bool are_apart(const nd_world *w, uint64_t a, uint64_t b, double similarity) {
    const uint16_t x = w->all.pages[a].subject;
    const uint16_t y = w->all.pages[b].subject;
    const bool asked = x > ND_SUBJECT_TEXT && y > ND_SUBJECT_TEXT; /* neither is 0 or a text */
    return similarity < (double)ND_TWINS || (asked && x != y);
}

static bool is_dropped(const nd_world *w, const attach_result *v, const nd_link *link) {
    return (v->form[link->a] | v->form[link->b]) != 0 &&
           are_apart(w, link->a, link->b, link->similarity);
}

/* A page at least half of whose neighbours are of a form is of it, until no more are. */
static void spread_forms(const nd_world *w, attach_result *v) {
    bool changed = true;
    while (changed) {
        uint8_t next[ND_WORLD_PAGES];
        memcpy(next, v->form, sizeof next);
        changed = false;
        for (uint64_t page = OLD; page < w->all.count; page++) {
            uint64_t similar = 0, of_form = 0;
            for (uint64_t i = 0; i < w->link_count; i++) {
                const nd_link *link = &w->links[i];
                if (link->a == page || link->b == page) {
                    similar++;
                    of_form += v->form[link->a == page ? link->b : link->a];
                }
            }
            if (v->form[page] == 0 && of_form > 0 && 2 * of_form >= similar) {
                next[page] = 1;
                changed = true;
            }
        }
        memcpy(v->form, next, sizeof next);
    }
}

/* The most similar link of a page to one of those that `just` names, of equals the first page's,
 * which is less similar than the last one was. */
static const nd_link *next_link(const nd_world *w, const attach_result *v, const bool *just,
                                uint64_t page, const nd_link *last) {
    const nd_link *best = NULL;
    for (uint64_t i = 0; i < w->link_count; i++) { /* in the order of their pages */
        const nd_link *link = &w->links[i];
        const bool mine = link->a == page || link->b == page;
        const uint64_t via = link->a == page ? link->b : link->a;
        const uint64_t last_via = last == NULL ? 0 : last->a == page ? last->b : last->a;
        const bool later = last == NULL || link->similarity < last->similarity ||
                           (link->similarity == last->similarity && via > last_via);
        const uint64_t best_via = best == NULL ? NONE : best->a == page ? best->b : best->a;
        if (mine && just[via] && !is_dropped(w, v, link) && later &&
            (best == NULL || link->similarity > best->similarity ||
             (link->similarity == best->similarity && via < best_via))) {
            best = link;
        }
    }
    return best;
}

/* \param[out] similarity  to the leader; below 0: the page may not join */
static double to_leader(const nd_world *w, const nd_job_options *options, const nd_link *link,
                        uint64_t page, uint64_t leader, bool form) {
    if (link->a == leader || link->b == leader) {
        return link->similarity;
    }
    const double similarity = nd_world_member(w, leader, page);
    const double least = nd_world_threshold(w, options, leader, page) - options->slack;
    if (options->slack == 0) {
        return similarity;
    }
    return w->score[leader][page] < least || similarity <= 0 ||
                   (form && are_apart(w, page, leader, similarity))
               ? -1
               : similarity;
}

static void try_page(const nd_world *w, const nd_job_options *options, const bool *just,
                     const attach_result *before, uint64_t page, attach_result *v) {
    uint64_t tried[TRIES];
    uint64_t count = 0;
    const nd_link *link = NULL;
    while (count < TRIES && (link = next_link(w, before, just, page, link)) != NULL) {
        const uint64_t via = link->a == page ? link->b : link->a;
        const nd_set_member *of = &before->members[via];
        bool seen = false;
        for (uint64_t i = 0; i < count; i++) {
            seen = seen || tried[i] == of->representative;
        }
        if (seen) {
            continue;
        }
        tried[count++] = of->representative;
        const double similarity =
            to_leader(w, options, link, page, of->representative, v->form[page] != 0);
        if (similarity >= 0) {
            v->members[page] = (nd_set_member){of->set, of->representative, via,
                                               (float)link->similarity, (float)similarity};
            return;
        }
    }
}

static void reference_attach(const nd_world *w, const nd_job_options *options,
                             const indexed_sets *old, attach_result *v) {
    bool just[ND_WORLD_PAGES] = {false};
    bool any = true;
    *v = (attach_result){.form = {0}};
    memcpy(v->members, old->members, sizeof old->members);
    memcpy(v->form, old->form, sizeof old->form);
    for (uint64_t i = 0; i < w->all.count; i++) {
        just[i] = i < OLD;
        v->members[i].representative = i < OLD ? v->members[i].representative : NONE;
    }
    if (options->split_records) {
        spread_forms(w, v);
    }
    while (any) {
        attach_result before = *v;
        if (!options->split_records) {
            memset(before.form, 0, sizeof before.form);
        }
        any = false;
        for (uint64_t page = OLD; page < w->all.count; page++) {
            if (before.members[page].representative == NONE) {
                try_page(w, options, just, &before, page, v);
            }
        }
        for (uint64_t i = 0; i < w->all.count; i++) {
            just[i] = before.members[i].representative != v->members[i].representative;
            any = any || just[i];
        }
    }
}

/* ---- the comparison */

/* What is found of this rank's pages: memberships, and pages of forms. */
static bool same_pages(const nd_job *job, const nd_membership *found, uint64_t count,
                       const attach_result *v) {
    bool right = true;
    bool given[ND_WORLD_PAGES] = {false};
    for (uint64_t i = 0; i < count; i++) {
        const nd_set_member *x = &found[i].member;
        const nd_set_member *y = &v->members[found[i].page];
        right = right && !given[found[i].page] && x->set == y->set &&
                x->representative == y->representative && x->link == y->link &&
                x->link_similarity == y->link_similarity && x->similarity == y->similarity;
        given[found[i].page] = true;
    }
    for (uint64_t page = 0; page < job->first[job->comm.size]; page++) {
        right = right && given[page] == (v->members[page].representative != NONE);
    }
    for (uint64_t i = 0; i < job->state->pages.count; i++) {
        right = right && job->state->index.form[i] == v->form[nd_job_own_first(job) + i];
    }
    return right;
}

/* Of the links those are left of which no page has joined, each once. */
static bool same_links(const nd_world *w, const nd_link *left, uint64_t count,
                       const attach_result *v) {
    uint64_t expected = 0;
    bool right = true;
    for (uint64_t i = 0; i < w->link_count; i++) {
        const nd_link *link = &w->links[i];
        uint64_t found = 0;
        const bool stays = v->members[link->a].representative == NONE &&
                           v->members[link->b].representative == NONE && !is_dropped(w, v, link);
        for (uint64_t k = 0; k < count; k++) {
            found += left[k].a == link->a && left[k].b == link->b &&
                     left[k].similarity == link->similarity;
        }
        right = right && found == stays;
        expected += stays;
    }
    return right && expected == count;
}

static bool check_world_attach(const nd_world *w, const nd_job_options *options,
                               nd_random *random) {
    static attach_result v;
    indexed_sets old;
    nd_job job;
    nd_spool memberships;
    uint64_t count = 0, link_count = 0;
    draw_old(&old, random);
    if (!options->split_records) {
        memset(old.form, 0, sizeof old.form);
    }
    reference_attach(w, options, &old, &v);
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_mpi_test_job_links(&job, w->links, w->link_count, random);
    nd_mpi_test_job_index(&job, old.members, old.form, OLD);
    nd_spool_open(&memberships, &job.folder, options->memory.spool);
    ND_OWNED(nd_compare_batch_free) nd_compare_batch batch = {.job = &job};
    bool right = ND_CHECK_ALL(&job.comm, nd_attach(&job, &batch, &memberships) == ND_OK);
    ND_FREED nd_membership *found =
        nd_mpi_test_gather_spool(&job.comm, &memberships, sizeof *found, &count);
    ND_FREED nd_link *left =
        nd_mpi_test_gather_spool(&job.comm, &job.state->links, sizeof *left, &link_count);
    right = right && ND_CHECK_ALL(&job.comm, same_pages(&job, found, count, &v));
    right = right && ND_CHECK_ALL(&job.comm, same_links(w, left, link_count, &v));
    nd_spool_close(&memberships);
    nd_run_close(&job);
    return right;
}

/* Families of pages, old ones and new ones of each; some are a page before with another last word.
 */
static void draw_mixed(nd_world *w, nd_random *random) {
    ND_OWNED(nd_world_free) nd_world drawn = {.link_count = 0};
    uint64_t order[ND_WORLD_PAGES];
    nd_world_draw(&drawn, random);
    for (uint64_t i = 0; i < drawn.all.count; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint64_t i = 0; i < drawn.all.count; i++) {
        const bool twin = i > 0 && nd_random_below(random, 3) == 0;
        const nd_document page =
            twin ? nd_test_document(&w->all, nd_random_below(random, nd_min(i, OLD)))
                 : nd_test_document(&drawn.all, order[i]);
        uint32_t tokens[ND_WORLD_TOKENS];
        memcpy(tokens, page.tokens, page.token_count * sizeof *tokens);
        tokens[page.token_count - 1] += twin;
        nd_world_add_page(w, tokens, page.token_count);
    }
}

ND_TEST("attach: random worlds") {
    static const double guards[] = {0.15, 0.3, 0};
    nd_random random = nd_mpi_test_random("attach");
    bool right = true;
    for (size_t trial = 0; trial < 12 && right; trial++) {
        static nd_world w;
        nd_job_options options = nd_mpi_test_job_options();
        w = (nd_world){.link_count = 0};
        options.method_options.score = nd_score_find(trial % 2 == 0 ? "jaccard" : "mixed");
        options.slack = guards[trial % 3];
        options.split_records = trial % 4 < 2;
        options.memory = nd_mpi_test_memory(trial % 5 == 0 ? 1 : 100000);
        options.memory.round = trial == 0 ? 64 : 4096;
        draw_mixed(&w, &random);
        for (uint64_t i = 0; i < w.all.count; i++) {
            w.all.pages[i].subject = (uint16_t)nd_random_below(&random, 4);
        }
        nd_world_link(&w, &options, OLD, &random, 1 + nd_random_below(&random, 8));
        right = check_world_attach(&w, &options, &random);
        nd_world_free(&w);
    }
}

/* ---- members out of a folder, which anyone may have made */

/* Are these members of six pages believed, dealt to the ranks in their order? */
static bool are_believed(nd_comm *comm, const nd_set_member *members) {
    enum { MEMBERS = 6 };
    const nd_checkpoint from = {.comm = comm};
    uint64_t first[64];
    for (int rank = 0; rank <= comm->size; rank++) {
        first[rank] = (uint64_t)rank * MEMBERS / (uint64_t)comm->size;
    }
    return nd_set_members_check(&from, first, members + first[comm->rank]) == ND_OK;
}

ND_TEST("members of a folder are checked") {
    static const nd_set_member right[] = {
        {0, 2, 2, .5F, .5F}, {1, 1, 1, 1, 1},     {0, 2, 2, 1, 1},
        {1, 1, 1, .8F, .8F}, {0, 2, 0, .7F, .6F}, {5, 5, 5, 1, 1},
    };
    static const struct {
        size_t page;
        nd_set_member member;
    } wrong[] = {
        {1, {2, 1, 1, 1, 1}},      {4, {0, 6, 0, .7F, .6F}},  {4, {0, 2, 6, .7F, .6F}},
        {4, {0, 2, 4, .7F, .6F}},  {4, {0, 2, 0, -.1F, .6F}}, {4, {0, 2, 0, 1.1F, .6F}},
        {4, {0, 2, 0, .7F, -.1F}}, {4, {0, 2, 0, .7F, 1.1F}}, {4, {1, 2, 2, .7F, .6F}},
        {3, {1, 2, 1, .7F, .6F}},  {5, {3, 5, 5, 1, 1}},      {0, {0, 0, 0, 1, 1}},
    };
    nd_comm *comm = nd_mpi_test_comm();
    (void)ND_CHECK_ALL(comm, are_believed(comm, right));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nd_set_member members[sizeof right / sizeof *right];
        memcpy(members, right, sizeof right);
        members[wrong[i].page] = wrong[i].member;
        (void)ND_CHECK_ALL(comm, !are_believed(comm, members));
    }
}
