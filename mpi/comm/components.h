/** \file mpi/comm/components.h
 * Connected components and the maximum spanning forest of links between pages that are spread over
 * the ranks, by Boruvka's algorithm (1926): in each round every component picks its best link,
 * components hook onto one another, chains are shortened by pointer jumping, and inner links are
 * dropped; O(log pages) rounds. The order of links is total (src/sets/forest.h), so the forest is
 * unique. A rank holds some 60 bytes for each of its pages in memory; links lie in spools.
 */
#ifndef ND_MPI_COMM_COMPONENTS_H
#define ND_MPI_COMM_COMPONENTS_H

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

#endif
