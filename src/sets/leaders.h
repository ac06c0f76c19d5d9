/** \file src/sets/leaders.h
 * Sets whose members are all similar to one page, their leader: who opens a set, and whom it
 * takes.
 *
 * The leader loop of the PKU paper's stage two (Huang, Wang and Li, CIKM 2008): pages in a fixed
 * order; each page that is still free opens a set and takes every later free page that is similar
 * to it. So every member is similar to its leader, and nothing chains.
 */
#ifndef ND_SETS_LEADERS_H
#define ND_SETS_LEADERS_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/** What a comparison answers where no later page can be similar to the leader either. */
#define ND_LEADER_STOP (-1.0)

/** Compare page `member` with the earlier page `leader` (places in the order).
 * \param[out] similarity  above 0 if the pages are similar, 0 if not, or ND_LEADER_STOP */
typedef void (*nd_leader_compare)(void *context, size_t leader, size_t member, double *similarity);

/** Run the loop over `count` pages.
 * \param[out] leaders       leaders[i]: the place of i's leader; i itself if it opened a set
 * \param[out] similarities  to the leader; 1 for a leader */
void nd_leaders(size_t count, nd_leader_compare compare, void *context, size_t *leaders,
                double *similarities);

/* ---- the centroid of a tree of links: the page without which no part of the tree has more than
 * half of its pages. The guard against chains lets it open a set: mpi/stage/guard.h. */

/** Two pages can be the centroid of a tree: the longer one is it, of equals the first. */
static inline bool nd_centroid_precedes(uint64_t x_tokens, uint64_t x_page, uint64_t y_tokens,
                                        uint64_t y_page) {
    return x_tokens != y_tokens ? x_tokens > y_tokens : x_page < y_page;
}

/** Is a page, without which no part of its tree has more than `largest` pages, a centroid? */
static inline bool nd_is_centroid(uint64_t largest, uint64_t tree_pages) {
    return largest <= tree_pages / 2;
}

#endif
