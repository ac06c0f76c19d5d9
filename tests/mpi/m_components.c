/* Components and spanning forest against Kruskal's algorithm over all links on one rank. */
#include "mpi/comm/components.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "tests/support/mpi_check.h"

#include <stdlib.h>
#include <string.h>

/* The least that a spool takes: more links go to a file. */
enum { MEMORY = 64 << 10 };

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
    uint64_t *order = random_order(random, pages);
    for (uint64_t i = 1; i < pages; i++) {
        const uint64_t x = shuffled ? order[i - 1] : i - 1;
        add_link(&g, x, shuffled ? order[i] : i, shuffled ? coarse(random) : 0.5);
    }
    free(order);
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
    uint64_t *order = random_order(random, pages);
    for (uint64_t begin = 0; begin + size <= pages * 2 / 3; begin += size) {
        for (uint64_t i = 0; i < size; i++) {
            for (uint64_t k = i + 1; k < size; k++) {
                add_link(&g, order[begin + i], order[begin + k], coarse(random));
            }
        }
    }
    free(order);
    return g;
}

/* ---- the reference */

static int by_link(const void *a, const void *b) {
    return nd_link_compare(a, b);
}

typedef struct forest {
    uint64_t *smallest; /* of the component, for each page */
    nd_link *tree;      /* in link order */
    uint64_t count;
} forest;

static forest kruskal(const graph *g) {
    forest f = {nd_mpi_test_new(g->pages, sizeof(uint64_t)),
                nd_mpi_test_new(g->count, sizeof(nd_link)), 0};
    nd_link *sorted = nd_mpi_test_new(g->count, sizeof *sorted);
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
    free(sorted);
    return f;
}

static void free_forest(forest *f) {
    free(f->smallest);
    free(f->tree);
}

/* ---- the comparison */

/* This rank's share of the links: each is on one random rank, every fourth on another one too. */
static bool draw_share(const graph *g, nd_random *random, const nd_comm *comm, nd_spool *share) {
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
static bool same_partition(const forest *f, const uint64_t *roots, uint64_t pages) {
    bool same = true;
    for (uint64_t i = 0; i < pages && same; i++) {
        same = roots[i] < pages && f->smallest[roots[i]] == f->smallest[i] &&
               roots[f->smallest[i]] == roots[i];
    }
    return same;
}

/* One distribution of the pages and the links. `roots` are those of an earlier one, or all
 * UINT64_MAX. */
static bool run_once(nd_comm *comm, const graph *g, const forest *f, nd_random *random,
                     uint64_t *roots) {
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_mpi_test_ranges(random, comm->size, g->pages, first);
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    nd_spool share;
    nd_spool tree;
    nd_spool_open(&share, &folder, MEMORY);
    nd_spool_open(&tree, &folder, MEMORY);
    bool right = ND_CHECK_ALL(comm, draw_share(g, random, comm, &share));
    const uint64_t own = first[comm->rank + 1] - first[comm->rank];
    uint64_t *root = nd_mpi_test_new(own, sizeof *root);
    right = ND_CHECK_ALL(comm, nd_components(comm, first, &share, MEMORY, root, &tree) == ND_OK) &&
            right;
    if (right) {
        uint64_t pages = 0;
        uint64_t links = 0;
        uint64_t *all_roots = nd_mpi_test_gather(comm, root, own, sizeof *root, &pages);
        nd_link *all_links = nd_mpi_test_gather_spool(comm, &tree, sizeof *all_links, &links);
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
        free(all_roots);
        free(all_links);
    }
    nd_spool_close(&share);
    nd_spool_close(&tree);
    free(first);
    free(root);
    return right;
}

static bool check_graph(graph g, nd_random *random) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    forest f = kruskal(&g);
    uint64_t *roots = nd_mpi_test_new(g.pages, sizeof *roots);
    bool right = true;
    memset(roots, 0xff, g.pages * sizeof *roots);
    for (int times = 0; times < 2 && right; times++) {
        comm->round_bytes = times == 0 ? round_bytes : 50 * g.pages + 100;
        right = run_once(comm, &g, &f, random, roots);
    }
    comm->round_bytes = round_bytes;
    free(roots);
    free_forest(&f);
    free(g.links);
    return right;
}

/* ---- the tests */

static void test_random_graphs(void) {
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

static void test_no_pages_no_links(void) {
    nd_random random = nd_mpi_test_random("nothing");
    (void)check_graph(new_graph(0, 0), &random);
    (void)check_graph(new_graph(5, 0), &random);
}

static void test_chains(void) {
    nd_random random = nd_mpi_test_random("chains");
    (void)check_graph(chain(&random, 2000, false), &random);
    (void)check_graph(chain(&random, 2000, true), &random);
}

static void test_stars_and_cliques(void) {
    nd_random random = nd_mpi_test_random("stars and cliques");
    (void)check_graph(star(&random, 1000), &random);
    (void)check_graph(cliques(&random, 300, 2), &random);
    (void)check_graph(cliques(&random, 300, 20), &random);
}

/* Many times more links than are held in memory, few and many of them inner after a round. */
static void test_more_links_than_memory(void) {
    enum { PAGES = 10000, LINKS = 60000 };
    nd_random random = nd_mpi_test_random("many links");
    CU_ASSERT(LINKS * sizeof(nd_link) > 5 * 4 * MEMORY); /* on five ranks, too */
    (void)check_graph(random_graph(&random, PAGES, LINKS), &random);
    (void)check_graph(cliques(&random, PAGES, 20), &random);
    (void)check_graph(chain(&random, 5 * PAGES, true), &random);
}

/* The same two pages with two similarities: the higher one is the tree's. */
static void test_links_with_two_similarities(void) {
    nd_random random = nd_mpi_test_random("two similarities");
    graph g = new_graph(4, 4);
    add_link(&g, 0, 3, 0.25);
    add_link(&g, 3, 0, 0.75);
    add_link(&g, 1, 1, 1);
    add_link(&g, 3, 2, 0.75);
    (void)check_graph(g, &random);
}

static const nd_test tests[] = {
    {"random graphs", test_random_graphs},
    {"no pages, no links", test_no_pages_no_links},
    {"chains", test_chains},
    {"stars and cliques", test_stars_and_cliques},
    {"more links than memory", test_more_links_than_memory},
    {"links with two similarities, self links", test_links_with_two_similarities},
};

ND_SUITE(m_components, tests)
