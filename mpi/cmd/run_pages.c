#include "mpi/cmd/run_pages.h"

#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES_AT_ONCE = 4096 };

nd_status nd_run_options_read(const nd_result *result, nd_job_options *options) {
    nd_status st = ND_OK;
    char *parameters = NULL;
    ND_TRY(nd_result_get_text(result, "parameters", &parameters));
    ND_TRY(nd_read_parameters(result->path, parameters, options));
out:
    free(parameters);
    return st;
}

nd_status nd_run_pages_open(nd_run_pages *pages, const nd_result *result,
                            const nd_reader_options *reading, const nd_output_files *taken) {
    nd_status st = ND_OK;
    nd_text_column names = {0};
    nd_buffer path = {0};
    uint64_t *bytes = NULL;
    uint64_t *counts = NULL; /* of pages */
    uint64_t first = 0;
    struct stat info;
    const uint64_t sources = result->shape.sources;
    *pages = (nd_run_pages){.next = 0};
    ND_TRY(nd_source_reader_begin(&pages->reader, result, reading));
    ND_TRY(nd_source_reader_begin(&pages->bodies, result, reading));
    ND_TRY(nd_source_paths_read(result, &names));
    nd_new(&bytes, sources, sizeof *bytes);
    nd_new(&counts, sources, sizeof *counts);
    ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, 0, sources, bytes));
    ND_TRY(nd_result_read(result, "/sources/pages", ND_COLUMN_U64, 0, sources, counts));
    for (uint64_t s = 0; s < sources; s++) {
        if (counts[s] > result->shape.pages - first) {
            st = nd_result_damaged(result, "/sources/pages: more pages than there are");
            goto out;
        }
        if (counts[s] > 0) {
            ND_TRY(nd_result_source_look(result, nd_text_column_at(&names, s), bytes[s], first,
                                         &path, &info));
            if (taken != NULL && nd_output_takes(taken, (uint64_t)info.st_dev, info.st_ino)) {
                st = nd_fail(ND_ERR_USAGE, "-o: is %s, an input of the run: name another file",
                             (const char *)path.data);
                goto out;
            }
        }
        first += counts[s];
    }
out:
    nd_text_column_free(&names);
    nd_buffer_free(&path);
    free(bytes);
    free(counts);
    return st;
}

/* The record with the text of the present page, which is a revisit. */
static nd_status read_body(nd_run_pages *p, uint64_t page) {
    nd_status st = ND_OK;
    nd_page_rows *rows = &p->body_rows;
    ND_TRY(nd_page_rows_around(p->reader.result, page, PAGES_AT_ONCE, rows));
    ND_TRY(nd_source_reader_page(&p->bodies, rows, page - rows->begin));
    p->record = &p->bodies.from.record;
out:
    return st;
}

nd_status nd_run_pages_next(nd_run_pages *p) {
    nd_status st = ND_OK;
    const nd_result *result = p->reader.result;
    const uint64_t count = result->shape.pages;
    const uint32_t source =
        p->rows.count > 0 ? p->rows.source[p->place] : 0; /* of the one before */
    if (p->next == count) {
        return ND_END;
    }
    if (p->next == p->rows.begin + p->rows.count) {
        ND_TRY(
            nd_page_rows_read(result, p->next, nd_min(count - p->next, PAGES_AT_ONCE), &p->rows));
    }
    p->place = p->next++ - p->rows.begin;
    if (p->rows.source[p->place] < source) {
        return nd_result_damaged(result, "page %" PRIu64 " is not in the order of the sources",
                                 p->next - 1);
    }
    ND_TRY(nd_source_reader_page(&p->reader, &p->rows, p->place));
    p->record = &p->reader.from.record;
    if (p->rows.revisit_of[p->place] != ND_NO_REVISIT) {
        ND_TRY(read_body(p, p->rows.revisit_of[p->place]));
    }
out:
    return st;
}

nd_status nd_run_pages_make(const nd_run_pages *pages, nd_page_maker *maker) {
    nd_status st = nd_page_maker_read(maker, pages->record);
    if (st == ND_ERR_LIMIT) { /* the run could use it */
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why, "%s", nd_fail_text());
        return nd_result_refuse(pages->reader.result, (const char *)pages->reader.from.path.data,
                                pages->next - 1, why);
    }
    ND_TRY(st);
    ND_TRY(nd_source_reader_check_tokens(&pages->reader, &pages->rows, pages->place,
                                         maker->page.token_count));
out:
    return st;
}

void nd_run_pages_close(nd_run_pages *pages) {
    nd_source_reader_close(&pages->reader);
    nd_source_reader_close(&pages->bodies);
    nd_page_rows_free(&pages->rows);
    nd_page_rows_free(&pages->body_rows);
    *pages = (nd_run_pages){0};
}
