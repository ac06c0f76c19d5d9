/* Records of WARC and ARC: which of them are pages, and their text. */
#include "io/fields.h"
#include "io/reader_state.h"
#include "io/sniff.h"

#include <stdio.h>
#include <string.h>

/* Bytes in which a header is looked for, at first and at most. */
enum { FIRST_HEADER = 4 << 10, LONGEST_HEADER = 1 << 20 };
/* Bytes of a block that are looked at to see whether it is worth reading: HTTP headers end there.
 */
enum { HEAD_BYTES = 64 << 10 };

nd_status nd_archive_record_header(nd_stream *stream, const nd_format *format,
                                   nd_archive_header *header, nd_span *bytes) {
    nd_status st = ND_END;
    for (size_t want = FIRST_HEADER; st == ND_END && want <= LONGEST_HEADER; want *= 4) {
        nd_status got = nd_stream_need(stream, want, bytes);
        if (got != ND_OK) {
            return got;
        }
        st = format->parse_header(*bytes, header);
        if (bytes->size < want) {
            break;
        }
    }
    return st;
}

/* What the block seems to hold, from its first bytes. */
typedef struct verdict {
    nd_media media; /* OTHER: no page */
    bool http;
    const char *fault; /* NULL, or why a block that should hold a page does not */
} verdict;

/* A response without an HTTP header is used if it is plainly a document, as old tools stored. */
static verdict judge_bare(const nd_archive_header *header, nd_span head) {
    const nd_media media = nd_sniff_type(header->content_type);
    if (nd_sniff_html(head)) {
        return (verdict){ND_MEDIA_HTML, false, NULL};
    }
    if (media == ND_MEDIA_HTML || media == ND_MEDIA_TEXT ||
        nd_fields_starts(header->content_type, "application/http")) {
        return (verdict){ND_MEDIA_UNKNOWN, false, "response without an HTTP status line"};
    }
    return (verdict){ND_MEDIA_OTHER, false, NULL};
}

static verdict judge(const nd_archive_header *header, nd_span head) {
    nd_http_response response;
    if (header->kind == ND_ARCHIVE_DOCUMENT) {
        return (verdict){nd_sniff_type(header->content_type), false, NULL};
    }
    if (header->kind == ND_ARCHIVE_OTHER) {
        return (verdict){ND_MEDIA_OTHER, false, NULL};
    }
    if (!nd_http_parse(head, &response)) {
        return judge_bare(header, head);
    }
    if (response.status < 200 || response.status > 299) {
        return (verdict){ND_MEDIA_OTHER, true, NULL};
    }
    const nd_media media = nd_sniff_type(response.content_type);
    const char *fault = nd_fields_header_size(head) == 0 ? "HTTP header is cut off" : NULL;
    return (verdict){media, true, media == ND_MEDIA_OTHER ? NULL : fault};
}

static bool begins_in(const nd_format *format, nd_span bytes, size_t at) {
    nd_span content = {bytes.data + at, bytes.size - at};
    content.size = content.size < ND_STREAM_PEEK_BYTES ? content.size : ND_STREAM_PEEK_BYTES;
    return format->begins(content);
}

/* A block that ends early. Compressed: where the next member already starts a record. Plain: the
 * file ended first, and a wrong length may have swallowed the records that follow.
 * \param[in,out] size  of the whole record */
static nd_status find_early_end(nd_reader *reader, const nd_archive_header *header, nd_span bytes,
                                size_t *size) {
    nd_status st = ND_OK;
    const nd_place place = nd_stream_place(reader->stream);
    const size_t wanted = *size;
    *size = bytes.size < wanted ? bytes.size : wanted;
    if (nd_stream_codec(reader->stream) == ND_CODEC_PLAIN) {
        uint64_t found = UINT64_MAX;
        if (*size < wanted) {
            ND_TRY(nd_stream_find(reader->stream, place.file + header->header_bytes, UINT64_MAX,
                                  reader->format->begins, &found));
        }
        if (found != UINT64_MAX && found - place.file < *size) {
            *size = (size_t)(found - place.file);
        }
    } else {
        size_t member = nd_stream_member_after(reader->stream, header->header_bytes);
        while (member < *size && !begins_in(reader->format, bytes, member)) {
            member = nd_stream_member_after(reader->stream, member + 1);
        }
        *size = member < *size ? member : *size;
    }
    reader->explained = *size < wanted;
out:
    return st;
}

static nd_status too_long(nd_reader *reader, uint64_t length, nd_outcome *outcome) {
    (void)snprintf(reader->fault_text, sizeof reader->fault_text,
                   "page of %llu bytes is longer than the limit of %llu",
                   (unsigned long long)length, (unsigned long long)reader->options.max_page_bytes);
    return nd_outcome_skip(reader, reader->fault_text, outcome);
}

