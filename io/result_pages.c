#include "io/result_pages.h"

#include <stdlib.h>
#include <string.h>

/* Sets whose offsets are read at once. */
static const uint64_t SETS_AT_ONCE = UINT64_C(1) << 20;

static nd_status reserve(nd_page_rows *rows, uint64_t count) {
    nd_status st = ND_OK;
    if (rows->set != NULL && count <= rows->capacity) {
        return ND_OK;
    }
    nd_page_rows_free(rows);
    ND_TRY(nd_new(&rows->set, count, sizeof *rows->set));
    ND_TRY(nd_new(&rows->link, count, sizeof *rows->link));
    ND_TRY(nd_new(&rows->exact_of, count, sizeof *rows->exact_of));
    ND_TRY(nd_new(&rows->offset, count, sizeof *rows->offset));
    ND_TRY(nd_new(&rows->id_offset, count + 1, sizeof *rows->id_offset));
    ND_TRY(nd_new(&rows->url_offset, count + 1, sizeof *rows->url_offset));
    ND_TRY(nd_new(&rows->similarity, count, sizeof *rows->similarity));
    ND_TRY(nd_new(&rows->link_similarity, count, sizeof *rows->link_similarity));
    ND_TRY(nd_new(&rows->tokens, count, sizeof *rows->tokens));
    ND_TRY(nd_new(&rows->source, count, sizeof *rows->source));
    ND_TRY(nd_new(&rows->collection, count, sizeof *rows->collection));
    rows->capacity = count;
out:
    return st;
}

/* Bytes between two offsets of a text column. */
static nd_status read_texts(const nd_result *result, const char *name, const uint64_t *offsets,
                            uint64_t count, nd_buffer *bytes) {
    nd_status st = ND_OK;
    const uint64_t begin = offsets[0];
    const uint64_t end = offsets[count];
    if (end < begin) {
        return nd_fail(ND_ERR_FORMAT, "%s: %s: offsets fall", result->path, name);
    }
    bytes->size = 0;
    ND_TRY(nd_buffer_reserve(bytes, (size_t)(end - begin)));
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U8, begin, end - begin, bytes->data));
    bytes->size = (size_t)(end - begin);
out:
    return st;
}

nd_status nd_page_rows_read(const nd_result *result, uint64_t begin, uint64_t count,
                            nd_page_rows *rows) {
    nd_status st = ND_OK;
    ND_TRY(reserve(rows, count));
    const struct {
        const char *name;
        nd_column_type type;
        uint64_t count;
        void *values;
    } columns[] = {
        {"/pages/set", ND_COLUMN_U64, count, rows->set},
        {"/pages/link", ND_COLUMN_U64, count, rows->link},
        {"/pages/exact_of", ND_COLUMN_U64, count, rows->exact_of},
        {"/pages/offset", ND_COLUMN_U64, count, rows->offset},
        {"/pages/similarity", ND_COLUMN_F32, count, rows->similarity},
        {"/pages/link_similarity", ND_COLUMN_F32, count, rows->link_similarity},
        {"/pages/tokens", ND_COLUMN_U32, count, rows->tokens},
        {"/pages/source", ND_COLUMN_U32, count, rows->source},
        {"/pages/collection", ND_COLUMN_U16, count, rows->collection},
        {"/pages/id_offset", ND_COLUMN_U64, count + 1, rows->id_offset},
        {"/pages/url_offset", ND_COLUMN_U64, count + 1, rows->url_offset},
    };
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        ND_TRY(nd_result_read(result, columns[c].name, columns[c].type, begin, columns[c].count,
                              columns[c].values));
    }
    ND_TRY(read_texts(result, "/pages/id_bytes", rows->id_offset, count, &rows->ids));
    ND_TRY(read_texts(result, "/pages/url_bytes", rows->url_offset, count, &rows->urls));
    rows->begin = begin;
    rows->count = count;
