/* Components, tours of trees and groups over ranks. */
#include "mpi/comm/components.h"
#include "mpi/comm/groups.h"
#include "src/base/sort.h"
#include "src/sets/candidates.h"
#include "src/sets/forest.h"
#include "tests/support/mpi_check.h"
#include "tests/support/slow.h"

/* ---- Components and spanning forest against Kruskal's algorithm over all links on one rank. */

/* The least that a spool takes: more links go to a file. */
enum { MEMORY_COMPONENTS = 64 << 10 };

/* A graph that every rank knows whole; each link goes to one rank or to two. */
typedef struct graph {
    uint64_t pages;
    nd_link *links;
    uint64_t count;
} graph;

/* ---- graphs */

static graph new_graph(uint64_t pages, uint64_t most_links) {
    return (graph){pages, nd_mpi_test_new(most_links, sizeof(nd_link)), 0};
}

static void add_link(graph *g, uint64_t x, uint64_t y, double similarity) {
    g->links[g->count++] = (nd_link){x < y ? x : y, x < y ? y : x, similarity};
}

/* Few different similarities: many ties. */
static double coarse(nd_random *random) {
    return (double)nd_random_below(random, 4) / 4;
}

static graph random_graph(nd_random *random, uint64_t pages, uint64_t links) {
    graph g = new_graph(pages, links);
    for (uint64_t i = 0; i < links; i++) { /* self links and repeats come by themselves */
        const uint64_t x = nd_random_below(random, pages);
        add_link(&g, x, nd_random_below(random, pages), coarse(random));
    }
    return g;
}

