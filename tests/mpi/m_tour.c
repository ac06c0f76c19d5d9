/* Walks around trees that are spread over the ranks, against orienting each tree on one rank and
 * going from every page to the root. */
#include "mpi/comm/components.h"
#include "src/base/sort.h"
#include "src/sets/forest.h"
#include "tests/support/mpi_check.h"
#include "tests/support/random_tree.h"

#include <stdlib.h>

enum { MOST_TREES = 8, MOST_PAGES = MOST_TREES * ND_TREE_PAGES * 6, MEMORY = 64 << 10 };

/* Trees that every rank knows whole, and pages without links between them. */
typedef struct forest {
    uint64_t pages;
    nd_link *links;
    uint64_t count;
    uint64_t root[MOST_PAGES];
    nd_tour_page expected[MOST_PAGES];
} forest;

static void add_tree(nd_random *random, forest *f, const nd_random_tree *t) {
    nd_parent parents[ND_TREE_PAGES];
    const uint64_t root = t->pages[nd_random_below(random, t->count)];
    uint64_t below[ND_TREE_PAGES] = {0}; /* pages that hang on a page, it too */
    CU_ASSERT_EQUAL(nd_tree_orient(t->pages, t->count, t->links, root, parents), ND_OK);
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
        f->expected[t->pages[i]] =
            (nd_tour_page){parents[i].page, parents[i].similarity, t->count, t->count - below[i]};
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

static bool check_forest(const forest *f, nd_random *random) {
    nd_comm *comm = nd_mpi_test_comm();
    const uint64_t round_bytes = comm->round_bytes;
    nd_spool_folder folder = {.path = nd_test_folder(), .rank = comm->rank};
    uint64_t *first = nd_mpi_test_new((uint64_t)comm->size + 1, sizeof *first);
    nd_spool links;
    bool right = true;
    nd_mpi_test_ranges(random, comm->size, f->pages, first);
    nd_spool_open(&links, &folder, MEMORY);
    for (uint64_t i = 0; i < f->count; i++) {
        if (nd_random_below(random, (uint64_t)comm->size) == (uint64_t)comm->rank) {
            right = nd_spool_append(&links, &f->links[i], sizeof f->links[i]) == ND_OK && right;
        }
    }
    const uint64_t own = first[comm->rank];
    const uint64_t count = first[comm->rank + 1] - own;
    nd_tour_page *pages = nd_mpi_test_new(count, sizeof *pages);
    comm->round_bytes = nd_random_below(random, 2) == 0 ? round_bytes : 2 * f->pages + 100;
    right =
        ND_CHECK_ALL(comm, nd_tour(comm, first, &links, f->root + own, pages) == ND_OK) && right;
    comm->round_bytes = round_bytes;
    for (uint64_t i = 0; i < count && right; i++) {
        const nd_tour_page *x = &pages[i];
        const nd_tour_page *y = &f->expected[own + i];
        right = x->parent == y->parent && x->similarity == y->similarity &&
                x->tree_pages == y->tree_pages && x->largest == y->largest;
    }
    nd_spool_close(&links);
    free(first);
    free(pages);
    return ND_CHECK_ALL(comm, right);
}

static void test_random_forests(void) {
    static forest f;
    nd_random random = nd_mpi_test_random("forests");
    bool right = true;
    for (int trial = 0; trial < nd_test_rounds(12) && right; trial++) {
        const uint64_t trees = nd_random_below(&random, MOST_TREES);
        f = (forest){.links = nd_mpi_test_new(MOST_PAGES, sizeof *f.links)};
        for (uint64_t i = 0; i < MOST_PAGES; i++) {
            f.root[i] = i;
            f.expected[i] = (nd_tour_page){i, 1, 1, 0};
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

static const nd_test tests[] = {
    {"random forests", test_random_forests},
};

ND_SUITE(m_tour, tests)
