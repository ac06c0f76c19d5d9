/* Records of WARC and ARC: which of them are pages, and their text. */
#include "io/input/capture.h"
#include "io/input/date.h"
#include "io/input/fields.h"
#include "io/input/reader_state.h"
#include "io/input/sniff.h"

#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

/* What the block seems to hold, from its first bytes. */
typedef struct classified {
    nd_media media; /* OTHER: no page */
    nd_other_reason other;
    bool http;
    const char *fault; /* NULL, or why a block that should hold a page does not */
    bool looked;       /* at all of the body that shows what it is: */
    nd_media body;
} classified;

static classified no_page(nd_other_reason reason, bool http) {
    return (classified){.media = ND_MEDIA_OTHER, .other = reason, .http = http};
}

/* Of several types that differ the last one counts, but a page is looked for before it is passed
 * over for that. */
static classified of_type(const nd_http_response *response) {
    classified seen = {.http = true};
    seen.media = nd_sniff_type(response->content_type, &seen.other);
    if (seen.media == ND_MEDIA_OTHER && response->types_differ) {
        seen.media = ND_MEDIA_MAYBE;
    }
    return seen;
}

/* What is not packed shows by its first bytes that it is no page, so that the rest of it, however
 * long, need not be held. */
static void look_at_body(classified *seen, const nd_http_response *response, bool whole) {
    nd_other_reason why = seen->other;
    const nd_span body = response->body;
    if (response->transfer.count > 0 || response->content.count > 0 ||
        !(whole || body.size >= ND_SNIFF_BYTES) || nd_coding_of_bytes(body) != ND_CODING_UNKNOWN) {
        return;
    }
    seen->body = nd_sniff_body(seen->media, body, response->charset, &why);
    /* blanks at its beginning may hide what it is, until more of it has come */
    seen->looked =
        seen->body != ND_MEDIA_OTHER && (whole || nd_fields_trim(body).size >= ND_SNIFF_BYTES);
    if (seen->body == ND_MEDIA_OTHER && why != ND_OTHER_EMPTY) {
        *seen = no_page(why, seen->http);
    }
}

/* \param[in] head   first bytes of the block
 * \param[in] whole  they are all of it */
static classified classify(const nd_archive_header *header, nd_span head, bool whole) {
    nd_http_response response;
    classified seen = {0};
    const bool http = nd_http_parse(head, &response);
    if (header->role == ND_ROLE_REVISIT) { /* what there is of HTTP may show that it is no page */
        const bool page = !http || ((response.status == 304 || response.status / 100 == 2) &&
                                    of_type(&response).media != ND_MEDIA_OTHER);
        return page ? (classified){.media = ND_MEDIA_TEXT, .http = http}
                    : no_page(ND_OTHER_REVISIT, http);
    }
    if (header->kind == ND_ARCHIVE_DOCUMENT) {
        seen.media = nd_sniff_type(header->content_type, &seen.other);
        response =
            (nd_http_response){.charset = nd_fields_charset(header->content_type), .body = head};
        look_at_body(&seen, &response, whole);
        return seen;
    }
    if (!http) {
        /* a response without an HTTP header is used if it is plainly a document, as old tools
         * stored */
        seen.media = nd_sniff_type(header->content_type, &seen.other);
        const bool text = seen.media == ND_MEDIA_HTML || seen.media == ND_MEDIA_TEXT;
        if (nd_sniff_html(head)) {
            seen.media = ND_MEDIA_HTML;
        } else if (text || nd_fields_starts(header->content_type, "application/http")) {
            seen.media = ND_MEDIA_UNKNOWN;
            seen.fault = "response without an HTTP status line";
        } else if (seen.media != ND_MEDIA_OTHER) {
            return no_page(ND_OTHER_TYPE, false);
        }
        return seen;
    }
    if (response.status < 200 || response.status > 299) {
        return no_page(response.status / 100 == 3 ? ND_OTHER_REDIRECT : ND_OTHER_STATUS, true);
    }
    seen = of_type(&response);
    if (seen.media != ND_MEDIA_OTHER && !response.complete) {
        seen.fault = "HTTP header is cut off";
        return seen;
    }
    look_at_body(&seen, &response, whole);
    return seen;
}

/* By what the record is found by revisits or, if it is one, what it is a copy of: by what its
 * crawler compared. A profile that is not known may mean anything; where there is none, what is
 * named is. */
static nd_page_claim claim_of(const nd_archive_header *header) {
    nd_page_claim claim = {.payload = nd_capture_payload_key(header->payload)};
    if (header->role != ND_ROLE_REVISIT) {
        return claim;
    }
    const bool is_same = nd_fields_find(header->profile, "identical-payload-digest") != SIZE_MAX;
    if (is_same || header->profile.size == 0 ||
        nd_fields_find(header->profile, "server-not-modified") != SIZE_MAX) {
        claim.refers_id = nd_capture_id_key(header->refers_id);
        claim.refers_place =
            nd_capture_place_key(header->refers_url, nd_date_read(header->refers_date));
    }
    claim.payload = is_same ? claim.payload : 0;
    return claim;
}

