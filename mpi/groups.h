/** \file mpi/groups.h
 * Groups of postings: every posting goes to the rank of its key, where those of one key lie
 * together, by length. Runs of big groups are dealt to all ranks as pieces of their own, so that no
 * key is hot. nd_groups_next() then gives the candidate pairs, as many at a time as fit.
 */
#ifndef ND_MPI_GROUPS_H
#define ND_MPI_GROUPS_H

#include "mpi/comm.h"
#include "src/base/radix_sort.h"
#include "src/sets/link.h"

/** A member of a piece (a small group, or a run of a big one). No padding: it is sent as bytes. */
typedef struct nd_group_member {
    uint64_t item;        /**< the piece; well mixed */
    uint64_t value;       /**< posting value: length and page */
    uint64_t group_count; /**< members of the whole group */
    uint64_t leads;       /**< 1 if the member opens pairs in this piece, else 0 */
} nd_group_member;

/** This rank's pieces, and how far nd_groups_next() has come. */
typedef struct nd_groups {
    nd_group_member *members; /**< sorted by (item, value) */
    uint64_t count;
    uint64_t piece; /**< first member of the present piece */
    uint64_t lead;  /**< member whose pairs come next */
} nd_groups;

/** A candidate pair: posting values, the shorter page first, and the piece it came from. */
typedef struct nd_candidate {
    uint64_t item;
    uint64_t shorter;
    uint64_t longer;
} nd_candidate;

/** Collective. Group all ranks' postings.
 * \param[in,out] postings  a malloc'ed array, freed and NULL after the call
 * \return ND_OK on all ranks, or a failure on all (`groups` is then empty) */
nd_status nd_groups_build(nd_comm *comm, nd_key_value **postings, uint64_t *count,
                          nd_groups *groups);

/** Not collective. The next candidate pairs of this rank.
 * \param[out] candidates  room for `room` of them; room >= ND_GROUP_ALL_PAIRS
 * \return how many were written; 0 after the last */
uint64_t nd_groups_next(nd_groups *groups, nd_candidate *candidates, uint64_t room);

/** Not collective. A link of similarity 0 between each member and the next of the same group: what
 * joins pages that share a key. `links` is malloc'ed; NULL on failure. */
nd_status nd_groups_chain(const nd_groups *groups, nd_link **links, uint64_t *count);

void nd_groups_free(nd_groups *groups);

#endif
