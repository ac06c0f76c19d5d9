#include "io/result/parameters.h"

#include "io/store/json_add.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

nd_status nd_parameters_set(nd_buffer *text, const char *name, const char *value) {
    nd_status st = ND_OK;
    struct json_object *object =
        text->size == 0 ? json_object_new_object() : json_tokener_parse((const char *)text->data);
    const char *whole = NULL;
    if (text->size > 0 && !json_object_is_type(object, json_type_object)) {
        st = nd_fail(ND_ERR_FORMAT, "the parameters are no JSON object");
        goto out;
    }
    if (nd_json_add(object, name, json_object_new_string(value))) {
        whole = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
    }
    if (whole == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: parameters as JSON");
        goto out;
    }
    text->size = 0;
    nd_buffer_append(text, whole, strlen(whole) + 1);
out:
    json_object_put(object);
    return st;
}

static const char *value_text(struct json_object *value) {
    return value == NULL ? "not there"
                         : json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
}

/* Parameters of `from` that `to` has not, or has with another value. */
static bool differs(struct json_object *from, struct json_object *to, bool reversed,
                    char *difference, size_t size) {
    json_object_object_foreach(from, name, value) {
        struct json_object *other = NULL;
        (void)json_object_object_get_ex(to, name, &other);
        if (!json_object_equal(value, other)) {
            (void)snprintf(difference, size, "%s was %s and is %s", name,
                           value_text(reversed ? other : value),
                           value_text(reversed ? value : other));
            return true;
        }
    }
    return false;
}

bool nd_parameters_differ(const char *before, const char *now, char *difference, size_t size) {
    struct json_object *was = json_tokener_parse(before);
    struct json_object *is = json_tokener_parse(now);
    bool different = true;
    if (!json_object_is_type(was, json_type_object) || !json_object_is_type(is, json_type_object)) {
        (void)snprintf(difference, size, "they cannot be read");
    } else {
        different =
            differs(was, is, false, difference, size) || differs(is, was, true, difference, size);
    }
    json_object_put(was);
    json_object_put(is);
    return different;
}
