/* Files that are one page each: HTML and plain text, also compressed. */
#include "io/input/reader_state.h"
#include "src/hash/xxh3_64.h"

#include <string.h>

static nd_status read_file(nd_reader *reader, nd_content_kind content, nd_record *record,
                           nd_outcome *outcome) {
    nd_status st = ND_OK;
    nd_span bytes;
    const uint64_t limit = reader->limits.most[ND_LIMIT_PAGE];
    ND_TRY(nd_stream_need(reader->stream, (size_t)limit + 1, &bytes));
    nd_frames *frames = &reader->frames;
    frames->pending = UINT64_MAX;
    frames->explained = nd_stream_damage(reader->stream) != NULL;
    if (bytes.size > limit || nd_stream_is_refused(reader->stream)) {
        frames->explained = true; /* the rest of the file is this page's too */
        st = bytes.size > limit
                 ? nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome)
                 : nd_outcome_skip(reader, nd_stream_damage(reader->stream), outcome);
        goto out;
    }
    if (frames->explained) {
        frames->cut = nd_stream_damage(reader->stream);
    }
    const char *url = reader->url != NULL ? reader->url : "";
    *record = (nd_record){.content = content,
                          .url = {(const uint8_t *)url, strlen(url)},
                          .checksum = nd_xxh3_64(bytes, 0)};
    *outcome = ND_OUTCOME_PAGE;
    st = nd_charset_to_utf8(reader->charset, bytes, (nd_span){0}, content == ND_CONTENT_HTML,
                            &record->text, NULL);
    if (st == ND_ERR_LIMIT) {
        st = nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome);
    }
out:
    return st;
}

nd_status nd_html_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    return read_file(reader, ND_CONTENT_HTML, record, outcome);
}

nd_status nd_text_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    return read_file(reader, ND_CONTENT_TEXT, record, outcome);
}

nd_status nd_other_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    (void)record;
    reader->frames.pending = UINT64_MAX;
    return nd_outcome_other(reader, ND_OTHER_FILE, outcome);
}
