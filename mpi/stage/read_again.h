/** \file mpi/stage/read_again.h
 * A run that reads the inputs of an index again (--reread): they come before the run's own, and
 * the stages know of no old page, so that all is what one run over all of them makes. Of the index
 * nothing else is taken but where its additions begin. Invariant: the first pages of the job are
 * the pages of the index, with the texts that they had, or the job ends and names what differs.
 */
#ifndef ND_MPI_STAGE_READ_AGAIN_H
#define ND_MPI_STAGE_READ_AGAIN_H

#include "mpi/job/job.h"

/** Collective. With the index open (job->reread): put its inputs before the job's. Each has to be
 * there, by its name or from the folder of the index, and of the size that it had.
 * \return ND_OK on all ranks; on all ND_ERR_CHANGED, naming the input, or another failure */
nd_status nd_read_again_open(nd_job *job);

/** Collective. When the pages are numbered and loaded: are those of the index what they were?
 * \return ND_OK on all ranks; on all ND_ERR_CHANGED, naming the input, or another failure */
nd_status nd_read_again_check(nd_job *job);

#endif
