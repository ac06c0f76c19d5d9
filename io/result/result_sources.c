#include "io/result/result_sources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    uint64_t bytes = 0;
    text->size = 0;
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &bytes));
    ND_TRY(nd_result_read_offsets(result, offset_name, row, 1, false, bytes, range));
    const uint64_t size = range[1] - range[0];
    nd_buffer_reserve(text, (size_t)size + 1);
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, range[0], size, text->data));
    text->size = (size_t)size;
    nd_buffer_append(text, "", 1);
out:
    return st;
}

nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_text_read(result, "/sources/path_offset", "/sources/path_bytes", row, name));
    st = nd_result_check_name(result, "/sources/path_bytes", row,
                              (nd_span){name->data, name->size - 1});
out:
    return st;
}

/* Say for which page an input is wanted, after what nd_fail_text() says of it. */
static nd_status refuse(const nd_result *result, uint64_t page) {
    nd_status st = ND_ERR_CHANGED;
    nd_page_rows rows = {0};
    char why[ND_FAIL_TEXT_SIZE];
    if (page == ND_NO_PAGE) {
        return st;
    }
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    ND_TRY(nd_page_rows_read(result, page, 1, &rows));
    (void)nd_fail(ND_ERR_CHANGED, "%s", why);
    st =
        nd_reread_refuse(result->path, page, nd_page_rows_id(&rows, 0), nd_page_rows_url(&rows, 0));
out:
    nd_page_rows_free(&rows);
    return st;
}

nd_status nd_result_refuse(const nd_result *result, const char *path, uint64_t page,
                           const char *why) {
    (void)nd_fail(ND_ERR_CHANGED, "%s: %s", path, why);
    return refuse(result, page);
}

nd_status nd_result_refuse_record(const nd_result *result, const char *path, uint64_t page,
                                  uint64_t offset) {
    (void)nd_reread_is_another(path, offset);
    return refuse(result, page);
}

nd_status nd_result_source_look(const nd_result *result, nd_span name, uint64_t bytes,
                                uint64_t page, nd_buffer *path, struct stat *info) {
    const nd_status st = nd_reread_look(result->path, name, bytes, path, info);
    return st == ND_ERR_CHANGED ? refuse(result, page) : st;
}

/* ---- the records of pages */

nd_status nd_source_reader_begin(nd_source_reader *reader, const nd_result *result,
                                 const nd_reader_options *options) {
    nd_status st = ND_OK;
    char *text = NULL;
    *reader = (nd_source_reader){.result = result};
    nd_reread_begin(&reader->from, result->path, options);
    reader->from.options.revisits =
        nd_result_has(result, "/pages/revisit_of"); /* else they were no pages */
    ND_TRY(nd_result_find_text(result, "jsonl", &text));
    ND_TRY(nd_reread_fields_open(&reader->fields, result->path, text));
    ND_TRY(nd_reread_fields_check(&reader->fields, result->path, options));
out:
    free(text);
    return st;
}

nd_status nd_source_reader_page(nd_source_reader *reader, const nd_page_rows *rows, uint64_t i) {
    nd_status st = ND_OK;
    const nd_result *result = reader->result;
    const uint32_t source = rows->source[i];
    nd_reread_page wanted = {.page = rows->begin + i,
                             .source = source,
                             .offset = rows->offset[i],
                             .checksum = rows->checksum[i],
                             .id = nd_page_rows_id(rows, i),
                             .url = nd_page_rows_url(rows, i)};
    if (nd_reread_opens(&reader->from, source, wanted.page)) {
        ND_TRY(nd_result_source_name(result, source, &reader->name));
        ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, source, 1, &wanted.bytes));
        wanted.name = (nd_span){reader->name.data, reader->name.size - 1};
        nd_reread_fields_set(&reader->fields, source, &reader->from.options);
    }
    st = nd_reread_record(&reader->from, &wanted);
    st = st == ND_ERR_CHANGED ? nd_reread_refuse(result->path, wanted.page, wanted.id, wanted.url)
                              : st;
out:
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
    return nd_result_refuse(reader->result, (const char *)reader->from.path.data, rows->begin + i,
                            why);
}

void nd_source_reader_close(nd_source_reader *reader) {
    nd_reread_close(&reader->from);
    nd_reread_fields_close(&reader->fields);
    nd_buffer_free(&reader->name);
    *reader = (nd_source_reader){0};
}

nd_status nd_result_others(const nd_result *result, uint64_t *others) {
    nd_status st = ND_OK;
    nd_text_column reasons = {0};
    uint64_t *records = NULL;
    memset(others, 0, ND_OTHERS * sizeof *others);
    if (!nd_result_has(result, "/other")) {
        return ND_OK;
    }
    ND_TRY(nd_text_column_read(result, "/other/reason_offset", "/other/reason_bytes", &reasons));
    nd_new(&records, reasons.count, sizeof *records);
    ND_TRY(nd_result_read(result, "/other/records", ND_COLUMN_U64, 0, reasons.count, records));
    for (uint64_t i = 0; i < reasons.count; i++) {
        const nd_span reason = nd_text_column_at(&reasons, i);
        for (int r = 0; r < ND_OTHERS; r++) {
            const char *text = nd_other_reason_text((nd_other_reason)r);
            if (strlen(text) == reason.size && memcmp(text, reason.data, reason.size) == 0) {
                others[r] += records[i];
            }
        }
    }
out:
    free(records);
    nd_text_column_free(&reasons);
    return st;
}
