#include "io/result/tab_lines.h"

#include "io/input/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No line of labels is too long. */
static const uint64_t LONGEST_LINE = SIZE_MAX / 4;

nd_status nd_tab_lines_read(const char *path, nd_tab_line_visitor *visit, void *context) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    nd_tab_line line = {.path = path};
    bool stop = false;
    ND_TRY(nd_stream_open(path, &stream));
    while (!stop) {
        size_t taken = 0;
        ND_TRY(nd_stream_line(stream, LONGEST_LINE, &line.text, &taken));
        if (taken == 0) {
            /* a damaged file of labels would give a wrong measure: it is refused */
            const char *damage = nd_stream_damage(stream);
            if (damage != NULL) {
                st = nd_fail(ND_ERR_FORMAT, "%s, byte %" PRIu64 ": %s", path,
                             nd_stream_damaged_member(stream), damage);
            }
            break;
        }
        line.number++;
        if (line.text.size > 0 && line.text.data[line.text.size - 1] == '\r') {
            line.text.size--;
        }
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
