/** \file mpi/stage/write_certainty.h
 * /pages/certainty of the result: how sure it is that each page is a near-duplicate of its set's
 * representative (src/method/certainty.h). What is known of the representative is fetched; nothing
 * is compared again.
 */
#ifndef ND_MPI_STAGE_WRITE_CERTAINTY_H
#define ND_MPI_STAGE_WRITE_CERTAINTY_H

#include "io/result/result_file.h"
#include "mpi/job/job.h"

/** Collective. Write the column; the same on any number of ranks. ND_OK on all ranks, or a failure
 * on all. */
nd_status nd_write_certainty(nd_job *job, nd_result *result);

#endif
