/** \file mpi/cmd/look/cdxj_lines.h
 * Lines of an index as web archives keep it (CDXJ): "SURT YYYYMMDDhhmmss {JSON}", sorted by their
 * bytes as `LC_ALL=C sort` does. All lines are held in memory until they are printed.
 */
#ifndef ND_CMD_LOOK_CDXJ_LINES_H
#define ND_CMD_LOOK_CDXJ_LINES_H

#include "src/base/buffer.h"

#include <json-c/json.h>
#include <stdio.h>

/** All zero is valid and empty. */
typedef struct nd_cdxj_lines {
    nd_buffer text;
    uint64_t *begin; /**< of each line in the text */
    size_t count, capacity;
} nd_cdxj_lines;

/** Add a line. \param[in] date  seconds since 1970; what is unknown is 1970 itself
 * \param[in] object  not freed; NULL, from lack of memory, is ND_ERR_MEMORY
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_cdxj_lines_add(nd_cdxj_lines *lines, nd_span url, uint64_t date, json_object *object);

/** Print all, in order. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_cdxj_lines_print(const nd_cdxj_lines *lines, FILE *to);

void nd_cdxj_lines_free(nd_cdxj_lines *lines);

#endif
