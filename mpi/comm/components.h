/** \file mpi/comm/components.h
 * Links that are spread over the ranks as a graph: its components and its maximum spanning forest,
 * and walks around the trees of that.
 *
 * Connected components and the maximum spanning forest of links between pages that are spread over
 * the ranks, by Boruvka's algorithm (1926): in each round every component picks its best link,
 * components hook onto one another, chains are shortened by pointer jumping, and inner links are
 * dropped; O(log pages) rounds. The order of links is total (src/sets/forest.h), so the forest is
 * unique. A rank holds some 60 bytes for each of its pages in memory; links lie in spools.
 */
#ifndef ND_COMM_COMPONENTS_H
#define ND_COMM_COMPONENTS_H

#include "io/store/spool.h"
#include "mpi/comm/comm.h"
#include "src/sets/forest.h"

/** Collective. Components of the pages numbered by `first` under all ranks' links.
 * \param[in]  first   ranges of the pages (size + 1 numbers), equal on all ranks
 * \param[in]  links   this rank's links (nd_link), any pages, any order; borrowed
 * \param[in]  memory  bytes of links held in memory, not in files of the links' folder
 * \param[out] root    root[i]: a page that stands for the component of this rank's i-th page;
 *                     room for first[rank + 1] - first[rank] numbers. Which page of the
 *                     component it is does not depend on the ranks, but has no other meaning.
 * \param[in,out] tree  this rank's share of the forest's links is appended, each on one rank, in
 *                      no useful order
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_components(nd_comm *comm, const uint64_t *first, const nd_spool *links,
                        uint64_t memory, uint64_t *root, nd_spool *tree);

/* ---- Trees whose links are spread over the ranks, seen from a root: by whose link each page hangs
 * on its tree, and how large the parts are that are left without it. Every tree is walked around
 * once, each of its links in both directions (Tarjan and Vishkin, "An efficient parallel
 * biconnectivity algorithm", SIAM J. Comput. 1985), and pointer jumping numbers the steps of the
 * walk in O(log pages) rounds, whatever the tree is like. A rank holds some 130 bytes for each of
 * its pages that has links, and the links of a page lie on its rank. */

/** A page of a tree; of one without links, too. */
typedef struct nd_euler_tour_page {
    uint64_t parent;     /**< next page toward the root; itself for the root */
    double similarity;   /**< of the link to it; 1 for the root */
    uint64_t tree_pages; /**< pages of its tree */
    uint64_t largest;    /**< most pages of a part of its tree that hangs together without it */
} nd_euler_tour_page;

/** Collective. Walk around the trees of pages numbered by `first`.
 * \param[in]  first  ranges of the pages (size + 1 numbers), equal on all ranks
 * \param[in]  links  this rank's links (nd_link), any pages, any order, which are trees; borrowed
 * \param[in]  root   root[i]: a page of the tree of this rank's i-th page, the same for all pages
 *                    of a tree; any page where there are no links
 * \param[out] pages  this rank's; room for first[rank + 1] - first[rank]
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_euler_tour(nd_comm *comm, const uint64_t *first, const nd_spool *links,
                        const uint64_t *root, nd_euler_tour_page *pages);

#endif
