/** \file mpi/stage/result_tables.h
 * The small tables of the result file: what went in (/sources, /collections, /skipped) and how the
 * run went (/stages, root attributes). Pages and sets are written by the stage itself.
 *
 * Attributes beside those of the run's options: pages, sets, ranks, totals (JSON: what a plan of a
 * later run is made of), repeated_ids (pages with the id, not empty, of an earlier page of their
 * collection) and shared_ids (the same of any collection).
 */
#ifndef ND_MPI_STAGE_RESULT_TABLES_H
#define ND_MPI_STAGE_RESULT_TABLES_H

#include "io/result/result_file.h"
#include "mpi/job/job.h"

/** Collective. Agree on a write that was collective. HDF5 does not agree on a write that failed on
 * one rank (a full disk): the others wait inside of it. Then the rank that failed says why, removes
 * the unfinished file and ends the job: it never returns.
 * \return ND_OK on all ranks; on a single rank its own failure */
nd_status nd_result_agree(const nd_comm *comm, const nd_result *result, nd_status mine);

/** Collective. Write a rank's part of a column, and agree as above. */
nd_status nd_result_put(nd_job *job, nd_result *result, const char *name, nd_column_type type,
                        const nd_slab *slab, const void *values);

/** Collective. The same of offsets: of `rows->total` rows they are a number more, which the last
 * rank writes. \param[in] offsets  rows->count + 1 */
nd_status nd_result_put_offsets(nd_job *job, nd_result *result, const char *name,
                                const uint64_t *offsets, const nd_slab *rows);

/** Collective. /sources, /collections and /skipped. ND_OK on all ranks, or a failure on all. */
nd_status nd_result_write_inputs(nd_job *job, nd_result *result);

/** Collective. /stages and the attributes; called when the last stage has been measured. */
nd_status nd_result_write_run(nd_job *job, nd_result *result);

#endif
