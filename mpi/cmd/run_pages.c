#include "mpi/cmd/run_pages.h"

#include "io/store/foreign_file.h"
#include "src/base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAGES_AT_ONCE = 4096 };

/* ---- sources */

/* A moment to the nanosecond. */
static bool is_after(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* When the result was written, at the latest: it says the second, and a copy of it is younger. */
static nd_status read_time(const nd_result *result, struct timespec *written) {
    nd_status st = ND_OK;
    char *created = NULL;
    struct tm utc = {0};
    struct stat info;
    ND_TRY(nd_result_get_text(result, "created", &created));
    const char *end = strptime(created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (end == NULL || *end != '\0' || stat(result->path, &info) != 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: does not say when it was written", result->path);
        goto out;
    }
    *written = (struct timespec){.tv_sec = timegm(&utc) + 1};
    *written = is_after(*written, info.st_mtim) ? info.st_mtim : *written;
out:
    free(created);
    return st;
}

/* The path of a source as text. */
static nd_status take_path(nd_run_pages *p, uint64_t source) {
    nd_status st = ND_OK;
    const nd_span path = nd_text_column_at(&p->sources, source);
    p->path.size = 0;
    ND_TRY(nd_buffer_append(&p->path, path.data, path.size));
    ND_TRY(nd_buffer_append(&p->path, "", 1));
out:
    return st;
}

/* What the caller must know of a page that is not there: its number and its name. */
static nd_status refuse(const nd_run_pages *p, const nd_page_rows *rows, uint64_t i,
                        const char *why) {
    const nd_span url = nd_page_rows_url(rows, i);
    const nd_span id = nd_page_rows_id(rows, i);
    const nd_span name = url.size > 0 ? url : id;
    return nd_fail(ND_ERR_CHANGED, "%s: %s: needed for page %" PRIu64 " of %s%s%.*s",
                   (const char *)p->path.data, why, rows->begin + i, p->result->path,
                   name.size > 0 ? ", " : "", (int)nd_min(name.size, 200), (const char *)name.data);
}

/* A failure that is about the whole source: its first page stands for all. */
static nd_status refuse_source(nd_run_pages *p, uint64_t first, const char *why) {
    nd_status st = ND_OK;
    ND_TRY(nd_page_rows_read(p->result, first, 1, &p->rows));
    st = refuse(p, &p->rows, 0, why);
out:
    return st;
}

/* \param[in] first  the number of its first page */
static nd_status look_at(nd_run_pages *p, uint64_t source, uint64_t first, uint64_t bytes,
                         const struct timespec *written, const nd_output_files *taken) {
    nd_status st = ND_OK;
    int descriptor = -1;
    struct stat info;
    char why[ND_FAIL_TEXT_SIZE];
    ND_TRY(take_path(p, source));
    const char *path = (const char *)p->path.data;
    if (strcmp(path, "-") == 0) {
        return refuse_source(p, first, "was standard input, which is not there any more");
    }
    st = nd_foreign_file_open(path, &descriptor, &info);
    if (st == ND_ERR_INPUT) {
        (void)snprintf(why, sizeof why, "%s (relative names are of the folder of the run)",
                       strncmp(nd_fail_text(), path, strlen(path)) == 0
                           ? nd_fail_text() + strlen(path) + 2
                           : nd_fail_text());
        return refuse_source(p, first, why);
    }
    ND_TRY(st);
    (void)close(descriptor);
    if ((uint64_t)info.st_size != bytes) {
        (void)snprintf(why, sizeof why,
                       "has changed since the run (%" PRIu64 " bytes then, %" PRIu64 " now)", bytes,
                       (uint64_t)info.st_size);
        st = refuse_source(p, first, why);
    } else if (written != NULL && is_after(info.st_mtim, *written)) {
        st = refuse_source(p, first,
                           "was written after the run's result, which has no checksum of it "
                           "(--newer-inputs accept, if its bytes are the same)");
    } else if (taken != NULL && nd_output_takes(taken, (uint64_t)info.st_dev, info.st_ino)) {
        st = nd_fail(ND_ERR_USAGE, "-o: is %s, an input of the run: name another file", path);
    }
out:
    return st;
}

nd_status nd_run_pages_open(nd_run_pages *pages, const nd_result *result,
                            const nd_reader_options *reading, bool newer,
                            const nd_output_files *taken) {
    nd_status st = ND_OK;
    uint64_t *bytes = NULL;
    uint64_t *counts = NULL; /* of pages */
    uint64_t first = 0;
    struct timespec written;
    const uint64_t sources = result->shape.sources;
    *pages = (nd_run_pages){.result = result, .reading = *reading};
    ND_TRY(read_time(result, &written));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes",
                               &pages->sources));
    ND_TRY(nd_new(&bytes, sources, sizeof *bytes));
    ND_TRY(nd_new(&counts, sources, sizeof *counts));
    ND_TRY(nd_result_read(result, "/sources/bytes", ND_COLUMN_U64, 0, sources, bytes));
    ND_TRY(nd_result_read(result, "/sources/pages", ND_COLUMN_U64, 0, sources, counts));
    for (uint64_t s = 0; s < sources; s++) {
        if (counts[s] > result->shape.pages - first) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /sources/pages: more pages than there are: damaged, or not written "
                         "by neardup",
                         result->path);
            goto out;
        }
        if (counts[s] > 0) {
            ND_TRY(look_at(pages, s, first, bytes[s], newer ? NULL : &written, taken));
        }
        first += counts[s];
    }
    pages->rows.count = 0;
