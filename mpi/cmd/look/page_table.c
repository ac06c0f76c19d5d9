#include "mpi/cmd/look/page_table.h"

#include "io/input/fields.h"
#include "io/input/http.h"
#include "io/input/records.h"
#include "io/result/result_read.h"
#include "io/store/own_file.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/text/surt.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ==== a line a page */

/* Pages read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

nd_status nd_page_table_open(nd_page_table *table, const char *path, bool jsonl) {
    nd_status st = ND_OK;
    *table = (nd_page_table){.jsonl = jsonl, .to = stdout};
    ND_TRY(nd_result_open(&table->result, path));
    table->pages = table->result.shape.pages;
    table->sets = table->result.shape.sets;
    ND_TRY(nd_source_paths_read(&table->result, &table->sources));
    ND_TRY(nd_collection_names_read(&table->result, &table->collections));
out:
    return st;
}

/* Of the i-th page of the block read last: the page that stands for it, and its names. */
static uint64_t kept_of(const nd_page_table *table, uint64_t i, nd_span *id, nd_span *url) {
    const uint64_t kept = table->kept[table->rows.begin + i];
    if (kept == table->rows.begin + i) {
        *id = nd_page_rows_id(&table->rows, i);
        *url = nd_page_rows_url(&table->rows, i);
    } else {
        nd_page_names_get(&table->names, kept, id, url);
    }
    return kept;
}

/* Why; "" of a page that is kept. */
static const char *reason_of(const nd_page_table *table, uint64_t i) {
    return nd_keep_reason_name((nd_keep_reason)table->reasons[table->rows.begin + i]);
}

static void print_row(const nd_page_table *table, uint64_t i) {
    const nd_page_rows *r = &table->rows;
    nd_row row = nd_row_begin(table->to, table->jsonl);
    nd_row_number(&row, "page", r->begin + i);
    nd_row_text(&row, "id", nd_page_rows_id(r, i));
    nd_row_text(&row, "url", nd_page_rows_url(r, i));
    nd_row_text(&row, "collection", nd_text_column_at(&table->collections, r->collection[i]));
    nd_row_number(&row, "set", r->set[i]);
    nd_row_similarity(&row, "similarity", r->similarity[i]);
    nd_row_number(&row, "representative", table->representatives[r->set[i]]);
    nd_row_number(&row, "link", r->link[i]);
    nd_row_similarity(&row, "link_similarity", r->link_similarity[i]);
    if (r->exact_of[i] != r->begin + i) {
        nd_row_number(&row, "exact_of", r->exact_of[i]);
    } else {
        nd_row_nothing(&row);
    }
    if (r->revisit_of[i] != ND_NO_REVISIT && table->jsonl) {
        nd_row_number(&row, "revisit_of", r->revisit_of[i]);
    }
    nd_row_text(&row, "source", nd_text_column_at(&table->sources, r->source[i]));
    nd_row_number(&row, "offset", r->offset[i]);
    if (table->names_kept) {
        nd_span id, url;
        const char *reason = reason_of(table, i);
        nd_row_number(&row, "kept", kept_of(table, i, &id, &url));
        nd_row_text(&row, "kept_id", id);
        nd_row_text(&row, "kept_url", url);
        if (*reason != '\0') {
            nd_row_text(&row, "reason", nd_span_of(reason));
        } else {
            nd_row_nothing(&row);
        }
    }
    nd_row_end(&row);
}

nd_status nd_page_table_choose(nd_page_table *table, const nd_keep_wish *wish, bool names_kept) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_choose(&table->result, wish, &table->kept, NULL));
    table->names_kept = names_kept;
    if (names_kept) {
        ND_TRY(nd_result_reasons(&table->result, table->kept, &table->reasons));
        ND_TRY(nd_page_names_read(&table->result, table->kept, 0, table->pages, &table->names));
    }
out:
    return st;
}

