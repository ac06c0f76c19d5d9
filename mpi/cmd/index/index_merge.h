/** \file mpi/cmd/index/index_merge.h
 * Two indexes become one: the pages of the second join those of the first as new pages of a run
 * against it would, without being read or selected anew. Neither of the two is changed.
 */
#ifndef ND_CMD_INDEX_INDEX_MERGE_H
#define ND_CMD_INDEX_INDEX_MERGE_H

#include "mpi/job/job.h"

/** Collective. \param[in] to  the name of the new index
 * \param[out] totals  of its pages
 * \return ND_OK on all ranks with the index under its name, or a failure on all */
nd_status nd_index_merge(MPI_Comm parent, const char *first, const char *second, const char *to,
                         nd_job_totals *totals);

#endif
