#include "mpi/cmd/look/page_table.h"

#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

nd_status nd_page_table_open(nd_page_table *table, const char *path, bool jsonl) {
    nd_status st = ND_OK;
    *table = (nd_page_table){.jsonl = jsonl};
    ND_TRY(nd_result_open(&table->result, path));
    table->pages = table->result.shape.pages;
    table->sets = table->result.shape.sets;
    ND_TRY(nd_source_paths_read(&table->result, &table->sources));
    ND_TRY(nd_collection_names_read(&table->result, &table->collections));
out:
    return st;
}

void nd_page_table_header(const nd_page_table *table) {
    if (!table->jsonl && table->index == NULL) {
        (void)fputs("page\tid\turl\tcollection\tset\tsimilarity\trepresentative\tlink\t"
                    "link_similarity\texact_of\tsource\toffset",
                    stdout);
        (void)puts(table->names_kept ? "\tkept\tkept_id\tkept_url" : "");
    }
}

/* What would break the line or cannot be seen is escaped. */
static void print_field(nd_span text, char end) {
    nd_print_text(stdout, ND_PRINTABLE_FIELD, text);
    (void)putchar(end);
}

static void add_similarity(json_object *row, const char *name, float similarity) {
    nd_json_add_real(row, name, (double)similarity, ND_PAGE_TABLE_DIGITS);
}

/* The page that stands for the i-th of the block read last. */
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

static void print_tsv(const nd_page_table *table, uint64_t i) {
    const nd_page_rows *r = &table->rows;
    (void)printf("%" PRIu64 "\t", r->begin + i);
    print_field(nd_page_rows_id(r, i), '\t');
    print_field(nd_page_rows_url(r, i), '\t');
    print_field(nd_text_column_at(&table->collections, r->collection[i]), '\t');
    (void)printf("%" PRIu64 "\t%.*g\t%" PRIu64 "\t%" PRIu64 "\t%.*g\t%" PRIu64 "\t", r->set[i],
                 ND_PAGE_TABLE_DIGITS, (double)r->similarity[i],
                 nd_page_table_representative(table, i), r->link[i], ND_PAGE_TABLE_DIGITS,
                 (double)r->link_similarity[i], r->exact_of[i]);
    print_field(nd_text_column_at(&table->sources, r->source[i]), '\t');
    (void)printf("%" PRIu64, r->offset[i]);
    if (table->names_kept) {
        nd_span id, url;
        (void)printf("\t%" PRIu64 "\t", kept_of(table, i, &id, &url));
        print_field(id, '\t');
        nd_print_text(stdout, ND_PRINTABLE_FIELD, url);
    }
    (void)putchar('\n');
}

static nd_status print_json(const nd_page_table *table, uint64_t i) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &table->rows;
    json_object *row = json_object_new_object();
    nd_json_add_number(row, "page", r->begin + i);
    ND_TRY(nd_json_add_text(row, "id", nd_page_rows_id(r, i)));
    ND_TRY(nd_json_add_text(row, "url", nd_page_rows_url(r, i)));
    ND_TRY(nd_json_add_text(row, "collection",
                            nd_text_column_at(&table->collections, r->collection[i])));
    nd_json_add_number(row, "set", r->set[i]);
    add_similarity(row, "similarity", r->similarity[i]);
    nd_json_add_number(row, "representative", nd_page_table_representative(table, i));
    nd_json_add_number(row, "link", r->link[i]);
    add_similarity(row, "link_similarity", r->link_similarity[i]);
    nd_json_add_number(row, "exact_of", r->exact_of[i]);
    if (r->revisit_of[i] != ND_NO_REVISIT) {
        nd_json_add_number(row, "revisit_of", r->revisit_of[i]);
    }
    ND_TRY(nd_json_add_text(row, "source", nd_text_column_at(&table->sources, r->source[i])));
    nd_json_add_number(row, "offset", r->offset[i]);
    if (table->names_kept) {
        nd_span id, url;
        nd_json_add_number(row, "kept", kept_of(table, i, &id, &url));
        ND_TRY(nd_json_add_text(row, "kept_id", id));
        ND_TRY(nd_json_add_text(row, "kept_url", url));
    }
    ND_TRY(nd_json_print(stdout, row));
out:
    (void)json_object_put(row);
    return st;
}

static nd_status add_to_index(const nd_page_table *table, uint64_t i) {
    nd_status st = ND_OK;
    const nd_page_rows *r = &table->rows;
    nd_span id, url;
    char offset[32];
    json_object *row = json_object_new_object();
    const uint64_t kept = kept_of(table, i, &id, &url);
    (void)snprintf(offset, sizeof offset, "%" PRIu64, r->offset[i]);
    ND_TRY(nd_json_add_text(row, "url", nd_page_rows_url(r, i)));
    ND_TRY(nd_json_add_text(row, "filename", nd_text_column_at(&table->sources, r->source[i])));
    ND_TRY(nd_json_add_words(row, "offset", offset)); /* a text, as in all indexes of this kind */
    ND_TRY(r->revisit_of[i] != ND_NO_REVISIT ? nd_json_add_words(row, "mime", "warc/revisit")
                                             : ND_OK);
    nd_json_add_number(row, "page", r->begin + i);
    nd_json_add_number(row, "set", r->set[i]);
    add_similarity(row, "similarity", r->similarity[i]);
    nd_json_add_number(row, "kept", kept);
    ND_TRY(nd_json_add_text(row, "kept_id", id));
    ND_TRY(nd_json_add_text(row, "kept_url", url));
    ND_TRY(nd_cdxj_line_add(table->index, nd_page_rows_url(r, i), r->date[i], row));
out:
    (void)json_object_put(row);
    return st;
}

nd_status nd_page_table_load_representatives(nd_page_table *table) {
    const nd_status st = nd_result_check_partition(&table->result);
    return st != ND_OK ? st : nd_result_representatives(&table->result, &table->representatives);
}

nd_status nd_page_table_choose(nd_page_table *table, const nd_keep_wish *wish, bool names_kept) {
    nd_status st = ND_OK;
    uint64_t count = 0;
    uint64_t *standing = NULL;
    bool *stands = NULL; /* page by page: for another one */
    ND_TRY(nd_result_choose(&table->result, wish, &table->kept, NULL));
    table->names_kept = names_kept;
    if (!names_kept) {
        goto out;
    }
    ND_TRY(nd_new(&stands, table->pages, sizeof *stands));
    for (uint64_t p = 0; p < table->pages; p++) {
        const bool other = table->kept[p] != p && !stands[table->kept[p]];
        stands[table->kept[p]] = stands[table->kept[p]] || other;
        count += other;
    }
    ND_TRY(nd_new(&standing, count, sizeof *standing));
    count = 0;
    for (uint64_t p = 0; p < table->pages; p++) {
        if (stands[p]) {
            standing[count++] = p;
        }
    }
    ND_TRY(nd_page_names_read(&table->result, standing, count, &table->names));
out:
    free(stands);
    return st;
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
            if (table->index != NULL) {
                ND_TRY(add_to_index(table, i));
            } else if (table->jsonl) {
                ND_TRY(print_json(table, i));
            } else {
                print_tsv(table, i);
            }
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
    free(table->kept);
    nd_page_names_free(&table->names);
    (void)nd_result_close(&table->result);
}