/* The block is in memory: undo what HTTP did to it and make it UTF-8. */
static nd_status deliver(nd_reader *reader, const nd_archive_header *header, nd_span block,
                         const verdict *seen, nd_record *record, nd_outcome *outcome) {
    nd_status st = ND_OK;
    nd_http_response response = {.content_type = header->content_type, .body = block};
    nd_span body;
    nd_media media = seen->media;
    if (seen->http) {
        (void)nd_http_parse(block, &response); /* judge() saw it parse */
    }
    st = nd_http_body(&response, reader->options.max_page_bytes, &reader->http, &body);
    if (st == ND_ERR_LIMIT) {
        return nd_outcome_skip(reader, "page is longer than the limit once decoded", outcome);
    }
    ND_TRY(st);
    if (media == ND_MEDIA_UNKNOWN) {
        media = nd_sniff_html(body) ? ND_MEDIA_HTML : ND_MEDIA_OTHER;
    } else if (media == ND_MEDIA_TEXT && nd_sniff_binary(body)) {
        media = ND_MEDIA_OTHER;
    }
    *outcome = media == ND_MEDIA_OTHER ? ND_OUTCOME_OTHER : ND_OUTCOME_PAGE;
    if (media == ND_MEDIA_OTHER) {
        goto out;
    }
    *record = (nd_record){.content = media == ND_MEDIA_HTML ? ND_CONTENT_HTML : ND_CONTENT_TEXT,
                          .id = header->id,
                          .url = header->url,
                          .offset = reader->offset};
    ND_TRY(nd_charset_to_utf8(reader->charset, body,
                              nd_fields_parameter(response.content_type, "charset"),
                              media == ND_MEDIA_HTML, &record->text, NULL));
out:
    return st;
}

/* The header is good and its block may hold a page. */
static nd_status read_block(nd_reader *reader, nd_archive_header *header, nd_record *record,
                            nd_outcome *outcome) {
    nd_status st = ND_OK;
    nd_span bytes;
    const size_t before = header->header_bytes;
    const uint64_t limit = reader->options.max_page_bytes;
    const size_t head_bytes = header->length < HEAD_BYTES ? (size_t)header->length : HEAD_BYTES;
    ND_TRY(nd_stream_need(reader->stream, before + head_bytes, &bytes));
    size_t size = before + head_bytes;
    ND_TRY(find_early_end(reader, header, bytes, &size));
    const verdict seen = judge(header, (nd_span){bytes.data + before, size - before});
    *outcome = ND_OUTCOME_OTHER;
    if (seen.media == ND_MEDIA_OTHER ||
        (seen.media == ND_MEDIA_UNKNOWN && header->length > limit)) {
        goto out;
    }
    if (seen.fault != NULL) {
        st = nd_outcome_skip(reader, seen.fault, outcome);
        goto out;
    }
    if (header->length > limit && !reader->explained) {
        st = too_long(reader, header->length, outcome);
        goto out;
    }
    if (header->length > head_bytes && !reader->explained) {
        size = before + (size_t)header->length;
        ND_TRY(nd_stream_need(reader->stream, size, &bytes));
        ND_TRY(find_early_end(reader, header, bytes, &size));
    }
    if (reader->explained) {
        reader->pending = size;
        if (size == before && header->length > 0) {
            st = nd_outcome_skip(reader, "record is cut off behind its header", outcome);
            goto out;
        }
    }
    /* more bytes were asked for, so the views of the header may have moved */
    ND_TRY(reader->format->parse_header(bytes, header));
    ND_TRY(deliver(reader, header, (nd_span){bytes.data + before, size - before}, &seen, record,
                   outcome));
out:
    return st;
}

nd_status nd_archive_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    nd_archive_header header;
    nd_span bytes;
    const nd_place place = nd_stream_place(reader->stream);
    nd_status st = nd_archive_record_header(reader->stream, reader->format, &header, &bytes);
    if (st == ND_END || st == ND_ERR_FORMAT) {
        reader->explained = true;
        reader->pending = UINT64_MAX;
        reader->resume = place.file + 1;
        return nd_outcome_skip(reader, "record header is cut off or too long", outcome);
    }
    if (st != ND_OK) {
        return st;
    }
    reader->pending = header.header_bytes + header.length;
    reader->resume = place.file + header.header_bytes;
    reader->explained = header.fault != NULL;
    if (header.fault != NULL && header.kind != ND_ARCHIVE_OTHER) {
        return nd_outcome_skip(reader, header.fault, outcome);
    }
    if (header.length > UINT64_MAX - header.header_bytes || header.kind == ND_ARCHIVE_OTHER) {
        *outcome = ND_OUTCOME_OTHER;
        reader->pending =
            header.length > UINT64_MAX - header.header_bytes ? UINT64_MAX : reader->pending;
        return ND_OK;
    }
    return read_block(reader, &header, record, outcome);
}
