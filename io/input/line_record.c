/* Records of JSONL: a page a line. */
#include "io/input/date.h"
#include "io/input/reader_state.h"
#include "io/input/step.h"
#include "src/hash/xxh3_64.h"

#include <string.h>

/* Bytes passed over at a time of a line that is too long to be held. */
enum { SKIP_BYTES = ND_STEP(64 << 10) };

nd_status nd_line_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    nd_span line;
    size_t taken = 0;
    nd_jsonl_page page;
    nd_status st =
        nd_stream_line(reader->stream, reader->limits.most[ND_LIMIT_PAGE], &line, &taken);
    if (st == ND_ERR_LIMIT) {
        nd_span bytes;
        const uint8_t *end = NULL;
        do {
            ND_TRY(nd_stream_need(reader->stream, SKIP_BYTES, &bytes));
            end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
            nd_stream_consume(reader->stream,
                              end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size);
        } while (end == NULL && bytes.size > 0);
        return nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome);
    }
    ND_TRY(st);
    reader->frames.pending = taken;
    if (!nd_jsonl_begins(line)) {
        *outcome = ND_OUTCOME_NONE;
        return ND_OK;
    }
    /* a line that damage cuts off is reported here, not once more where the stream ends */
    nd_frames *frames = &reader->frames;
    frames->explained = taken == line.size && nd_stream_damage(reader->stream) != NULL;
    reader->counts.gaps += frames->explained;
    if (frames->explained && nd_stream_is_refused(reader->stream)) {
        return nd_outcome_skip(reader, nd_stream_damage(reader->stream), outcome);
    }
    const char *fault = NULL;
    st = nd_jsonl_parse(reader->jsonl, line, &page, &fault);
    if (st == ND_ERR_FORMAT) {
        return nd_outcome_skip(reader, fault, outcome);
    }
    ND_TRY(st);
    *record = (nd_record){.content = page.html ? ND_CONTENT_HTML : ND_CONTENT_TEXT,
                          .text = page.text,
                          .id = page.id,
                          .url = page.url,
                          .date = nd_date_read(page.date),
                          .checksum = nd_xxh3_64(line, 0),
                          .offset = frames->entry};
    *outcome = ND_OUTCOME_PAGE;
out:
    return st;
}
