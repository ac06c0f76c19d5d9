/** \file mpi/run/run_places.h
 * Where a run writes, looked at before any work: the result, and the folder for what outgrows
 * memory. Nothing that the user has is written over or removed: neither an input nor a file that is
 * no result, nor what lies under one of our names without being ours.
 */
#ifndef ND_MPI_RUN_RUN_PLACES_H
#define ND_MPI_RUN_RUN_PLACES_H

#include "mpi/job/job.h"

/** Collective. Can the result be written where it should go, and is nothing lost by it? Asked
 * before hours of work, and before the inputs are known. Nothing is removed. \return ND_OK on all
 * ranks, or a failure on all: ND_ERR_USAGE where another name is needed */
nd_status nd_run_places_try(const nd_job *job);

/** Collective. Is none of the inputs one of our own files? If so, lock the output's name
 * (job->lock, until nd_run_close()), and take away what a killed run has left in the folder beside
 * the output. \return ND_OK on all ranks, or a failure on all, as where another run has the same
 * output */
nd_status nd_run_places_clear(nd_job *job);

#endif