/* The block is in memory: undo what HTTP did to it and make it UTF-8. */
static nd_status deliver(nd_reader *reader, const nd_archive_header *header, nd_span block,
                         const classified *seen, nd_record *record, nd_outcome *outcome) {
    nd_status st = ND_OK;
    nd_http_response response = {.charset = nd_fields_charset(header->content_type), .body = block};
    nd_other_reason why = seen->other;
    nd_span body;
    *record = (nd_record){.content = ND_CONTENT_TEXT,
                          .id = header->id,
                          .url = header->url,
                          .date = nd_date_read(header->date),
                          .offset = reader->frames.entry,
                          .revisit = header->role == ND_ROLE_REVISIT,
                          .claim = claim_of(header)};
    if (record->revisit) {
        *outcome = ND_OUTCOME_PAGE;
        goto out;
    }
    if (seen->http) {
        (void)nd_http_parse(block, &response); /* classify() saw it parse */
    }
    nd_record_limit passed = ND_LIMIT_PAGE;
    st = nd_http_body(&response, &reader->limits, &reader->http, &body, &passed);
    if (st == ND_ERR_LIMIT) {
        return nd_outcome_refuse(reader, passed, outcome);
    }
    ND_TRY(st);
    const nd_media media =
        seen->looked ? seen->body : nd_sniff_body(seen->media, body, response.charset, &why);
    if (media == ND_MEDIA_OTHER) {
        return nd_outcome_other(reader, why, outcome);
    }
    *outcome = ND_OUTCOME_PAGE;
    record->content = media == ND_MEDIA_HTML ? ND_CONTENT_HTML : ND_CONTENT_TEXT;
    st = nd_charset_to_utf8(reader->charset, body, response.charset, media == ND_MEDIA_HTML,
                            &record->text, NULL);
    if (st == ND_ERR_LIMIT) {
        st = nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome);
    }
out:
    return st;
}

/* The header is good and its block may hold a page. */
static nd_status read_block(nd_reader *reader, nd_archive_header *header, nd_record *record,
                            nd_outcome *outcome) {
    nd_status st = ND_OK;
    nd_span bytes;
    nd_stream *stream = reader->stream;
    nd_frames *frames = &reader->frames;
    const nd_framing *framing = frames->framing;
    const size_t before = header->header_bytes;
    const uint64_t limit = reader->limits.most[ND_LIMIT_PAGE];
    const uint64_t longest_head = reader->limits.most[ND_LIMIT_HTTP_HEADER];
    const size_t head_bytes = (size_t)nd_min(header->length, longest_head);
    ND_TRY(nd_stream_need(stream, before + head_bytes, &bytes));
    size_t size = (size_t)nd_min(bytes.size, before + head_bytes);
    ND_TRY(nd_stream_find_ahead(stream, before, size, framing->starts.begins, &size));
    /* whenever more bytes were asked for, the views of the header may have moved */
    ND_TRY(framing->parse_header(bytes, header));
    const classified seen = classify(header, (nd_span){bytes.data + before, size - before},
                                     size - before == header->length);
    const bool doubtful = seen.media == ND_MEDIA_UNKNOWN || seen.media == ND_MEDIA_MAYBE;
    const bool other = seen.media == ND_MEDIA_OTHER || (doubtful && header->length > limit);
    if (other || seen.fault != NULL) {
        const bool long_head = size - before == longest_head;
        ND_TRY(nd_frames_measure(frames, header, ND_FRAMES_HELD, &bytes, &size));
        st = other       ? nd_outcome_other(reader, seen.other, outcome)
             : long_head ? nd_outcome_refuse(reader, ND_LIMIT_HTTP_HEADER, outcome)
                         : nd_outcome_skip(reader, seen.fault, outcome);
        goto out;
    }
    ND_TRY(nd_frames_measure(frames, header, limit, &bytes, &size));
    if (size == 0) {
        st = nd_outcome_refuse(reader, ND_LIMIT_PAGE, outcome);
        goto out;
    }
    if (frames->cut != NULL && frames->explained && nd_stream_is_refused(stream)) {
        frames->cut = NULL;
        st = nd_outcome_skip(reader, nd_stream_damage(stream), outcome);
        goto out;
    }
    if (frames->cut != NULL && size == before) {
        st = nd_outcome_skip(reader, "record is cut off after its header", outcome);
        goto out;
    }
    ND_TRY(framing->parse_header(bytes, header));
    ND_TRY(deliver(reader, header, (nd_span){bytes.data + before, size - before}, &seen, record,
                   outcome));
    if (*outcome == ND_OUTCOME_PAGE) {
        record->checksum = nd_xxh3_64((nd_span){bytes.data, size}, 0);
    }
out:
    return st;
}

nd_status nd_archive_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    nd_archive_header header;
    nd_span bytes;
    size_t size = 0;
    nd_frames *frames = &reader->frames;
    nd_status st = nd_frames_header(frames, &header, &bytes);
    if (st == ND_END || st == ND_ERR_FORMAT) {
        const bool is_long = st == ND_END && bytes.size >= reader->limits.most[ND_LIMIT_HEADER];
        reader->counts.gaps++;
        ND_TRY(nd_frames_pass_unmeasured(frames, 1, "record header is cut off"));
        return is_long ? nd_outcome_refuse(reader, ND_LIMIT_HEADER, outcome)
                       : nd_outcome_skip(reader, frames->text, outcome);
    }
    ND_TRY(st);
    const bool revisit = header.role == ND_ROLE_REVISIT;
    reader->counts.revisits += revisit && header.fault == NULL;
    if (!header.is_measured) {
        reader->counts.gaps++;
        ND_TRY(nd_frames_pass_unmeasured(frames, header.header_bytes, header.fault));
        return nd_outcome_skip(reader, frames->text, outcome);
    }
    if (header.fault == NULL &&
        (header.kind != ND_ARCHIVE_OTHER || (revisit && reader->options.revisits))) {
        return read_block(reader, &header, record, outcome);
    }
    ND_TRY(nd_frames_measure(frames, &header, ND_FRAMES_HELD, &bytes, &size));
    st = header.fault != NULL ? nd_outcome_skip(reader, header.fault, outcome)
                              : nd_outcome_other(reader, header.other, outcome);
out:
    return st;
}
