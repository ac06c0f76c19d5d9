/** \file mpi/cmd/filter/filter.h
 * The inputs of a result written again without near-duplicates, by the ranks of a job: what the
 * command `filter` does, for commands that filter what they have just made. Which pages are kept is
 * said by io/result/result_order.h, how a source is parted by filter.c. The same files on any
 * number of ranks.
 */
#ifndef ND_CMD_FILTER_FILTER_H
#define ND_CMD_FILTER_FILTER_H

#include "mpi/comm/comm.h"
#include "mpi/job/progress.h"
#include "src/sets/keep.h"

#include <stdbool.h>
#include <stdint.h>

/** What is written, and where. Texts are borrowed. */
typedef struct nd_filter_request {
    const char *folder; /**< new or empty */
    const char *file;   /**< not NULL: in place of a folder the copy of the one source there is */
    bool dropped;       /**< what is dropped, not what is kept */
    bool annotate;
    nd_progress_mode progress;
    uint64_t max_page_bytes;
    nd_keep_wish wish;
} nd_filter_request;

/** Collective. Filter a result; rank 0 says on stderr how much was written.
 * \return on all ranks ND_OK; or a failure, with the text on each rank: ND_ERR_USAGE (also a file
 *         for several sources), ND_ERR_CHANGED, ND_ERR_INPUT, ND_ERR_FORMAT, ND_ERR_IO,
 * ND_ERR_MEMORY
 */
nd_status nd_filter_run(const nd_comm *comm, const char *result, const nd_filter_request *request);

#endif
