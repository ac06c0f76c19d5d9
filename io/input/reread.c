#include "io/input/reread.h"

#include "io/store/foreign_file.h"
#include "io/store/json_add.h"
#include "io/store/own_file.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const nd_buffer *path) {
    return nd_foreign_file_check((const char *)path->data) == ND_OK;
}

/* The path by which an input can be opened, NUL included. Where it is neither as the run had it nor
 * from the folder of what names it, it is the name: opening it says so. */
static nd_status find_path(const char *named_by, nd_span name, nd_buffer *path) {
    nd_buffer beside = {0};
    size_t folder = strlen(named_by); /* bytes of it, the slash included */
    while (folder > 0 && named_by[folder - 1] == '/') {
        folder--; /* of a folder that is named as one */
    }
    while (folder > 0 && named_by[folder - 1] != '/') {
        folder--;
    }
    path->size = 0;
    if (name.size == 0 || memchr(name.data, '\0', name.size) != NULL) {
        return nd_fail(ND_ERR_FORMAT, "%s: names an input that no file can be called: damaged",
                       named_by);
    }
    nd_buffer_append(path, name.data, name.size);
    nd_buffer_append(path, "", 1);
    if (folder == 0 || path->data[0] == '/' || is_there(path)) {
        goto out;
    }
    nd_buffer_append(&beside, named_by, folder);
    nd_buffer_append(&beside, path->data, path->size);
    if (is_there(&beside)) {
        const nd_buffer swap = *path;
        *path = beside;
        beside = swap;
    }
out:
    nd_buffer_free(&beside);
    return ND_OK;
}

nd_status nd_reread_refuse(const char *named_by, uint64_t page, nd_span id, nd_span url) {
    char why[ND_FAIL_TEXT_SIZE];
    const nd_span name = url.size > 0 ? url : id;
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    return nd_fail(ND_ERR_CHANGED, "%s; needed for page %" PRIu64 " of %s%s%.*s", why, page,
                   named_by, name.size > 0 ? ", " : "", (int)nd_min(name.size, 200),
                   (const char *)name.data);
}

nd_status nd_reread_is_another(const char *path, uint64_t offset) {
    return nd_fail(ND_ERR_CHANGED,
                   "%s: has changed since the run (another record is at byte %" PRIu64
                   "): partition it again",
                   path, offset);
}

nd_status nd_reread_look(const char *named_by, nd_span name, uint64_t bytes, nd_buffer *path,
                         struct stat *info) {
    nd_status st = ND_OK;
    int descriptor = -1;
    ND_TRY(find_path(named_by, name, path));
    const char *text = (const char *)path->data;
    if (strcmp(text, "-") == 0) {
        return nd_fail(ND_ERR_CHANGED,
                       "-: was standard input, which cannot be read again: partition a file");
    }
    st = nd_foreign_file_open(text, &descriptor, info);
    if (st == ND_ERR_INPUT) {
        char said[ND_FAIL_TEXT_SIZE];
        const size_t size = strlen(text);
        (void)snprintf(said, sizeof said, "%s", nd_fail_text());
        return nd_fail(ND_ERR_CHANGED,
                       "%s: %s (relative names are of the folder of the run, or of %s)", text,
                       strncmp(said, text, size) == 0 ? said + size + 2 : said, named_by);
    }
    ND_TRY(st);
    (void)close(descriptor);
    if ((uint64_t)info->st_size != bytes) {
        st = nd_fail(ND_ERR_CHANGED,
                     "%s: has changed since the run (%" PRIu64 " bytes then, %" PRIu64
                     " now): partition it again",
                     text, bytes, (uint64_t)info->st_size);
    }
out:
    return st;
}

/* ---- fields of JSON lines */

/* The options by which fields are named, and what they are called in the text. */
static const struct {
    const char *name;
    size_t offset; /* of a const char * in nd_reader_options */
} field_rows[] = {{"id", offsetof(nd_reader_options, jsonl_id)},
                  {"url", offsetof(nd_reader_options, jsonl_url)},
                  {"text", offsetof(nd_reader_options, jsonl_text)},
                  {"html", offsetof(nd_reader_options, jsonl_html)},
                  {"date", offsetof(nd_reader_options, jsonl_date)}};

