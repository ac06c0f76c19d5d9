/** \file io/json_object.h
 * Reading of the JSON objects that lines of JSONL nearly always are: one level, strings, plain
 * integers, true, false and null, written as RFC 8259 wants it. Anything else is left to a whole
 * parser, which says the same of these objects, only more slowly.
 */
#ifndef ND_IO_JSON_OBJECT_H
#define ND_IO_JSON_OBJECT_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** A member that is looked for; owns `unescaped`. */
typedef struct nd_json_field {
    const char *name;    /**< borrowed */
    nd_span value;       /**< the string's characters, or the integer's digits: a view into the text
                              or into `unescaped` */
    bool found;          /**< there is such a member, a string or an integer; of several the last */
    nd_buffer unescaped; /**< kept from object to object; the caller's to free */
} nd_json_field;

/** Read an object.
 * \param[in,out] fields  names in, values out
 * \param[out] plain      false if the text is anything but such an object; the values then mean
 *                        nothing
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_json_object_read(nd_span text, nd_json_field *fields, size_t count, bool *plain);

#endif
