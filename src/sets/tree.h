/** \file src/sets/tree.h
 * Orient a spanning tree toward one of its pages: from the undirected links of a set to "the page
 * by whose link each page joined".
 */
#ifndef ND_SETS_TREE_H
#define ND_SETS_TREE_H

#include "src/base/status.h"
#include "src/sets/link.h"

#include <stddef.h>

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
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_INTERNAL if the links are not a tree over the pages */
nd_status nd_tree_orient(const uint64_t *pages, size_t count, const nd_link *links, uint64_t root,
                         nd_parent *parents);

#endif