out:
    free(bytes);
    free(counts);
    return st;
}

/* ---- pages */

/* Open the source of the present page, which is none of the sources before. */
static nd_status open_source(nd_run_pages *p) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    const nd_span url = nd_page_rows_url(&p->rows, p->place);
    nd_reader_close(&p->reader);
    ND_TRY(take_path(p, p->rows.source[p->place]));
    p->url.size = 0;
    ND_TRY(nd_buffer_append(&p->url, url.data, url.size));
    ND_TRY(nd_buffer_append(&p->url, "", 1));
    ND_TRY(nd_source_look((const char *)p->path.data, &shape));
    ND_TRY(nd_reader_open((const char *)p->path.data, (const char *)p->url.data, 0, shape.bytes,
                          &p->reading, &p->reader));
out:
    return st;
}

static bool is_same(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

nd_status nd_run_pages_next(nd_run_pages *pages, nd_record *record) {
    nd_status st = ND_OK;
    nd_run_pages *p = pages;
    const uint64_t count = p->result->shape.pages;
    const bool any = p->rows.count > 0;
    const uint32_t source = any ? p->rows.source[p->place] : 0; /* of the page before */
    if (p->next == count) {
        return ND_END;
    }
    if (!any || p->next == p->rows.begin + p->rows.count) {
        ND_TRY(nd_page_rows_read(p->result, p->next, nd_min(count - p->next, PAGES_AT_ONCE),
                                 &p->rows));
    }
    p->place = p->next++ - p->rows.begin;
    const nd_page_rows *rows = &p->rows;
    const uint64_t i = p->place;
    if (any && rows->source[i] < source) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: page %" PRIu64 " is not in the order of the sources: damaged, or not "
                     "written by neardup",
                     p->result->path, p->next - 1);
        goto out;
    }
    st = any && rows->source[i] == source ? ND_OK : open_source(p);
    do { /* what the run could not use is passed over again */
        st = st == ND_OK ? nd_reader_next(p->reader, record) : st;
    } while (st == ND_OK && (record->offset < rows->offset[i] ||
                             (record->offset == rows->offset[i] &&
                              !(is_same(record->id, nd_page_rows_id(rows, i)) &&
                                is_same(record->url, nd_page_rows_url(rows, i))))));
    if (st == ND_END || (st == ND_OK && record->offset != rows->offset[i])) {
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why,
                       "no page of that name starts at byte %" PRIu64
                       " any more: it has changed since the run, or the --jsonl options are others",
                       rows->offset[i]);
        st = refuse(p, rows, i, why);
    } else if (st == ND_ERR_INPUT) {
        st = nd_run_pages_refuse(p);
    }
out:
    return st;
}

nd_status nd_run_pages_check_tokens(const nd_run_pages *pages, uint64_t tokens) {
    const nd_page_rows *rows = &pages->rows;
    const uint64_t i = pages->place;
    char why[ND_FAIL_TEXT_SIZE];
    if (tokens == rows->tokens[i]) {
        return ND_OK;
    }
    (void)snprintf(why, sizeof why,
                   "the page at byte %" PRIu64 " has %" PRIu64 " tokens, and had %" PRIu32
                   " in the run: it has changed, or the --jsonl options are others",
                   rows->offset[i], tokens, rows->tokens[i]);
    return refuse(pages, rows, i, why);
}

nd_status nd_run_pages_refuse(const nd_run_pages *pages) {
    char why[ND_FAIL_TEXT_SIZE];
    (void)snprintf(why, sizeof why, "%s", nd_fail_text());
    return refuse(pages, &pages->rows, pages->place, why);
}

bool nd_run_pages_at_representative(const nd_run_pages *pages) {
    return pages->rows.link[pages->place] == pages->rows.begin + pages->place;
}

void nd_run_pages_close(nd_run_pages *pages) {
    nd_reader_close(&pages->reader);
    nd_text_column_free(&pages->sources);
    nd_page_rows_free(&pages->rows);
    nd_buffer_free(&pages->path);
    nd_buffer_free(&pages->url);
    *pages = (nd_run_pages){0};
}
