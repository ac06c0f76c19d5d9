#include "mpi/cmd/look/inspect_run.h"

#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 20;

/* ---- by size */

const char *const nd_size_class_names[ND_SIZE_CLASSES] = {"1", "2-9", "10-99", "100-999", "1000-"};

static int by_size(const void *a, const void *b) {
    const nd_sized_set *x = a;
    const nd_sized_set *y = b;
    return x->pages != y->pages ? (x->pages < y->pages) - (x->pages > y->pages)
                                : (x->set > y->set) - (x->set < y->set);
}

static void leave_out_smaller(nd_set_census *c) {
    qsort(c->largest, c->kept, sizeof *c->largest, by_size);
    c->kept = nd_min(c->kept, c->wanted);
}

nd_status nd_set_census_take(const nd_result *result, nd_set_census *c) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    const uint64_t sets = result->shape.sets;
    c->wanted = nd_min(c->wanted, sets);
    c->room = 2 * c->wanted + 1;
    nd_new(&c->largest, c->room, sizeof *c->largest);
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < sets; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(sets - begin, ROWS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t s = 0; s < count; s++) {
            const uint64_t pages = offsets[s + 1] - offsets[s];
            int size = pages > 1;
            for (uint64_t bound = 10; size < ND_SIZE_CLASSES - 1 && pages >= bound; bound *= 10) {
                size++;
            }
            c->sets[size]++;
            c->pages[size] += pages;
            if (c->kept == c->room) {
                leave_out_smaller(c);
            }
            c->largest[c->kept++] = (nd_sized_set){pages, begin + s};
        }
    }
    leave_out_smaller(c);
out:
    free(offsets);
    return st;
}

void nd_set_census_free(nd_set_census *c) {
    free(c->largest);
    *c = (nd_set_census){0};
}

/* ---- inputs */

/* The columns of /sources that are printed, in this order. */
static const char *const source_columns[] = {"bytes", "records", "pages", "other", "skipped"};
enum { COLUMNS = sizeof source_columns / sizeof source_columns[0] };

typedef struct sources {
    uint64_t *columns[COLUMNS];
    uint64_t count;
} sources;

static void sources_free(sources *s) {
    for (int c = 0; c < COLUMNS; c++) {
        free(s->columns[c]);
    }
}

/* A whole column of numbers; the caller's to free(). */
static nd_status read_column(const nd_result *result, const char *name, uint64_t **values,
                             uint64_t *rows) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_rows(result, name, ND_COLUMN_U64, rows));
    nd_new(values, *rows, sizeof **values);
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, *rows, *values));
out:
    return st;
}

static nd_status read_sources(const nd_result *result, sources *s) {
    nd_status st = ND_OK;
    for (int c = 0; c < COLUMNS; c++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/sources/%s", source_columns[c]);
        ND_TRY(read_column(result, path, &s->columns[c], &s->count));
    }
out:
    return st;
}

/* One field of a row: tab-separated, or of a JSON object. */
static nd_status put_text(json_object *row, const char *name, nd_printable kind, nd_span text,
                          char end) {
    if (row != NULL) {
        return nd_json_add_text(row, name, text);
    }
    nd_print_text(stdout, kind, text);
    (void)putchar(end);
    return ND_OK;
}

static void put_number(json_object *row, const char *name, uint64_t number) {
    if (row != NULL) {
        nd_json_add_number(row, name, number);
    } else {
        (void)printf("%" PRIu64 "\t", number);
    }
}

nd_status nd_inspect_sources(const nd_result *result, bool json) {
    nd_status st = ND_OK;
    sources s = {0};
    nd_text_column paths = {0};
    json_object *row = NULL;
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_source_paths_read(result, &paths));
    if (!json) {
        (void)puts("bytes\trecords\tpages\tother\tskipped\tpath");
    }
    for (uint64_t i = 0; i < s.count; i++) {
        row = json ? json_object_new_object() : NULL;
        for (int c = 0; c < COLUMNS; c++) {
            put_number(row, source_columns[c], s.columns[c][i]);
        }
        ND_TRY(put_text(row, "path", ND_PRINTABLE_FIELD, nd_text_column_at(&paths, i), '\n'));
        ND_TRY(json ? nd_json_print(stdout, row) : ND_OK);
        (void)json_object_put(row);
        row = NULL;
    }
out:
    (void)json_object_put(row);
    sources_free(&s);
    nd_text_column_free(&paths);
    return st;
}

