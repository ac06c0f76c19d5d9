#include "io/result/result_read.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/text/address.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ==== pages and sets */

/* Sets, or members, or pages that are read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static uint64_t part_of(uint64_t left) {
    return nd_min(left, ROWS_AT_ONCE);
}

#define ROW(name, type)                                                                            \
    { "/pages/" #name, ND_COLUMN_##type, offsetof(nd_page_rows, name) }

/* The columns of nd_page_rows. */
static const struct {
    const char *name;
    nd_column_type type;
    size_t at;
} page_columns[] = {
    ROW(set, U64),        ROW(link, U64),       ROW(exact_of, U64),
    ROW(offset, U64),     ROW(similarity, F32), ROW(link_similarity, F32),
    ROW(tokens, U32),     ROW(source, U32),     ROW(collection, U16),
    ROW(thin, U8),        ROW(form, U8),        ROW(certainty, F32),
    ROW(date, U64),       ROW(checksum, U64),   ROW(revisit_of, U64),
    ROW(subject, U16),    ROW(id_offset, U64), /* these are read with their texts */
    ROW(url_offset, U64),
};

enum { PAGE_COLUMNS = sizeof page_columns / sizeof page_columns[0], OFFSET_COLUMNS = 2 };

/* The values of a column: the pointer in the struct. */
static void *values_of(const nd_page_rows *rows, size_t column) {
    void *values = NULL;
    memcpy(&values, (const uint8_t *)rows + page_columns[column].at, sizeof values);
    return values;
}

static void reserve(nd_page_rows *rows, uint64_t count) {
    if (rows->set != NULL && count <= rows->capacity) {
        return;
    }
    nd_page_rows_free(rows);
    for (size_t c = 0; c < PAGE_COLUMNS; c++) { /* offsets are one more */
        void *values = nd_alloc_zero(count + 1, nd_column_size(page_columns[c].type));
        memcpy((uint8_t *)rows + page_columns[c].at, &values, sizeof values);
    }
    memset(rows->revisit_of, 0xFF, count * sizeof *rows->revisit_of); /* ND_NO_REVISIT */
    rows->capacity = count;
}

nd_status nd_result_texts_read(const nd_result *result, const char *offset_name,
                               const char *bytes_name, uint64_t begin, uint64_t count,
                               uint64_t *offsets, nd_buffer *bytes) {
    nd_status st = ND_OK;
    uint64_t end = 0;
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &end));
    ND_TRY(nd_result_read_offsets(result, offset_name, begin, count, false, end, offsets));
    const uint64_t size = offsets[count] - offsets[0];
    bytes->size = 0;
    nd_buffer_reserve(bytes, (size_t)size + 1);
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, offsets[0], size, bytes->data));
    bytes->size = (size_t)size;
out:
    return st;
}

/* Row i of texts that begin at `bytes`. */
static nd_span text_at(const uint64_t *offsets, const uint8_t *bytes, uint64_t i) {
    const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
    const uint8_t *text = size == 0 ? (const uint8_t *)"" : bytes + (offsets[i] - offsets[0]);
    return (nd_span){text, size};
}

/* The name of the first column that leads out of the file; NULL if none does. */
static const char *wrong_column(const nd_result_shape *shape, const nd_page_rows *rows,
                                uint64_t i) {
    const uint64_t page = rows->begin + i;
    const bool is_revisit = rows->revisit_of[i] != ND_NO_REVISIT;
    return rows->set[i] >= shape->sets                         ? "set"
           : rows->link[i] >= shape->pages                     ? "link"
           : rows->exact_of[i] >= shape->pages                 ? "exact_of"
           : !is_revisit && rows->exact_of[i] > page           ? "exact_of"
           : is_revisit && rows->revisit_of[i] >= shape->pages ? "revisit_of"
           : rows->source[i] >= shape->sources                 ? "source"
           : rows->collection[i] >= shape->collections         ? "collection"
           : !nd_is_share(rows->similarity[i])                 ? "similarity"
           : !nd_is_share(rows->link_similarity[i])            ? "link_similarity"
           : !nd_is_share(rows->certainty[i])                  ? "certainty"
                                                               : NULL;
}