/* Pages in a random order, so that a chain runs to and fro between the ranks. */
static uint64_t *random_order(nd_random *random, uint64_t pages) {
    uint64_t *order = nd_mpi_test_new(pages, sizeof *order);
    for (uint64_t i = 0; i < pages; i++) {
        const uint64_t at = nd_random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

static graph chain(nd_random *random, uint64_t pages, bool shuffled) {
    graph g = new_graph(pages, pages);
    ND_FREED uint64_t *order = random_order(random, pages);
    for (uint64_t i = 1; i < pages; i++) {
        const uint64_t x = shuffled ? order[i - 1] : i - 1;
        add_link(&g, x, shuffled ? order[i] : i, shuffled ? coarse(random) : 0.5);
    }
    return g;
}

static graph star(nd_random *random, uint64_t pages) {
    graph g = new_graph(pages, pages);
    const uint64_t middle = nd_random_below(random, pages);
    for (uint64_t i = 0; i < pages; i++) {
        if (i != middle) {
            add_link(&g, middle, i, coarse(random));
        }
    }
    return g;
}

/* Cliques of `size` pages, all pages of the last third alone. */
static graph cliques(nd_random *random, uint64_t pages, uint64_t size) {
    graph g = new_graph(pages, pages * size);
    ND_FREED uint64_t *order = random_order(random, pages);
    for (uint64_t begin = 0; begin + size <= pages * 2 / 3; begin += size) {
        for (uint64_t i = 0; i < size; i++) {
            for (uint64_t k = i + 1; k < size; k++) {
                add_link(&g, order[begin + i], order[begin + k], coarse(random));
            }
        }
    }
    return g;
}

/* ---- the reference */

static int by_link(const void *a, const void *b) {
    return nd_link_compare(a, b);
}

typedef struct forest_components {
    uint64_t *smallest; /* of the component, for each page */
    nd_link *tree;      /* in link order */
    uint64_t count;
} forest_components;

static forest_components kruskal(const graph *g) {
    forest_components f = {nd_mpi_test_new(g->pages, sizeof(uint64_t)),
                           nd_mpi_test_new(g->count, sizeof(nd_link)), 0};
    ND_FREED nd_link *sorted = nd_mpi_test_new(g->count, sizeof *sorted);
    memcpy(sorted, g->links, g->count * sizeof *sorted);
    nd_sort(sorted, g->count, sizeof *sorted, by_link);
    nd_union_find_init(f.smallest, g->pages);
    for (uint64_t i = 0; i < g->count; i++) {
        if (nd_union_find_join(f.smallest, sorted[i].a, sorted[i].b)) {
            f.tree[f.count++] = sorted[i];
        }
    }
    for (uint64_t i = 0; i < g->pages; i++) {
        f.smallest[i] = nd_union_find_root(f.smallest, i);
    }
    return f;
}

static void free_forest(forest_components *f) {
    free(f->smallest);
    free(f->tree);
}

/* ---- the comparison */

/* This rank's share of the links: each is on one random rank, every fourth on another one too. */
static bool draw_share_components(const graph *g, nd_random *random, const nd_comm *comm,
                                  nd_spool *share) {
    bool written = true;
    for (uint64_t i = 0; i < g->count; i++) {
        const uint64_t one = nd_random_below(random, (uint64_t)comm->size);
        const uint64_t two = nd_random_below(random, (uint64_t)comm->size);
        const uint64_t repeats = (one == (uint64_t)comm->rank) +
                                 (i % 4 == 0 && two == (uint64_t)comm->rank ? UINT64_C(1) : 0);
        for (uint64_t k = 0; k < repeats; k++) {
            written = written && nd_spool_append(share, &g->links[i], sizeof g->links[i]) == ND_OK;
        }
    }
    return written;
}

/* Roots: one page of the component for all its pages, and no other component's. */
static bool same_partition(const forest_components *f, const uint64_t *roots, uint64_t pages) {
    bool same = true;
    for (uint64_t i = 0; i < pages && same; i++) {
        same = roots[i] < pages && f->smallest[roots[i]] == f->smallest[i] &&
               roots[f->smallest[i]] == roots[i];
    }
    return same;
}

/* One distribution of the pages and the links. `roots` are those of an earlier one, or all
 * UINT64_MAX. */
static bool run_once(nd_comm *comm, const graph *g, const forest_components *f, nd_random *random,
                     uint64_t *roots) {
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_mpi_test_ranges(random, comm->size, g->pages, first);
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    nd_spool share;
    nd_spool tree;
    nd_spool_open(&share, &folder, MEMORY_COMPONENTS);
    nd_spool_open(&tree, &folder, MEMORY_COMPONENTS);
    bool right = ND_CHECK_ALL(comm, draw_share_components(g, random, comm, &share));
    const uint64_t own = first[comm->rank + 1] - first[comm->rank];
    ND_FREED uint64_t *root = nd_mpi_test_new(own, sizeof *root);
    right = ND_CHECK_ALL(comm, nd_components(comm, first, &share, MEMORY_COMPONENTS, root, &tree) ==
                                   ND_OK) &&
            right;
    if (right) {
        uint64_t pages = 0;
        uint64_t links = 0;
        ND_FREED uint64_t *all_roots = nd_mpi_test_gather(comm, root, own, sizeof *root, &pages);
        ND_FREED nd_link *all_links =
            nd_mpi_test_gather_spool(comm, &tree, sizeof *all_links, &links);
        nd_sort(all_links, links, sizeof *all_links, by_link);
        right = ND_CHECK_ALL(comm, same_partition(f, all_roots, g->pages));
        right = ND_CHECK_ALL(comm, links == f->count &&
                                       memcmp(all_links, f->tree, links * sizeof *f->tree) == 0) &&
                right;
        const bool again = g->pages > 0 && roots[0] != UINT64_MAX;
        right =
            ND_CHECK_ALL(comm, !again || memcmp(roots, all_roots, pages * sizeof *roots) == 0) &&
            right;
        memcpy(roots, all_roots, pages * sizeof *roots);
    }
    nd_spool_close(&share);
    nd_spool_close(&tree);
    return right;
}

static bool check_graph(graph g, nd_random *random) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    forest_components f = kruskal(&g);
    ND_FREED uint64_t *roots = nd_mpi_test_new(g.pages, sizeof *roots);
    bool right = true;
    memset(roots, 0xff, g.pages * sizeof *roots);
    for (int times = 0; times < 2 && right; times++) {
        comm->round_bytes = times == 0 ? round_bytes : 50 * g.pages + 100;
        right = run_once(comm, &g, &f, random, roots);
    }
    comm->round_bytes = round_bytes;
    free_forest(&f);
    free(g.links);
    return right;
}

/* ---- the tests */

ND_TEST("random graphs") {
    static const uint64_t pages[] = {1, 2, 3, 10, 100, 700};
    nd_random random = nd_mpi_test_random("random graphs");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(48) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 48);
        const uint64_t n = pages[i % 6];
        const uint64_t links = nd_random_below(&random, 2 * n + 1); /* sparse to connected */
        right = check_graph(random_graph(&random, n, links), &random);
    }
}

