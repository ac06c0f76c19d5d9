/** \file mpi/stage/attach.h
 * New pages join the sets of indexed ones. A new page with verified pairs goes to the set of its
 * most similar indexed page, if it is similar to that set's representative as the guard asks it;
 * else to that of the next one. Then those that are similar to pages which have just joined, round
 * after round, until none joins. Pages that are left are no business of the indexed sets: the pairs
 * among them make sets by the usual rules. A form that was parted stays so: of pairs with its
 * pages, and with new pages that are similar to these, only twins count. Invariant: an indexed
 * page's set, representative and link are those of the index.
 */
#ifndef ND_MPI_STAGE_ATTACH_H
#define ND_MPI_STAGE_ATTACH_H

#include "mpi/stage/compare.h"
#include "mpi/stage/state.h"

/** Collective. Take the indexed pages and those that join them out of job->state->links, of which
 * the pairs among other new pages are left; fills job->state->index.form.
 * \param[in] batch        where pages are compared; what it holds is replaced
 * \param[in] memberships  of nd_membership: those of indexed pages, and of pages that join them,
 *                         first pages of their contents all, are appended
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_attach(nd_job *job, nd_compare_batch *batch, nd_spool *memberships);

#endif
