/** \file mpi/cmd/json_fields.h
 * Members of JSON objects as the commands print them. Memory that json-c lacks shows where it does
 * not say so as members that are not there.
 */
#ifndef ND_CMD_JSON_FIELDS_H
#define ND_CMD_JSON_FIELDS_H

#include "src/base/buffer.h"
#include "src/measure/contingency.h"

#include <json-c/json.h>

void nd_json_add_number(json_object *to, const char *name, uint64_t number);

/** A share or an index, with ten decimals. */
void nd_json_add_share(json_object *to, const char *name, double share);

/** {"precision":..., "recall":..., "f1":...} */
void nd_json_add_measure(json_object *to, const char *name, nd_measure measure);

/** A text; JSON is UTF-8: bytes that are not are repaired. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_json_add_text(json_object *to, const char *name, nd_span text);

/** The same of a text that ends with NUL, such as a path. */
nd_status nd_json_add_words(json_object *to, const char *name, const char *words);

/** An object in an object, or at the end of an array; owned by it. */
json_object *nd_json_add_object(json_object *to, const char *name);
json_object *nd_json_append_object(json_object *array);

/** An array in an object; owned by it. */
json_object *nd_json_add_array(json_object *to, const char *name);

#endif
