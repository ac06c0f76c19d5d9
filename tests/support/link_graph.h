/** \file tests/support/link_graph.h
 * Small random graphs of links for tests of what joins pages by them.
 */
#ifndef ND_TESTS_LINK_GRAPH_H
#define ND_TESTS_LINK_GRAPH_H

#include "src/base/util.h"
#include "src/sets/forest.h"

#include <stddef.h>

enum { ND_GRAPH_PAGES = 60, ND_GRAPH_LINKS = 300 };

typedef struct nd_link_graph {
    uint64_t pages[ND_GRAPH_PAGES]; /**< ascending, distinct */
    nd_link links[ND_GRAPH_LINKS];  /**< of few similarities, so that there are ties; links twice
                                         and of a page to itself come too */
    size_t page_count, count;
} nd_link_graph;

void nd_random_link_graph(nd_random *random, nd_link_graph *g);

#endif
