/** \file io/store/json_add.h
 * Adding to an object of json-c, which says that memory is lacking by NULL, and ends the process
 * where it is given that. Invariant: what was to be added has an owner, or is freed.
 */
#ifndef ND_IO_STORE_JSON_ADD_H
#define ND_IO_STORE_JSON_ADD_H

#include <json-c/json.h>
#include <stdbool.h>

/** json-c owns `value` from here on, whatever happens. \param[in] object, value  may be NULL
 * \return false if memory is lacking */
static inline bool nd_json_add(json_object *object, const char *name, json_object *value) {
    if (object == NULL || value == NULL || json_object_object_add(object, name, value) != 0) {
        (void)json_object_put(value);
        return false;
    }
    return true;
}

#endif
