#include "mpi/cmd/look/cdxj_lines.h"

#include "src/base/printable.h"
#include "src/text/surt.h"

#include <string.h>
#include <time.h>

nd_status nd_cdxj_line_add(nd_line_sort *lines, nd_span url, uint64_t date, json_object *object) {
    nd_status st = ND_OK;
    char digits[32];
    struct tm parts;
    nd_buffer line = {0};
    const time_t seconds = (time_t)date;
    const char *json = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                  JSON_C_TO_STRING_NOSLASHESCAPE);
    if (object == NULL || json == NULL || gmtime_r(&seconds, &parts) == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a line of the index");
    }
    ND_TRY(nd_surt_append(url, &line));
    (void)strftime(digits, sizeof digits, " %Y%m%d%H%M%S ", &parts);
    ND_TRY(nd_buffer_append_text(&line, digits));
    const nd_span text = {(const uint8_t *)json, strlen(json)};
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 1;
    ND_TRY(nd_buffer_reserve(&line, room));
    line.size += nd_printable_put(ND_PRINTABLE_JSON, text, (char *)line.data + line.size, room);
    ND_TRY(nd_line_sort_add(lines, nd_buffer_span(&line), 0));
out:
    nd_buffer_free(&line);
    return st;
}

nd_status nd_cdxj_lines_print(nd_line_sort *lines, FILE *to) {
    nd_status st = ND_OK;
    nd_span line;
    uint64_t number = 0;
    while ((st = nd_line_sort_next(lines, &line, &number)) == ND_OK) {
        (void)fwrite(line.data, 1, line.size, to);
        (void)fputc('\n', to);
    }
    return st == ND_END ? ND_OK : st;
}
