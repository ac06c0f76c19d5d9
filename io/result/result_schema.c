#include "io/result/result_schema.h"

#include "io/store/json_add.h"
#include "src/base/buffer.h"
#include "src/base/util.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns */

#define TABLE(name) offsetof(nd_result_shape, name)

static const nd_schema_column schema[] = {
    {"/pages/set", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/similarity", ND_COLUMN_F32, TABLE(pages), 0, NULL, false},
    {"/pages/link", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/link_similarity", ND_COLUMN_F32, TABLE(pages), 0, NULL, false},
    {"/pages/exact_of", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/tokens", ND_COLUMN_U32, TABLE(pages), 0, NULL, false},
    {"/pages/thin", ND_COLUMN_U8, TABLE(pages), 0, NULL, false},
    {"/pages/form", ND_COLUMN_U8, TABLE(pages), 0, NULL, false},
    {"/pages/certainty", ND_COLUMN_F32, TABLE(pages), 0, NULL, false},
    {"/pages/date", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/checksum", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/revisit_of", ND_COLUMN_U64, TABLE(pages), 0, NULL, true},
    {"/pages/subject", ND_COLUMN_U16, TABLE(pages), 0, NULL, false},
    {"/pages/collection", ND_COLUMN_U16, TABLE(pages), 0, NULL, false},
    {"/pages/source", ND_COLUMN_U32, TABLE(pages), 0, NULL, false},
    {"/pages/offset", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/id_offset", ND_COLUMN_U64, TABLE(pages), 1, "/pages/id_bytes", false},
    {"/pages/url_offset", ND_COLUMN_U64, TABLE(pages), 1, "/pages/url_bytes", false},
    {"/pages/by_id", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/by_id_hash", ND_COLUMN_U32, TABLE(pages), 0, NULL, false},
    {"/pages/by_url", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/pages/by_url_hash", ND_COLUMN_U32, TABLE(pages), 0, NULL, false},
    {"/sets/offset", ND_COLUMN_U64, TABLE(sets), 1, NULL, false},
    {"/sets/member", ND_COLUMN_U64, TABLE(pages), 0, NULL, false},
    {"/sites/name_offset", ND_COLUMN_U64, TABLE(sites), 1, "/sites/name_bytes", false},
    {"/sites/template_offset", ND_COLUMN_U64, TABLE(sites), 1, NULL, false},
    {"/sites/template", ND_COLUMN_U64, TABLE(site_templates), 0, NULL, false},
    {"/sites/repeated_offset", ND_COLUMN_U64, TABLE(sites), 1, NULL, false},
    {"/sites/repeated", ND_COLUMN_U64, TABLE(site_repeated), 0, NULL, false},
    {"/sites/repeats_all", ND_COLUMN_U8, TABLE(sites), 0, NULL, false},
    {"/sources/path_offset", ND_COLUMN_U64, TABLE(sources), 1, "/sources/path_bytes", false},
    {"/sources/bytes", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/collection", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/records", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/pages", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/other", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/skipped", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/sources/checksum", ND_COLUMN_U64, TABLE(sources), 0, NULL, false},
    {"/collections/name_offset", ND_COLUMN_U64, TABLE(collections), 1, "/collections/name_bytes",
     false},
    {"/skipped/reason_offset", ND_COLUMN_U64, TABLE(skipped), 1, "/skipped/reason_bytes", false},
    {"/skipped/source", ND_COLUMN_U64, TABLE(skipped), 0, NULL, false},
    {"/skipped/offset", ND_COLUMN_U64, TABLE(skipped), 0, NULL, false},
    {"/other/reason_offset", ND_COLUMN_U64, TABLE(other), 1, "/other/reason_bytes", false},
    {"/other/source", ND_COLUMN_U64, TABLE(other), 0, NULL, false},
    {"/other/records", ND_COLUMN_U64, TABLE(other), 0, NULL, false},
    {"/stages/name_offset", ND_COLUMN_U64, TABLE(stages), 1, "/stages/name_bytes", false},
    {"/stages/items", ND_COLUMN_U64, TABLE(stages), 0, NULL, false},
    {"/stages/seconds_min", ND_COLUMN_F64, TABLE(stages), 0, NULL, false},
    {"/stages/seconds_mean", ND_COLUMN_F64, TABLE(stages), 0, NULL, false},
    {"/stages/seconds_max", ND_COLUMN_F64, TABLE(stages), 0, NULL, false},
    {"/stages/waiting_mean", ND_COLUMN_F64, TABLE(stages), 0, NULL, false},
    {"/stages/waiting_max", ND_COLUMN_F64, TABLE(stages), 0, NULL, false},
    {"/stages/bytes_exchanged", ND_COLUMN_U64, TABLE(stages), 0, NULL, false},
    {"/stages/bytes_written", ND_COLUMN_U64, TABLE(stages), 0, NULL, false},
    {"/stages/bytes_read", ND_COLUMN_U64, TABLE(stages), 0, NULL, false},
    {"/stages/peak_memory", ND_COLUMN_U64, TABLE(stages), 0, NULL, false},
    {"/pairs/a", ND_COLUMN_U64, TABLE(pairs), 0, NULL, false},
    {"/pairs/b", ND_COLUMN_U64, TABLE(pairs), 0, NULL, false},
    {"/pairs/similarity", ND_COLUMN_F32, TABLE(pairs), 0, NULL, false},
    {"/contained/page", ND_COLUMN_U64, TABLE(contained), 0, NULL, false},
    {"/contained/container", ND_COLUMN_U64, TABLE(contained), 0, NULL, false},
    {"/contained/share", ND_COLUMN_F32, TABLE(contained), 0, NULL, false},
};

enum { COLUMNS = sizeof schema / sizeof schema[0] };

/* The rows of a table are not known before one of its columns is looked at. */
static const uint64_t UNKNOWN = UINT64_MAX;

const char *const nd_result_groups[] = {"/pages", "/sets",   "/sites",       "/sources", "/skipped",
                                        "/other", "/stages", "/collections", NULL};

const nd_schema_column *nd_result_schema(size_t *count) {
    *count = COLUMNS;
    return schema;
}

bool nd_result_lacks(const nd_result *result, const nd_schema_column *column) {
    return column->optional && !nd_result_has(result, column->name);
}

nd_status nd_result_damaged(const nd_result *result, const char *format, ...) {
    char text[ND_FAIL_TEXT_SIZE];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return nd_fail(ND_ERR_FORMAT, "%s: %s: damaged, or not written by neardup", result->path, text);
}

static nd_status broken(const nd_result *result, const char *name, const char *what) {
    return nd_result_damaged(result, "%s: %s", name, what);
}

nd_status nd_result_read_offsets(const nd_result *result, const char *name, uint64_t begin,
                                 uint64_t count, bool strictly, uint64_t end, uint64_t *offsets) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, begin, count + 1, offsets));
    for (uint64_t i = 0; i < count; i++) {
        if (offsets[i] > offsets[i + 1] || (strictly && offsets[i] == offsets[i + 1])) {
            return broken(result, name, "its offsets do not ascend");
        }
    }
    if (offsets[count] > end) {
        st = broken(result, name, "its offsets pass the end of the data");
    }
out:
    return st;
}

/* The first offset is 0 and the last one the number of rows that they point to. */
static nd_status check_ends(const nd_result *result, const char *name, uint64_t rows,
                            uint64_t end) {
    nd_status st = ND_OK;
    uint64_t first = 0;
    uint64_t last = 0;
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, 1, &first));
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, rows - 1, 1, &last));
    if (first != 0 || last != end) {
        st = broken(result, name, "its offsets do not end where the data end");
    }
