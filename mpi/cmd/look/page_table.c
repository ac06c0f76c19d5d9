#include "mpi/cmd/look/page_table.h"

#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/output_row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

nd_status nd_page_table_open(nd_page_table *table, const char *path, bool jsonl) {
    nd_status st = ND_OK;
    *table = (nd_page_table){.jsonl = jsonl};
    ND_TRY(nd_result_open(&table->result, path));
    table->pages = table->result.shape.pages;
    table->sets = table->result.shape.sets;
    ND_TRY(nd_text_column_read(&table->result, "/sources/path_offset", "/sources/path_bytes",
                               &table->sources));
    ND_TRY(nd_text_column_read(&table->result, "/collections/name_offset",
                               "/collections/name_bytes", &table->collections));
out:
    return st;
}

void nd_page_table_header(const nd_page_table *table) {
    if (!table->jsonl) {
        (void)puts("page\tid\turl\tcollection\tset\tsimilarity\trepresentative\tlink\t"
                   "link_similarity\texact_of\tsource\toffset");
    }
}

static nd_status print_tsv(nd_page_table *table, uint64_t i) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &table->rows;
    table->line.size = 0;
    ND_TRY(nd_row_append_field(&table->line, nd_page_rows_id(r, i)));
    ND_TRY(nd_row_append_field(&table->line, nd_page_rows_url(r, i)));
    ND_TRY(nd_row_append_field(&table->line,
                               nd_text_column_at(&table->collections, r->collection[i])));
    (void)printf("%" PRIu64 "\t", r->begin + i);
    (void)fwrite(table->line.data, 1, table->line.size, stdout);
    (void)printf("%" PRIu64 "\t%.6g\t%" PRIu64 "\t%" PRIu64 "\t%.6g\t%" PRIu64 "\t", r->set[i],
                 (double)r->similarity[i], nd_page_table_representative(table, i), r->link[i],
                 (double)r->link_similarity[i], r->exact_of[i]);
    table->line.size = 0;
    ND_TRY(nd_row_append_field(&table->line, nd_text_column_at(&table->sources, r->source[i])));
    (void)fwrite(table->line.data, 1, table->line.size, stdout);
    (void)printf("%" PRIu64 "\n", r->offset[i]);
out:
    return st;
}

static nd_status print_json(nd_page_table *table, uint64_t i) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &table->rows;
    json_object *row = json_object_new_object();
    if (row == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: page %" PRIu64 " as JSON", r->begin + i);
    }
    nd_json_add_number(row, "page", r->begin + i);
    ND_TRY(nd_json_add_text(row, "id", nd_page_rows_id(r, i)));
    ND_TRY(nd_json_add_text(row, "url", nd_page_rows_url(r, i)));
    ND_TRY(nd_json_add_text(row, "collection",
                            nd_text_column_at(&table->collections, r->collection[i])));
    nd_json_add_number(row, "set", r->set[i]);
    nd_row_add_similarity(row, "similarity", r->similarity[i]);
    nd_json_add_number(row, "representative", nd_page_table_representative(table, i));
    nd_json_add_number(row, "link", r->link[i]);
    nd_row_add_similarity(row, "link_similarity", r->link_similarity[i]);
    nd_json_add_number(row, "exact_of", r->exact_of[i]);
    ND_TRY(nd_json_add_text(row, "source", nd_text_column_at(&table->sources, r->source[i])));
    nd_json_add_number(row, "offset", r->offset[i]);
    nd_row_print(row);
out:
    (void)json_object_put(row);
    return st;
}

nd_status nd_page_table_load_representatives(nd_page_table *table) {
    const nd_status st = nd_result_check_partition(&table->result);
    return st != ND_OK ? st : nd_result_representatives(&table->result, &table->representatives);
}

uint64_t nd_page_table_representative(const nd_page_table *table, uint64_t i) {
    return table->representatives[table->rows.set[i]];
}

nd_status nd_page_table_print(nd_page_table *table, uint64_t begin, uint64_t count,
                              nd_page_filter filter, void *context) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_rows_read(&table->result, begin, count, &table->rows));
    for (uint64_t i = 0; i < count; i++) {
        if (filter == NULL || filter(table, i, context)) {
            ND_TRY(table->jsonl ? print_json(table, i) : print_tsv(table, i));
        }
    }
out:
    return st;
}

void nd_page_table_close(nd_page_table *table) {
    nd_page_rows_free(&table->rows);
    nd_text_column_free(&table->sources);
    nd_text_column_free(&table->collections);
    free(table->representatives);
    nd_buffer_free(&table->line);
    (void)nd_result_close(&table->result);
}
