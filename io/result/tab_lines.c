#include "io/result/tab_lines.h"

#include "io/input/sniff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No line of labels is too long. */
static const uint64_t LONGEST_LINE = SIZE_MAX / 4;

nd_status nd_tab_lines_open(nd_tab_lines *lines, const char *path) {
    *lines = (nd_tab_lines){.path = path};
    return nd_stream_open(path, NULL, &lines->stream);
}

nd_status nd_tab_lines_next(nd_tab_lines *lines) {
    nd_status st = ND_OK;
    do {
        nd_stream_consume(lines->stream, lines->taken);
        lines->taken = 0;
        ND_TRY(nd_stream_line(lines->stream, LONGEST_LINE, &lines->text, &lines->taken));
        if (lines->taken == 0) {
            /* a damaged file of labels would give a wrong measure: it is refused */
            const char *damage = nd_stream_damage(lines->stream);
            return damage == NULL ? ND_END
                                  : nd_fail(ND_ERR_FORMAT, "%s, byte %" PRIu64 ": %s", lines->path,
                                            nd_stream_damaged_member(lines->stream), damage);
        }
        lines->text = lines->number++ == 0 ? nd_sniff_after_mark(lines->text) : lines->text;
        if (lines->text.size > 0 && lines->text.data[lines->text.size - 1] == '\r') {
            lines->text.size--;
        }
    } while (lines->text.size == 0);
out:
    return st;
}

bool nd_tab_lines_column(const nd_tab_lines *lines, uint64_t number, nd_span *column) {
    const uint8_t *at = lines->text.data;
    const uint8_t *const end = at + lines->text.size;
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

void nd_tab_lines_reject(const nd_tab_lines *lines, const char *why, uint64_t *rejected,
                         char *first, size_t size) {
    if ((*rejected)++ == 0) {
        (void)snprintf(first, size, "%s, line %" PRIu64 ": %s", lines->path, lines->number, why);
    }
}

nd_status nd_tab_lines_close(nd_tab_lines *lines, nd_status st) {
    nd_stream_close(&lines->stream);
    return st == ND_END ? ND_OK : st;
}
