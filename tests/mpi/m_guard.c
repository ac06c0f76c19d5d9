/* Sets out of verified pairs, with the guard against chains and without, against one process that
 * holds all pages and takes no shortcut. */
#include "mpi/members.h"
#include "src/base/sort.h"
#include "tests/support/mpi_job.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 80, MOST_TOKENS = 160 };

/* All pages with the similarities of all pairs, the same on every rank. */
typedef struct world {
    nd_page_store all;
    nd_link *links; /* the verified pairs that are known */
    uint64_t link_count;
    double similarity[MOST_PAGES][MOST_PAGES];
} world;

/* ---- pages */

static void add_page(world *w, const uint32_t *tokens, uint32_t count) {
    nd_sentence_digest sentence = {.masked = count, .token_count = count};
    const nd_stored_page page = {
        .text_tokens = count, .token_count = count, .sentence_count = count > 0};
    CU_ASSERT_EQUAL(nd_page_store_append(&w->all, &page, tokens, &sentence, (nd_span){NULL, 0},
                                         (nd_span){NULL, 0}),
                    ND_OK);
}

/* Tokens [begin, begin + count) of a text in which none occurs twice: two pages of `count` tokens
 * whose beginnings are d apart share count - 4 - d shingles of 2 * (count - 4). */
static void add_window(world *w, uint32_t text, uint32_t begin, uint32_t count) {
    uint32_t tokens[MOST_TOKENS];
    for (uint32_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_mix64((uint64_t)text << 32 | (begin + i + 1));
    }
    add_page(w, tokens, count);
}

/* A page that continues, repeats or varies one of the latest. */
static void add_variant(world *w, nd_random *random) {
    uint32_t tokens[MOST_TOKENS];
    const uint64_t back = 1 + nd_random_below(random, w->all.count < 6 ? w->all.count : 6);
    const size_t from = (size_t)(w->all.count - back);
    const uint32_t count = w->all.pages[from].token_count;
    const uint64_t changes = 1 + nd_random_below(random, 3);
    memcpy(tokens, nd_page_store_tokens(&w->all, from), count * sizeof *tokens);
    for (uint64_t c = 0; c < changes; c++) {
        const uint64_t length = 1 + nd_random_below(random, count / 4 + 1);
        const uint64_t begin = nd_random_below(random, count - length + 1);
        for (uint64_t i = begin; i < begin + length; i++) {
            tokens[i] = (uint32_t)nd_random_next(random);
        }
    }
    add_page(w, tokens, count - (uint32_t)nd_random_below(random, count / 10 + 1));
}

static double similarity_of(const world *w, const nd_job_options *options, size_t a, size_t b) {
    nd_lcs_work work = {0};
    double similarity = -1;
    const nd_document x = nd_page_store_document(&w->all, a);
    const nd_document y = nd_page_store_document(&w->all, b);
    CU_ASSERT_EQUAL(
        options->method->similarity(&options->method_options, options->method->payload(&x),
                                    options->method->payload(&y), 0, &work, &similarity),
        ND_OK);
    nd_lcs_work_free(&work);
    return similarity;
}

static double threshold_of(const world *w, const nd_job_options *options, size_t a, size_t b) {
    const uint32_t x = w->all.pages[a].token_count;
    const uint32_t y = w->all.pages[b].token_count;
    const bool is_short = (x < y ? x : y) < options->method_options.short_tokens;
    return options->method_options.threshold + (is_short ? options->method_options.short_extra : 0);
}

/* Compare all; of `keep` out of 8 similar pairs it is known. */
static void link_pages(world *w, const nd_job_options *options, nd_random *random, uint64_t keep) {
    w->links = nd_mpi_test_new(MOST_PAGES * MOST_PAGES, sizeof *w->links);
    for (size_t a = 0; a < w->all.count; a++) {
        for (size_t b = a + 1; b < w->all.count; b++) {
            const double s = similarity_of(w, options, a, b);
            w->similarity[a][b] = s;
            w->similarity[b][a] = s;
            if (s >= threshold_of(w, options, a, b) && nd_random_below(random, 8) < keep) {
                w->links[w->link_count++] = (nd_link){a, b, s};
            }
        }
    }
}

