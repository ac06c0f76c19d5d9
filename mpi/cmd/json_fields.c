#include "mpi/cmd/json_fields.h"

#include "io/utf8_repair.h"
#include "src/base/parse.h"

#include <string.h>

void nd_json_add_number(json_object *to, const char *name, uint64_t number) {
    (void)json_object_object_add(to, name, json_object_new_uint64(number));
}

void nd_json_add_real(json_object *to, const char *name, double number) {
    char text[32];
    nd_print_real(number, text, sizeof text);
    (void)json_object_object_add(to, name, json_object_new_double_s(number, text));
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