ND_TEST("no pages, no links") {
    nd_random random = nd_mpi_test_random("nothing");
    (void)check_graph(new_graph(0, 0), &random);
    (void)check_graph(new_graph(5, 0), &random);
}

ND_TEST("chains") {
    nd_random random = nd_mpi_test_random("chains");
    (void)check_graph(chain(&random, 2000, false), &random);
    (void)check_graph(chain(&random, 2000, true), &random);
}

ND_TEST("stars and cliques") {
    nd_random random = nd_mpi_test_random("stars and cliques");
    (void)check_graph(star(&random, 1000), &random);
    (void)check_graph(cliques(&random, 300, 2), &random);
    (void)check_graph(cliques(&random, 300, 20), &random);
}

/* Many times more links than are held in memory, few and many of them inner after a round. */
ND_TEST("more links than memory") {
    enum { PAGES = 10000, LINKS = 60000 };
    nd_random random = nd_mpi_test_random("many links");
    CU_ASSERT(LINKS * sizeof(nd_link) > 5 * 4 * MEMORY_COMPONENTS); /* on five ranks, too */
    (void)check_graph(random_graph(&random, PAGES, LINKS), &random);
    (void)check_graph(cliques(&random, PAGES, 20), &random);
    (void)check_graph(chain(&random, 5 * PAGES, true), &random);
}

/* The same two pages with two similarities: the higher one is the tree's. */
ND_TEST("links with two similarities, self links") {
    nd_random random = nd_mpi_test_random("two similarities");
    graph g = new_graph(4, 4);
    add_link(&g, 0, 3, 0.25);
    add_link(&g, 3, 0, 0.75);
    add_link(&g, 1, 1, 1);
    add_link(&g, 3, 2, 0.75);
    (void)check_graph(g, &random);
}

/* ---- Walks around trees that are spread over the ranks, against orienting each tree on one rank
 * and going from every page to the root. */

enum { MOST_TREES = 8, MOST_PAGES = MOST_TREES * ND_TREE_PAGES * 6, MEMORY_TOUR = 64 << 10 };

/* Trees that every rank knows whole, and pages without links between them. */
typedef struct forest_tour {
    uint64_t pages;
    nd_link *links;
    uint64_t count;
    uint64_t root[MOST_PAGES];
    nd_euler_tour_page expected[MOST_PAGES];
} forest_tour;

static void add_tree(nd_random *random, forest_tour *f, const nd_random_tree *t) {
    nd_parent parents[ND_TREE_PAGES];
    const uint64_t root = t->pages[nd_random_below(random, t->count)];
    uint64_t below[ND_TREE_PAGES] = {0}; /* pages that hang on a page, it too */
    ND_TEST_OK(nd_tree_orient(t->pages, t->count, t->links, root, parents));
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = i;; k = (size_t)nd_numbers_place(t->pages, t->count, parents[k].page)) {
            below[k]++;
            if (t->pages[k] == root) {
                break;
            }
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        f->root[t->pages[i]] = root;
        f->expected[t->pages[i]] = (nd_euler_tour_page){parents[i].page, parents[i].similarity,
                                                        t->count, t->count - below[i]};
    }
    for (size_t i = 0; i < t->count; i++) {
        uint64_t *largest = &f->expected[parents[i].page].largest;
        if (t->pages[i] != root && below[i] > *largest) {
            *largest = below[i];
        }
    }
    for (size_t i = 0; i + 1 < t->count; i++) {
        f->links[f->count++] = t->links[i];
    }
}

static bool check_forest(const forest_tour *f, nd_random *random) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_spool links;
    bool right = true;
    nd_mpi_test_ranges(random, comm->size, f->pages, first);
    nd_spool_open(&links, &folder, MEMORY_TOUR);
    for (uint64_t i = 0; i < f->count; i++) {
        if (nd_random_below(random, (uint64_t)comm->size) == (uint64_t)comm->rank) {
            right = nd_spool_append(&links, &f->links[i], sizeof f->links[i]) == ND_OK && right;
        }
    }
    const uint64_t own = first[comm->rank];
    const uint64_t count = first[comm->rank + 1] - own;
    ND_FREED nd_euler_tour_page *pages = nd_mpi_test_new(count, sizeof *pages);
    comm->round_bytes = nd_random_below(random, 2) == 0 ? round_bytes : 2 * f->pages + 100;
    right = ND_CHECK_ALL(comm, nd_euler_tour(comm, first, &links, f->root + own, pages) == ND_OK) &&
            right;
    comm->round_bytes = round_bytes;
    for (uint64_t i = 0; i < count && right; i++) {
        const nd_euler_tour_page *x = &pages[i];
        const nd_euler_tour_page *y = &f->expected[own + i];
        right = x->parent == y->parent && x->similarity == y->similarity &&
                x->tree_pages == y->tree_pages && x->largest == y->largest;
    }
    nd_spool_close(&links);
    return ND_CHECK_ALL(comm, right);
}

