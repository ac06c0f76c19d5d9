#include "tests/support/link_graph.h"

void nd_random_link_graph(nd_random *random, nd_link_graph *g) {
    uint64_t page = nd_random_below(random, 9);
    const uint64_t grades = 1 + nd_random_below(random, 20);
    g->page_count = 1 + (size_t)nd_random_below(random, ND_GRAPH_PAGES);
    g->count = (size_t)nd_random_below(random, ND_GRAPH_LINKS);
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
