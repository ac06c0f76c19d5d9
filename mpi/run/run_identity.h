/** \file mpi/run/run_identity.h
 * Which run a work folder belongs to: the options that decide the result, and the inputs. A job
 * that goes on has to have the same; what differs is named.
 */
#ifndef ND_MPI_RUN_RUN_IDENTITY_H
#define ND_MPI_RUN_RUN_IDENTITY_H

#include "mpi/job/job.h"

/** Collective. Note this run's options and inputs for the next commit. */
nd_status nd_run_identity_save(nd_job *job);

/** Collective. Compare with those of the work folder.
 * \return ND_OK on all ranks, or ND_ERR_USAGE or, of an input's size, ND_ERR_CHANGED (ND_ERR_PEER)
 * on all, naming what differs */
nd_status nd_run_identity_check(nd_job *job);

#endif