ND_TEST("random forests") {
    static forest_tour f;
    nd_random random = nd_mpi_test_random("forests");
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(12) && right; trial++) {
        const uint64_t trees = nd_random_below(&random, MOST_TREES);
        f = (forest_tour){.links = nd_mpi_test_new(MOST_PAGES, sizeof *f.links)};
        for (uint64_t i = 0; i < MOST_PAGES; i++) {
            f.root[i] = i;
            f.expected[i] = (nd_euler_tour_page){i, 1, 1, 0};
        }
        for (uint64_t i = 0; i < trees; i++) {
            nd_random_tree t;
            nd_random_tree_draw(&random, f.pages, &t);
            add_tree(&random, &f, &t);
            f.pages = t.pages[t.count - 1] + 1;
        }
        right = check_forest(&f, &random);
        free(f.links);
    }
}

/* ---- Groups, runs and candidate pairs against one process that holds all postings. */

/* Less than a sort takes at least. */
enum { MEMORY_GROUPS = 1 };
typedef struct value_pair {
    uint64_t shorter;
    uint64_t longer;
    uint64_t common; /* 1: of a key of more than 8 pages */
} value_pair;

/* All postings, the same on every rank, and the pairs that they should give. */
typedef struct world {
    nd_key_value *postings;
    uint64_t count;
    uint64_t pages;
    uint64_t all_pairs; /* groups up to this size: all pairs */
    value_pair *pairs;  /* sorted */
    uint64_t pair_count;
} world;

/* ---- the reference */

ND_TEST_ORDER_OF(by_pair, value_pair, shorter, longer, common)

/* Sorted by key, then length and page; a page that got a key twice is there once. */
static uint64_t sort_distinct(nd_key_value *postings, uint64_t count) {
    uint64_t kept = 0;
    nd_sort(postings, count, sizeof *postings, nd_test_by_key_value);
    for (uint64_t i = 0; i < count; i++) {
        if (kept == 0 || nd_test_by_key_value(&postings[kept - 1], &postings[i]) != 0) {
            postings[kept++] = postings[i];
        }
    }
    return kept;
}

/* As the header says: all pairs up to 16 members, or as many as were asked for, the 8 next ones
 * beyond. */
static void list_pairs(world *w) {
    ND_FREED nd_key_value *sorted = nd_mpi_test_new(w->count, sizeof *sorted);
    memcpy(sorted, w->postings, w->count * sizeof *sorted);
    const uint64_t count = sort_distinct(sorted, w->count);
    const uint64_t most = w->all_pairs > 8 ? w->all_pairs : 8; /* partners of a page */
    w->pairs = nd_mpi_test_new(count * most, sizeof *w->pairs);
    uint64_t end = 0;
    for (uint64_t begin = 0; begin < count; begin = end) {
        for (end = begin; end < count && sorted[end].key == sorted[begin].key; end++) {
        }
        const uint64_t reach = end - begin <= w->all_pairs ? end - begin : 8;
        for (uint64_t i = begin; i < end; i++) {
            for (uint64_t k = i + 1; k < end && k <= i + reach; k++) {
                w->pairs[w->pair_count++] =
                    (value_pair){sorted[i].value, sorted[k].value, end - begin > 8};
            }
        }
    }
    nd_sort(w->pairs, w->pair_count, sizeof *w->pairs, by_pair);
}

/* ---- worlds */

/* A page has one length, whatever keys it gets. */
static uint64_t value_of(uint64_t page) {
    return nd_posting_value(page, nd_mix64(page) % 500);
}