nd_status nd_page_table_print(nd_page_table *table, nd_page_filter filter, void *context) {
    nd_status st = ND_OK;
    if (table->kept == NULL) { /* else it is known */
        ND_TRY(nd_result_check_partition(&table->result));
    }
    ND_TRY(nd_result_representatives(&table->result, &table->representatives));
    if (!table->jsonl) {
        (void)fprintf(table->to, "%s%s\n", ND_PAGE_TABLE_HEADER,
                      table->names_kept ? "\tkept\tkept_id\tkept_url\treason" : "");
    }
    for (uint64_t begin = 0; begin < table->pages; begin += PAGES_AT_ONCE) {
        const uint64_t count = nd_min(table->pages - begin, PAGES_AT_ONCE);
        ND_TRY(nd_page_rows_read(&table->result, begin, count, &table->rows));
        for (uint64_t i = 0; i < count; i++) {
            if (filter == NULL || filter(table, i, context)) {
                print_row(table, i);
            }
        }
    }
out:
    return st;
}

/* Of those that have another page in their place. */
static bool is_dropped(const nd_page_table *table, uint64_t i, void *context) {
    (void)context;
    return table->kept[table->rows.begin + i] != table->rows.begin + i;
}

nd_status nd_page_table_save_dropped(const char *result, const nd_keep_wish *wish,
                                     const char *path) {
    nd_status st = ND_OK;
    nd_page_table table;
    nd_own_stream file = {.to = NULL};
    const char *dot = strrchr(path, '.');
    const bool jsonl = dot != NULL && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0);
    ND_TRY(nd_page_table_open(&table, result, jsonl));
    ND_TRY(nd_own_stream_open(&file, path));
    table.to = file.to;
    ND_TRY(nd_page_table_choose(&table, wish, true));
    ND_TRY(nd_page_table_print(&table, is_dropped, NULL));
out:
    st = nd_own_stream_close(&file, st);
    nd_page_table_close(&table);
    return st;
}

void nd_page_table_close(nd_page_table *table) {
    nd_page_rows_free(&table->rows);
    nd_text_column_free(&table->sources);
    nd_text_column_free(&table->collections);
    free(table->representatives);
    free(table->kept);
    free(table->reasons);
    nd_page_names_free(&table->names);
    (void)nd_result_close(&table->result);
}

/* ==== pairs */

/* What is printed of pages beside their numbers. */
typedef struct names {
    const nd_page_table *table;
    nd_text_column ids, urls;
    uint16_t *collections;
    nd_key_value *copies; /* (first page with the text, page), ascending */
    uint64_t copy_count;
} names;

/* Collections of all pages, and copies of earlier pages of their collection. */
static nd_status read_copies(names *n) {
    nd_status st = ND_OK;
    const nd_result *result = &n->table->result;
    const uint64_t pages = n->table->pages;
    uint64_t *exact_of = NULL;
    size_t capacity = 0;
    nd_new(&n->collections, pages, sizeof *n->collections);
    nd_new(&exact_of, PAGES_AT_ONCE, sizeof *exact_of);
    ND_TRY(nd_result_read(result, "/pages/collection", ND_COLUMN_U16, 0, pages, n->collections));
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, PAGES_AT_ONCE);
        ND_TRY(nd_result_read(result, "/pages/exact_of", ND_COLUMN_U64, begin, count, exact_of));
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t page = begin + i;
            if (n->collections[page] >= n->table->collections.count || exact_of[i] > page) {
                st = nd_result_damaged(result, "page %" PRIu64 ": no such collection or first page",
                                       page);
                goto out;
            }
            if (exact_of[i] != page && n->collections[exact_of[i]] == n->collections[page]) {
                nd_grow(&n->copies, &capacity, n->copy_count + 1, sizeof *n->copies);
                n->copies[n->copy_count++] = (nd_key_value){exact_of[i], page};
            }
        }
    }
    nd_radix_sort(n->copies, n->copy_count);
out:
    free(exact_of);
    return st;
}

