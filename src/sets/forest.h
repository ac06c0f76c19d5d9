/** \file src/sets/forest.h
 * Links of pages in memory: the order in which they are preferred, who hangs together by them, the
 * maximum spanning forest, paths in its trees, and sets of bounded size. The order is total, so
 * that the forest of a set of links is unique, and with it everything that is derived from it on
 * any number of ranks. Links that are spread over ranks are the business of mpi/comm/components.h.
 */
#ifndef ND_SETS_FOREST_H
#define ND_SETS_FOREST_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- links */

/** Plain value, no padding: it is sent as bytes. */
typedef struct nd_link {
    uint64_t a; /**< the smaller page number */
    uint64_t b;
    double similarity;
} nd_link;

/** Of two nd_link, for nd_sort(): negative if x comes before y: higher similarity first, then
 * smaller a, then smaller b. */
int nd_link_compare(const void *x, const void *y);

/* ---- Union-find over items 0 .. count-1 in memory (union by smaller number, path halving: Tarjan
 * and van Leeuwen, JACM 1984). The root of a set is its smallest item. Items that are spread over
 * ranks are the business of mpi/comm/components.h. */

/** Every item a set of its own. */
void nd_union_find_init(uint64_t *parent, size_t count);

/** The smallest item of the set that holds `item`. */
uint64_t nd_union_find_root(uint64_t *parent, uint64_t item);

/** Join two sets. \return true if they were apart */
bool nd_union_find_join(uint64_t *parent, uint64_t a, uint64_t b);

/* ---- the maximum spanning forest (Kruskal, 1956) */

/** Keep the links of the maximum spanning forest.
 * \param[in]     pages  ascending, distinct; all pages of the links
 * \param[in,out] links  sorted by nd_link_compare afterwards, those kept in front
 * \param[out]    kept   how many */
void nd_forest(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
               size_t *kept);

/* ---- Orient a spanning tree toward one of its pages: from the undirected links of a set to "the
 * page by whose link each page joined". */

/** A page's way toward the root. */
typedef struct nd_parent {
    uint64_t page;     /**< the next page toward the root; itself for the root */
    double similarity; /**< of that link; 1 for the root */
} nd_parent;

/** Orient a tree.
 * \param[in]  pages    ascending, distinct; the `count` pages of the tree
 * \param[in]  links    the tree's count - 1 links, between pages of `pages`
 * \param[in]  root     one of `pages`
 * \param[out] parents  parents[i] belongs to pages[i]
 * \return ND_OK or ND_ERR_INTERNAL if the links are not a tree over the pages */
nd_status nd_tree_orient(const uint64_t *pages, size_t count, const nd_link *links, uint64_t root,
                         nd_parent *parents);

/* ---- Cut pages that hang together by links into sets of bounded size: single linkage in the order
 * of nd_link_compare() that joins two sets only if both fit under a cap. What the paper's "partial
 * transitivity" is taken for where perhaps-similar sets would be too large (Huang, Wang and Li,
 * CIKM 2008, name it and do not describe it). */

/** Cut.
 * \param[in]  pages  ascending, distinct; all pages of the links
 * \param[in]  links  in the order of nd_link_compare()
 * \param[in]  cap    most pages of a set, at least 1
 * \param[out] label  [page_count] index of the set's first page */
void nd_capped_union(const uint64_t *pages, size_t page_count, const nd_link *links, size_t count,
                     uint64_t cap, uint64_t *label);

#endif
