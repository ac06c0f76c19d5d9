#include "mpi/cmd/output_row.h"

#include "src/base/printable.h"

#include <stdio.h>

nd_status nd_row_append_field(nd_buffer *line, nd_span text) {
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 2; /* a tab, or the NUL */
    const nd_status st = nd_buffer_reserve(line, room);
    if (st == ND_OK) {
        line->size +=
            nd_printable_put(ND_PRINTABLE_FIELD, text, (char *)line->data + line->size, room);
        line->data[line->size++] = '\t';
    }
    return st;
}

void nd_row_add_similarity(json_object *row, const char *name, float similarity) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", (double)similarity);
    (void)json_object_object_add(row, name, json_object_new_double_s((double)similarity, text));
}

void nd_row_print(json_object *row) {
    nd_print_words(stdout, ND_PRINTABLE_JSON,
                   json_object_to_json_string_ext(row, JSON_C_TO_STRING_PLAIN |
                                                           JSON_C_TO_STRING_NOSLASHESCAPE));
    (void)puts("");
}
