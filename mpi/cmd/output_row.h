/** \file mpi/cmd/output_row.h
 * Fields of a row as the tables of a result print them: tab-separated, or in a JSON object. Which
 * fields a row has is the tables' business; other members of JSON objects are added by
 * json_fields.h.
 */
#ifndef ND_CMD_OUTPUT_ROW_H
#define ND_CMD_OUTPUT_ROW_H

#include "src/base/buffer.h"

#include <json-c/json.h>

/** Append a field of a tab-separated line, and a tab; what would break the line or
 * cannot be seen is escaped as ND_PRINTABLE_FIELD. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_row_append_field(nd_buffer *line, nd_span text);

/** With six significant digits, as in tab-separated rows. */
void nd_row_add_similarity(json_object *row, const char *name, float similarity);

/** Print an object as one line of stdout, whose characters can all be seen. */
void nd_row_print(json_object *row);

#endif
