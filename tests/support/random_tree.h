/** \file tests/support/random_tree.h
 * Random trees of pages for tests of what walks through them.
 */
#ifndef ND_TESTS_RANDOM_TREE_H
#define ND_TESTS_RANDOM_TREE_H

#include "src/base/util.h"
#include "src/sets/forest.h"

#include <stddef.h>

enum { ND_TREE_PAGES = 300 };

typedef struct nd_random_tree {
    uint64_t pages[ND_TREE_PAGES]; /**< ascending, distinct */
    nd_link links[ND_TREE_PAGES];  /**< count - 1, in any order */
    size_t count;                  /**< at least 1 */
} nd_random_tree;

/** Bushy or like a chain; of few or many pages, from `page` on. */
void nd_random_tree_draw(nd_random *random, uint64_t page, nd_random_tree *t);

#endif
