/** \file mpi/cmd/rethreshold/finished_sets.h
 * What a run does with sets after their join, done again by the run's own code, on a job of one
 * rank: forms are parted, copies join the page with their content, each page gets its certainty,
 * and those leave that are not certain enough. No page is compared, and none is read. Some 250
 * bytes a page are in memory.
 */
#ifndef ND_CMD_RETHRESHOLD_FINISHED_SETS_H
#define ND_CMD_RETHRESHOLD_FINISHED_SETS_H

#include "mpi/cmd/rethreshold/kept_run.h"

/** Sets that are as a run leaves them. */
typedef struct nd_finished_sets {
    nd_job job;       /**< its members, form, exact_of and content_of; all pages are this rank's */
    float *certainty; /**< by page */
} nd_finished_sets;

/** MPI is started, and not used beyond this process.
 * \param[in] options      with the stricter threshold
 * \param[in] memberships  nd_strict_sets
 * \param[out] sets        to be closed in any case \return ND_OK or ND_ERR_MEMORY */
nd_status nd_finished_sets_make(nd_finished_sets *sets, const nd_job_options *options,
                                const nd_kept_run *kept, const nd_spool *memberships);

void nd_finished_sets_close(nd_finished_sets *sets);

#endif
