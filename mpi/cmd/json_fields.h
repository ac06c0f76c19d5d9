/** \file mpi/cmd/json_fields.h
 * Fields of JSON objects that commands print: whole numbers, measures and texts of any bytes.
 */
#ifndef ND_CMD_JSON_FIELDS_H
#define ND_CMD_JSON_FIELDS_H

#include "src/base/buffer.h"

#include <json-c/json.h>

void nd_json_add_number(json_object *to, const char *name, uint64_t number);

/** A number with a fraction, in the shortest decimal that is read back as the same one. */
void nd_json_add_real(json_object *to, const char *name, double number);

/** A text; as JSON is UTF-8, bytes that are not are repaired. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_json_add_text(json_object *to, const char *name, nd_span text);

/** The same of a text that ends with NUL. */
nd_status nd_json_add_words(json_object *to, const char *name, const char *words);

#endif
