/** \file mpi/stage/old_leaders.h
 * Sets of an index under the leader loop (stage_leaders.c): an old page is met by the leader of its
 * set, which stays that; new pages are compared with it before they open sets. Which page of a
 * perhaps-similar set is compared with which is not decided here. Invariant: an old page's set,
 * representative and link are those of the index.
 */
#ifndef ND_MPI_STAGE_OLD_LEADERS_H
#define ND_MPI_STAGE_OLD_LEADERS_H

#include "mpi/job/job.h"

/** Collective. In job->links, whose second pages are new, put the leaders of old pages in their
 * place, each link once. \return ND_OK on all ranks, or a failure on all */
nd_status nd_old_leaders_meet(nd_job *job);

/** Collective. Append all memberships: those of all old pages, and those
 * found, of new pages, with the sets of their leaders. Both spools hold nd_membership.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_old_leaders_members(nd_job *job, const nd_spool *found, nd_spool *memberships);

#endif
