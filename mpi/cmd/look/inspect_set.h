/** \file mpi/cmd/look/inspect_set.h
 * The part of `neardup inspect` that prints pages: a set with its members, or one page with all
 * that the result says of it, and what the run compared of their texts, read again from the inputs.
 * As text, or as a JSON object a line.
 */
#ifndef ND_CMD_LOOK_INSPECT_SET_H
#define ND_CMD_LOOK_INSPECT_SET_H

#include "mpi/cmd/page/shown_page.h"

/** How pages are printed, and what with. */
typedef struct nd_inspection {
    const nd_result *result; /**< borrowed */
    nd_shown_run *run;       /**< borrowed; NULL: without texts */
    uint64_t members;        /**< of a set, most that are printed; 0: all */
    bool json;
} nd_inspection;

/** Print set `set`, which there is. A text that cannot be read is named on stderr, and the others
 * are printed.
 * \return ND_OK; how the last text failed; ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_inspect_set(const nd_inspection *inspection, uint64_t set);

/** Print page `page`, which there is. \return likewise */
nd_status nd_inspect_page(const nd_inspection *inspection, uint64_t page);

#endif
