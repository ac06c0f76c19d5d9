/** \file mpi/cmd/look/cdxj_lines.h
 * Lines of an index as web archives keep it (CDXJ): "SURT YYYYMMDDhhmmss {JSON}". In the order of
 * their bytes, as `LC_ALL=C sort` has it, they come out of a sort (io/store/line_sort.h).
 */
#ifndef ND_CMD_LOOK_CDXJ_LINES_H
#define ND_CMD_LOOK_CDXJ_LINES_H

#include "io/store/line_sort.h"

#include <json-c/json.h>
#include <stdio.h>

/** Add a line. \param[in] date  seconds since 1970; what is unknown is 1970 itself
 * \param[in] object  not freed; NULL, from lack of memory, is ND_ERR_MEMORY
 * \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_cdxj_line_add(nd_line_sort *lines, nd_span url, uint64_t date, json_object *object);

/** Print all, in order. \return ND_OK, ND_ERR_MEMORY or ND_ERR_IO */
nd_status nd_cdxj_lines_print(nd_line_sort *lines, FILE *to);

#endif
