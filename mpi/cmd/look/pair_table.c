#include "mpi/cmd/look/pair_table.h"

#include "io/result/result_pages.h"
#include "io/result/result_pairs.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/output_row.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct pair_table {
    nd_text_column ids, urls; /* of all pages: pairs name them in no order */
    nd_pair_rows rows;
    nd_buffer scratch;
} pair_table;

static nd_status print_tsv(pair_table *t, uint64_t i) {
    nd_status st = ND_OK;
    const uint64_t pages[2] = {t->rows.a[i], t->rows.b[i]};
    t->scratch.size = 0;
    for (int k = 0; k < 2; k++) {
        ND_TRY(nd_row_append_field(&t->scratch, nd_text_column_at(&t->ids, pages[k])));
        ND_TRY(nd_row_append_field(&t->scratch, nd_text_column_at(&t->urls, pages[k])));
    }
    t->scratch.data[t->scratch.size - 1] = '\n'; /* the last field's tab */
    (void)printf("%" PRIu64 "\t%" PRIu64 "\t%.6g\t", pages[0], pages[1],
                 (double)t->rows.similarity[i]);
    (void)fwrite(t->scratch.data, 1, t->scratch.size, stdout);
out:
    return st;
}

static nd_status print_json(pair_table *t, uint64_t i) {
    nd_status st = ND_OK;
    const nd_pair_rows *r = &t->rows;
    json_object *row = json_object_new_object();
    if (row == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a pair as JSON");
    }
    nd_json_add_number(row, "a", r->a[i]);
    nd_json_add_number(row, "b", r->b[i]);
    nd_row_add_similarity(row, "similarity", r->similarity[i]);
    ND_TRY(nd_json_add_text(row, "id_a", nd_text_column_at(&t->ids, r->a[i])));
    ND_TRY(nd_json_add_text(row, "url_a", nd_text_column_at(&t->urls, r->a[i])));
    ND_TRY(nd_json_add_text(row, "id_b", nd_text_column_at(&t->ids, r->b[i])));
    ND_TRY(nd_json_add_text(row, "url_b", nd_text_column_at(&t->urls, r->b[i])));
    nd_row_print(row);
out:
    (void)json_object_put(row);
    return st;
}

static nd_status print_rows(pair_table *t, bool jsonl) {
    nd_status st = ND_OK;
    do {
        ND_TRY(nd_pair_rows_next(&t->rows));
        for (uint64_t i = 0; i < t->rows.count; i++) {
            ND_TRY(jsonl ? print_json(t, i) : print_tsv(t, i));
        }
    } while (t->rows.count > 0);
out:
    return st;
}

nd_status nd_pair_table_print(const nd_result *result, bool jsonl) {
    nd_status st = ND_OK;
    pair_table t = {0};
    ND_TRY(nd_pair_rows_open(&t.rows, result));
    ND_TRY(nd_text_column_read(result, "/pages/id_offset", "/pages/id_bytes", &t.ids));
    ND_TRY(nd_text_column_read(result, "/pages/url_offset", "/pages/url_bytes", &t.urls));
    if (!jsonl) {
        (void)puts("a\tb\tsimilarity\tid_a\turl_a\tid_b\turl_b");
    }
    ND_TRY(print_rows(&t, jsonl));
out:
    nd_pair_rows_free(&t.rows);
    nd_text_column_free(&t.ids);
    nd_text_column_free(&t.urls);
    nd_buffer_free(&t.scratch);
    return st;
}
