/** \file mpi/run/run.h
 * A run: a job opened, its stages in order, and what is needed around them (inputs listed, places
 * tried, the work folder opened and gone on from). Which stages a run has is one table in run.c.
 */
#ifndef ND_MPI_RUN_RUN_H
#define ND_MPI_RUN_RUN_H

#include "mpi/job/job.h"

/** Collective. Open a job on a communicator; options are copied (texts borrowed). */
void nd_run_open(nd_job *job, MPI_Comm parent, const nd_job_options *options);

/** Collective. Run all stages; `inputs` is needed on rank 0 alone and taken over from there.
 * \return ND_OK on all ranks with the result under its final name; ND_STOPPED on all ranks with
 *         the work folder ready to go on; or a failure on all. Without ND_OK nothing is there under
 *         the final name */
nd_status nd_run(nd_job *job, const char *const *inputs, size_t input_count);

/** Collective. Free everything. */
void nd_run_close(nd_job *job);

#endif
