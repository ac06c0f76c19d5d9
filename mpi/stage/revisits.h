/** \file mpi/stage/revisits.h
 * Revisits among the pages: of which page each is a copy. It is found by what the crawler wrote of
 * it alone (nd_page_claim), wherever the page lies and in whatever order they come; texts are not
 * looked at. Invariant: a revisit is of a page that has a body, or it is alone; what contradicts
 * itself, leads in circles or out of the inputs is alone. Nothing is sent where there are no
 * revisits.
 */
#ifndef ND_MPI_STAGE_REVISITS_H
#define ND_MPI_STAGE_REVISITS_H

#include "mpi/job/job.h"

/** Collective. Find the page of each revisit: by its record's id, else by URL and second, else by
 * the digest of its payload; of several, the first. A page whose digest is another than the revisit
 * says is not its page. Revisits that an index holds stay with what they were found to be of. Sets
 * job->revisit_of, which stays NULL where no page of any rank is a revisit, and the total of those
 * that are alone. \return ND_OK on all ranks, or a failure on all */
nd_status nd_revisits_find(nd_job *job);

/** Collective. Revisits take over, from the page that they are of, what that is a copy of.
 * \param[in,out] exact_of  of this rank's pages \param[in,out] copies  pages that are copies, of
 * all ranks */
nd_status nd_revisits_join(nd_job *job, uint64_t *exact_of, uint64_t *copies);

/** Collective. Revisits have the length of the page that they are of, from here on. */
nd_status nd_revisits_measure(nd_job *job);

#endif
