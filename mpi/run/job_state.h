/** \file mpi/run/job_state.h
 * The job's state in its work folder: after every stage what it leaves, the totals (by name) and
 * what was measured, and when a job goes on, all of it back on whatever ranks there are. What a
 * stage leaves it keeps itself (mpi/stage/stage.h). Other options or inputs than those of the run
 * that a work folder holds are refused (run_identity.h).
 */
#ifndef ND_MPI_RUN_JOB_STATE_H
#define ND_MPI_RUN_JOB_STATE_H

#include "mpi/stage/stage.h"

/** Collective. Open the work folder; if there is something to go on from, check that it belongs to
 * this run. ND_OK on all ranks, or a failure on all. */
nd_status nd_job_state_open(nd_job *job);

/** Collective. Keep the state after `stage`.
 * \return ND_OK; ND_STOPPED on all ranks if a stop was asked for; or a failure on all */
nd_status nd_job_state_save(nd_job *job, const nd_stage *stage);

/** Collective. Load the state as it was after these stages of the run, one or more.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_job_state_load(nd_job *job, const nd_stage *const *stages, size_t count);

#endif