nd_status nd_page_rows_read(const nd_result *result, uint64_t begin, uint64_t count,
                            nd_page_rows *rows) {
    nd_status st = ND_OK;
    reserve(rows, count);
    for (size_t c = 0; c < PAGE_COLUMNS - OFFSET_COLUMNS; c++) {
        if (nd_result_has(result, page_columns[c].name)) {
            ND_TRY(nd_result_read(result, page_columns[c].name, page_columns[c].type, begin, count,
                                  values_of(rows, c)));
        }
    }
    ND_TRY(nd_result_texts_read(result, "/pages/id_offset", "/pages/id_bytes", begin, count,
                                rows->id_offset, &rows->ids));
    ND_TRY(nd_result_texts_read(result, "/pages/url_offset", "/pages/url_bytes", begin, count,
                                rows->url_offset, &rows->urls));
    rows->begin = begin;
    rows->count = count;
    for (uint64_t i = 0; i < count; i++) {
        const char *column = wrong_column(&result->shape, rows, i);
        if (column != NULL) {
            return nd_result_damaged(result, "/pages/%s: page %" PRIu64 ": there is no such number",
                                     column, begin + i);
        }
    }
out:
    return st;
}

nd_status nd_page_rows_around(const nd_result *result, uint64_t page, uint64_t most,
                              nd_page_rows *rows) {
    if (page >= rows->begin && page - rows->begin < rows->count) {
        return ND_OK;
    }
    const uint64_t begin = nd_min(page - page % most, result->shape.pages);
    rows->count = 0;
    return nd_page_rows_read(result, begin, nd_min(result->shape.pages - begin, most), rows);
}

nd_span nd_page_rows_id(const nd_page_rows *rows, uint64_t i) {
    return text_at(rows->id_offset, rows->ids.data, i);
}

nd_span nd_page_rows_url(const nd_page_rows *rows, uint64_t i) {
    return text_at(rows->url_offset, rows->urls.data, i);
}

void nd_page_rows_free(nd_page_rows *rows) {
    for (size_t c = 0; c < PAGE_COLUMNS; c++) {
        free(values_of(rows, c));
    }
    nd_buffer_free(&rows->ids);
    nd_buffer_free(&rows->urls);
    *rows = (nd_page_rows){0};
}

nd_status nd_text_column_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, nd_text_column *column) {
    nd_status st = ND_OK;
    uint64_t offsets = 0;
    uint64_t bytes = 0;
    *column = (nd_text_column){0};
    ND_TRY(nd_result_rows(result, offset_name, ND_COLUMN_U64, &offsets));
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &bytes));
    if (offsets == 0) {
        return nd_fail(ND_ERR_FORMAT, "%s: %s: has no rows", result->path, offset_name);
    }
    nd_new(&column->offset, offsets, sizeof *column->offset);
    nd_new(&column->bytes, bytes, 1);
    ND_TRY(
        nd_result_read_offsets(result, offset_name, 0, offsets - 1, false, bytes, column->offset));
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, 0, bytes, column->bytes));
    column->count = offsets - 1;
out:
    if (st != ND_OK) {
        nd_text_column_free(column);
    }
    return st;
}

/* Is a text of row `row` of a column a name, which may be used as a C string once a NUL is put
 * after it? \return ND_OK, or ND_ERR_FORMAT if it holds a NUL */
static nd_status result_check_name(const nd_result *result, const char *bytes_name, uint64_t row,
                                   nd_span name) {
    return name.size == 0 || memchr(name.data, '\0', name.size) == NULL
               ? ND_OK
               : nd_result_damaged(result, "%s: row %" PRIu64 " holds a NUL, which no name does",
                                   bytes_name, row);
}

