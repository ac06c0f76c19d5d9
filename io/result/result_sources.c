#include "io/result/result_sources.h"

#include "io/store/foreign_file.h"
#include "src/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    uint64_t bytes = 0;
    text->size = 0;
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &bytes));
    ND_TRY(nd_result_read_offsets(result, offset_name, row, 1, false, bytes, range));
    const uint64_t size = range[1] - range[0];
    ND_TRY(nd_buffer_reserve(text, (size_t)size + 1));
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, range[0], size, text->data));
    text->size = (size_t)size;
    ND_TRY(nd_buffer_append(text, "", 1));
out:
    return st;
}

nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name) {
    return nd_result_text_read(result, "/sources/path_offset", "/sources/path_bytes", row, name);
}

static bool is_there(const nd_buffer *path) {
    return nd_foreign_file_check((const char *)path->data) == ND_OK;
}

/* The path by which a source can be opened, NUL included. Where it is neither as the run had it nor
 * from the folder of the result it is the name: opening it says so. */
static nd_status find_path(const nd_result *result, nd_span name, nd_buffer *path) {
    nd_status st = ND_OK;
    nd_buffer beside = {0};
    const char *slash = strrchr(result->path, '/');
    path->size = 0;
    ND_TRY(nd_buffer_append(path, name.data, name.size));
    ND_TRY(nd_buffer_append(path, "", 1));
    if (slash == NULL || path->data[0] == '/' || is_there(path)) {
        goto out;
    }
    ND_TRY(nd_buffer_append(&beside, result->path, (size_t)(slash + 1 - result->path)));
    ND_TRY(nd_buffer_append(&beside, path->data, path->size));
    if (is_there(&beside)) {
        const nd_buffer swap = *path;
        *path = beside;
        beside = swap;
    }
out:
    nd_buffer_free(&beside);
    return st;
}

nd_status nd_result_refuse(const nd_result *result, const char *path, uint64_t page,
                           const char *why) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    if (page == ND_NO_PAGE) {
        return nd_fail(ND_ERR_CHANGED, "%s: %s", path, why);
    }
    ND_TRY(nd_page_rows_read(result, page, 1, &rows));
    const nd_span url = nd_page_rows_url(&rows, 0);
    const nd_span name = url.size > 0 ? url : nd_page_rows_id(&rows, 0);
    st = nd_fail(ND_ERR_CHANGED, "%s: %s; needed for page %" PRIu64 " of %s%s%.*s", path, why, page,
                 result->path, name.size > 0 ? ", " : "", (int)nd_min(name.size, 200),
                 (const char *)name.data);
out:
    nd_page_rows_free(&rows);
    return st;
}

nd_status nd_result_refuse_record(const nd_result *result, const char *path, uint64_t page,
                                  uint64_t offset) {
    char why[200];
    (void)snprintf(why, sizeof why,
                   "has changed since the run (another record is at byte %" PRIu64
                   "): partition it again",
                   offset);
    return nd_result_refuse(result, path, page, why);
}

nd_status nd_result_source_look(const nd_result *result, nd_span name, uint64_t bytes,
                                uint64_t page, nd_buffer *path, struct stat *info) {
    nd_status st = ND_OK;
    int descriptor = -1;
    char why[ND_FAIL_TEXT_SIZE];
    ND_TRY(find_path(result, name, path));
    const char *text = (const char *)path->data;
    if (strcmp(text, "-") == 0) {
        return nd_result_refuse(result, text, page,
                                "was standard input, which cannot be read again: partition a file");
    }
    st = nd_foreign_file_open(text, &descriptor, info);
    if (st == ND_ERR_INPUT) {
        const char *said = nd_fail_text();
        const size_t size = strlen(text);
        (void)snprintf(why, sizeof why,
                       "%s (relative names are of the folder of the run, or of the result)",
                       strncmp(said, text, size) == 0 ? said + size + 2 : said);
        return nd_result_refuse(result, text, page, why);
    }
    ND_TRY(st);
    (void)close(descriptor);
    if ((uint64_t)info->st_size != bytes) {
        (void)snprintf(why, sizeof why,
                       "has changed since the run (%" PRIu64 " bytes then, %" PRIu64
                       " now): partition it again",
                       bytes, (uint64_t)info->st_size);
        st = nd_result_refuse(result, text, page, why);
    }
out:
    return st;
}

/* ---- the records of pages */

void nd_source_reader_begin(nd_source_reader *reader, const nd_result *result,
                            const nd_reader_options *options) {
    *reader = (nd_source_reader){.result = result, .options = options, .page = ND_NO_PAGE};
}

