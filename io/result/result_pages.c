#include "io/result/result_pages.h"

#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* Sets, or members, or pages that are read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;

static uint64_t part_of(uint64_t left) {
    return nd_min(left, ROWS_AT_ONCE);
}

static void reserve(nd_page_rows *rows, uint64_t count) {
    if (rows->set != NULL && count <= rows->capacity) {
        return;
    }
    nd_page_rows_free(rows);
    nd_new(&rows->set, count, sizeof *rows->set);
    nd_new(&rows->link, count, sizeof *rows->link);
    nd_new(&rows->exact_of, count, sizeof *rows->exact_of);
    nd_new(&rows->revisit_of, count, sizeof *rows->revisit_of);
    nd_new(&rows->offset, count, sizeof *rows->offset);
    nd_new(&rows->date, count, sizeof *rows->date);
    nd_new(&rows->checksum, count, sizeof *rows->checksum);
    nd_new(&rows->id_offset, count + 1, sizeof *rows->id_offset);
    nd_new(&rows->url_offset, count + 1, sizeof *rows->url_offset);
    nd_new(&rows->similarity, count, sizeof *rows->similarity);
    nd_new(&rows->link_similarity, count, sizeof *rows->link_similarity);
    nd_new(&rows->certainty, count, sizeof *rows->certainty);
    nd_new(&rows->tokens, count, sizeof *rows->tokens);
    nd_new(&rows->source, count, sizeof *rows->source);
    nd_new(&rows->collection, count, sizeof *rows->collection);
    nd_new(&rows->subject, count, sizeof *rows->subject);
    nd_new(&rows->thin, count, sizeof *rows->thin);
    nd_new(&rows->form, count, sizeof *rows->form);
    memset(rows->revisit_of, 0xFF, count * sizeof *rows->revisit_of); /* ND_NO_REVISIT */
    rows->capacity = count;
}

/* Offsets of texts, and the bytes between them. */
static nd_status read_texts(const nd_result *result, const char *offset_name,
                            const char *bytes_name, uint64_t begin, uint64_t count,
                            uint64_t *offsets, nd_buffer *bytes) {
    nd_status st = ND_OK;
    uint64_t end = 0;
    ND_TRY(nd_result_rows(result, bytes_name, ND_COLUMN_U8, &end));
    ND_TRY(nd_result_read_offsets(result, offset_name, begin, count, false, end, offsets));
    const uint64_t size = offsets[count] - offsets[0];
    bytes->size = 0;
    nd_buffer_reserve(bytes, (size_t)size);
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, offsets[0], size, bytes->data));
    bytes->size = (size_t)size;
out:
    return st;
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
    const struct {
        const char *name;
        nd_column_type type;
        void *values;
    } columns[] = {
        {"/pages/set", ND_COLUMN_U64, rows->set},
        {"/pages/link", ND_COLUMN_U64, rows->link},
        {"/pages/exact_of", ND_COLUMN_U64, rows->exact_of},
        {"/pages/offset", ND_COLUMN_U64, rows->offset},
        {"/pages/similarity", ND_COLUMN_F32, rows->similarity},
        {"/pages/link_similarity", ND_COLUMN_F32, rows->link_similarity},
        {"/pages/tokens", ND_COLUMN_U32, rows->tokens},
        {"/pages/source", ND_COLUMN_U32, rows->source},
        {"/pages/collection", ND_COLUMN_U16, rows->collection},
        {"/pages/thin", ND_COLUMN_U8, rows->thin}, /* this and those below since version 2 */
        {"/pages/form", ND_COLUMN_U8, rows->form},
        {"/pages/certainty", ND_COLUMN_F32, rows->certainty},
        {"/pages/date", ND_COLUMN_U64, rows->date},
        {"/pages/checksum", ND_COLUMN_U64, rows->checksum},
        {"/pages/revisit_of", ND_COLUMN_U64, rows->revisit_of},
        {"/pages/subject", ND_COLUMN_U16, rows->subject},
    };
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        if (nd_result_has(result, columns[c].name)) {
            ND_TRY(nd_result_read(result, columns[c].name, columns[c].type, begin, count,
                                  columns[c].values));
        }
    }
    ND_TRY(read_texts(result, "/pages/id_offset", "/pages/id_bytes", begin, count, rows->id_offset,
                      &rows->ids));
    ND_TRY(read_texts(result, "/pages/url_offset", "/pages/url_bytes", begin, count,
                      rows->url_offset, &rows->urls));
    rows->begin = begin;
    rows->count = count;
    for (uint64_t i = 0; i < count; i++) {
        const char *column = wrong_column(&result->shape, rows, i);
        if (column != NULL) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: /pages/%s: page %" PRIu64
                           ": there is no such number: damaged, or not written by neardup",
                           result->path, column, begin + i);
        }
    }
out:
    return st;
}

static nd_span text_at(const uint64_t *offsets, const uint8_t *bytes, uint64_t i) {
    const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
    const uint8_t *text = size == 0 ? (const uint8_t *)"" : bytes + (offsets[i] - offsets[0]);
    return (nd_span){text, size};
}

nd_span nd_page_rows_id(const nd_page_rows *rows, uint64_t i) {
    return text_at(rows->id_offset, rows->ids.data, i);
}

nd_span nd_page_rows_url(const nd_page_rows *rows, uint64_t i) {
    return text_at(rows->url_offset, rows->urls.data, i);
}

void nd_page_rows_free(nd_page_rows *rows) {
    free(rows->set);
    free(rows->link);
    free(rows->exact_of);
    free(rows->revisit_of);
    free(rows->thin);
    free(rows->form);
    free(rows->offset);
    free(rows->date);
    free(rows->checksum);
    free(rows->id_offset);
    free(rows->url_offset);
    free(rows->similarity);
    free(rows->link_similarity);
    free(rows->certainty);
    free(rows->tokens);
    free(rows->source);
    free(rows->collection);
    free(rows->subject);
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

nd_status nd_result_check_name(const nd_result *result, const char *bytes_name, uint64_t row,
                               nd_span name) {
    return name.size == 0 || memchr(name.data, '\0', name.size) == NULL
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT,
                         "%s: %s: row %" PRIu64
                         " holds a NUL, which no name does: damaged, or not written by neardup",
                         result->path, bytes_name, row);
}

static nd_status read_names(const nd_result *result, const char *offset_name,
                            const char *bytes_name, nd_text_column *column) {
    nd_status st = nd_text_column_read(result, offset_name, bytes_name, column);
    for (uint64_t i = 0; st == ND_OK && i < column->count; i++) {
        st = nd_result_check_name(result, bytes_name, i, nd_text_column_at(column, i));
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
            return nd_fail(ND_ERR_FORMAT,
                           "%s: /sets/member: there is no page %" PRIu64
                           ": damaged, or not written by neardup",
                           result->path, members[i]);
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
        return nd_fail(ND_ERR_FORMAT,
                       "%s: /pages/set: page %" PRIu64
                       ": there is no such number: damaged, or not written by neardup",
                       result->path, page);
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