/* `keys` groups of 1 .. most pages, a tenth of the postings twice. */
static world draw_world(nd_random *random, uint64_t keys, uint64_t most, uint64_t pages,
                        uint64_t all_pairs) {
    world w = {.pages = pages, .all_pairs = all_pairs};
    w.postings = nd_mpi_test_new(keys * most * 2, sizeof *w.postings);
    for (uint64_t k = 0; k < keys; k++) {
        const uint64_t key = nd_random_next(random);
        const uint64_t members = 1 + nd_random_below(random, most);
        for (uint64_t i = 0; i < members; i++) {
            const nd_key_value posting = {key, value_of(nd_random_below(random, pages))};
            const uint64_t times = nd_random_below(random, 10) == 0 ? 2 : 1;
            for (uint64_t t = 0; t < times; t++) {
                w.postings[w.count++] = posting;
            }
        }
    }
    list_pairs(&w);
    return w;
}

/* One key that every page has: `count` members exactly. */
static world one_group(uint64_t key, uint64_t count) {
    world w = {.pages = count, .all_pairs = 16};
    w.postings = nd_mpi_test_new(count, sizeof *w.postings);
    for (; w.count < count; w.count++) {
        w.postings[w.count] = (nd_key_value){key, value_of(w.count)};
    }
    list_pairs(&w);
    return w;
}

static void free_world(world *w) {
    free(w->postings);
    free(w->pairs);
}

/* ---- the comparison */

static nd_key_value *draw_share_groups(const world *w, nd_random *random, const nd_comm *comm,
                                       uint64_t *count) {
    nd_key_value *share = nd_mpi_test_new(w->count, sizeof *share);
    *count = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        if (nd_random_below(random, (uint64_t)comm->size) == (uint64_t)comm->rank) {
            share[(*count)++] = w->postings[i];
        }
    }
    return share;
}

/* This rank's candidates, `room` at a time. */
static value_pair *take_pairs(nd_groups *groups, uint64_t room, uint64_t most, uint64_t *count) {
    ND_FREED nd_candidate *batch = nd_mpi_test_new(room, sizeof *batch);
    value_pair *pairs = nd_mpi_test_new(most + 1, sizeof *pairs);
    uint64_t written = 1;
    bool fits = true;
    *count = 0;
    while (fits && written > 0) {
        fits = nd_groups_next(groups, batch, room, &written) == ND_OK && written <= room &&
               *count + written <= most;
        for (uint64_t i = 0; fits && i < written; i++) {
            pairs[(*count)++] = (value_pair){batch[i].shorter, batch[i].longer,
                                             (batch[i].item & ND_CANDIDATE_COMMON) != 0};
        }
    }
    CU_ASSERT(fits);
    return pairs;
}

static bool pairs_are_right(nd_comm *comm, const world *w, nd_groups *groups, uint64_t room) {
    uint64_t count = 0;
    uint64_t total = 0;
    ND_FREED value_pair *pairs = take_pairs(groups, room, w->pair_count, &count);
    ND_FREED value_pair *all = nd_mpi_test_gather(comm, pairs, count, sizeof *pairs, &total);
    nd_sort(all, total, sizeof *all, by_pair);
    return ND_CHECK_ALL(comm,
                        total == w->pair_count && memcmp(all, w->pairs, total * sizeof *all) == 0);
}

/* The chain of links joins what shares a key, and nothing else. */
static bool chain_is_right(const nd_comm *comm, const world *w, nd_groups *groups) {
    nd_spool links;
    uint64_t count = 0;
    uint64_t total = 0;
    nd_spool_open(&links, groups->folder, MEMORY_GROUPS);
    bool right = ND_CHECK_ALL(comm, nd_groups_chain(groups, &links, &count) == ND_OK);
    right = ND_CHECK_ALL(comm, count * sizeof(nd_link) == links.size) && right;
    ND_FREED nd_link *all = nd_mpi_test_gather_spool(comm, &links, sizeof *all, &total);
    ND_FREED uint64_t *by_links = nd_mpi_test_new(w->pages, sizeof *by_links);
    ND_FREED uint64_t *by_keys = nd_mpi_test_new(w->pages, sizeof *by_keys);
    bool ordered = true, rare = true;
    nd_union_find_init(by_links, w->pages);
    nd_union_find_init(by_keys, w->pages);
    for (uint64_t i = 0; i < total; i++) {
        ordered = ordered && all[i].a < all[i].b;
        rare = rare && all[i].similarity > 0 && all[i].similarity <= 0.5; /* of two and more */
        (void)nd_union_find_join(by_links, all[i].a, all[i].b);
    }
    for (uint64_t i = 0; i < w->pair_count; i++) {
        (void)nd_union_find_join(by_keys, nd_posting_page(w->pairs[i].shorter),
                                 nd_posting_page(w->pairs[i].longer));
    }
    bool same = true;
    for (uint64_t i = 0; i < w->pages; i++) {
        same = same && nd_union_find_root(by_links, i) == nd_union_find_root(by_keys, i);
    }
    right = ND_CHECK_ALL(comm, ordered && rare && same) && right;
    nd_spool_close(&links);
    return right;
}

