/** \file mpi/stage/write_pairs.h
 * Pairs of pages of a run in its result, those that were verified or those of which one is
 * contained in the other: a table with a row per pair in one order. What a pair is, and which are
 * similar, is decided in the stages before.
 */
#ifndef ND_MPI_STAGE_WRITE_PAIRS_H
#define ND_MPI_STAGE_WRITE_PAIRS_H

#include "io/result/result_read.h"
#include "mpi/job/job.h"

/** Collective. A table from pairs (nd_link), which are gone afterwards: by (a, b), the same on any
 * number of ranks; sorted and written within the bounds of memory.
 * \return ND_OK on all ranks, or a failure on all */
nd_status nd_write_pairs(nd_job *job, nd_result *result, const nd_pair_columns *table,
                         nd_spool *pairs);

#endif
