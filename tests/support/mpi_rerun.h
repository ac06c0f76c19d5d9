/** \file tests/support/mpi_rerun.h
 * The pages of a result once more, for tools that hold it against them.
 */
#ifndef ND_SUPPORT_MPI_RERUN_H
#define ND_SUPPORT_MPI_RERUN_H

#include "io/result/result_read.h"
#include "mpi/job/job.h"

/** All zero is valid and closed. */
typedef struct nd_rerun {
    nd_result result;
    nd_page_rows rows;
    nd_job job; /**< with the run's parameters, and its pages as they are after `ingest` */
    bool opened;
} nd_rerun;

/** Open a result, and read its INPUTs by the run's own first stage; on one rank, all in memory.
 * \return ND_ERR_FORMAT if these are not the pages of the result; or another failure */
nd_status nd_rerun_open(nd_rerun *rerun, const char *path, const char *const *words, size_t count);

/** The end of a tool: says a failure, and finalizes MPI. \return the exit code: 2 for a failure,
 * else `wrong` */
int nd_rerun_end(nd_rerun *rerun, const char *tool, nd_status st, bool wrong);

#endif
