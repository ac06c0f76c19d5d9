#include "mpi/cmd/output_row.h"

#include <stdio.h>

nd_status nd_row_append_field(nd_buffer *line, nd_span text) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < text.size; i++) {
        const char c = (char)text.data[i];
        const char *escaped = c == '\t'   ? "\\t"
                              : c == '\n' ? "\\n"
                              : c == '\r' ? "\\r"
                              : c == '\\' ? "\\\\"
                                          : NULL;
        ND_TRY(escaped != NULL ? nd_buffer_append_text(line, escaped)
                               : nd_buffer_append(line, &c, 1));
    }
    ND_TRY(nd_buffer_append(line, "\t", 1));
out:
    return st;
}

void nd_row_add_similarity(json_object *row, const char *name, float similarity) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", (double)similarity);
    (void)json_object_object_add(row, name, json_object_new_double_s((double)similarity, text));
}

void nd_row_print(json_object *row) {
    (void)puts(json_object_to_json_string_ext(row, JSON_C_TO_STRING_PLAIN |
                                                       JSON_C_TO_STRING_NOSLASHESCAPE));
}