static nd_status read_names(const nd_result *result, const char *offset_name,
                            const char *bytes_name, nd_text_column *column) {
    nd_status st = nd_text_column_read(result, offset_name, bytes_name, column);
    for (uint64_t i = 0; st == ND_OK && i < column->count; i++) {
        st = result_check_name(result, bytes_name, i, nd_text_column_at(column, i));
        if (st != ND_OK) {
            nd_text_column_free(column);
        }
    }
    return st;
}

nd_status nd_source_paths_read(const nd_result *result, nd_text_column *paths) {
    return read_names(result, "/sources/path_offset", "/sources/path_bytes", paths);
}

nd_status nd_collection_names_read(const nd_result *result, nd_text_column *names) {
    return read_names(result, "/collections/name_offset", "/collections/name_bytes", names);
}

nd_span nd_text_column_at(const nd_text_column *column, uint64_t row) {
    return text_at(column->offset + row, column->bytes + column->offset[row], 0);
}

void nd_text_column_free(nd_text_column *column) {
    free(column->offset);
    free(column->bytes);
    *column = (nd_text_column){0};
}

nd_status nd_result_set_offsets(const nd_result *result, uint64_t begin, uint64_t count,
                                uint64_t *offsets) {
    return nd_result_read_offsets(result, "/sets/offset", begin, count, true, result->shape.pages,
                                  offsets);
}

nd_status nd_result_member_rows(const nd_result *result, uint64_t begin, uint64_t count,
                                uint64_t *members) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_read(result, "/sets/member", ND_COLUMN_U64, begin, count, members));
    for (uint64_t i = 0; i < count; i++) {
        if (members[i] >= result->shape.pages) {
            return nd_result_damaged(result, "/sets/member: there is no page %" PRIu64, members[i]);
        }
    }
out:
    return st;
}

nd_status nd_result_members(const nd_result *result, uint64_t set, uint64_t **members,
                            uint64_t *count) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    *members = NULL;
    ND_TRY(nd_result_set_offsets(result, set, 1, range));
    *count = range[1] - range[0];
    nd_new(members, *count, sizeof **members);
    ND_TRY(nd_result_member_rows(result, range[0], *count, *members));
out:
    if (st != ND_OK) {
        free(*members);
        *members = NULL;
    }
    return st;
}

nd_status nd_result_representative(const nd_result *result, uint64_t page,
                                   uint64_t *representative) {
    nd_status st = ND_OK;
    uint64_t set = 0;
    uint64_t range[2] = {0, 0};
    ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, page, 1, &set));
    if (set >= result->shape.sets) {
        return nd_result_damaged(result, "/pages/set: page %" PRIu64 ": there is no such number",
                                 page);
    }
    ND_TRY(nd_result_set_offsets(result, set, 1, range));
    ND_TRY(nd_result_member_rows(result, range[0], 1, representative));
out:
    return st;
}

/* ---- walks over all sets */

/* By parts of the sets and parts of the members, as both lie in the file: a set may go on from one
 * part of the members to the next. */
nd_status nd_result_walk_sets(const nd_result *result, nd_take_member take, void *context) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *members = NULL;
    uint64_t member_begin = 0;
    uint64_t member_end = 0;
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    nd_new(&members, ROWS_AT_ONCE, sizeof *members);
    for (uint64_t begin = 0; begin < result->shape.sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = part_of(result->shape.sets - begin);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t s = 0; s < count; s++) {
            for (uint64_t m = offsets[s]; m < offsets[s + 1]; m++) {
                if (m >= member_end) {
                    member_begin = m;
                    member_end = m + part_of(result->shape.pages - m);
                    ND_TRY(nd_result_member_rows(result, m, member_end - m, members));
                }
                take(context, begin + s, members[m - member_begin], m == offsets[s]);
            }
        }
    }
out:
    free(offsets);
    free(members);
    return st;
}

static void take_representative(void *context, uint64_t set, uint64_t page, bool first) {
    uint64_t *representatives = context;
    if (first) {
        representatives[set] = page;
    }
}

nd_status nd_result_representatives(const nd_result *result, uint64_t **representatives) {
    nd_status st = ND_OK;
    *representatives = NULL;
    nd_new(representatives, result->shape.sets, sizeof **representatives);
    ND_TRY(nd_result_walk_sets(result, take_representative, *representatives));
out:
    if (st != ND_OK) {
        free(*representatives);
        *representatives = NULL;
    }
    return st;
}