out:
    return st;
}

static nd_status check_column(nd_result *result, const nd_schema_column *column) {
    nd_status st = ND_OK;
    uint64_t *table = (uint64_t *)(void *)((char *)&result->shape + column->table);
    uint64_t rows = 0;
    uint64_t bytes = 0;
    if (nd_result_lacks(result, column)) {
        return ND_OK;
    }
    ND_TRY(nd_result_rows(result, column->name, column->type, &rows));
    if (rows < column->more || (*table != UNKNOWN && rows - column->more != *table)) {
        return broken(result, column->name, "has another number of rows than its table");
    }
    *table = rows - column->more;
    if (column->bytes != NULL) {
        ND_TRY(nd_result_rows(result, column->bytes, ND_COLUMN_U8, &bytes));
        ND_TRY(check_ends(result, column->name, rows, bytes));
    }
out:
    return st;
}

nd_status nd_result_open(nd_result *result, const char *path) {
    nd_result_shape *shape = &result->shape;
    nd_status st = nd_result_open_file(result, path);
    if (st != ND_OK) {
        return st;
    }
    *shape = (nd_result_shape){.sites = UNKNOWN,
                               .site_templates = UNKNOWN,
                               .site_repeated = UNKNOWN,
                               .sources = UNKNOWN,
                               .collections = UNKNOWN,
                               .skipped = UNKNOWN,
                               .other = UNKNOWN,
                               .stages = UNKNOWN,
                               .pairs = UNKNOWN,
                               .contained = UNKNOWN,
                               .has_pairs = nd_result_has(result, "/pairs"),
                               .has_contained = nd_result_has(result, "/contained")};
    ND_TRY(nd_result_check_version(result));
    ND_TRY(nd_result_get_number(result, "pages", &shape->pages));
    ND_TRY(nd_result_get_number(result, "sets", &shape->sets));
    if (shape->pages == UNKNOWN || shape->sets == UNKNOWN) {
        st = broken(result, "pages, sets", "no such numbers");
        goto out;
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if ((schema[i].table != TABLE(pairs) || shape->has_pairs) &&
            (schema[i].table != TABLE(contained) || shape->has_contained)) {
            ND_TRY(check_column(result, &schema[i]));
        }
    }
    shape->pairs = shape->has_pairs ? shape->pairs : 0;
    shape->contained = shape->has_contained ? shape->contained : 0;
    ND_TRY(check_ends(result, "/sets/offset", shape->sets + 1, shape->pages));
    ND_TRY(check_ends(result, "/sites/template_offset", shape->sites + 1, shape->site_templates));
    ND_TRY(check_ends(result, "/sites/repeated_offset", shape->sites + 1, shape->site_repeated));
out:
    if (st != ND_OK) {
        (void)nd_result_close(result);
    }
    return st;
}

