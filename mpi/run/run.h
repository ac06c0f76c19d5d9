/** \file mpi/run/run.h
 * A run: a job opened, its stages in order, and what is needed around them (inputs listed, places
 * tried, the work folder opened and gone on from). Which stages a run has is one table in run.c.
 * Invariant: nothing that the user has is written over or removed, and a job that goes on is the
 * same run.
 */
#ifndef ND_RUN_RUN_H
#define ND_RUN_RUN_H

#include "mpi/job/job.h"

/* ---- places: where a run writes, looked at before any work: the result, and the folder for
 * what outgrows memory. Nothing that the user has is written over or removed: neither an
 * input nor a file that is no result, nor what lies under one of our names without being
 * ours. */

/** Collective. Is none of the inputs one of our own files? If so, lock the output's name
 * (job->lock, until nd_run_close()), and take away what a killed run has left in the folder beside
 * the output, and in that of options.local_tmp on each node. \return ND_OK on all ranks, or a
 * failure on all, as where another run has the same output */
nd_status nd_run_places_clear(nd_job *job);

/* ---- Standard input as an INPUT: rank 0 reads it once, to its end, into a file that all ranks
 * then read as they read any other input. The file lies in the work folder, and is there for a job
 * that goes on; without one, in the folder beside the output, and goes with the job. Nothing of
 * what it holds is looked at here. */

/** Collective. Copy standard input if it is one of the job's inputs, or find the copy of the run
 * that goes on. The work folder, if any, must be open.
 * \return ND_OK on all ranks, or a failure on all: ND_ERR_IO (also a full disk) */
nd_status nd_standard_input_take(nd_job *job);

/* ---- the run */

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
