/** \file mpi/run/standard_input.h
 * Standard input as an INPUT: rank 0 reads it once, to its end, into a file that all ranks then
 * read as they read any other input. The file lies in the work folder, and is there for a job that
 * goes on; without one, in the folder beside the output, and goes with the job. Nothing of what it
 * holds is looked at here.
 */
#ifndef ND_MPI_RUN_STANDARD_INPUT_H
#define ND_MPI_RUN_STANDARD_INPUT_H

#include "mpi/job/job.h"

/** Collective. Copy standard input if it is one of the job's inputs, or find the copy of the run
 * that goes on. The work folder, if any, must be open.
 * \return ND_OK on all ranks, or a failure on all: ND_ERR_IO (also a full disk) */
nd_status nd_standard_input_take(nd_job *job);

/** Collective. Remove the copy, unless it lies in a work folder. */
void nd_standard_input_drop(const nd_job *job);

#endif
