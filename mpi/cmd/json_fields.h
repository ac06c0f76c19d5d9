/** \file mpi/cmd/json_fields.h
 * JSON as the commands print it: values, and objects and arrays that are written down as what they
 * hold. Memory that json-c lacks ends the process, as our own.
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

/* ---- values: owned by what they are put into; NULL is null */

json_object *nd_json_flag(bool flag);
json_object *nd_json_number(uint64_t number);

/** With so many significant digits, as %g prints it; or with so many decimals. One that is not
 * finite is not known: null. */
json_object *nd_json_real(double number, int digits);
json_object *nd_json_decimal(double number, int decimals);

/** A share or an index, with ten decimals. */
json_object *nd_json_share(double share);

/** A similarity, or a certainty, with as many digits as a float has. */
enum { ND_SIMILARITY_DIGITS = 6 };
json_object *nd_json_similarity(double similarity);

/** {"precision":..., "recall":..., "f1":...} */
json_object *nd_json_measure(nd_measure measure);

/** A text; JSON is UTF-8: bytes that are not are repaired. */
json_object *nd_json_text(nd_span text);

/** The same of a text that ends with NUL, such as a path. */
json_object *nd_json_words(const char *words);

/* ---- objects and arrays */

typedef struct nd_json_field {
    const char *name; /**< NULL: of an array */
    json_object *value;
} nd_json_field;

/** Put fields, {NAME, VALUE} each, into an object; {NULL, VALUE} to the end of an array. To NULL
 * nothing is put. \return it */
#define ND_JSON_PUT(to, ...)                                                                       \
    nd_json_put((to), (const nd_json_field[]){__VA_ARGS__},                                        \
                sizeof((const nd_json_field[]){__VA_ARGS__}) / sizeof(nd_json_field))

/** An object of such fields. */
#define ND_JSON(...) ND_JSON_PUT(nd_json_new(), __VA_ARGS__)

/** An empty object: to be put into another, or nd_json_print()'s to free. */
json_object *nd_json_new(void);

/** What ND_JSON_PUT() calls. */
json_object *nd_json_put(json_object *to, const nd_json_field *fields, size_t count);

/** An empty object or array, owned by what it is put into. */
json_object *nd_json_add_object(json_object *to, const char *name);
json_object *nd_json_add_array(json_object *to, const char *name);

/* ---- printing */

/** As one line; the object's own. \param[in] flags  of json-c, besides JSON_C_TO_STRING_PLAIN */
const char *nd_json_line(json_object *root, int flags);

/** Print as one line, whose characters can all be seen, and free; it is NULL then. */
void nd_json_print(FILE *to, json_object **root);

/* ---- rows of a table: the same fields between tabs, or as a JSON object a line */

typedef struct nd_row {
    FILE *to;
    json_object *object; /**< NULL: between tabs */
    bool begun;
} nd_row;

nd_row nd_row_begin(FILE *to, bool json);
void nd_row_number(nd_row *row, const char *name, uint64_t number);
void nd_row_similarity(nd_row *row, const char *name, float similarity);
void nd_row_text(nd_row *row, const char *name, nd_span text);
void nd_row_message(nd_row *row, const char *name, nd_span text);

/** Empty between tabs; an object has no such field. */
void nd_row_nothing(nd_row *row);
void nd_row_end(nd_row *row);

#endif
