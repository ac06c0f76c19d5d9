/** \file tests/support/centroid_sets.h
 * The guard against chains, in memory: which pages of a tree of links open sets, and which
 * pages these take. The middle of the tree, the page without which no part of it has more than half
 * of its pages, opens a set and takes the pages that are similar to it and hang together with it
 * over pages that are, too. The pages of the set leave the tree, which falls into parts; each of
 * these is a tree for which the same holds. Nothing chains, since every page is similar to its
 * leader; a set is one piece of the tree; and no page is compared with more than 1 + log2(count)
 * leaders, whatever the tree. What mpi/stage/guard.h does for trees that are spread over ranks is
 * held against this.
 */
#ifndef ND_TESTS_SUPPORT_MIDDLES_H
#define ND_TESTS_SUPPORT_MIDDLES_H

#include "src/sets/forest.h"
#include "src/sets/leaders.h"

/** Make sets of the pages of one tree.
 * \param[in]  pages    ascending, distinct; the `count` pages of the tree, at least one
 * \param[in]  tokens   their lengths
 * \param[in]  links    the tree's count - 1 links
 * \param[in]  compare  asked of leaders and pages that are not its own, by their places in `pages`;
 *                      never answers ND_LEADER_STOP
 * \param[out] leaders       [count] leaders[i]: the place of i's leader; i itself if it opened a
 * set \param[out] similarities  [count] to the leader; 1 for a leader */
void nd_centroid_sets(const uint64_t *pages, const uint64_t *tokens, size_t count,
                      const nd_link *links, nd_leader_compare compare, void *context,
                      size_t *leaders, double *similarities);

#endif