/* A column of a row that names one of its two pages. */
typedef struct name_column {
    const char *name;
    bool second;
    enum { ID, URL, COLLECTION } what;
} name_column;

static nd_span name_at(const names *n, const name_column *column, uint64_t page) {
    return column->what == ID    ? nd_text_column_at(&n->ids, page)
           : column->what == URL ? nd_text_column_at(&n->urls, page)
                                 : nd_text_column_at(&n->table->collections, n->collections[page]);
}

/* What is printed of a kind of pairs: the numbers of both pages, the similarity, and names. */
typedef struct pair_format {
    const char *a, *b, *similarity;
    name_column names[7]; /* up to one without a name */
} pair_format;

static void print_pair(const names *n, const pair_format *format, uint64_t a, uint64_t b,
                       float similarity) {
    nd_row row = nd_row_begin(stdout, n->table->jsonl);
    nd_row_number(&row, format->a, a);
    nd_row_number(&row, format->b, b);
    nd_row_similarity(&row, format->similarity, similarity);
    for (const name_column *c = format->names; c->name != NULL; c++) {
        nd_row_text(&row, c->name, name_at(n, c, c->second ? b : a));
    }
    nd_row_end(&row);
}

/* The page for i = 0, then its copies. \return false after the last */
static bool copy_at(const names *n, uint64_t page, uint64_t i, uint64_t *copy) {
    uint64_t at = 0;
    ND_FIND_FIRST(at, 0, n->copy_count, n->copies[at].key >= page);
    *copy = page;
    if (i > 0) {
        at += i - 1;
        if (at >= n->copy_count || n->copies[at].key != page) {
            return false;
        }
        *copy = n->copies[at].value;
    }
    return true;
}

static nd_status print_table(const nd_page_table *table, const nd_pair_columns *columns,
                             const pair_format *format) {
    nd_status st = ND_OK;
    names n = {.table = table};
    nd_pair_rows rows = {0};
    ND_TRY(nd_pair_rows_open(&rows, &table->result, columns));
    ND_TRY(nd_text_column_read(&table->result, "/pages/id_offset", "/pages/id_bytes", &n.ids));
    ND_TRY(nd_text_column_read(&table->result, "/pages/url_offset", "/pages/url_bytes", &n.urls));
    ND_TRY(columns->directed ? read_copies(&n) : ND_OK);
    if (!table->jsonl) {
        (void)printf("%s\t%s\t%s", format->a, format->b, format->similarity);
        for (const name_column *c = format->names; c->name != NULL; c++) {
            (void)printf("\t%s", c->name);
        }
        (void)putchar('\n');
    }
    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            uint64_t a = 0, b = 0;
            for (uint64_t k = 0; copy_at(&n, rows.a[i], k, &a); k++) {
                for (uint64_t l = 0; copy_at(&n, rows.b[i], l, &b); l++) {
                    print_pair(&n, format, a, b, rows.similarity[i]);
                }
            }
        }
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    nd_text_column_free(&n.ids);
    nd_text_column_free(&n.urls);
    free(n.collections);
    free(n.copies);
    return st;
}

nd_status nd_pair_table_print(const nd_page_table *table) {
    static const pair_format format = {
        "a",
        "b",
        "similarity",
        {{"id_a", false, ID}, {"url_a", false, URL}, {"id_b", true, ID}, {"url_b", true, URL}}};
    return print_table(table, &nd_verified_columns, &format);
}

nd_status nd_contained_table_print(const nd_page_table *table) {
    static const pair_format format = {"page",
                                       "container",
                                       "share",
                                       {{"id", false, ID},
                                        {"url", false, URL},
                                        {"collection", false, COLLECTION},
                                        {"container_id", true, ID},
                                        {"container_url", true, URL},
                                        {"container_collection", true, COLLECTION}}};
    return print_table(table, &nd_contained_columns, &format);
}

