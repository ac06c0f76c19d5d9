#include "mpi/cmd/look/cdxj_lines.h"

#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/text/surt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

nd_status nd_cdxj_lines_add(nd_cdxj_lines *lines, nd_span url, uint64_t date, json_object *object) {
    nd_status st = ND_OK;
    char digits[32];
    struct tm parts;
    const time_t seconds = (time_t)date;
    const char *json = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    if (object == NULL || json == NULL || gmtime_r(&seconds, &parts) == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a line of the index");
    }
    ND_TRY(nd_grow(&lines->begin, &lines->capacity, lines->count + 1, sizeof *lines->begin));
    lines->begin[lines->count] = lines->text.size;
    ND_TRY(nd_surt_append(url, &lines->text));
    (void)strftime(digits, sizeof digits, " %Y%m%d%H%M%S ", &parts);
    ND_TRY(nd_buffer_append_text(&lines->text, digits));
    const nd_span text = {(const uint8_t *)json, strlen(json)};
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 1;
    ND_TRY(nd_buffer_reserve(&lines->text, room));
    lines->text.size += nd_printable_put(ND_PRINTABLE_JSON, text,
                                         (char *)lines->text.data + lines->text.size, room);
    ND_TRY(nd_buffer_append(&lines->text, "", 1));
    lines->count++;
out:
    return st;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

nd_status nd_cdxj_lines_print(const nd_cdxj_lines *lines, FILE *to) {
    nd_status st = ND_OK;
    const char **sorted = NULL;
    ND_TRY(nd_new(&sorted, lines->count, sizeof *sorted));
    for (size_t i = 0; i < lines->count; i++) {
        sorted[i] = (const char *)lines->text.data + lines->begin[i];
    }
    nd_sort(sorted, lines->count, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < lines->count; i++) {
        (void)fputs(sorted[i], to);
        (void)fputc('\n', to);
    }
out:
    free(sorted);
    return st;
}

void nd_cdxj_lines_free(nd_cdxj_lines *lines) {
    nd_buffer_free(&lines->text);
    free(lines->begin);
    *lines = (nd_cdxj_lines){0};
}