/* A sum over pairs (page, set) that does not depend on their order. The seed is drawn anew at each
 * run, so that no file can be made to fit. */
typedef struct pair_sum {
    uint64_t seed;
    uint64_t sum;
} pair_sum;

static uint64_t hash_of_pair(const pair_sum *sum, uint64_t page, uint64_t set) {
    const uint64_t pair[2] = {page, set};
    return XXH3_64bits_withSeed(pair, sizeof pair, sum->seed);
}

static void take_pair(void *context, uint64_t set, uint64_t page, bool first) {
    pair_sum *sum = context;
    (void)first;
    sum->sum += hash_of_pair(sum, page, set);
}

nd_status nd_result_check_partition(const nd_result *result) {
    nd_status st = ND_OK;
    pair_sum members = {0};
    uint64_t pages = 0;
    uint64_t *sets = NULL;
    if (getrandom(&members.seed, sizeof members.seed, 0) != sizeof members.seed) {
        members.seed = (uint64_t)(uintptr_t)&members; /* still unlike at each run */
    }
    nd_new(&sets, ROWS_AT_ONCE, sizeof *sets);
    ND_TRY(nd_result_walk_sets(result, take_pair, &members));
    for (uint64_t begin = 0; begin < result->shape.pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = part_of(result->shape.pages - begin);
        ND_TRY(nd_result_read(result, "/pages/set", ND_COLUMN_U64, begin, count, sets));
        for (uint64_t i = 0; i < count; i++) {
            pages += hash_of_pair(&members, begin + i, sets[i]);
        }
    }
    if (pages != members.sum) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: /sets and /pages/set do not agree: damaged, or not written by neardup "
                     "(neardup check says more)",
                     result->path);
    }
out:
    free(sets);
    return st;
}

/* ==== pairs */

/* Pairs read at once: some 1 MB of columns. */
static const uint64_t PAIRS_AT_ONCE = UINT64_C(1) << 16;

bool nd_result_keeps_pairs(const nd_result *result) {
    return result->shape.has_pairs;
}

const nd_pair_columns nd_verified_columns = {
    .group = "/pairs",
    .a = "/pairs/a",
    .b = "/pairs/b",
    .similarity = "/pairs/similarity",
    .how = "pairs: neardup partition --pairs keep keeps them",
};

const nd_pair_columns nd_contained_columns = {
    .group = "/contained",
    .a = "/contained/page",
    .b = "/contained/container",
    .similarity = "/contained/share",
    .directed = true,
    .how = "contained pages: neardup partition --contained .8 finds them",
};

static bool has_rows(const nd_result *result, const nd_pair_columns *columns) {
    return columns->directed ? result->shape.has_contained : result->shape.has_pairs;
}

static uint64_t row_count(const nd_result *result, const nd_pair_columns *columns) {
    return columns->directed ? result->shape.contained : result->shape.pairs;
}

nd_status nd_pair_find(const nd_result *result, const nd_pair_columns *columns, uint64_t a,
                       uint64_t b, bool *found, float *similarity) {
    nd_status st = ND_OK;
    uint64_t read[2] = {0};
    uint64_t begin = 0;
    uint64_t end = row_count(result, columns);
    *found = false;
    while (begin < end) {
        const uint64_t middle = begin + (end - begin) / 2;
        ND_TRY(nd_result_read(result, columns->a, ND_COLUMN_U64, middle, 1, &read[0]));
        ND_TRY(nd_result_read(result, columns->b, ND_COLUMN_U64, middle, 1, &read[1]));
        if (read[0] == a && read[1] == b) {
            *found = true;
            ND_TRY(
                nd_result_read(result, columns->similarity, ND_COLUMN_F32, middle, 1, similarity));
            break;
        }
        const bool before = read[0] < a || (read[0] == a && read[1] < b);
        begin = before ? middle + 1 : begin;
        end = before ? end : middle;
    }
out:
    return st;
}

