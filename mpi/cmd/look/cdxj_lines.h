/** \file mpi/cmd/look/cdxj_lines.h
 * Pages of a result as an index of web archives (CDXJ): lines "SURT YYYYMMDDhhmmss {JSON}" in the
 * order of their bytes, as `LC_ALL=C sort` has it. What the result does not hold, digest, length,
 * status and media type of a capture, is taken from its record, so the archives are read again. A
 * field is there only where the record has it. Rows of an archive that cannot be read have what the
 * result says, and the archive is named.
 */
#ifndef ND_CMD_LOOK_CDXJ_LINES_H
#define ND_CMD_LOOK_CDXJ_LINES_H

#include "io/store/line_sort.h"
#include "mpi/cmd/look/page_table.h"

#include <json-c/json.h>

/** Add a line to a sort. \param[in] date  seconds since 1970; what is unknown is 1970 itself
 * \param[in] object  not freed; NULL, from lack of memory, is ND_ERR_MEMORY
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_cdxj_line_add(nd_line_sort *lines, nd_span url, uint64_t date, json_object *object);

/** Print all, in order. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_cdxj_lines_print(nd_line_sort *lines, FILE *to);

/** Print the pages for which `filter` (or NULL: all) says so.
 * \param[in] table    pages are chosen, and rows name the kept page
 * \param[in] memory   for sorting, bytes; 0: the usual
 * \param[out] unread  archives that could not be read again to their last page
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_cdxj_print(nd_page_table *table, nd_page_filter filter, void *context, uint64_t memory,
                        uint64_t *unread);

#endif
