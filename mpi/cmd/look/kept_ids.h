/** \file mpi/cmd/look/kept_ids.h
 * By what pages are deleted: their ids, or, where they have none, their place (source file and
 * offset). A list of pages to be dropped must not hold what a page that is kept has too. Held as
 * hashes of 64 bits: two that are equal by chance leave a page out that could have been dropped,
 * never the other way round.
 */
#ifndef ND_CMD_LOOK_KEPT_IDS_H
#define ND_CMD_LOOK_KEPT_IDS_H

#include "mpi/cmd/look/page_table.h"

/** All zero is a valid set that is never asked. */
typedef struct nd_kept_ids {
    uint64_t *hashes; /**< ascending; NULL: no page's id or place is also another's */
    uint64_t count;
} nd_kept_ids;

/** Read the ids of all pages that are kept, unless the result says that no two pages share theirs:
 * then nothing is held. 8 bytes of memory for each of them. The table's pages are chosen. \return
 * ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY: it is then empty */
nd_status nd_kept_ids_read(nd_page_table *table, nd_kept_ids *kept);

/** Has the i-th page of the block read last the id, or the place, of one that is kept? */
bool nd_kept_ids_has(const nd_kept_ids *kept, const nd_page_table *table, uint64_t i);

void nd_kept_ids_free(nd_kept_ids *kept);

#endif
