/* Records of JSONL: a page a line. */
#include "io/input/reader_state.h"

#include <string.h>

/* Bytes asked for at first in search of the line's end. */
enum { FIRST_LINE = 64 << 10 };

/* Have the line under the cursor whole.
 * \param[out] line  without its line end; \param[out] taken  with it
 * \return ND_OK; ND_ERR_LIMIT if it is longer than the limit: `taken` then is a part of it */
static nd_status whole_line(nd_stream *stream, uint64_t limit, nd_span *line, size_t *taken) {
    nd_status st = ND_OK;
    nd_span bytes;
    size_t searched = 0;
    for (size_t want = FIRST_LINE;; want = want * 2 < limit + 2 ? want * 2 : (size_t)limit + 2) {
        ND_TRY(nd_stream_need(stream, want, &bytes));
        const uint8_t *end = bytes.size > searched
                                 ? memchr(bytes.data + searched, '\n', bytes.size - searched)
                                 : NULL;
        *taken = end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size;
        *line = (nd_span){bytes.data, end != NULL ? *taken - 1 : *taken};
        if (line->size > limit) {
            return ND_ERR_LIMIT;
        }
        if (end != NULL || bytes.size < want) {
            break;
        }
        searched = bytes.size;
    }
out:
    return st;
}

/* Pass over the rest of a line that is too long to be held. */
static nd_status skip_line(nd_stream *stream) {
    nd_status st = ND_OK;
    nd_span bytes;
    const uint8_t *end = NULL;
    do {
        ND_TRY(nd_stream_need(stream, FIRST_LINE, &bytes));
        end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
        nd_stream_consume(stream, end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size);
    } while (end == NULL && bytes.size > 0);
out:
    return st;
}

nd_status nd_line_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    nd_span line;
    size_t taken = 0;
    uint64_t damaged_at = 0;
    nd_jsonl_page page;
    nd_status st = whole_line(reader->stream, reader->limits.most[ND_LIMIT_PAGE], &line, &taken);
    if (st == ND_ERR_LIMIT) {
        st = skip_line(reader->stream);
        return st == ND_OK ? nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome) : st;
    }
    if (st != ND_OK) {
        return st;
    }
    reader->pending = taken;
    if (!nd_jsonl_begins(line)) {
        *outcome = ND_OUTCOME_NONE;
        return ND_OK;
    }
    /* a line that damage cuts off is reported here, not once more where the stream ends */
    reader->explained = taken == line.size && nd_stream_damage(reader->stream, &damaged_at) != NULL;
    const char *fault = NULL;
    st = nd_jsonl_parse(reader->jsonl, line, &page, &fault);
    if (st == ND_ERR_FORMAT) {
        return nd_outcome_skip(reader, fault, outcome);
    }
    *record = (nd_record){.content = page.html ? ND_CONTENT_HTML : ND_CONTENT_TEXT,
                          .text = page.text,
                          .id = page.id,
                          .url = page.url,
                          .offset = reader->offset};
    *outcome = ND_OUTCOME_PAGE;
    return st;
}
