#include "mpi/cmd/look/cdxj_lines.h"

#include "io/input/fields.h"
#include "io/input/http.h"
#include "io/input/records.h"
#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/text/surt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

/* A line whose record has begun: how long that is shows where the next one begins. */
typedef struct open_line {
    json_object *object;
    nd_buffer url;
    uint64_t date;
} open_line;

/* The archive that is walked over beside the pages. */
typedef struct archive {
    nd_page_table *table;
    nd_line_sort *lines;
    uint32_t source; /* UINT32_MAX: before the first */
    nd_walk *walk;   /* NULL: the source is none, or cannot be read any further */
    nd_buffer path;
    uint64_t begin;  /* of the record that was met last */
    open_line *open; /* of it: several where one member holds several */
    size_t count, capacity;
    uint64_t unread;
} archive;

/* ---- lines */

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
    nd_buffer_append_text(&line, digits);
    const nd_span text = {(const uint8_t *)json, strlen(json)};
    const size_t room = text.size * ND_PRINTABLE_GROWTH + 1;
    nd_buffer_reserve(&line, room);
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

/* Numbers of an index of this kind are texts. */
static nd_status add_digits(json_object *row, const char *name, uint64_t number) {
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, number);
    return nd_json_add_words(row, name, digits);
}

/* All lines that are open are complete. \param[in] end  where the next record begins; 0: unknown */
static nd_status close_lines(archive *a, uint64_t end) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < a->count; i++) {
        open_line *line = &a->open[i];
        if (st == ND_OK && end > a->begin) {
            st = add_digits(line->object, "length", end - a->begin);
        }
        st = st == ND_OK
                 ? nd_cdxj_line_add(a->lines, nd_buffer_span(&line->url), line->date, line->object)
                 : st;
        (void)json_object_put(line->object);
        nd_buffer_free(&line->url);
    }
    a->count = 0;
    return st;
}

/* What the record says of its capture. */
static nd_status add_capture(json_object *row, const nd_walked *record, bool revisit) {
    nd_status st = ND_OK;
    nd_http_response response;
    const bool http = nd_http_parse(record->block, &response);
    const nd_span type = nd_fields_media_type(http ? response.content_type : record->type);
    if (revisit) {
        ND_TRY(nd_json_add_words(row, "mime", "warc/revisit"));
    } else if (nd_fields_is_media_type(type)) {
        ND_TRY(nd_json_add_text(row, "mime", type));
    }
    ND_TRY(http ? add_digits(row, "status", response.status) : ND_OK);
    ND_TRY(record->digest.size > 0 ? nd_json_add_text(row, "digest", record->digest) : ND_OK);
out:
    return st;
}

/* Open the line of the i-th page of the block. \param[in] record  NULL: it was not read */
static nd_status open_page(archive *a, uint64_t i, const nd_walked *record) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &a->table->rows;
    const char *reason = nd_page_table_reason(a->table, i);
    const bool revisit = r->revisit_of[i] != ND_NO_REVISIT;
    nd_span id, url;
    json_object *row = json_object_new_object();
    const uint64_t kept = nd_page_table_kept(a->table, i, &id, &url);
    const nd_span own = nd_page_rows_url(r, i);
    nd_grow(&a->open, &a->capacity, a->count + 1, sizeof *a->open);
    ND_TRY(nd_json_add_text(row, "url", own));
    if (record != NULL) {
        ND_TRY(add_capture(row, record, revisit));
    } else if (revisit) {
        ND_TRY(nd_json_add_words(row, "mime", "warc/revisit"));
    }
    ND_TRY(nd_json_add_text(row, "filename", nd_text_column_at(&a->table->sources, r->source[i])));
    ND_TRY(add_digits(row, "offset", r->offset[i]));
    nd_json_add_number(row, "page", r->begin + i);
    nd_json_add_number(row, "set", r->set[i]);
    nd_json_add_real(row, "similarity", (double)r->similarity[i], ND_PAGE_TABLE_DIGITS);
    nd_json_add_number(row, "kept", kept);
    ND_TRY(nd_json_add_text(row, "kept_id", id));
    ND_TRY(nd_json_add_text(row, "kept_url", url));
    ND_TRY(*reason != '\0' ? nd_json_add_words(row, "reason", reason) : ND_OK);
    a->open[a->count] = (open_line){.object = row, .date = r->date[i]};
    nd_buffer_append(&a->open[a->count].url, own.data, own.size);
    a->count++;
    row = NULL;
out:
    (void)json_object_put(row);
    return st;
}

/* ---- archives */

/* The archive cannot be read, or is not what it was: said once. */
static nd_status give_up(archive *a, nd_status why) {
    if (why == ND_ERR_MEMORY) {
        return why;
    }
    nd_print_line(
        stderr,
        "neardup export: %s; rows of this file, from here on, are without digest, length, "
        "status and mime",
        nd_fail_text());
    a->unread++;
    nd_walk_close(&a->walk);
    return close_lines(a, 0);
}

