/** \file io/store/line_sort.h
 * Sorting texts of any length, each with a number, that outgrow memory: sorted runs in a file, and
 * a merge of them (Knuth, TAOCP 3, 5.4). Order: the bytes of the texts, a text before those that it
 * begins, then the numbers. Records of one size are io/store/external_sort.h. The file lies in
 * TMPDIR, or /tmp, and has no name once it is made, so that none is left whatever ends the process.
 */
#ifndef ND_IO_STORE_LINE_SORT_H
#define ND_IO_STORE_LINE_SORT_H

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nd_line_sort nd_line_sort;

/** Begin. \param[in] memory  most bytes it takes, about; 0: 512 MiB, and at least 256 KiB
 * \param[out] out  the caller's to close; NULL on failure \return ND_OK or ND_ERR_MEMORY */
nd_status nd_line_sort_open(uint64_t memory, nd_line_sort **out);

/** Add a text of less than 4 GiB, which is copied.
 * \return ND_OK, ND_ERR_MEMORY, ND_ERR_LIMIT or ND_ERR_IO */
nd_status nd_line_sort_add(nd_line_sort *sort, nd_span text, uint64_t number);

/** The next in order; after the first of these calls nothing may be added.
 * \param[out] text  borrowed until the next call
 * \return ND_OK; ND_END after the last; ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_line_sort_next(nd_line_sort *sort, nd_span *text, uint64_t *number);

/** How many runs lie in the file. */
uint64_t nd_line_sort_runs(const nd_line_sort *sort);

/** Close; NULL is fine; *sort becomes NULL. */
void nd_line_sort_close(nd_line_sort **sort);

#endif
