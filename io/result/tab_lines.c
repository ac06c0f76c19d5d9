#include "io/result/tab_lines.h"

#include "io/input/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes asked for in search of the end of a line. */
enum { FIRST_LINE = 4 << 10 };

/* The whole line under the cursor. \param[out] taken  its bytes with the line end; 0 at the end of
 * the file */
static nd_status whole_line(nd_stream *stream, nd_span *line, size_t *taken) {
    nd_status st = ND_OK;
    nd_span bytes;
    const uint8_t *end = NULL;
    for (size_t want = FIRST_LINE;; want *= 2) {
        ND_TRY(nd_stream_need(stream, want, &bytes));
        end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
        if (end != NULL || bytes.size < want) {
            break;
        }
    }
    *taken = end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size;
    *line = (nd_span){bytes.data, end != NULL ? *taken - 1 : *taken};
    if (line->size > 0 && line->data[line->size - 1] == '\r') {
        line->size--;
    }
out:
    return st;
}

/* A damaged file of labels would give a wrong measure: it is refused. */
static nd_status check_damage(nd_stream *stream, const char *path) {
    uint64_t offset = 0;
    const char *damage = nd_stream_damage(stream, &offset);
    return damage == NULL
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT, "%s, byte %" PRIu64 ": %s", path, offset, damage);
}

nd_status nd_tab_lines_read(const char *path, nd_tab_line_visitor *visit, void *context) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    nd_tab_line line = {.path = path};
    bool stop = false;
    ND_TRY(nd_stream_open(path, &stream));
    while (!stop) {
        size_t taken = 0;
        ND_TRY(whole_line(stream, &line.text, &taken));
        if (taken == 0) {
            ND_TRY(check_damage(stream, path));
            break;
        }
        line.number++;
        if (line.text.size > 0) {
            ND_TRY(visit(context, &line, &stop));
        }
        nd_stream_consume(stream, taken);
    }
out:
    nd_stream_close(&stream);
    return st;
}

bool nd_tab_line_column(const nd_tab_line *line, uint64_t number, nd_span *column) {
    const uint8_t *at = line->text.data;
    const uint8_t *const end = at + line->text.size;
    for (;;) {
        const uint8_t *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
        const uint8_t *stop = tab != NULL ? tab : end;
        if (--number == 0) {
            *column = (nd_span){at, (size_t)(stop - at)};
            return true;
        }
        if (tab == NULL) {
            return false;
        }
        at = tab + 1;
    }
}

void nd_tab_line_reject(const nd_tab_line *line, const char *why, uint64_t *rejected, char *first,
                        size_t size) {
    if ((*rejected)++ == 0) {
        (void)snprintf(first, size, "%s, line %" PRIu64 ": %s", line->path, line->number, why);
    }
}
