#include "mpi/cmd/look/pair_table.h"

#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What is printed of pages beside their numbers. */
typedef struct names {
    const nd_page_table *table;
    nd_text_column ids, urls;
    uint16_t *collections;
    nd_key_value *copies; /* (first page with the text, page), ascending */
    uint64_t copy_count;
} names;

static nd_status open_names(names *n, const nd_page_table *table) {
    nd_status st = ND_OK;
    *n = (names){.table = table};
    ND_TRY(nd_text_column_read(&table->result, "/pages/id_offset", "/pages/id_bytes", &n->ids));
    ND_TRY(nd_text_column_read(&table->result, "/pages/url_offset", "/pages/url_bytes", &n->urls));
out:
    return st;
}

/* Collections of all pages, and copies of earlier pages of their collection. */
static nd_status read_copies(names *n) {
    enum { PAGES_AT_ONCE = 1 << 16 };
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
                st = nd_fail(ND_ERR_FORMAT,
                             "%s: page %" PRIu64
                             ": no such collection or first page: damaged, or not written by "
                             "neardup",
                             result->path, page);
                goto out;
            }
            if (exact_of[i] != page && n->collections[exact_of[i]] == n->collections[page]) {
                nd_grow(&n->copies, &capacity, n->copy_count + 1, sizeof *n->copies);
                n->copies[n->copy_count++] = (nd_key_value){exact_of[i], page};
            }
        }
    }
    ND_TRY(nd_radix_sort(n->copies, n->copy_count));
out:
    free(exact_of);
    return st;
}

static void close_names(names *n) {
    nd_text_column_free(&n->ids);
    nd_text_column_free(&n->urls);
    free(n->collections);
    free(n->copies);
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

static nd_status print_pair(const names *n, const pair_format *format, uint64_t a, uint64_t b,
                            float similarity) {
    nd_status st = ND_OK;
    json_object *row = NULL;
    if (!n->table->jsonl) {
        (void)printf("%" PRIu64 "\t%" PRIu64 "\t%.*g", a, b, ND_PAGE_TABLE_DIGITS,
                     (double)similarity);
        for (const name_column *c = format->names; c->name != NULL; c++) {
            (void)putchar('\t');
            nd_print_text(stdout, ND_PRINTABLE_FIELD, name_at(n, c, c->second ? b : a));
        }
        (void)putchar('\n');
        return ND_OK;
    }
    row = json_object_new_object();
    nd_json_add_number(row, format->a, a);
    nd_json_add_number(row, format->b, b);
    nd_json_add_real(row, format->similarity, (double)similarity, ND_PAGE_TABLE_DIGITS);
    for (const name_column *c = format->names; c->name != NULL; c++) {
        ND_TRY(nd_json_add_text(row, c->name, name_at(n, c, c->second ? b : a)));
    }
    ND_TRY(nd_json_print(stdout, row));
out:
    (void)json_object_put(row);
    return st;
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

static nd_status print_copies(const names *n, const pair_format *format, uint64_t a, uint64_t b,
                              float similarity) {
    nd_status st = ND_OK;
    uint64_t copies[2];
    for (uint64_t i = 0; copy_at(n, a, i, &copies[0]); i++) {
        for (uint64_t k = 0; copy_at(n, b, k, &copies[1]); k++) {
            ND_TRY(print_pair(n, format, copies[0], copies[1], similarity));
        }
    }
out:
    return st;
}

static nd_status print_table(const nd_page_table *table, const nd_pair_columns *columns,
                             const pair_format *format) {
    nd_status st = ND_OK;
    names n = {0};
    nd_pair_rows rows = {0};
    ND_TRY(nd_pair_rows_open(&rows, &table->result, columns));
    ND_TRY(open_names(&n, table));
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
            ND_TRY(print_copies(&n, format, rows.a[i], rows.b[i], rows.similarity[i]));
        }
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    close_names(&n);
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