/* Everything a rank's groups need, and postings that are given some at a time. */
typedef struct grouping {
    nd_spool_folder folder;
    nd_groups groups;
    nd_key_value *postings;
    uint64_t count;
    uint64_t given;
} grouping;

static nd_status next_postings(void *context, void *records, uint64_t room, uint64_t *count) {
    grouping *g = context;
    const uint64_t left = g->count - g->given;
    *count = left < room ? left : room;
    if (*count > 0) {
        memcpy(records, g->postings + g->given, *count * sizeof *g->postings);
    }
    g->given += *count;
    return ND_OK;
}

/* Collective. Make groups of the postings of so many pages. */
static bool build(nd_comm *comm, grouping *g, uint64_t pages, uint64_t all_pairs) {
    ND_FREED uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    for (int r = 0; r <= comm->size; r++) {
        first[r] = nd_comm_share_begin(pages, r, comm->size);
    }
    g->folder = (nd_spool_folder){.path = nd_test_folder(), .rank = comm->rank};
    g->given = 0;
    nd_groups_open(&g->groups, &g->folder, MEMORY_GROUPS);
    if (all_pairs != ND_GROUP_ALL_PAIRS) {
        g->groups.all_pairs = all_pairs;
    }
    const bool made =
        ND_CHECK_ALL(comm, nd_groups_collect(comm, &g->groups, next_postings, g) == ND_OK) &&
        ND_CHECK_ALL(comm, nd_groups_cut(comm, &g->groups, first) == ND_OK);
    return made;
}

/* Groups are read once: to chain, then, built anew, to pair. */
static bool check_world(world w, nd_random *random, uint64_t room) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    grouping g;
    comm->round_bytes = nd_random_below(random, 2) == 0 ? 4096 : round_bytes;
    g.postings = draw_share_groups(&w, random, comm, &g.count);
    bool right = build(comm, &g, w.pages, w.all_pairs) && chain_is_right(comm, &w, &g.groups);
    nd_groups_close(&g.groups);
    right = right && build(comm, &g, w.pages, w.all_pairs) &&
            pairs_are_right(comm, &w, &g.groups, room);
    nd_groups_close(&g.groups);
    comm->round_bytes = round_bytes;
    free(g.postings);
    free_world(&w);
    return right;
}

/* ---- the tests */

ND_TEST("random groups") {
    static const uint64_t mosts[] = {1, 2, 16, 17, 60};
    static const uint64_t all_pairs[] = {16, 2, 40};
    nd_random random = nd_mpi_test_random("groups");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(30) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, 30);
        const uint64_t keys = nd_random_below(&random, 60);
        const uint64_t all = all_pairs[i % 3];
        const uint64_t least = all > ND_GROUP_ALL_PAIRS ? all : ND_GROUP_ALL_PAIRS;
        const uint64_t room = least + nd_random_below(&random, 40);
        right =
            check_world(draw_world(&random, keys, mosts[i % 5], 1 + i * 20, all), &random, room);
    }
}

/* Around the sizes where the rule changes: all pairs or neighbours, one run or more. */
ND_TEST("sizes of one group") {
    static const uint64_t counts[] = {0,
                                      1,
                                      2,
                                      ND_GROUP_NEIGHBOURS,
                                      ND_GROUP_NEIGHBOURS + 1,
                                      ND_GROUP_ALL_PAIRS,
                                      ND_GROUP_ALL_PAIRS + 1,
                                      ND_GROUP_RUN,
                                      ND_GROUP_RUN + 1,
                                      ND_GROUP_RUN + ND_GROUP_NEIGHBOURS,
                                      2 * ND_GROUP_RUN + 1,
                                      3 * ND_GROUP_RUN - 1};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    nd_random random = nd_mpi_test_random("one group");
    bool right = true;
    for (int r = 0; r < nd_test_rounds(COUNTS) && right; r++) {
        const uint64_t i = nd_test_case(&random, r, COUNTS);
        right =
            check_world(one_group(nd_random_next(&random), counts[i]), &random, ND_GROUP_ALL_PAIRS);
    }
}

