#include "mpi/cmd/look/inspect_inputs.h"

#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The columns of /sources that are printed, in this order. */
static const char *const names[] = {"bytes", "records", "pages", "other", "skipped"};
enum { COLUMNS = sizeof names / sizeof names[0] };

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
    ND_TRY(nd_new(values, *rows, sizeof **values));
    ND_TRY(nd_result_read(result, name, ND_COLUMN_U64, 0, *rows, *values));
out:
    return st;
}

static nd_status read_sources(const nd_result *result, sources *s) {
    nd_status st = ND_OK;
    for (int c = 0; c < COLUMNS; c++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/sources/%s", names[c]);
        ND_TRY(read_column(result, path, &s->columns[c], &s->count));
    }
out:
    return st;
}

nd_status nd_print_input_totals(const nd_result *result) {
    nd_status st = ND_OK;
    sources s = {0};
    ND_TRY(read_sources(result, &s));
    (void)printf("%-16s %" PRIu64 "\n", "sources", s.count);
    for (int c = 0; c < COLUMNS; c++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < s.count; i++) {
            sum += s.columns[c][i];
        }
        (void)printf("%-16s %" PRIu64 "\n", names[c], sum);
    }
out:
    sources_free(&s);
    return st;
}

nd_status nd_print_sources(const nd_result *result) {
    nd_status st = ND_OK;
    sources s = {0};
    nd_text_column paths = {0};
    ND_TRY(read_sources(result, &s));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &paths));
    (void)puts("bytes\trecords\tpages\tother\tskipped\tpath");
    for (uint64_t i = 0; i < s.count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            (void)printf("%" PRIu64 "\t", s.columns[c][i]);
        }
        nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_text_column_at(&paths, i));
        (void)puts("");
    }
out:
    sources_free(&s);
    nd_text_column_free(&paths);
    return st;
}

nd_status nd_print_skipped(const nd_result *result) {
    nd_status st = ND_OK;
    uint64_t *source = NULL;
    uint64_t *offset = NULL;
    uint64_t count = 0;
    nd_text_column paths = {0};
    nd_text_column reasons = {0};
    ND_TRY(read_column(result, "/skipped/source", &source, &count));
    ND_TRY(read_column(result, "/skipped/offset", &offset, &count));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &paths));
    ND_TRY(
        nd_text_column_read(result, "/skipped/reason_offset", "/skipped/reason_bytes", &reasons));
    (void)puts("path\tbyte\treason");
    for (uint64_t i = 0; i < count; i++) {
        if (source[i] >= paths.count) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /skipped/source: there is no source %" PRIu64
                         ": damaged, or not written by neardup",
                         result->path, source[i]);
            goto out;
        }
        nd_print_text(stdout, ND_PRINTABLE_FIELD, nd_text_column_at(&paths, source[i]));
        (void)printf("\t%" PRIu64 "\t", offset[i]);
        nd_print_text(stdout, ND_PRINTABLE_MESSAGE, nd_text_column_at(&reasons, i));
        (void)puts("");
    }
out:
    free(source);
    free(offset);
    nd_text_column_free(&paths);
    nd_text_column_free(&reasons);
    return st;
}