static void free_world(world *w) {
    nd_page_store_free(&w->all);
    free(w->links);
}

/* ---- the reference */

/* Numbers that pages have in common, by going over all links until nothing changes. */
static void label_components(const world *w, const nd_link *links, uint64_t count,
                             uint64_t *label) {
    bool changed = true;
    for (uint64_t i = 0; i < w->all.count; i++) {
        label[i] = i;
    }
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t *x = &label[links[i].a];
            uint64_t *y = &label[links[i].b];
            const uint64_t least = *x < *y ? *x : *y;
            changed = changed || *x != *y;
            *x = least;
            *y = least;
        }
    }
}

static uint64_t degree_of(const world *w, uint64_t page) {
    uint64_t degree = 0;
    for (uint64_t i = 0; i < w->link_count; i++) {
        degree += w->links[i].a == page || w->links[i].b == page;
    }
    return degree;
}

/* Whether x comes before y: by links where the component is guarded, then by length, then first. */
static bool is_before(const world *w, bool guarded, uint64_t x, uint64_t y) {
    const uint64_t x_degree = guarded ? degree_of(w, x) : 0;
    const uint64_t y_degree = guarded ? degree_of(w, y) : 0;
    const uint32_t x_tokens = w->all.pages[x].token_count;
    const uint32_t y_tokens = w->all.pages[y].token_count;
    if (x_degree != y_degree) {
        return x_degree > y_degree;
    }
    return x_tokens != y_tokens ? x_tokens > y_tokens : x < y;
}