/* Big groups among small ones, and a page that is in many. */
ND_TEST("big and small groups") {
    nd_random random = nd_mpi_test_random("big and small");
    world w = draw_world(&random, 5, 9000, 12000, 16);
    (void)check_world(w, &random, 1000);
}

/* The runs of big groups are work of all ranks: each has between half and twice its share. */
ND_TEST("a big group is spread over the ranks") {
    nd_comm *comm = nd_mpi_test_comm();
    enum { RUNS = 60 };
    uint64_t members = 0;
    for (uint64_t key = 0; key < (uint64_t)nd_test_rounds(4); key++) {
        grouping g = {.postings = nd_mpi_test_new(RUNS * ND_GROUP_RUN, sizeof *g.postings)};
        for (uint64_t i = (uint64_t)comm->rank; i < RUNS * ND_GROUP_RUN;
             i += (uint64_t)comm->size) {
            g.postings[g.count++] = (nd_key_value){key, value_of(i)};
        }
        (void)build(comm, &g, RUNS * ND_GROUP_RUN, ND_GROUP_ALL_PAIRS);
        members += nd_external_sort_count(&g.groups.members);
        nd_groups_close(&g.groups);
        free(g.postings);
    }
    const uint64_t share = (uint64_t)nd_test_rounds(4) * RUNS * ND_GROUP_RUN / (uint64_t)comm->size;
    ND_CHECK_ALL(comm, comm->size == 1 || (members > share / 2 && members < 2 * share));
}

/* Pages that share all of their keys are worked on at one place, whatever the keys: the finds of a
 * family's pairs follow one another on one rank, at a page of the family and of the rank. */
ND_TEST("families stay together") {
    nd_comm *comm = nd_mpi_test_comm();
    enum { FAMILIES = 200, MEMBERS = 7, KEYS = 9, PAGES = FAMILIES * MEMBERS };
    enum { FINDS = KEYS * MEMBERS * (MEMBERS - 1) / 2, ALL = FAMILIES * FINDS };
    nd_random random = nd_mpi_test_random("families");
    grouping g = {.postings = nd_mpi_test_new(PAGES * KEYS, sizeof *g.postings)};
    ND_FREED nd_candidate *found = nd_mpi_test_new(ALL + ND_GROUP_ALL_PAIRS, sizeof *found);
    uint64_t count = 0;
    bool together = true;
    for (uint64_t f = 0; f < FAMILIES; f++) {
        for (uint64_t k = 0; k < KEYS; k++) {
            const uint64_t key = nd_random_next(&random);
            for (uint64_t i = 0; i < MEMBERS; i++) { /* far apart, and given by any rank */
                if ((f + k + i) % (uint64_t)comm->size == (uint64_t)comm->rank) {
                    g.postings[g.count++] = (nd_key_value){key, value_of(f + i * FAMILIES)};
                }
            }
        }
    }
    const uint64_t begin = nd_comm_share_begin(PAGES, comm->rank, comm->size);
    const uint64_t end = nd_comm_share_begin(PAGES, comm->rank + 1, comm->size);
    bool made = build(comm, &g, PAGES, ND_GROUP_ALL_PAIRS) &&
                nd_groups_next(&g.groups, found, ALL + ND_GROUP_ALL_PAIRS, &count) == ND_OK;
    for (uint64_t i = 0; made && i < count; i++) {
        const uint64_t item = found[i].item;
        together = together && item == found[i - i % FINDS].item && item >= begin && item < end &&
                   item % FAMILIES == nd_posting_page(found[i].shorter) % FAMILIES &&
                   item % FAMILIES == nd_posting_page(found[i].longer) % FAMILIES;
    }
    ND_CHECK_ALL(comm, made && together);
    ND_CHECK_ALL(comm, nd_comm_sum(comm, count) == ALL);
    nd_groups_close(&g.groups);
    free(g.postings);
}
