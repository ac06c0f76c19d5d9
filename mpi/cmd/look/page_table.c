#include "mpi/cmd/look/page_table.h"

#include "io/store/own_file.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What would break the line or cannot be seen is escaped. */
static void print_field(FILE *to, nd_span text, char end) {
    nd_print_text(to, ND_PRINTABLE_FIELD, text);
    (void)fputc(end, to);
}

static void add_similarity(json_object *row, const char *name, float similarity) {
    nd_json_add_real(row, name, (double)similarity, ND_PAGE_TABLE_DIGITS);
}

uint64_t nd_page_table_kept(const nd_page_table *table, uint64_t i, nd_span *id, nd_span *url) {
    const uint64_t kept = table->kept[table->rows.begin + i];
    if (kept == table->rows.begin + i) {
        *id = nd_page_rows_id(&table->rows, i);
        *url = nd_page_rows_url(&table->rows, i);
    } else {
        nd_page_names_get(&table->names, kept, id, url);
    }
    return kept;
}

const char *nd_page_table_reason(const nd_page_table *table, uint64_t i) {
    return nd_keep_reason_name((nd_keep_reason)table->reasons[table->rows.begin + i]);
}

static void print_tsv(const nd_page_table *table, uint64_t i) {
    const nd_page_rows *r = &table->rows;
    FILE *to = table->to;
    (void)fprintf(to, "%" PRIu64 "\t", r->begin + i);
    print_field(to, nd_page_rows_id(r, i), '\t');
    print_field(to, nd_page_rows_url(r, i), '\t');
    print_field(to, nd_text_column_at(&table->collections, r->collection[i]), '\t');
    (void)fprintf(to, "%" PRIu64 "\t%.*g\t%" PRIu64 "\t%" PRIu64 "\t%.*g\t", r->set[i],
                  ND_PAGE_TABLE_DIGITS, (double)r->similarity[i],
                  nd_page_table_representative(table, i), r->link[i], ND_PAGE_TABLE_DIGITS,
                  (double)r->link_similarity[i]);
    if (r->exact_of[i] != r->begin + i) {
        (void)fprintf(to, "%" PRIu64, r->exact_of[i]);
    }
    (void)fputc('\t', to);
    print_field(to, nd_text_column_at(&table->sources, r->source[i]), '\t');
    (void)fprintf(to, "%" PRIu64, r->offset[i]);
    if (table->names_kept) {
        nd_span id, url;
        (void)fprintf(to, "\t%" PRIu64 "\t", nd_page_table_kept(table, i, &id, &url));
        print_field(to, id, '\t');
        print_field(to, url, '\t');
        (void)fputs(nd_page_table_reason(table, i), to);
    }
    (void)fputc('\n', to);
}

/* Of a page that is dropped. */
static nd_status add_reason(const nd_page_table *table, uint64_t i, json_object *row) {
    const char *reason = nd_page_table_reason(table, i);
    return *reason != '\0' ? nd_json_add_words(row, "reason", reason) : ND_OK;
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
    if (r->exact_of[i] != r->begin + i) {
        nd_json_add_number(row, "exact_of", r->exact_of[i]);
    }
    if (r->revisit_of[i] != ND_NO_REVISIT) {
        nd_json_add_number(row, "revisit_of", r->revisit_of[i]);
    }
    ND_TRY(nd_json_add_text(row, "source", nd_text_column_at(&table->sources, r->source[i])));
    nd_json_add_number(row, "offset", r->offset[i]);
    if (table->names_kept) {
        nd_span id, url;
        nd_json_add_number(row, "kept", nd_page_table_kept(table, i, &id, &url));
        ND_TRY(nd_json_add_text(row, "kept_id", id));
        ND_TRY(nd_json_add_text(row, "kept_url", url));
        ND_TRY(add_reason(table, i, row));
    }
    ND_TRY(nd_json_print(table->to, row));
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
    ND_TRY(nd_result_reasons(&table->result, table->kept, &table->reasons));
    nd_new(&stands, table->pages, sizeof *stands);
    for (uint64_t p = 0; p < table->pages; p++) {
        const bool other = table->kept[p] != p && !stands[table->kept[p]];
        stands[table->kept[p]] = stands[table->kept[p]] || other;
        count += other;
    }
    nd_new(&standing, count, sizeof *standing);
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

static nd_status print_block(nd_page_table *table, uint64_t begin, uint64_t count,
                             nd_page_filter filter, void *context) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_rows_read(&table->result, begin, count, &table->rows));
    for (uint64_t i = 0; i < count; i++) {
        if (filter == NULL || filter(table, i, context)) {
            if (table->jsonl) {
                ND_TRY(print_json(table, i));
            } else {
                print_tsv(table, i);
            }
        }
    }
out:
    return st;
}

nd_status nd_page_table_print(nd_page_table *table, nd_page_filter filter, void *context) {
    nd_status st = ND_OK;
    if (!table->jsonl) {
        (void)fprintf(table->to, "%s%s\n", ND_PAGE_TABLE_HEADER,
                      table->names_kept ? "\tkept\tkept_id\tkept_url\treason" : "");
    }
    for (uint64_t begin = 0; st == ND_OK && begin < table->pages; begin += PAGES_AT_ONCE) {
        st =
            print_block(table, begin, nd_min(table->pages - begin, PAGES_AT_ONCE), filter, context);
    }
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
    ND_TRY(nd_page_table_load_representatives(&table));
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