nd_status nd_pair_rows_open(nd_pair_rows *rows, const nd_result *result,
                            const nd_pair_columns *columns) {
    *rows = (nd_pair_rows){.result = result, .columns = columns};
    if (!has_rows(result, columns)) {
        return nd_fail(ND_ERR_FORMAT, "%s: has no %s", result->path, columns->how);
    }
    rows->pages = result->shape.pages;
    rows->total = row_count(result, columns);
    nd_new(&rows->a, PAIRS_AT_ONCE, sizeof *rows->a);
    nd_new(&rows->b, PAIRS_AT_ONCE, sizeof *rows->b);
    nd_new(&rows->similarity, PAIRS_AT_ONCE, sizeof *rows->similarity);
    return ND_OK;
}

static const char *wrong_pair(const nd_pair_rows *rows, uint64_t a, uint64_t b, uint64_t row) {
    const bool pages = rows->columns->directed ? a != b : a < b;
    const uint64_t *before = rows->before;
    return !pages || a >= rows->pages || b >= rows->pages ? "no two pages"
           : row > 0 && (a < before[0] || (a == before[0] && b <= before[1]))
               ? "it should stand before the one before it"
               : NULL;
}

nd_status nd_pair_rows_next(nd_pair_rows *rows) {
    nd_status st = ND_OK;
    const nd_result *r = rows->result;
    rows->count = nd_min(rows->total - rows->next, PAIRS_AT_ONCE);
    const nd_pair_columns *c = rows->columns;
    ND_TRY(nd_result_read(r, c->a, ND_COLUMN_U64, rows->next, rows->count, rows->a));
    ND_TRY(nd_result_read(r, c->b, ND_COLUMN_U64, rows->next, rows->count, rows->b));
    ND_TRY(
        nd_result_read(r, c->similarity, ND_COLUMN_F32, rows->next, rows->count, rows->similarity));
    for (uint64_t i = 0; i < rows->count; i++) { /* readers look pages up by these numbers */
        const uint64_t row = rows->next + i;
        const char *wrong = wrong_pair(rows, rows->a[i], rows->b[i], row);
        if (wrong != NULL || !nd_is_share(rows->similarity[i])) {
            return nd_result_damaged(r, "%s: row %" PRIu64 ": %s",
                                     wrong != NULL ? c->group : c->similarity, row,
                                     wrong != NULL ? wrong : "no similarity");
        }
        rows->before[0] = rows->a[i];
        rows->before[1] = rows->b[i];
    }
    rows->next += rows->count;
out:
    return st;
}

nd_status nd_pair_rows_check(const nd_result *result, const nd_pair_columns *columns) {
    nd_status st = ND_OK;
    nd_pair_rows rows = {0};
    if (!has_rows(result, columns)) {
        return ND_OK;
    }
    ND_TRY(nd_pair_rows_open(&rows, result, columns));
    do {
        ND_TRY(nd_pair_rows_next(&rows));
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    return st;
}

void nd_pair_rows_free(nd_pair_rows *rows) {
    free(rows->a);
    free(rows->b);
    free(rows->similarity);
    *rows = (nd_pair_rows){0};
}

/* ==== inputs */

nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    ND_TRY(nd_result_texts_read(result, offset_name, bytes_name, row, 1, range, text));
    nd_buffer_append(text, "", 1);
out:
    return st;
}

nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_text_read(result, "/sources/path_offset", "/sources/path_bytes", row, name));
    st = result_check_name(result, "/sources/path_bytes", row,
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
    ND_TRY(nd_text_column_read(result, "/other/reason_offset", "/other/reason_bytes", &reasons));
    nd_new(&records, reasons.count, sizeof *records);
    ND_TRY(nd_result_read(result, "/other/records", ND_COLUMN_U64, 0, reasons.count, records));
    for (uint64_t i = 0; i < reasons.count; i++) {
        const nd_span reason = nd_text_column_at(&reasons, i);
        for (int r = 0; r < ND_OTHERS; r++) {
            if (nd_span_is_equal(reason, nd_span_of(nd_other_reason_text((nd_other_reason)r)))) {
                others[r] += records[i];
            }
        }
    }
out:
    free(records);
    nd_text_column_free(&reasons);
    return st;
}

