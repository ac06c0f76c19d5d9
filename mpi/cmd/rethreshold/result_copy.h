/** \file mpi/cmd/rethreshold/result_copy.h
 * A result with other sets: all that a result says of its inputs, pages, sites and stages as it
 * was, with other sets, links, forms and certainties, and those of its pairs that are still
 * similar. It gets its name when it is complete and sealed. What the sets are is the caller's.
 */
#ifndef ND_CMD_RETHRESHOLD_RESULT_COPY_H
#define ND_CMD_RETHRESHOLD_RESULT_COPY_H

#include "io/result/result_pages.h"
#include "mpi/job/job.h"

/** What is other than in the result that is copied; borrowed. */
typedef struct nd_result_change {
    const nd_job *job; /**< of one rank: its members and forms */
    const float *certainty;
    const nd_link *pairs;
    uint64_t pair_count;
    const char *parameters, *command_line;
} nd_result_change;

/** Write it. \param[out] set_count  how many sets there are
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY: nothing has that name that had not
 *         before */
nd_status nd_result_copy(const nd_result *from, const nd_result_change *change, const char *path,
                         uint64_t *set_count);

#endif
