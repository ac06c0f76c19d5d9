#include "io/result/result_pairs.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>

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
    nd_status st = ND_OK;
    *rows = (nd_pair_rows){.result = result, .columns = columns};
    if (!has_rows(result, columns)) {
        return nd_fail(ND_ERR_FORMAT, "%s: has no %s", result->path, columns->how);
    }
    rows->pages = result->shape.pages;
    rows->total = row_count(result, columns);
    nd_new(&rows->a, PAIRS_AT_ONCE, sizeof *rows->a);
    nd_new(&rows->b, PAIRS_AT_ONCE, sizeof *rows->b);
    nd_new(&rows->similarity, PAIRS_AT_ONCE, sizeof *rows->similarity);
    return st;
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
            return nd_fail(ND_ERR_FORMAT,
                           "%s: %s: row %" PRIu64 ": %s: damaged, or not written by neardup",
                           r->path, wrong != NULL ? c->group : c->similarity, row,
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