/* ==== sites */

static const uint64_t SITES_AT_ONCE = UINT64_C(1) << 16;

/* The hashes of names [begin, begin + count); 0 of what can be no name. */
static nd_status read_site_names(const nd_result *result, uint64_t begin, uint64_t count,
                                 uint64_t hash_seed, uint64_t *sites) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_buffer bytes = {0};
    nd_new(&offsets, count + 1, sizeof *offsets);
    ND_TRY(nd_result_texts_read(result, "/sites/name_offset", "/sites/name_bytes", begin, count,
                                offsets, &bytes));
    for (uint64_t i = 0; i < count; i++) {
        const nd_span name = text_at(offsets, bytes.data, i);
        sites[i] = name.size > ND_SITE_HOST_SIZE ? 0 : nd_site_hash(name, hash_seed);
    }
out:
    free(offsets);
    nd_buffer_free(&bytes);
    return st;
}

nd_status nd_result_sites_open(nd_result_sites *sites, const nd_result *result) {
    nd_status st = ND_OK;
    const uint64_t count = result->shape.sites;
    uint64_t hash_seed = 0;
    *sites = (nd_result_sites){.result = result, .count = count, .read = count};
    sites->repeats_all = true;
    ND_TRY(nd_result_hash_seed(result, &hash_seed));
    nd_new(&sites->sites, count, sizeof *sites->sites);
    for (uint64_t begin = 0; begin < count; begin += SITES_AT_ONCE) {
        ND_TRY(read_site_names(result, begin, nd_min(count - begin, SITES_AT_ONCE), hash_seed,
                               sites->sites + begin));
    }
    for (uint64_t i = 0; i < count; i++) {
        if (sites->sites[i] <= (i == 0 ? 0 : sites->sites[i - 1])) {
            st =
                nd_result_damaged(result, "/sites/name_bytes: site %" PRIu64 " is not in order", i);
            goto out;
        }
    }
out:
    return st;
}

/* The hashes of one kind of all sites. */
typedef struct site_lists {
    const char *offsets;
    const char *hashes;
    uint64_t count; /* of hashes */
} site_lists;

static site_lists templates_of(const nd_result *result) {
    return (site_lists){"/sites/template_offset", "/sites/template", result->shape.site_templates};
}

static site_lists repeated_of(const nd_result *result) {
    return (site_lists){"/sites/repeated_offset", "/sites/repeated", result->shape.site_repeated};
}

static nd_status broken_order(const nd_result *result, const site_lists *lists, uint64_t site) {
    return nd_result_damaged(result, "%s: the hashes of site %" PRIu64 " do not ascend",
                             lists->hashes, site);
}

/* The list of the site in row `site`. */
static nd_status read_list(const nd_result *result, const site_lists *lists, uint64_t site,
                           uint64_t **list, uint64_t *count) {
    nd_status st = ND_OK;
    uint64_t offsets[2] = {0};
    free(*list);
    *list = NULL;
    *count = 0;
    ND_TRY(nd_result_read_offsets(result, lists->offsets, site, 1, false, lists->count, offsets));
    const uint64_t hashes = offsets[1] - offsets[0];
    nd_new(list, hashes, sizeof **list);
    ND_TRY(nd_result_read(result, lists->hashes, ND_COLUMN_U64, offsets[0], hashes, *list));
    for (uint64_t i = 1; i < hashes; i++) {
        if ((*list)[i] <= (*list)[i - 1]) {
            return broken_order(result, lists, site);
        }
    }
    *count = hashes;
out:
    return st;
}

