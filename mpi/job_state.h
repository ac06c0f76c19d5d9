/** \file mpi/job_state.h
 * The job's state in its work folder: after every stage what the later ones need, and when a job
 * goes on, all of it back on whatever ranks there are. Which run a work folder belongs to is told
 * here too: other options or inputs are refused.
 *
 * Arrays besides those of ingested.h: inputs (bytes); pages (nd_stored_page), text and sentences
 * (bytes) after content (the sentences until block); exact_of and content_of (uint64) after sign;
 * pairs (nd_pair) or, in the paper's full form, links after block; links (nd_link) after verify;
 * members (nd_member) after join, beside the links if the result keeps its pairs.
 */
#ifndef ND_MPI_JOB_STATE_H
#define ND_MPI_JOB_STATE_H

#include "mpi/job.h"

/** Collective. Open the work folder; if there is something to go on from, check that it belongs to
 * this run. ND_OK on all ranks, or a failure on all. */
nd_status nd_job_state_open(nd_job *job);

/** Collective. Keep the state after `stage`.
 * \return ND_OK; ND_STOPPED on all ranks if a stop was asked for; or a failure on all */
nd_status nd_job_state_save(nd_job *job, const char *stage);

/** Collective. Load the state as it was after the last complete stage. */
nd_status nd_job_state_restore(nd_job *job);

/** Not collective. Append this rank's equal share of an array to a spool.
 * \param[out] count  records of the share */
nd_status nd_job_state_load_spool(nd_job *job, const char *array, size_t record_size,
                                  nd_spool *spool, uint64_t *count);

/** Not collective. Is this stage complete in the work folder? */
bool nd_job_state_has(const nd_job *job, const char *stage);

#endif