/* The last page of an archive was met: what comes after its record? */
static nd_status end_archive(archive *a) {
    nd_status st = ND_OK;
    nd_walked next;
    uint64_t end = a->begin;
    while (a->walk != NULL && a->count > 0 && st == ND_OK && end == a->begin) {
        st = nd_walk_next(a->walk, UINT64_MAX, &next);
        end = st == ND_OK ? next.begin : st == ND_END ? nd_walk_end(a->walk) : a->begin;
    }
    ND_TRY(st == ND_OK || st == ND_END ? close_lines(a, end) : give_up(a, st));
out:
    nd_walk_close(&a->walk);
    return st;
}

/* Places in what is packed as a whole are of no use in an index, and other sources are no archives.
 */
static nd_status begin_archive(archive *a, uint32_t source) {
    nd_status st = ND_OK;
    uint64_t bytes = 0;
    struct stat info;
    const nd_reader_options usual = {0};
    const nd_result *result = &a->table->result;
    a->source = source;
    a->begin = UINT64_MAX;
    ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, source, 1, &bytes));
    st = nd_result_source_look(result, nd_text_column_at(&a->table->sources, source), bytes,
                               ND_NO_PAGE, &a->path, &info);
    st = st == ND_OK ? nd_walk_open((const char *)a->path.data, &usual, &a->walk) : st;
    if (st != ND_OK) {
        st = give_up(a, st);
    } else if (!nd_walk_is_archive(a->walk) || nd_walk_form_of(a->walk) != ND_WALK_RAW) {
        nd_walk_close(&a->walk);
    }
out:
    return st;
}

/* Walk to the record of the i-th page of the block. */
static nd_status find_record(archive *a, uint64_t i, nd_walked *record) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &a->table->rows;
    bool found = false;
    bool same = true;
    while (!found) {
        st = nd_walk_next(a->walk, r->offset[i], record);
        if (st == ND_END) {
            st = nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since the run: it ends before its last page",
                         (const char *)a->path.data);
        }
        ND_TRY(st);
        ND_TRY(record->begin != a->begin ? close_lines(a, record->begin) : ND_OK);
        a->begin = record->begin;
        found = record->kind == ND_WALKED_RECORD && record->begin == r->offset[i] &&
                nd_span_is_equal(record->id, nd_page_rows_id(r, i)) &&
                nd_span_is_equal(record->url, nd_page_rows_url(r, i));
    }
    ND_TRY(r->checksum[i] != 0 ? nd_walk_compare(a->walk, record, r->checksum[i], &same) : ND_OK);
    if (!same) {
        st = nd_result_refuse_record(&a->table->result, (const char *)a->path.data, r->begin + i,
                                     r->offset[i]);
    }
out:
    return st;
}

static nd_status take_page(archive *a, uint64_t i, bool wanted) {
    nd_status st = ND_OK;
    nd_walked record = {0};
    if (a->table->rows.source[i] != a->source) {
        ND_TRY(end_archive(a));
        ND_TRY(begin_archive(a, a->table->rows.source[i]));
    }
    bool read = a->walk != NULL;
    if (read) {
        st = find_record(a, i, &record);
        read = st == ND_OK;
        ND_TRY(read ? ND_OK : give_up(a, st));
    }
    ND_TRY(wanted ? open_page(a, i, read ? &record : NULL) : ND_OK);
    ND_TRY(read ? ND_OK : close_lines(a, 0));
out:
    return st;
}

nd_status nd_cdxj_print(nd_page_table *table, nd_page_filter filter, void *context, uint64_t memory,
                        uint64_t *unread) {
    nd_status st = ND_OK;
    archive a = {.table = table, .source = UINT32_MAX};
    ND_TRY(nd_line_sort_open(memory, &a.lines));
    for (uint64_t begin = 0; begin < table->pages; begin += PAGES_AT_ONCE) {
        const uint64_t count = nd_min(table->pages - begin, PAGES_AT_ONCE);
        ND_TRY(nd_page_rows_read(&table->result, begin, count, &table->rows));
        for (uint64_t i = 0; i < count; i++) {
            ND_TRY(take_page(&a, i, filter == NULL || filter(table, i, context)));
        }
    }
    ND_TRY(end_archive(&a));
    ND_TRY(nd_cdxj_lines_print(a.lines, table->to));
out:
    *unread = a.unread;
    for (size_t i = 0; i < a.count; i++) {
        (void)json_object_put(a.open[i].object);
        nd_buffer_free(&a.open[i].url);
    }
    free(a.open);
    nd_walk_close(&a.walk);
    nd_buffer_free(&a.path);
    nd_line_sort_close(&a.lines);
    return st;
}
