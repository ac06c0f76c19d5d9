/* Lines of an index as web archives keep it, of pages whose URLs and ids are anyone's: each is one
 * line of a SURT, a time and JSON that says what was put in; in the order of their bytes. */
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/look/page_table.h"
#include "src/base/printable.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"

enum { MOST_LINES = 4, DIGITS = 14 };

static const uint64_t LAST_SECOND = UINT64_C(253402300799); /* of the year 9999 */

static void add(nd_line_sort *lines, nd_span id, nd_span url, uint64_t date) {
    json_object *object = json_object_new_object();
    ND_JSON_PUT(object, {"id", nd_json_text(id)}, {"url", nd_json_text(url)});
    ND_FUZZ_CHECK(nd_cdxj_line_add(lines, url, date, object) == ND_OK);
    (void)json_object_put(object);
}

/* Is it what the field says, a character for each that is not UTF-8? */
static bool says(const json_object *row, const char *name, nd_span text) {
    ND_OWNED(nd_buffer_free) nd_buffer repaired = {0};
    json_object *value = NULL;
    for (size_t at = 0; at < text.size;) {
        uint8_t bytes[ND_UTF8_MAX];
        uint32_t code = 0;
        at += nd_utf8_read(text.data + at, text.data + text.size, &code);
        nd_buffer_append(&repaired, bytes, nd_utf8_write(bytes, code));
    }
    const bool there = json_object_object_get_ex(row, name, &value);
    const bool same =
        there && nd_fuzz_same(nd_buffer_span(&repaired),
                              (nd_span){(const uint8_t *)json_object_get_string(value),
                                        (size_t)json_object_get_string_len(value)});
    return same;
}

/* \return whether the line is that of the page */
static bool check_line(const char *line, nd_span id, nd_span url) {
    const char *time = strchr(line, ' ');
    ND_FUZZ_CHECK(time != NULL && time > line);
    ND_FUZZ_CHECK(strspn(time + 1, "0123456789") == DIGITS && time[1 + DIGITS] == ' ');
    const char *json = time + 2 + DIGITS;
    for (const char *c = json; *c != '\0'; c++) {
        ND_FUZZ_CHECK((unsigned char)*c >= ' ' && (unsigned char)*c != 0x7f);
    }
    json_object *row = json_tokener_parse(json);
    ND_FUZZ_CHECK(row != NULL);
    const bool same = says(row, "id", id) && says(row, "url", url);
    (void)json_object_put(row);
    return same;
}

ND_FUZZ_TARGET(z_cdxj) {
    nd_span from = {data, size};
    nd_line_sort *lines = NULL;
    nd_span ids[MOST_LINES], urls[MOST_LINES];
    ND_FREED char *text = NULL;
    size_t text_size = 0;
    const size_t count = 1 + nd_fuzz_byte(&from) % MOST_LINES;
    nd_line_sort_open(1 << 18, &lines);
    for (size_t i = 0; i < count; i++) {
        uint64_t date = 0;
        for (int k = 0; k < 5; k++) {
            date = date << 8 | nd_fuzz_byte(&from);
        }
        nd_span *const parts[] = {&ids[i], &urls[i]};
        for (int k = 0; k < 2; k++) {
            const size_t length = nd_fuzz_byte(&from);
            *parts[k] = nd_span_part(from, 0, length < from.size ? length : from.size);
            from = nd_span_part(from, parts[k]->size, from.size);
        }
        add(lines, ids[i], urls[i], date % LAST_SECOND);
    }
    FILE *to = open_memstream(&text, &text_size);
    ND_FUZZ_CHECK(to != NULL && nd_cdxj_lines_print(lines, to) == ND_OK);
    ND_FUZZ_CHECK(fclose(to) == 0);
    const char *before = NULL;
    size_t met = 0;
    for (char *line = text, *end = NULL; *line != '\0'; line = end + 1, met++) {
        bool known = false;
        end = strchr(line, '\n');
        ND_FUZZ_CHECK(end != NULL);
        *end = '\0';
        ND_FUZZ_CHECK(before == NULL || strcmp(before, line) <= 0);
        for (size_t i = 0; i < count; i++) {
            known = check_line(line, ids[i], urls[i]) || known;
        }
        ND_FUZZ_CHECK(known);
        before = line;
    }
    ND_FUZZ_CHECK(met == count);
    nd_line_sort_close(&lines);
    return 0;
}
