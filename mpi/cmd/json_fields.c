#include "mpi/cmd/json_fields.h"

#include "io/input/utf8_repair.h"

#include <stdio.h>
#include <string.h>

void nd_json_add_number(json_object *to, const char *name, uint64_t number) {
    (void)json_object_object_add(to, name, json_object_new_uint64(number));
}

void nd_json_add_share(json_object *to, const char *name, double share) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.10f", share);
    (void)json_object_object_add(to, name, json_object_new_double_s(share, text));
}

void nd_json_add_measure(json_object *to, const char *name, nd_measure measure) {
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_share(object, "precision", measure.precision);
    nd_json_add_share(object, "recall", measure.recall);
    nd_json_add_share(object, "f1", measure.f1);
}

nd_status nd_json_add_text(json_object *to, const char *name, nd_span text) {
    nd_buffer repaired = {0};
    uint64_t replaced = 0;
    const nd_status st = nd_utf8_repair(text, &repaired, &replaced);
    if (st == ND_OK) {
        (void)json_object_object_add(
            to, name, json_object_new_string_len((const char *)repaired.data, (int)repaired.size));
    }
    nd_buffer_free(&repaired);
    return st;
}

nd_status nd_json_add_words(json_object *to, const char *name, const char *words) {
    return nd_json_add_text(to, name, (nd_span){(const uint8_t *)words, strlen(words)});
}

json_object *nd_json_add_object(json_object *to, const char *name) {
    json_object *object = json_object_new_object();
    (void)json_object_object_add(to, name, object);
    return object;
}

json_object *nd_json_append_object(json_object *array) {
    json_object *object = json_object_new_object();
    (void)json_object_array_add(array, object);
    return object;
}

json_object *nd_json_add_array(json_object *to, const char *name) {
    json_object *array = json_object_new_array();
    (void)json_object_object_add(to, name, array);
    return array;
}