static bool is_known(const world *w, uint64_t a, uint64_t b) {
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
static void hang_on(const world *w, bool guarded, const uint64_t *set, uint64_t representative,
                    nd_member *members) {
    bool done[MOST_PAGES] = {false};
    done[representative] = true;
    while (true) {
        nd_link best = {0, 0, -1};
        bool from_a = false;
        for (uint64_t a = 0; a < w->all.count; a++) {
            for (uint64_t b = a + 1; b < w->all.count; b++) {
                const bool joins =
                    is_known(w, a, b) || (guarded && (a == representative || b == representative));
                const nd_link link = {a, b, w->similarity[a][b]};
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
static uint64_t next_leader(const world *w, bool guarded, const uint64_t *label, uint64_t component,
                            const uint64_t *leader) {
    uint64_t best = UINT64_MAX;
    for (uint64_t i = 0; i < w->all.count; i++) {
        if (label[i] == component && leader[i] == UINT64_MAX &&
            (best == UINT64_MAX || is_before(w, guarded, i, best))) {
            best = i;
        }
    }
    return best;
}

static void find_leaders(const world *w, const nd_job_options *options, const uint64_t *label,
                         uint64_t component, bool guarded, uint64_t *leader) {
    uint64_t page = 0;
    while ((page = next_leader(w, guarded, label, component, leader)) != UINT64_MAX) {
        for (uint64_t i = 0; i < w->all.count; i++) {
            const bool similar =
                w->similarity[page][i] >= threshold_of(w, options, page, i) - options->guard;
            if (label[i] == component && leader[i] == UINT64_MAX &&
                (!guarded || i == page || similar)) {
                leader[i] = page;
            }
        }
    }
}

static uint64_t count_label(const world *w, const uint64_t *label, uint64_t wanted) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->all.count; i++) {
        count += label[i] == wanted;
    }
    return count;
}

static nd_member *reference(const world *w, const nd_job_options *options, uint64_t *unguarded) {
    nd_member *members = nd_mpi_test_new(w->all.count, sizeof *members);
    uint64_t label[MOST_PAGES];
    uint64_t leader[MOST_PAGES];
    memset(leader, 0xff, sizeof leader);
    label_components(w, w->links, w->link_count, label);
    *unguarded = 0;
    for (uint64_t component = 0; component < w->all.count; component++) {
        const uint64_t pages = count_label(w, label, component);
        const bool guarded = options->guard > 0 && pages <= options->guard_cap;
        *unguarded += options->guard > 0 && pages > 1 && !guarded;
        find_leaders(w, options, label, component, guarded, leader);
        for (uint64_t i = 0; i < w->all.count; i++) {
            if (label[i] == component && leader[i] == i) {
                members[i] = (nd_member){i, i, i, 1, 1};
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
        members[i].similarity = i == leader[i] ? 1 : (float)w->similarity[i][leader[i]];
    }
    return members;
}

/* ---- the comparison */

static bool check_members(const world *w, const nd_job_options *options, const nd_member *expected,
                          uint64_t unguarded, nd_random *random) {
    nd_job job;
    nd_mpi_test_job_open(&job, options, &w->all, random);
    nd_mpi_test_job_links(&job, w->links, w->link_count, random);
    bool right = ND_CHECK_ALL(&job.comm, nd_stage_join(&job) == ND_OK);
    right = right && nd_mpi_test_job_members(&job, expected);
    right = ND_CHECK_ALL(&job.comm, job.totals.unguarded == unguarded) && right;
    nd_job_close(&job);
    return right;
}

/* Without the guard, with caps that some components exceed, and with batches of any size. */
static bool check_world(const world *w, nd_job_options options, nd_random *random) {
    static const double guards[] = {0.15, 0, 0.3};
    static const uint64_t caps[] = {20000, 6, 2};
    bool right = true;
    for (size_t i = 0; i < 9 && right; i++) {
        uint64_t unguarded = 0;
        options.guard = guards[i % 3];
        options.guard_cap = caps[i / 3];
        options.batch_bytes = i % 2 == 0 ? 1 : 100000;
        nd_member *expected = reference(w, &options, &unguarded);
        right = check_members(w, &options, expected, unguarded, random);
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
    static world w;
    w = (world){0};
    for (uint32_t i = 0; i < 7; i++) {
        add_window(&w, 1, 20 * i, 100);
    }
    link_pages(&w, &options, &random, 8);
    const float one = (float)(76. / 116);
    const float two = (float)(56. / 136);
    const nd_member guarded[] = {{0, 1, 1, one, one}, {0, 1, 1, 1, 1}, {0, 1, 1, one, one},
                                 {0, 1, 2, one, two}, {4, 4, 4, 1, 1}, {4, 4, 4, one, one},
                                 {4, 4, 5, one, two}};
    const nd_member open[] = {{0, 0, 0, 1, 1},
                              {0, 0, 0, one, one},
                              {0, 0, 1, one, two},
                              {0, 0, 2, one, (float)(36. / 156)},
                              {0, 0, 3, one, (float)(16. / 176)},
                              {0, 0, 4, one, 0},
                              {0, 0, 5, one, 0}};
    CU_ASSERT_EQUAL(w.link_count, 6);
    (void)check_members(&w, &options, guarded, 0, &random);
    options.guard_cap = 6;
    (void)check_members(&w, &options, open, 1, &random);
    options.guard = 0;
    (void)check_members(&w, &options, open, 0, &random);
    (void)check_world(&w, options, &random);
    free_world(&w);
}

/* A page in the middle to which all others are similar; they hardly are to each other. The longest
 * page is one of them: without the guard it represents the set, with the guard the middle does. */
static void test_star(void) {
    nd_random random = nd_mpi_test_random("star");
    nd_job_options options = nd_mpi_test_job_options();
    static world w;
    w = (world){0};
    add_window(&w, 2, 30, 100); /* from the middle to both sides */
    add_window(&w, 2, 0, 101);
    add_window(&w, 2, 60, 100);
    link_pages(&w, &options, &random, 8);
    const float left = (float)(67. / (97 + 96 - 67));
    const float right = (float)(66. / (96 + 96 - 66));
    const float ends = (float)(37. / (97 + 96 - 37));
    const nd_member guarded[] = {{0, 0, 0, 1, 1}, {0, 0, 0, left, left}, {0, 0, 0, right, right}};
    const nd_member open[] = {{0, 1, 1, left, left}, {0, 1, 1, 1, 1}, {0, 1, 0, right, ends}};
    CU_ASSERT_EQUAL(w.link_count, 2);
    (void)check_members(&w, &options, guarded, 0, &random);
    options.guard = 0;
    (void)check_members(&w, &options, open, 0, &random);
    (void)check_world(&w, options, &random);
    free_world(&w);
}

static void test_cliques(void) {
    nd_random random = nd_mpi_test_random("cliques");
    const nd_job_options options = nd_mpi_test_job_options();
    static world w;
    w = (world){0};
    for (uint32_t text = 0; text < 8; text++) {
        for (uint32_t i = 0; i < 2 + text; i++) { /* lengths around where a page is short */
            add_window(&w, text, i, 30 + 10 * text);
        }
    }
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    free_world(&w);
}

static void test_nothing(void) {
    nd_random random = nd_mpi_test_random("nothing");
    const nd_job_options options = nd_mpi_test_job_options();
    static world w;
    w = (world){0};
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    free_world(&w);
    w = (world){0};
    add_page(&w, NULL, 0); /* a page without text, and one alone */
    add_window(&w, 3, 0, 50);
    link_pages(&w, &options, &random, 8);
    (void)check_world(&w, options, &random);
    free_world(&w);
}

static void test_random_worlds(void) {
    nd_random random = nd_mpi_test_random("guard");
    bool right = true;
    for (uint32_t trial = 0; trial < 12 && right; trial++) {
        nd_job_options options = nd_mpi_test_job_options();
        static world w;
        w = (world){0};
        options.method_options.short_tokens = trial % 2 == 0 ? 50 : 0;
        for (uint32_t family = 0; w.all.count < MOST_PAGES; family++) {
            add_window(&w, family, 0, 5 + (uint32_t)nd_random_below(&random, MOST_TOKENS - 5));
            for (uint64_t i = nd_random_below(&random, 25); i > 0 && w.all.count < MOST_PAGES;
                 i--) {
                add_variant(&w, &random);
            }
        }
        link_pages(&w, &options, &random, 2 + 2 * (trial % 4));
        right = check_world(&w, options, &random);
        free_world(&w);
    }
}

/* Copies of a page's content belong where it belongs, joined to it. */
static void test_copies(void) {
    nd_random random = nd_mpi_test_random("copies");
    nd_job_options options = nd_mpi_test_job_options();
    static world w;
    w = (world){0};
    for (uint32_t i = 0; i < 4; i++) {
        add_window(&w, 1, 20 * (i % 2), 100);
    }
    w.links = nd_mpi_test_new(1, sizeof *w.links);
    w.links[w.link_count++] = (nd_link){0, 1, 76. / 116};
    const float one = (float)(76. / 116);
    const nd_member expected[] = {
        {0, 0, 0, 1, 1}, {0, 0, 0, one, one}, {0, 0, 0, 1, 1}, {0, 0, 1, 1, one}};
    for (int guarded = 0; guarded < 2; guarded++) {
        nd_job job;
        options.guard = guarded == 1 ? 0.15 : 0;
        nd_mpi_test_job_open(&job, &options, &w.all, &random);
        nd_mpi_test_job_links(&job, w.links, w.link_count, &random);
        for (size_t i = 0; i < job.pages.count; i++) {
            job.content_of[i] %= 2;
        }
        ND_CHECK_ALL(&job.comm, nd_stage_join(&job) == ND_OK);
        (void)nd_mpi_test_job_members(&job, expected);
        nd_job_close(&job);
    }
    free_world(&w);
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
