#include "io/result/result_pairs.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <stdlib.h>

/* Pairs read at once: some 1 MB of columns. */
static const uint64_t PAIRS_AT_ONCE = UINT64_C(1) << 16;

bool nd_result_keeps_pairs(const nd_result *result) {
    return result->shape.has_pairs;
}

nd_status nd_pair_rows_open(nd_pair_rows *rows, const nd_result *result) {
    nd_status st = ND_OK;
    *rows = (nd_pair_rows){.result = result};
    if (!nd_result_keeps_pairs(result)) {
        return nd_fail(ND_ERR_FORMAT, "%s: has no pairs: neardup partition --pairs keep keeps them",
                       result->path);
    }
    rows->pages = result->shape.pages;
    rows->total = result->shape.pairs;
    ND_TRY(nd_new(&rows->a, PAIRS_AT_ONCE, sizeof *rows->a));
    ND_TRY(nd_new(&rows->b, PAIRS_AT_ONCE, sizeof *rows->b));
    ND_TRY(nd_new(&rows->similarity, PAIRS_AT_ONCE, sizeof *rows->similarity));
out:
    return st;
}

nd_status nd_pair_rows_next(nd_pair_rows *rows) {
    nd_status st = ND_OK;
    const nd_result *r = rows->result;
    rows->count = nd_min(rows->total - rows->next, PAIRS_AT_ONCE);
    ND_TRY(nd_result_read(r, "/pairs/a", ND_COLUMN_U64, rows->next, rows->count, rows->a));
    ND_TRY(nd_result_read(r, "/pairs/b", ND_COLUMN_U64, rows->next, rows->count, rows->b));
    ND_TRY(nd_result_read(r, "/pairs/similarity", ND_COLUMN_F32, rows->next, rows->count,
                          rows->similarity));
    for (uint64_t i = 0; i < rows->count; i++) { /* readers look pages up by these numbers */
        if (rows->a[i] >= rows->b[i] || rows->b[i] >= rows->pages ||
            !nd_is_share(rows->similarity[i])) {
            return nd_fail(ND_ERR_FORMAT,
                           "%s: /pairs: row %llu: no similarity of two pages: damaged, or not "
                           "written by neardup",
                           r->path, (unsigned long long)(rows->next + i));
        }
    }
    rows->next += rows->count;
out:
    return st;
}

void nd_pair_rows_free(nd_pair_rows *rows) {
    free(rows->a);
    free(rows->b);
    free(rows->similarity);
    *rows = (nd_pair_rows){0};
}