enum { FIELDS = sizeof field_rows / sizeof field_rows[0] };

static const char **option_of(nd_reader_options *options, int field) {
    return (const char **)(void *)((char *)options + field_rows[field].offset);
}

/* The name of a field in an entry; NULL if it has none. */
static const char *name_in(struct json_object *entry, int field) {
    struct json_object *name = NULL;
    (void)json_object_object_get_ex(entry, field_rows[field].name, &name);
    return json_object_is_type(name, json_type_string) ? json_object_get_string(name) : NULL;
}

static uint64_t first_source_of(struct json_object *entry) {
    struct json_object *first = NULL;
    return json_object_object_get_ex(entry, "first_source", &first) &&
                   json_object_is_type(first, json_type_int)
               ? json_object_get_uint64(first)
               : UINT64_MAX;
}

static size_t entry_count(const nd_reread_fields *fields) {
    return fields->list != NULL ? json_object_array_length(fields->list) : 0;
}

/* The text again, after a change. */
static nd_status print_fields(nd_reread_fields *fields) {
    const char *text = json_object_to_json_string_ext(
        fields->list, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    free(fields->text);
    fields->text = NULL;
    if (text == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: fields of JSON lines");
    }
    fields->text = nd_text_copy(text);
    return ND_OK;
}

nd_status nd_reread_fields_open(nd_reread_fields *fields, const char *named_by, const char *text) {
    uint64_t after = 0; /* the last entry's first source and one more */
    *fields = (nd_reread_fields){.text = NULL};
    if (text == NULL) {
        return ND_OK;
    }
    fields->list = json_tokener_parse(text);
    bool good = json_object_is_type(fields->list, json_type_array);
    for (size_t i = 0; good && i < entry_count(fields); i++) {
        struct json_object *entry = json_object_array_get_idx(fields->list, i);
        const uint64_t first = first_source_of(entry);
        good = first >= after && first < UINT64_MAX;
        after = first + 1;
        for (int f = 0; f < FIELDS && good; f++) { /* a date need not be asked for */
            good = name_in(entry, f) != NULL || f == FIELDS - 1;
        }
    }
    return good ? print_fields(fields)
                : nd_fail(ND_ERR_FORMAT, "%s: jsonl: %.100s: damaged, or not written by neardup",
                          named_by, text);
}

nd_status nd_reread_fields_add(nd_reread_fields *fields, uint64_t first_source,
                               const nd_reader_options *options) {
    const nd_jsonl_names n = nd_reader_jsonl_names(options);
    const char *const names[FIELDS] = {n.id, n.url, n.text, n.html, n.date};
    struct json_object *entry = json_object_new_object();
    bool added = nd_json_add(entry, "first_source", json_object_new_uint64(first_source));
    for (int f = 0; f < FIELDS && added; f++) {
        added = names[f] == NULL ||
                nd_json_add(entry, field_rows[f].name, json_object_new_string(names[f]));
    }
    if (fields->list == NULL) {
        fields->list = json_object_new_array();
    }
    if (!added || fields->list == NULL || json_object_array_add(fields->list, entry) != 0) {
        (void)json_object_put(entry);
        return nd_fail(ND_ERR_MEMORY, "out of memory: fields of JSON lines");
    }
    return print_fields(fields);
}

void nd_reread_fields_set(const nd_reread_fields *fields, uint64_t source,
                          nd_reader_options *options) {
    struct json_object *entry = NULL;
    for (size_t i = 0; i < entry_count(fields); i++) {
        struct json_object *next = json_object_array_get_idx(fields->list, i);
        entry = first_source_of(next) <= source ? next : entry;
    }
    for (int f = 0; f < FIELDS && entry != NULL; f++) {
        *option_of(options, f) = name_in(entry, f);
    }
}

nd_status nd_reread_fields_check(const nd_reread_fields *fields, const char *named_by,
                                 const nd_reader_options *given) {
    nd_reader_options options = *given;
    const size_t count = entry_count(fields);
    if (count == 0 || first_source_of(json_object_array_get_idx(fields->list, 0)) > 0) {
        return ND_OK; /* of some inputs it is not known */
    }
    for (int f = 0; f < FIELDS; f++) {
        const char *name = *option_of(&options, f);
        const char *used = NULL;
        bool found = name == NULL;
        for (size_t i = 0; i < count && !found; i++) {
            used = name_in(json_object_array_get_idx(fields->list, i), f);
            found = used != NULL && strcmp(used, name) == 0;
        }
        if (!found) {
            return nd_fail(ND_ERR_USAGE,
                           "--jsonl-%s %s: %s says that the run read %s: leave the option out, the "
                           "fields of the run are used without it",
                           field_rows[f].name, name, named_by, used != NULL ? used : "none");
        }
    }
    return ND_OK;
}

void nd_reread_fields_close(nd_reread_fields *fields) {
    free(fields->text);
    (void)json_object_put(fields->list);
    *fields = (nd_reread_fields){.text = NULL};
}

/* ---- the records of pages */

void nd_reread_begin(nd_reread *reread, const char *named_by, const nd_reader_options *options) {
    *reread = (nd_reread){.named_by = named_by, .options = *options, .page = UINT64_MAX};
}

bool nd_reread_opens(const nd_reread *reread, uint32_t source, uint64_t page) {
    return reread->reader == NULL || reread->source != source ||
           (!reread->splittable && reread->page > page);
}

/* Open the input of a page, at the page or, where it cannot be entered there, from its beginning:
 * likewise for pages that are asked for one after the other, as the run has read them. */
static nd_status open_source(nd_reread *r, const nd_reread_page *wanted) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    struct stat info;
    const bool in_order = wanted->page == r->page + 1;
    nd_reader_close(&r->reader);
    ND_TRY(nd_reread_look(r->named_by, wanted->name, wanted->bytes, &r->path, &info));
    const char *path = (const char *)r->path.data;
    ND_TRY(nd_source_look(path, &r->options, &shape));
    r->url.size = 0;
    nd_buffer_append(&r->url, wanted->url.data, wanted->url.size);
    nd_buffer_append(&r->url, "", 1);
    ND_TRY(nd_reader_open(path, (const char *)r->url.data,
                          shape.splittable && !in_order ? wanted->offset : 0, shape.bytes,
                          &r->options, &r->reader));
    r->splittable = shape.splittable;
    r->bytes = shape.bytes;
    r->source = wanted->source;
out:
    return st;
}

