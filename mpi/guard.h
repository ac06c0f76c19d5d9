/** \file mpi/guard.h
 * The guard against chains: inside every component of verified links a leader loop at a lower
 * threshold, pages in order of their number of links. Pages that hang together only through a chain
 * of others end in different sets; a leader's set is what is similar to the leader, at that
 * threshold. Each component is worked on by one rank, so there is a cap, and what lies beyond it is
 * left as it is.
 */
#ifndef ND_MPI_GUARD_H
#define ND_MPI_GUARD_H

#include "mpi/gather.h"
#include "mpi/members.h"

/** Collective. Sets out of gathered components (all their links).
 * \param[in,out] links  a malloc'ed array as nd_gather_components() leaves it; freed and NULL after
 * \param[out] memberships  one per page of the components; the caller's to free(); NULL on failure
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_guard_components(nd_job *job, nd_tree_link **links, uint64_t *count,
                              nd_membership **memberships, uint64_t *membership_count);

#endif
