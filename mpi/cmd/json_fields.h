/** \file mpi/cmd/json_fields.h
 * JSON as the commands print it. Each function adds one value: to an object under `name`, or, where
 * `name` is NULL, to the end of an array; to no object nothing. Memory that json-c lacks ends the
 * process, as our own.
 */
#ifndef ND_CMD_JSON_FIELDS_H
#define ND_CMD_JSON_FIELDS_H

#include "src/base/status.h"
#include "src/base/util.h"
#include "src/measure/agreement.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** An empty object: nd_json_print()'s to free. */
json_object *nd_json_new(void);

void nd_json_add_null(json_object *to, const char *name);
void nd_json_add_flag(json_object *to, const char *name, bool flag);
void nd_json_add_number(json_object *to, const char *name, uint64_t number);

/** With so many significant digits, as %g prints it; or with so many decimals. */
void nd_json_add_real(json_object *to, const char *name, double number, int digits);
void nd_json_add_decimal(json_object *to, const char *name, double number, int decimals);

/** A share or an index, with ten decimals. */
void nd_json_add_share(json_object *to, const char *name, double share);

/** {"precision":..., "recall":..., "f1":...} */
void nd_json_add_measure(json_object *to, const char *name, nd_measure measure);

/** A text; JSON is UTF-8: bytes that are not are repaired. */
void nd_json_add_text(json_object *to, const char *name, nd_span text);

/** The same of a text that ends with NUL, such as a path. */
void nd_json_add_words(json_object *to, const char *name, const char *words);

/** An empty object or array, owned by what it is added to. */
json_object *nd_json_add_object(json_object *to, const char *name);
json_object *nd_json_add_array(json_object *to, const char *name);

/** As one line; the object's own. \param[in] flags  of json-c, besides JSON_C_TO_STRING_PLAIN */
const char *nd_json_text(json_object *root, int flags);

/** Print as one line, whose characters can all be seen, and free; it is NULL then. */
void nd_json_print(FILE *to, json_object **root);

#endif
