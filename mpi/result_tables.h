/** \file mpi/result_tables.h
 * The small tables of the result file: what went in (/sources, /collections, /skipped) and how the
 * run went (/stages, root attributes). Pages and sets are written by the stage itself.
 */
#ifndef ND_MPI_RESULT_TABLES_H
#define ND_MPI_RESULT_TABLES_H

#include "io/result_file.h"
#include "mpi/job.h"

/** Collective. /sources, /collections and /skipped. ND_OK on all ranks, or a failure on all. */
nd_status nd_result_write_inputs(nd_job *job, nd_result *result);

/** Collective. /stages and the attributes; called when the last stage has been measured. */
nd_status nd_result_write_run(nd_job *job, nd_result *result);

#endif