/* ---- parameters */

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

/* ---- read again */

static nd_status not_there(const nd_result *result, const char *what, const char *why) {
    return nd_fail(ND_ERR_IO,
                   "%s: %s is not in the file as it was written (is the disk full?): %.512s",
                   result->path, what, why);
}

/* \param values  room for a chunk */
static nd_status read_column(const nd_result *file, nd_result_note *w, uint64_t part,
                             uint64_t parts, void *values) {
    nd_status st = ND_OK;
    uint64_t rows = 0;
    const size_t size = nd_column_size(w->type);
    const uint64_t step = ND_RESULT_CHUNK_BYTES / size;
    ND_TRY(nd_result_rows(file, w->name, w->type, &rows));
    if (rows != w->rows) {
        return nd_fail(ND_ERR_FORMAT, "%" PRIu64 " rows", rows);
    }
    for (uint64_t row = part * step; row < rows; row += parts * step) {
        const uint64_t count = nd_min(rows - row, step);
        ND_TRY(nd_result_read(file, w->name, w->type, row, count, values));
        w->sum -= nd_result_notes_sum(row * size, values, (size_t)count * size);
    }
out:
    return st;
}

static nd_status read_attribute(const nd_result *file, nd_result_note *w) {
    nd_status st = ND_OK;
    uint64_t number = 0;
    char *text = NULL;
    if (w->what == ND_NOTE_TEXT) {
        ND_TRY(nd_result_get_text(file, w->name, &text));
        w->sum -= nd_result_notes_sum(0, text, strlen(text) + 1);
    } else {
        ND_TRY(nd_result_get_number(file, w->name, &number));
        w->sum -= nd_result_notes_sum(0, &number, sizeof number);
    }
out:
    free(text);
    return st;
}

nd_status nd_result_read_again(nd_result *result, int part, int parts) {
    nd_status st = ND_OK;
    nd_result file = {.file = H5I_INVALID_HID};
    const char *at = "its head";
    void *values = NULL;
    char reason[ND_FAIL_TEXT_SIZE];
    nd_new((char **)&values, ND_RESULT_CHUNK_BYTES, 1);
    ND_TRY(nd_result_open_file(&file, result->path));
    for (size_t i = 0; i < result->notes.count; i++) {
        nd_result_note *w = &result->notes.notes[i];
        /* columns of one chunk are not all in the same part */
        const uint64_t first = ((uint64_t)part + i) % (uint64_t)parts;
        at = w->name;
        ND_TRY(w->what == ND_NOTE_COLUMN ? read_column(&file, w, first, (uint64_t)parts, values)
                                         : read_attribute(&file, w));
    }
out:
    if (st == ND_ERR_FORMAT || st == ND_ERR_IO || st == ND_ERR_INPUT) {
        (void)snprintf(reason, sizeof reason, "%s", nd_fail_text());
        st = not_there(result, at, reason);
    }
    const nd_status closed = nd_result_close(&file);
    free(values);
    return st != ND_OK ? st : closed;
}

nd_status nd_result_written_check(const nd_result *result) {
    const nd_result_notes *notes = &result->notes;
    size_t i = 0;
    while (i < notes->count && notes->notes[i].sum == 0) {
        i++;
    }
    return i == notes->count ? ND_OK : not_there(result, notes->notes[i].name, "other values");
}