out:
    return st;
}

static nd_span text_at(const uint64_t *offsets, const uint8_t *bytes, uint64_t i) {
    return (nd_span){bytes + (offsets[i] - offsets[0]), (size_t)(offsets[i + 1] - offsets[i])};
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
    free(rows->offset);
    free(rows->id_offset);
    free(rows->url_offset);
    free(rows->similarity);
    free(rows->link_similarity);
    free(rows->tokens);
    free(rows->source);
    free(rows->collection);
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
    ND_TRY(nd_result_rows(result, offset_name, &offsets));
    ND_TRY(nd_result_rows(result, bytes_name, &bytes));
    ND_TRY(nd_new(&column->offset, offsets, sizeof *column->offset));
    ND_TRY(nd_new(&column->bytes, bytes, 1));
    ND_TRY(nd_result_read(result, offset_name, ND_COLUMN_U64, 0, offsets, column->offset));
    ND_TRY(nd_result_read(result, bytes_name, ND_COLUMN_U8, 0, bytes, column->bytes));
    column->count = offsets == 0 ? 0 : offsets - 1;
out:
    if (st != ND_OK) {
        nd_text_column_free(column);
    }
    return st;
}

nd_span nd_text_column_at(const nd_text_column *column, uint64_t row) {
    return text_at(column->offset + row, column->bytes + column->offset[row], 0);
}

void nd_text_column_free(nd_text_column *column) {
    free(column->offset);
    free(column->bytes);
    *column = (nd_text_column){0};
}

nd_status nd_result_members(const nd_result *result, uint64_t set, uint64_t **members,
                            uint64_t *count) {
    nd_status st = ND_OK;
    uint64_t range[2] = {0, 0};
    *members = NULL;
    ND_TRY(nd_result_read(result, "/sets/offset", ND_COLUMN_U64, set, 2, range));
    *count = range[1] - range[0];
    ND_TRY(nd_new(members, *count, sizeof **members));
    ND_TRY(nd_result_read(result, "/sets/member", ND_COLUMN_U64, range[0], *count, *members));
out:
    if (st != ND_OK) {
        free(*members);
        *members = NULL;
    }
    return st;
}

/* Representatives of sets [begin, begin + count): their offsets, then the members in between. */
static nd_status read_representatives(const nd_result *result, uint64_t begin, uint64_t count,
                                      uint64_t *offsets, nd_buffer *members,
                                      uint64_t *representatives) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_read(result, "/sets/offset", ND_COLUMN_U64, begin, count + 1, offsets));
    const uint64_t span = offsets[count] - offsets[0];
    members->size = 0;
    ND_TRY(nd_buffer_reserve(members, span * sizeof(uint64_t)));
    ND_TRY(nd_result_read(result, "/sets/member", ND_COLUMN_U64, offsets[0], span, members->data));
    for (uint64_t s = 0; s < count; s++) {
        memcpy(&representatives[begin + s],
               members->data + (offsets[s] - offsets[0]) * sizeof(uint64_t), sizeof(uint64_t));
    }
out:
    return st;
}

nd_status nd_result_representatives(const nd_result *result, uint64_t sets,
                                    uint64_t **representatives) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    nd_buffer members = {0};
    *representatives = NULL;
    ND_TRY(nd_new(&offsets, SETS_AT_ONCE + 1, sizeof *offsets));
    ND_TRY(nd_new(representatives, sets, sizeof **representatives));
    for (uint64_t begin = 0; begin < sets; begin += SETS_AT_ONCE) {
        const uint64_t left = sets - begin;
        ND_TRY(read_representatives(result, begin, left < SETS_AT_ONCE ? left : SETS_AT_ONCE,
                                    offsets, &members, *representatives));
    }
out:
    if (st != ND_OK) {
        free(*representatives);
        *representatives = NULL;
    }
    free(offsets);
    nd_buffer_free(&members);
    return st;
}
