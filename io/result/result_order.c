#include "io/result/result_order.h"

#include "io/input/fields.h"
#include "io/input/jsonl.h"
#include "io/input/record_walk.h"
#include "io/result/result_sources.h"
#include "io/store/line_sort.h"
#include "src/base/util.h"
#include "src/text/surt.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

/* ---- SURTs */

static nd_status add_surts(const nd_result *result, nd_line_sort *sort) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_buffer surt = {0};
    const uint64_t pages = result->shape.pages;
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            const nd_span url = nd_page_rows_url(&rows, i);
            if (url.size > 0) {
                surt.size = 0;
                ND_TRY(nd_surt_append(url, &surt));
                ND_TRY(nd_line_sort_add(sort, nd_buffer_span(&surt), begin + i));
            }
        }
    }
out:
    nd_page_rows_free(&rows);
    nd_buffer_free(&surt);
    return st;
}

/* ---- fields */

/* A value so that its bytes are in its order: of a number, those of the double. */
static nd_status add_value(nd_line_sort *sort, nd_span value, uint64_t page, nd_buffer *key) {
    nd_status st = ND_OK;
    char text[64] = "";
    char *end = text;
    double number = 0;
    key->size = 0;
    value = nd_fields_trim(value);
    if (value.size > 0 && value.size < sizeof text &&
        (value.data[0] == '-' || (value.data[0] >= '0' && value.data[0] <= '9'))) {
        memcpy(text, value.data, value.size);
        number = strtod(text, &end);
    }
    if (end != text && *end == '\0' && !isnan(number) && strpbrk(text, "xX") == NULL) {
        uint64_t bits = 0;
        uint8_t bytes[1 + sizeof bits] = {1};
        number += 0.; /* -0 is 0 */
        memcpy(&bits, &number, sizeof bits);
        bits = bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
        for (size_t i = 0; i < sizeof bits; i++) {
            bytes[1 + i] = (uint8_t)(bits >> (56 - 8 * i));
        }
        nd_buffer_append(key, bytes, sizeof bytes);
    } else {
        nd_buffer_append(key, "", 1);
        nd_buffer_append(key, value.data, value.size);
    }
    ND_TRY(nd_line_sort_add(sort, nd_buffer_span(key), page));
out:
    return st;
}

/* The values of a source's pages, which are those from `page` to `end`. */
static nd_status add_source(const nd_result *result, const char *path, nd_jsonl *jsonl,
                            uint64_t page, uint64_t end, uint64_t memory, nd_page_rows *rows,
                            nd_line_sort *sort) {
    nd_status st = ND_OK;
    const nd_reader_options options = {.max_page_bytes = INT_MAX, .memory = memory};
    nd_walk *walk = NULL;
    nd_walked walked;
    nd_buffer key = {0};
    ND_TRY(nd_walk_open(path, &options, &walk));
    rows->count = 0;
    while (nd_walk_is_jsonl(walk) && page < end) {
        nd_jsonl_page value;
        const char *fault = NULL;
        bool same = true;
        if (page - rows->begin >= rows->count) {
            ND_TRY(nd_page_rows_read(result, page, nd_min(end - page, PAGES_AT_ONCE), rows));
        }
        const uint64_t row = page - rows->begin;
        st = nd_walk_next(walk, rows->offset[row], &walked);
        if (st == ND_OK && walked.begin != rows->offset[row]) {
            continue;
        }
        if (st == ND_OK && rows->checksum[row] != 0) {
            st = nd_walk_compare(walk, &walked, rows->checksum[row], &same);
        }
        if (!same || st == ND_END || st == ND_ERR_CHANGED) {
            st = nd_result_refuse_record(result, path, page, rows->offset[row]);
        }
        ND_TRY(st);
        st = nd_jsonl_parse(jsonl, walked.line, &value, &fault);
        ND_TRY(st == ND_OK           ? add_value(sort, value.text, page, &key)
               : st == ND_ERR_FORMAT ? ND_OK
                                     : st);
        page++;
    }
out:
    nd_walk_close(&walk);
    nd_buffer_free(&key);
    return st;
}

static nd_status add_fields(const nd_result *result, const char *field, uint64_t memory,
                            nd_line_sort *sort) {
    nd_status st = ND_OK;
    nd_text_column names = {0};
    nd_buffer path = {0};
    nd_page_rows rows = {0};
    nd_jsonl *jsonl = NULL;
    struct stat info;
    uint64_t first = 0;
    const nd_jsonl_names one = {.id = field, .url = field, .text = field, .html = field};
    const nd_record_limits limits = nd_record_limits_of(INT_MAX, 0, 0);
    ND_TRY(nd_jsonl_open(&one, &limits, &jsonl));
    ND_TRY(nd_source_paths_read(result, &names));
    for (uint64_t s = 0; s < names.count; s++) {
        uint64_t bytes = 0;
        uint64_t pages = 0;
        ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, s, 1, &bytes));
        ND_TRY(nd_result_read(result, "/sources/pages", ND_COLUMN_U64, s, 1, &pages));
        pages = nd_min(pages, result->shape.pages - first);
        if (pages > 0) {
            ND_TRY(nd_result_source_look(result, nd_text_column_at(&names, s), bytes, first, &path,
                                         &info));
            ND_TRY(add_source(result, (const char *)path.data, jsonl, first, first + pages, memory,
                              &rows, sort));
        }
        first += pages;
    }
out:
    nd_jsonl_close(&jsonl);
    nd_text_column_free(&names);
    nd_buffer_free(&path);
    nd_page_rows_free(&rows);
    return st;
}

/* ---- ranks */

nd_status nd_result_order(const nd_result *result, const char *field, uint64_t memory,
                          uint64_t **ranks) {
    nd_status st = ND_OK;
    nd_line_sort *sort = NULL;
    nd_buffer before = {0};
    nd_span value;
    uint64_t page = 0;
    uint64_t values = 0;
    ND_TRY(nd_line_sort_open(memory, &sort));
    ND_TRY(field == NULL ? add_surts(result, sort) : add_fields(result, field, memory, sort));
    nd_new(ranks, result->shape.pages, sizeof **ranks);
    memset(*ranks, 0xff, result->shape.pages * sizeof **ranks); /* without: the last of all */
    while ((st = nd_line_sort_next(sort, &value, &page)) == ND_OK) {
        if (values == 0 || value.size != before.size ||
            (value.size > 0 && memcmp(value.data, before.data, value.size) != 0)) {
            values++;
            before.size = 0;
            nd_buffer_append(&before, value.data, value.size);
        }
        (*ranks)[page] = field == NULL ? values : UINT64_MAX - values;
    }
    ND_TRY(st == ND_END ? ND_OK : st);
    if (field != NULL && values == 0) {
        st = nd_fail(ND_ERR_USAGE, "--keep: no page of %s has a field %s: it is of JSONL",
                     result->path, field);
    }
out:
    nd_line_sort_close(&sort);
    nd_buffer_free(&before);
    return st;
}