nd_status nd_inspect_skipped(const nd_result *result, bool json) {
    nd_status st = ND_OK;
    uint64_t *source = NULL;
    uint64_t *offset = NULL;
    uint64_t count = 0;
    nd_text_column paths = {0};
    nd_text_column reasons = {0};
    json_object *row = NULL;
    ND_TRY(read_column(result, "/skipped/source", &source, &count));
    ND_TRY(read_column(result, "/skipped/offset", &offset, &count));
    ND_TRY(nd_source_paths_read(result, &paths));
    ND_TRY(
        nd_text_column_read(result, "/skipped/reason_offset", "/skipped/reason_bytes", &reasons));
    if (!json) {
        (void)puts("path\tbyte\treason");
    }
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= paths.count) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /skipped/source: there is no source %" PRIu64
                         ": damaged, or not written by neardup",
                         result->path, source[i]);
            goto out;
        }
        row = json ? json_object_new_object() : NULL;
        ND_TRY(
            put_text(row, "path", ND_PRINTABLE_FIELD, nd_text_column_at(&paths, source[i]), '\t'));
        put_number(row, "byte", offset[i]);
        ND_TRY(put_text(row, "reason", ND_PRINTABLE_MESSAGE, nd_text_column_at(&reasons, i), '\n'));
        ND_TRY(json ? nd_json_print(stdout, row) : ND_OK);
        (void)json_object_put(row);
        row = NULL;
    }
out:
    (void)json_object_put(row);
    free(source);
    free(offset);
    nd_text_column_free(&paths);
    nd_text_column_free(&reasons);
    return st;
}

/* ---- the summary */

static void print_count(const char *name, uint64_t count, const char *more) {
    (void)printf("%-16s %" PRIu64 "%s\n", name, count, more);
}

static void add_sizes(json_object *to, const nd_set_census *c) {
    json_object *list = nd_json_add_array(to, "sets_by_size");
    for (int i = 0; i < ND_SIZE_CLASSES; i++) {
        json_object *row = nd_json_add_object(list, NULL);
        (void)nd_json_add_words(row, "pages_a_set", nd_size_class_names[i]);
        nd_json_add_number(row, "sets", c->sets[i]);
        nd_json_add_number(row, "pages", c->pages[i]);
    }
}

/* Why records are no pages. */
static nd_status print_others(const nd_result *result, json_object *to) {
    nd_status st = ND_OK;
    uint64_t others[ND_OTHERS];
    ND_TRY(nd_result_others(result, others));
    json_object *list = to != NULL ? nd_json_add_object(to, "other_reasons") : NULL;
    for (int r = 0; r < ND_OTHERS; r++) {
        const char *reason = nd_other_reason_text((nd_other_reason)r);
        if (others[r] > 0 && to != NULL) {
            nd_json_add_number(list, reason, others[r]);
        } else if (others[r] > 0) {
            (void)printf("  %12" PRIu64 "   %s\n", others[r], reason);
        }
    }
out:
    return st;
}

nd_status nd_inspect_summary(const nd_result *result, bool json) {
    static const char *const notes[] = {"program_version", "created", "command_line", "parameters"};
    nd_status st = ND_OK;
    nd_set_census c = {.wanted = 1};
    sources s = {0};
    json_object *object = json ? json_object_new_object() : NULL;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char *text = NULL;
        ND_TRY(nd_result_get_text(result, notes[i], &text));
        json_object *parsed = json && i == 3 ? json_tokener_parse(text) : NULL;
        if (parsed != NULL) {
            (void)json_object_object_add(object, notes[i], parsed);
        } else if (json) {
            st = nd_json_add_words(object, notes[i], text);
        } else {
            (void)printf("%-16s ", notes[i]);
            nd_print_words(stdout, ND_PRINTABLE_MESSAGE, text);
            (void)puts("");
        }
        free(text);
        ND_TRY(st);
    }
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_set_census_take(result, &c));
    const uint64_t largest = c.kept == 0 ? 0 : c.largest[0].pages;
    const bool pairs = nd_result_keeps_pairs(result);
    if (json) {
        nd_json_add_number(object, "sources", s.count);
    } else {
        print_count("sources", s.count, "");
    }
    for (int column = 0; column < COLUMNS; column++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < s.count; i++) {
            sum += s.columns[column][i];
        }
        if (json) {
            nd_json_add_number(object, source_columns[column], sum);
        } else {
            print_count(source_columns[column], sum, "");
        }
        ND_TRY(strcmp(source_columns[column], "other") == 0 ? print_others(result, object) : ND_OK);
    }
    if (json) {
        if (pairs) {
            nd_json_add_number(object, "pairs", result->shape.pairs);
        }
        if (result->shape.has_contained) {
            nd_json_add_number(object, "contained", result->shape.contained);
        }
        nd_json_add_number(object, "sets", result->shape.sets);
        nd_json_add_number(object, "largest_set", largest);
        add_sizes(object, &c);
        ND_TRY(nd_json_print(stdout, object));
        goto out;
    }
    if (pairs) {
        print_count("pairs", result->shape.pairs, " verified, kept");
    }
    if (result->shape.has_contained) {
        print_count("contained", result->shape.contained, " pairs of a page and one that has it");
    }
    print_count("sets", result->shape.sets, "");
    print_count("largest set", largest, " pages");
    (void)printf("sets by size     pages a set         sets        pages\n");
    for (int i = 0; i < ND_SIZE_CLASSES; i++) {
        (void)printf("%28s %12" PRIu64 " %12" PRIu64 "\n", nd_size_class_names[i], c.sets[i],
                     c.pages[i]);
    }
out:
    (void)json_object_put(object);
    sources_free(&s);
    nd_set_census_free(&c);
    return st;
}
