/** \file src/sets/middles.h
 * The guard against chains, in memory: which pages of a tree of links open sets, and which pages
 * these take. The middle of the tree, the page without which no part of it has more than half of
 * its pages, opens a set and takes the pages that are similar to it and hang together with it over
 * pages that are, too. The pages of the set leave the tree, which falls into parts; each of these
 * is a tree for which the same holds. Nothing chains, since every page is similar to its leader; a
 * set is one piece of the tree; and no page is compared with more than 1 + log2(count) leaders,
 * whatever the tree. The same for trees that are spread over ranks is mpi/stage/guard.h.
 */
#ifndef ND_SETS_MIDDLES_H
#define ND_SETS_MIDDLES_H

#include "src/sets/leaders.h"
#include "src/sets/link.h"

#include <stdbool.h>

/** Two pages can be the middle of a tree: the longer one is it, of equals the first. */
static inline bool nd_middle_precedes(uint64_t x_tokens, uint64_t x_page, uint64_t y_tokens,
                                      uint64_t y_page) {
    return x_tokens != y_tokens ? x_tokens > y_tokens : x_page < y_page;
}

/** Is a page, without which no part of its tree has more than `largest` pages, a middle? */
static inline bool nd_is_middle(uint64_t largest, uint64_t tree_pages) {
    return largest <= tree_pages / 2;
}

/** Make sets of the pages of one tree.
 * \param[in]  pages    ascending, distinct; the `count` pages of the tree, at least one
 * \param[in]  tokens   their lengths
 * \param[in]  links    the tree's count - 1 links
 * \param[in]  compare  asked of leaders and pages that are not its own, by their places in `pages`;
 *                      never answers ND_LEADER_STOP
 * \param[out] leaders       [count] leaders[i]: the place of i's leader; i itself if it opened a
 * set \param[out] similarities  [count] to the leader; 1 for a leader \return ND_OK, ND_ERR_MEMORY,
 * or what `compare` failed with */
nd_status nd_middles(const uint64_t *pages, const uint64_t *tokens, size_t count,
                     const nd_link *links, nd_leader_compare compare, void *context,
                     size_t *leaders, double *similarities);

#endif