nd_status nd_reread_record(nd_reread *reread, const nd_reread_page *wanted) {
    nd_status st = ND_OK;
    nd_reread *r = reread;
    nd_record *record = &r->record;
    const uint64_t offset = wanted->offset;
    bool named = true;
    bool found = false;
    if (r->reader != NULL && r->page == wanted->page) {
        return ND_OK;
    }
    if (nd_reread_opens(r, wanted->source, wanted->page)) {
        ND_TRY(open_source(r, wanted));
    } else if (r->splittable && wanted->page != r->page + 1) {
        ND_TRY(nd_reader_move(r->reader, offset, r->bytes));
    }
    do { /* what the run could not use is passed over again */
        st = nd_reader_next(r->reader, record);
        if (st == ND_OK && record->offset == offset &&
            (wanted->checksum == 0 || wanted->checksum == record->checksum)) {
            named = nd_span_is_equal(record->id, wanted->id) &&
                    nd_span_is_equal(record->url, wanted->url);
            found = named;
        }
    } while (st == ND_OK && !found && record->offset <= offset);
    const char *path = (const char *)r->path.data;
    if (st == ND_ERR_INPUT) {
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why, "%s", nd_fail_text());
        st = nd_fail(ND_ERR_CHANGED, "%s: %s", path, why);
    } else if (!found && (st == ND_OK || st == ND_END)) {
        st = named ? nd_reread_is_another(path, offset)
                   : nd_fail(ND_ERR_CHANGED,
                             "%s: no page of that name is in the record: give the --jsonl options "
                             "of the run",
                             path);
    }
    ND_TRY(st);
    r->page = wanted->page;
out:
    if (st != ND_OK) {
        nd_reader_close(&r->reader);
    }
    return st;
}

void nd_reread_close(nd_reread *reread) {
    nd_reader_close(&reread->reader);
    nd_buffer_free(&reread->path);
    nd_buffer_free(&reread->url);
    *reread = (nd_reread){0};
}
