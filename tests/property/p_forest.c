/* The maximum spanning forest against its definition: all links in order of preference, each kept
 * if the links kept so far do not join its pages yet. */
#include "src/sets/forest.h"
#include "tests/support/check.h"
#include "tests/support/link_graph.h"

#include <stdlib.h>
#include <string.h>

static int by_preference(const void *a, const void *b) {
    const nd_link *x = a;
    const nd_link *y = b;
    if (x->similarity != y->similarity) {
        return x->similarity > y->similarity ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* Every page has the name of its tree; two trees that are joined get one name. */
static size_t reference(const nd_link_graph *g, nd_link *kept) {
    uint64_t name[ND_GRAPH_PAGES];
    nd_link sorted[ND_GRAPH_LINKS];
    size_t count = 0;
    memcpy(name, g->pages, sizeof name);
    memcpy(sorted, g->links, g->count * sizeof *sorted);
    qsort(sorted, g->count, sizeof *sorted, by_preference);
    for (size_t i = 0; i < g->count; i++) {
        uint64_t old = 0;
        uint64_t new = 0;
        for (size_t p = 0; p < g->page_count; p++) {
            old = g->pages[p] == sorted[i].a ? name[p] : old;
            new = g->pages[p] == sorted[i].b ? name[p] : new;
        }
        for (size_t p = 0; p < g->page_count; p++) {
            name[p] = name[p] == old ? new : name[p];
        }
        if (old != new) {
            kept[count++] = sorted[i];
        }
    }
    return count;
}

static void test_random_graphs(void) {
    static nd_link_graph g;
    static nd_link links[ND_GRAPH_LINKS];
    static nd_link expected[ND_GRAPH_LINKS];
    nd_random random = nd_test_random("forest");
    for (int trial = 0; trial < 3000; trial++) {
        size_t kept = 0;
        nd_random_link_graph(&random, &g);
        memcpy(links, g.links, sizeof links);
        const size_t count = reference(&g, expected);
        CU_ASSERT_EQUAL_FATAL(nd_forest(g.pages, g.page_count, links, g.count, &kept), ND_OK);
        CU_ASSERT_EQUAL_FATAL(kept, count);
        CU_ASSERT_EQUAL_FATAL(memcmp(links, expected, count * sizeof *links), 0);
    }
}

static const nd_test tests[] = {
    {"random graphs", test_random_graphs},
};

ND_SUITE(p_forest, tests)
