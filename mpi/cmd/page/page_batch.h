/** \file mpi/cmd/page/page_batch.h
 * Several pages of a result read again, in the order in which they lie in the inputs, whatever the
 * order in which they are wanted: an input that can only be read from its beginning is read once.
 * One that cannot be read leaves the others as they are.
 */
#ifndef ND_CMD_PAGE_PAGE_BATCH_H
#define ND_CMD_PAGE_PAGE_BATCH_H

#include "mpi/cmd/page/shown_page.h"

/** A page, and why it has no text; its place is known in any case. */
typedef struct nd_batch_page {
    uint64_t number;
    nd_shown_page page;
    char reason[512]; /**< "": it was read */

    uint64_t wanted; /* its place among those asked for */
    uint64_t first;  /* the page whose text is read */
} nd_batch_page;

/** All zero is valid and empty; owned. */
typedef struct nd_page_batch {
    nd_batch_page *pages; /**< in the order in which they were asked for */
    uint64_t count;
    uint64_t unread; /**< of them without text */
} nd_page_batch;

/** Read `count` pages, all of which are in memory then. \param[out] batch  to be freed in any case
 * \return ND_OK, also where no text could be read; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_page_batch_read(nd_page_batch *batch, nd_shown_run *run, const uint64_t *numbers,
                             uint64_t count);

void nd_page_batch_free(nd_page_batch *batch);

#endif