/* ==== CDXJ */

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
    const char *json = nd_json_line(object, JSON_C_TO_STRING_NOSLASHESCAPE);
    if (gmtime_r(&seconds, &parts) == NULL) {
        return nd_fail(ND_ERR_FORMAT, "a capture at second %" PRIu64 " is in no year", date);
    }
    nd_surt_append(url, &line);
    (void)strftime(digits, sizeof digits, " %Y%m%d%H%M%S ", &parts);
    nd_buffer_append_text(&line, digits);
    const nd_span text = nd_span_of(json);
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
static void add_digits(json_object *row, const char *name, uint64_t number) {
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, number);
    ND_JSON_PUT(row, {name, nd_json_words(digits)});
}

/* All lines that are open are complete. \param[in] end  where the next record begins; 0: unknown */
static nd_status close_lines(archive *a, uint64_t end) {
    nd_status st = ND_OK;
    for (size_t i = 0; i < a->count; i++) {
        open_line *line = &a->open[i];
        if (st == ND_OK && end > a->begin) {
            add_digits(line->object, "length", end - a->begin);
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
static void add_capture(json_object *row, const nd_walked *record, bool revisit) {
    nd_http_response response;
    const bool http = nd_http_parse(record->block, &response);
    const nd_span type = nd_fields_media_type(http ? response.content_type : record->type);
    if (revisit) {
        ND_JSON_PUT(row, {"mime", nd_json_words("warc/revisit")});
    } else if (nd_fields_is_media_type(type)) {
        ND_JSON_PUT(row, {"mime", nd_json_text(type)});
    }
    if (http) {
        add_digits(row, "status", response.status);
    }
    if (record->digest.size > 0) {
        ND_JSON_PUT(row, {"digest", nd_json_text(record->digest)});
    }
}

/* Open the line of the i-th page of the block. \param[in] record  NULL: it was not read */
static void open_page(archive *a, uint64_t i, const nd_walked *record) {
    const nd_page_rows *r = &a->table->rows;
    const char *reason = reason_of(a->table, i);
    const bool revisit = r->revisit_of[i] != ND_NO_REVISIT;
    nd_span id, url;
    json_object *row = nd_json_new();
    const uint64_t kept = kept_of(a->table, i, &id, &url);
    const nd_span own = nd_page_rows_url(r, i);
    nd_grow(&a->open, &a->capacity, a->count + 1, sizeof *a->open);
    ND_JSON_PUT(row, {"url", nd_json_text(own)});
    if (record != NULL) {
        add_capture(row, record, revisit);
    } else if (revisit) {
        ND_JSON_PUT(row, {"mime", nd_json_words("warc/revisit")});
    }
    ND_JSON_PUT(row,
                {"filename", nd_json_text(nd_text_column_at(&a->table->sources, r->source[i]))});
    add_digits(row, "offset", r->offset[i]);
    ND_JSON_PUT(row, {"page", nd_json_number(r->begin + i)}, {"set", nd_json_number(r->set[i])},
                {"similarity", nd_json_similarity((double)r->similarity[i])},
                {"kept", nd_json_number(kept)}, {"kept_id", nd_json_text(id)},
                {"kept_url", nd_json_text(url)});
    if (*reason != '\0') {
        ND_JSON_PUT(row, {"reason", nd_json_words(reason)});
    }
    a->open[a->count] = (open_line){.object = row, .date = r->date[i]};
    nd_buffer_append(&a->open[a->count].url, own.data, own.size);
    a->count++;
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
    if (wanted) {
        open_page(a, i, read ? &record : NULL);
    }
    ND_TRY(read ? ND_OK : close_lines(a, 0));
out:
    return st;
}

nd_status nd_cdxj_print(nd_page_table *table, nd_page_filter filter, void *context, uint64_t memory,
                        uint64_t *unread) {
    nd_status st = ND_OK;
    archive a = {.table = table, .source = UINT32_MAX};
    nd_line_sort_open(memory, &a.lines);
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
