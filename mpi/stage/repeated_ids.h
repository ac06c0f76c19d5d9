/** \file mpi/stage/repeated_ids.h
 * Pages that have the id of another page: who deletes pages by id would lose both. They are found
 * by hashes of 128 bits of the ids, spread over the ranks by hash and sorted, in bounded memory.
 * Pages without an id have nothing to be mistaken for.
 */
#ifndef ND_MPI_STAGE_REPEATED_IDS_H
#define ND_MPI_STAGE_REPEATED_IDS_H

#include "mpi/job/job.h"

/** Collective. Count the pages of the job that have the id of an earlier one.
 * \param[out] found  the same on all ranks, whatever their number
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_repeated_ids_find(nd_job *job, nd_repeated_ids *found);

#endif
