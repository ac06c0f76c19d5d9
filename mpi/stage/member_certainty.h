/** \file mpi/stage/member_certainty.h
 * How sure it is that each page is a near-duplicate of its set's representative
 * (src/method/certainty.h), for /pages/certainty; and those leave their sets of which it is not
 * sure enough (--min-confidence). What is known of the representative, the set and the site is
 * fetched; nothing is compared again. Copies of a text stay together.
 */
#ifndef ND_MPI_STAGE_MEMBER_CERTAINTY_H
#define ND_MPI_STAGE_MEMBER_CERTAINTY_H

#include "mpi/job/job.h"
#include "src/text/address.h"

/** Collective. The same on any number of ranks.
 * \param[in]  addresses  of this rank's pages
 * \param[out] certainty  of this rank's pages, in [0, 1]; the caller's room for them
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_member_certainty(nd_job *job, const nd_address *addresses, float *certainty);

/** Collective. Both, once, into job->certainty: an index and the result have the same sets. Old
 * pages stay where they are, unless all sets are made anew. \return as above */
nd_status nd_certainty_finish(nd_job *job);

/** Collective. Each text of which the first page is less certain than job->options.certain becomes
 * a set of its own, whose first page represents it; what remains of a set keeps its representative.
 * job->totals.left_out counts their pages.
 * \param[in,out] certainty  as above; 1 for those that leave \return as above */
nd_status nd_uncertain_leave(nd_job *job, float *certainty);

#endif
