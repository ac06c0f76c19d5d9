/** \file mpi/comm/tour.h
 * Trees whose links are spread over the ranks, seen from a root: by whose link each page hangs on
 * its tree, and how large the parts are that are left without it. Every tree is walked around once,
 * each of its links in both directions (Tarjan and Vishkin, "An efficient parallel biconnectivity
 * algorithm", SIAM J. Comput. 1985), and pointer jumping numbers the steps of the walk in
 * O(log pages) rounds, whatever the tree is like. A rank holds some 130 bytes for each of its pages
 * that has links, and the links of a page lie on its rank.
 */
#ifndef ND_MPI_COMM_TOUR_H
#define ND_MPI_COMM_TOUR_H

#include "io/store/spool.h"
#include "mpi/comm/comm.h"
#include "src/sets/forest.h"

/** A page of a tree; of one without links, too. */
typedef struct nd_tour_page {
    uint64_t parent;     /**< next page toward the root; itself for the root */
    double similarity;   /**< of the link to it; 1 for the root */
    uint64_t tree_pages; /**< pages of its tree */
    uint64_t largest;    /**< most pages of a part of its tree that hangs together without it */
} nd_tour_page;

/** Collective. Walk around the trees of pages numbered by `first`.
 * \param[in]  first  ranges of the pages (size + 1 numbers), equal on all ranks
 * \param[in]  links  this rank's links (nd_link), any pages, any order, which are trees; borrowed
 * \param[in]  root   root[i]: a page of the tree of this rank's i-th page, the same for all pages
 *                    of a tree; any page where there are no links
 * \param[out] pages  this rank's; room for first[rank + 1] - first[rank]
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_tour(nd_comm *comm, const uint64_t *first, const nd_spool *links, const uint64_t *root,
                  nd_tour_page *pages);

#endif
