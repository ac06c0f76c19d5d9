/* Orienting random trees against walking from every page to the root. */
#include "src/sets/forest.h"
#include "tests/support/check.h"
#include "tests/support/random_tree.h"

#include <stdlib.h>

static size_t place_of(const nd_random_tree *t, uint64_t page) {
    size_t i = 0;
    while (t->pages[i] != page) {
        i++;
    }
    return i;
}

/* The link that joins two pages; NULL if there is none. */
static const nd_link *link_between(const nd_random_tree *t, uint64_t x, uint64_t y) {
    for (size_t i = 0; i + 1 < t->count; i++) {
        const nd_link *link = &t->links[i];
        if ((link->a == x && link->b == y) || (link->a == y && link->b == x)) {
            return link;
        }
    }
    return NULL;
}

/* In a tree the way to the root is the only one: links to parents that lead there are right. */
static int leads_to_root(const nd_random_tree *t, const nd_parent *parents, size_t from,
                         uint64_t root) {
    size_t steps = 0;
    while (t->pages[from] != root && steps++ < t->count) {
        const nd_link *link = link_between(t, t->pages[from], parents[from].page);
        if (link == NULL || link->similarity != parents[from].similarity) {
            return 0;
        }
        from = place_of(t, parents[from].page);
    }
    return t->pages[from] == root;
}

static void test_random_trees(void) {
    static nd_random_tree t;
    nd_random random = nd_test_random("trees");
    for (int trial = 0; trial < 60; trial++) {
        nd_parent parents[ND_TREE_PAGES];
        nd_random_tree_draw(&random, 0, &t);
        const size_t root = (size_t)nd_random_below(&random, t.count);
        CU_ASSERT_EQUAL(nd_tree_orient(t.pages, t.count, t.links, t.pages[root], parents), ND_OK);
        CU_ASSERT(parents[root].page == t.pages[root] && parents[root].similarity == 1);
        for (size_t i = 0; i < t.count; i++) {
            CU_ASSERT(leads_to_root(&t, parents, i, t.pages[root]));
        }
    }
}

/* A tree with one link led elsewhere: refused unless it is a tree by chance, as said by whether all
 * pages hang together. */
static void test_broken_trees(void) {
    static nd_random_tree t;
    nd_random random = nd_test_random("broken trees");
    for (int trial = 0; trial < 300; trial++) {
        nd_parent parents[ND_TREE_PAGES];
        uint64_t label[ND_TREE_PAGES];
        do {
            nd_random_tree_draw(&random, 0, &t);
        } while (t.count < 2 || t.count > 12);
        nd_link *link = &t.links[nd_random_below(&random, t.count - 1)];
        link->a = t.pages[nd_random_below(&random, t.count)];
        link->b = t.pages[nd_random_below(&random, t.count)];
        for (size_t i = 0; i < t.count; i++) {
            label[i] = i;
        }
        size_t parts = t.count;
        for (size_t i = 0; i + 1 < t.count; i++) { /* paint one part over with the other's label */
            const uint64_t from = label[place_of(&t, t.links[i].a)];
            const uint64_t to = label[place_of(&t, t.links[i].b)];
            parts -= from != to;
            for (size_t k = 0; k < t.count; k++) {
                label[k] = label[k] == from ? to : label[k];
            }
        }
        const nd_status st = nd_tree_orient(t.pages, t.count, t.links, t.pages[0], parents);
        CU_ASSERT_EQUAL(st, parts == 1 ? ND_OK : ND_ERR_INTERNAL);
    }
}

static const nd_test tests[] = {
    {"random trees", test_random_trees},
    {"broken trees", test_broken_trees},
};

ND_SUITE(p_tree, tests)
