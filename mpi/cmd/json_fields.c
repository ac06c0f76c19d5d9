#include "mpi/cmd/json_fields.h"

#include "io/input/charset.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_SIZE = 400 /* the largest double with decimals */, SHARE_DECIMALS = 10 };

/* What json-c answers, if it has memory. */
static json_object *made(json_object *value) {
    if (value == NULL) {
        nd_memory_out(1, sizeof(json_object *), "JSON");
    }
    return value;
}

/* \param[in] value  NULL: null */
static void add(json_object *to, const char *name, json_object *value) {
    const int failed = to == NULL     ? json_object_put(value) < 0
                       : name != NULL ? json_object_object_add(to, name, value)
                                      : json_object_array_add(to, value);
    if (failed != 0) {
        nd_memory_out(1, sizeof(json_object *), "JSON");
    }
}

json_object *nd_json_new(void) {
    return made(json_object_new_object());
}

void nd_json_add_null(json_object *to, const char *name) {
    add(to, name, NULL);
}

void nd_json_add_flag(json_object *to, const char *name, bool flag) {
    add(to, name, made(json_object_new_boolean(flag)));
}

void nd_json_add_number(json_object *to, const char *name, uint64_t number) {
    add(to, name, made(json_object_new_uint64(number)));
}

void nd_json_add_real(json_object *to, const char *name, double number, int digits) {
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof text, "%.*g", digits, number);
    add(to, name, made(json_object_new_double_s(number, text)));
}

void nd_json_add_decimal(json_object *to, const char *name, double number, int decimals) {
    char text[NUMBER_SIZE];
    (void)snprintf(text, sizeof text, "%.*f", decimals, number);
    add(to, name, made(json_object_new_double_s(number, text)));
}

void nd_json_add_share(json_object *to, const char *name, double share) {
    nd_json_add_decimal(to, name, share, SHARE_DECIMALS);
}

void nd_json_add_measure(json_object *to, const char *name, nd_measure measure) {
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_share(object, "precision", measure.precision);
    nd_json_add_share(object, "recall", measure.recall);
    nd_json_add_share(object, "f1", measure.f1);
}

void nd_json_add_text(json_object *to, const char *name, nd_span text) {
    nd_buffer repaired = {0};
    uint64_t replaced = 0;
    nd_utf8_repair(text, &repaired, &replaced);
    add(to, name,
        made(json_object_new_string_len((const char *)repaired.data, (int)repaired.size)));
    nd_buffer_free(&repaired);
}

void nd_json_add_words(json_object *to, const char *name, const char *words) {
    nd_json_add_text(to, name, (nd_span){(const uint8_t *)words, strlen(words)});
}

json_object *nd_json_add_object(json_object *to, const char *name) {
    json_object *object = nd_json_new();
    add(to, name, object);
    return object;
}

json_object *nd_json_add_array(json_object *to, const char *name) {
    json_object *array = made(json_object_new_array());
    add(to, name, array);
    return array;
}

const char *nd_json_text(json_object *root, int flags) {
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN | flags);
    if (text == NULL) {
        nd_memory_out(1, sizeof(json_object *), "JSON");
    }
    return text;
}

void nd_json_print(FILE *to, json_object **root) {
    nd_print_words(to, ND_PRINTABLE_JSON, nd_json_text(*root, JSON_C_TO_STRING_NOSLASHESCAPE));
    (void)fputc('\n', to);
    (void)json_object_put(*root);
    *root = NULL;
}