nd_status nd_result_sites_find(nd_result_sites *sites, uint64_t site) {
    nd_status st = ND_OK;
    uint8_t all = true;
    const nd_result *result = sites->result;
    const uint64_t place = nd_numbers_place(sites->sites, sites->count, site);
    const bool listed = place < sites->count && sites->sites[place] == site;
    const uint64_t row = listed ? place : sites->count;
    if (row == sites->read) {
        return ND_OK;
    }
    sites->template_count = sites->repeated_count = 0;
    sites->repeats_all = true;
    sites->read = sites->count;
    if (listed) {
        const site_lists templates = templates_of(result), repeated = repeated_of(result);
        ND_TRY(read_list(result, &templates, row, &sites->templates, &sites->template_count));
        ND_TRY(read_list(result, &repeated, row, &sites->repeated, &sites->repeated_count));
        ND_TRY(nd_result_read(result, "/sites/repeats_all", ND_COLUMN_U8, row, 1, &all));
        sites->repeats_all = all != 0;
        sites->read = row;
    }
out:
    return st;
}

bool nd_result_site_drops(const nd_result_sites *sites, uint64_t masked) {
    return nd_numbers_hold(sites->templates, sites->template_count, masked);
}

bool nd_result_site_repeats(const nd_result_sites *sites, uint64_t masked, bool link) {
    return sites->repeats_all ? link
                              : nd_numbers_hold(sites->repeated, sites->repeated_count, masked);
}

void nd_result_sites_close(nd_result_sites *sites) {
    free(sites->sites);
    free(sites->templates);
    free(sites->repeated);
    *sites = (nd_result_sites){0};
}

/* Lists follow one another, and so are read in parts of bounded size. */
static nd_status check_lists(const nd_result *result, const site_lists *lists) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *hashes = NULL;
    uint64_t before = 0;
    nd_new(&offsets, SITES_AT_ONCE + 1, sizeof *offsets);
    nd_new(&hashes, SITES_AT_ONCE, sizeof *hashes);
    for (uint64_t begin = 0; begin < result->shape.sites; begin += SITES_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.sites - begin, SITES_AT_ONCE);
        uint64_t site = 0; /* of the part */
        ND_TRY(nd_result_read_offsets(result, lists->offsets, begin, count, false, lists->count,
                                      offsets));
        for (uint64_t at = offsets[0], read = 0; at < offsets[count]; at += read) {
            read = nd_min(offsets[count] - at, SITES_AT_ONCE);
            ND_TRY(nd_result_read(result, lists->hashes, ND_COLUMN_U64, at, read, hashes));
            for (uint64_t i = 0; i < read; i++) {
                while (offsets[site + 1] <= at + i) {
                    site++;
                }
                if (offsets[site] < at + i && hashes[i] <= before) {
                    st = broken_order(result, lists, begin + site);
                    goto out;
                }
                before = hashes[i];
            }
        }
    }
out:
    free(offsets);
    free(hashes);
    return st;
}

static nd_status check_flags(const nd_result *result) {
    nd_status st = ND_OK;
    uint8_t *flags = NULL;
    nd_new(&flags, SITES_AT_ONCE, sizeof *flags);
    for (uint64_t i = 0; i < result->shape.sites; i++) {
        const uint64_t place = i % SITES_AT_ONCE;
        if (place == 0) {
            ND_TRY(nd_result_read(result, "/sites/repeats_all", ND_COLUMN_U8, i,
                                  nd_min(result->shape.sites - i, SITES_AT_ONCE), flags));
        }
        if (flags[place] > 1) {
            st = nd_fail(ND_ERR_FORMAT, "%s: /sites/repeats_all: site %" PRIu64 " has %d",
                         result->path, i, flags[place]);
            goto out;
        }
    }
out:
    free(flags);
    return st;
}

nd_status nd_result_sites_check(const nd_result *result) {
    nd_result_sites sites = {0};
    const site_lists templates = templates_of(result), repeated = repeated_of(result);
    nd_status st = ND_OK;
    st = nd_result_sites_open(&sites, result);
    nd_result_sites_close(&sites);
    ND_TRY(st);
    ND_TRY(check_flags(result));
    ND_TRY(check_lists(result, &templates));
    ND_TRY(check_lists(result, &repeated));
out:
    return st;
}
