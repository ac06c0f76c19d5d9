/* Cutting at a cap against its definition: links in order of preference, each joining the names of
 * its two sets if they fit under the cap together. */
#include "src/sets/forest.h"
#include "tests/support/check.h"
#include "tests/support/link_graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 3000 };

static uint64_t place(const nd_link_graph *g, uint64_t page) {
    uint64_t i = 0;
    while (g->pages[i] != page) {
        i++;
    }
    return i;
}

static bool goes_before(const nd_link *x, const nd_link *y) {
    return x->similarity > y->similarity ||
           (x->similarity == y->similarity && (x->a < y->a || (x->a == y->a && x->b < y->b)));
}

/* The best link that has not been taken yet. */
static size_t next_link(const nd_link_graph *g, const bool *taken) {
    size_t best = g->count;
    for (size_t i = 0; i < g->count; i++) {
        if (!taken[i] && (best == g->count || goes_before(&g->links[i], &g->links[best]))) {
            best = i;
        }
    }
    return best;
}

static void reference(const nd_link_graph *g, uint64_t cap, uint64_t *label) {
    bool taken[ND_GRAPH_LINKS] = {false};
    for (size_t i = 0; i < g->page_count; i++) {
        label[i] = i;
    }
    for (size_t k = 0; k < g->count; k++) {
        const size_t at = next_link(g, taken);
        const uint64_t x = label[place(g, g->links[at].a)], y = label[place(g, g->links[at].b)];
        const uint64_t smaller = x < y ? x : y;
        uint64_t members = 0;
        taken[at] = true;
        for (size_t i = 0; i < g->page_count; i++) {
            members += label[i] == x || label[i] == y;
        }
        for (size_t i = 0; i < g->page_count && members <= cap; i++) {
            label[i] = label[i] == x || label[i] == y ? smaller : label[i];
        }
    }
}

static int by_preference(const void *a, const void *b) {
    return nd_link_compare(a, b);
}

static void test_against_definition(void) {
    static nd_link_graph g;
    nd_random random = nd_test_random("capped union");
    size_t wrong = 0, joined = 0, apart = 0;
    for (int i = 0; i < GRAPHS; i++) {
        uint64_t expected[ND_GRAPH_PAGES], found[ND_GRAPH_PAGES];
        nd_random_link_graph(&random, &g);
        const uint64_t cap = 1 + nd_random_below(&random, 12);
        reference(&g, cap, expected);
        qsort(g.links, g.count, sizeof *g.links, by_preference);
        CU_ASSERT_EQUAL(nd_capped_union(g.pages, g.page_count, g.links, g.count, cap, found),
                        ND_OK);
        wrong += memcmp(found, expected, g.page_count * sizeof *found) != 0;
        joined += found[g.page_count - 1] != g.page_count - 1;
        apart += found[g.page_count - 1] == g.page_count - 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(joined > GRAPHS / 10 && apart > GRAPHS / 10); /* else the test says little */
}

static const nd_test tests[] = {{"against its definition", test_against_definition}};
ND_SUITE(p_capped_union, tests)
