/* The maximum spanning forest against its definition: all links in order of preference, each kept
 * if the links kept so far do not join its pages yet. */
#include "src/sets/forest.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 60, MOST_LINKS = 300 };

typedef struct graph {
    uint64_t pages[MOST_PAGES];
    nd_link links[MOST_LINKS];
    size_t page_count, count;
} graph;

/* Few similarities, so that there are ties; links twice and of a page to itself come too. */
static void draw_graph(nd_random *random, graph *g) {
    uint64_t page = nd_random_below(random, 9);
    const uint64_t grades = 1 + nd_random_below(random, 20);
    g->page_count = 1 + (size_t)nd_random_below(random, MOST_PAGES);
    g->count = (size_t)nd_random_below(random, MOST_LINKS);
    for (size_t i = 0; i < g->page_count; i++, page += 1 + nd_random_below(random, 9)) {
        g->pages[i] = page;
    }
    for (size_t i = 0; i < g->count; i++) {
        const uint64_t x = g->pages[nd_random_below(random, g->page_count)];
        const uint64_t y = g->pages[nd_random_below(random, g->page_count)];
        const double similarity = (double)nd_random_below(random, grades) / (double)grades;
        g->links[i] = (nd_link){x < y ? x : y, x < y ? y : x, similarity};
    }
}

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
static size_t reference(const graph *g, nd_link *kept) {
    uint64_t name[MOST_PAGES];
    nd_link sorted[MOST_LINKS];
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
    static graph g;
    static nd_link links[MOST_LINKS];
    static nd_link expected[MOST_LINKS];
    nd_random random = nd_test_random("forest");
    for (int trial = 0; trial < 3000; trial++) {
        size_t kept = 0;
        draw_graph(&random, &g);
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

ND_TEST_MAIN("forest", tests)