/* Open the source of a page, at the page or, where it cannot be entered there, from its beginning:
 * likewise for pages that are asked for one after the other, as the run has read them. */
static nd_status open_source(nd_source_reader *r, const nd_page_rows *rows, uint64_t i) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    struct stat info;
    uint64_t bytes = 0;
    nd_reader_options options = *r->options;
    const uint64_t page = rows->begin + i;
    const bool in_order = page == r->page + 1;
    const nd_span url = nd_page_rows_url(rows, i);
    options.revisits = nd_result_has(r->result, "/pages/revisit_of"); /* else they were no pages */
    nd_reader_close(&r->reader);
    ND_TRY(nd_result_source_name(r->result, rows->source[i], &r->name));
    ND_TRY(nd_result_read(r->result, "/sources/bytes", ND_COLUMN_U64, rows->source[i], 1, &bytes));
    ND_TRY(nd_result_source_look(r->result, (nd_span){r->name.data, r->name.size - 1}, bytes, page,
                                 &r->path, &info));
    const char *path = (const char *)r->path.data;
    ND_TRY(nd_source_look(path, &shape));
    r->url.size = 0;
    ND_TRY(nd_buffer_append(&r->url, url.data, url.size));
    ND_TRY(nd_buffer_append(&r->url, "", 1));
    ND_TRY(nd_reader_open(path, (const char *)r->url.data,
                          shape.splittable && !in_order ? rows->offset[i] : 0, shape.bytes,
                          &options, &r->reader));
    r->splittable = shape.splittable;
    r->bytes = shape.bytes;
    r->source = rows->source[i];
out:
    return st;
}

static bool is_same(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

nd_status nd_source_reader_page(nd_source_reader *reader, const nd_page_rows *rows, uint64_t i) {
    nd_status st = ND_OK;
    nd_source_reader *r = reader;
    nd_record *record = &r->record;
    const uint64_t page = rows->begin + i;
    const uint64_t offset = rows->offset[i];
    bool named = true;
    bool found = r->reader != NULL && r->page == page;
    if (found) {
        return ND_OK;
    }
    if (r->reader == NULL || r->source != rows->source[i] || (!r->splittable && r->page > page)) {
        ND_TRY(open_source(r, rows, i));
    } else if (r->splittable && page != r->page + 1) {
        ND_TRY(nd_reader_move(r->reader, offset, r->bytes));
    }
    do { /* what the run could not use is passed over again */
        st = nd_reader_next(r->reader, record);
        if (st == ND_OK && record->offset == offset &&
            (rows->checksum[i] == 0 || rows->checksum[i] == record->checksum)) {
            named = is_same(record->id, nd_page_rows_id(rows, i)) &&
                    is_same(record->url, nd_page_rows_url(rows, i));
            found = named;
        }
    } while (st == ND_OK && !found && record->offset <= offset);
    if (st == ND_ERR_INPUT) {
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why, "%s", nd_fail_text());
        st = nd_result_refuse(r->result, (const char *)r->path.data, page, why);
    } else if (!found && (st == ND_OK || st == ND_END)) {
        st = named ? nd_result_refuse_record(r->result, (const char *)r->path.data, page, offset)
                   : nd_result_refuse(r->result, (const char *)r->path.data, page,
                                      "no page of that name is in the record: give the --jsonl "
                                      "options of the run");
    }
    ND_TRY(st);
    r->page = page;
out:
    if (st != ND_OK) {
        nd_reader_close(&r->reader);
    }
    return st;
}

nd_status nd_source_reader_check_tokens(const nd_source_reader *reader, const nd_page_rows *rows,
                                        uint64_t i, uint64_t tokens) {
    char why[200];
    if (tokens == rows->tokens[i]) {
        return ND_OK;
    }
    (void)snprintf(why, sizeof why,
                   "the page at byte %" PRIu64 " has %" PRIu64 " tokens, and had %" PRIu32
                   " in the run: it has changed, or the --jsonl options are others",
                   rows->offset[i], tokens, rows->tokens[i]);
    return nd_result_refuse(reader->result, (const char *)reader->path.data, rows->begin + i, why);
}

void nd_source_reader_close(nd_source_reader *reader) {
    nd_reader_close(&reader->reader);
    nd_buffer_free(&reader->name);
    nd_buffer_free(&reader->path);
    nd_buffer_free(&reader->url);
    *reader = (nd_source_reader){0};
}
