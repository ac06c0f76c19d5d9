/* Which format a source has. */
#include "io/input/reader.h"

#include "io/input/archive_header.h"
#include "io/input/fields.h"
#include "io/input/file_window.h"
#include "io/input/reader_state.h"
#include "io/input/sniff.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <stdlib.h>
#include <string.h>

/* ==== records of WARC and ARC */

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

/* Records of WARC and ARC. */
static nd_status archive_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
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

/* ==== lines */

/* Bytes passed over at a time of a line that is too long to be held. */
enum { SKIP_BYTES = ND_STEP(64 << 10) };

/* Records of JSONL. */
static nd_status line_record_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
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

/* ==== whole files */

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

/* A page that is a whole file: HTML, plain text, and text files that are no pages. */
static nd_status html_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    return read_file(reader, ND_CONTENT_HTML, record, outcome);
}

static nd_status text_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    return read_file(reader, ND_CONTENT_TEXT, record, outcome);
}

static nd_status other_file_read(nd_reader *reader, nd_record *record, nd_outcome *outcome) {
    (void)record;
    reader->frames.pending = UINT64_MAX;
    return nd_outcome_other(reader, ND_OTHER_FILE, outcome);
}

/* ==== formats */

/* What stands before the first record of a source that has no archive's name, at most. */
enum { FOREWORD = 64 };
/* How far a good record is searched in a source that starts damaged. */
enum { DAMAGE_BYTES = ND_STEP(64 << 20) };

static const char *const archives[] = {".warc", ".arc", ".wet", ".wat", NULL};

static bool anything(nd_span content) {
    return content.size > 0;
}

/* The start of a line. */
static size_t next_line(nd_span bytes, size_t from) {
    if (from >= bytes.size || (from > 0 && bytes.data[from - 1] == '\n')) {
        return from;
    }
    const uint8_t *end = memchr(bytes.data + from, '\n', bytes.size - from);
    return end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size;
}

static const nd_format FORMAT_WARC = {.framing = {.archive = true,
                                                  .line_ends = true,
                                                  .starts = {nd_warc_begins, nd_warc_next},
                                                  .may_begin = nd_warc_may_begin,
                                                  .parse_header = nd_warc_parse},
                                      .names = {"warc", "warc.gz", "warc.zst"},
                                      .read = archive_record_read};
static const nd_format FORMAT_ARC = {.framing = {.archive = true,
                                                 .line_ends = true,
                                                 .starts = {nd_arc_begins, nd_arc_next},
                                                 .may_begin = nd_arc_may_begin,
                                                 .parse_header = nd_arc_parse},
                                     .names = {"arc", "arc.gz", "arc.zst"},
                                     .read = archive_record_read};
static const nd_format FORMAT_JSONL = {
    .framing = {.line_ends = true, .starts = {nd_jsonl_begins, next_line}, .may_begin = anything},
    .names = {"jsonl", "jsonl.gz", "jsonl.zst"},
    .read = line_record_read};
static const nd_format FORMAT_HTML = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"html", "html.gz", "html.zst"},
    .read = html_file_read};
static const nd_format FORMAT_TEXT = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"txt", "txt.gz", "txt.zst"},
    .read = text_file_read};
static const nd_format FORMAT_OTHER = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"other", "other.gz", "other.zst"},
    .read = other_file_read};

/* A file of its own is HTML if it looks so or is called so, and else text; the names of what pages
 * are made of, or of data, keep a folder's style sheets and scripts from being read as pages. */
static const nd_format *page_file(nd_span content, const char *path) {
    static const char *const parts[] = {".css", ".js",  ".mjs", ".json", ".xml",
                                        ".svg", ".map", ".rss", ".atom", NULL};
    if (nd_sniff_binary(content)) {
        return NULL;
    }
    if (nd_sniff_html(content) || nd_sniff_html_name(path)) {
        return &FORMAT_HTML;
    }
    return nd_sniff_ending(path, parts) ? &FORMAT_OTHER : &FORMAT_TEXT;
}

/* \param[out] foreign  a format that is not read, if the source has one
 * \return NULL if it has that, or none */
static const nd_format *recognise(nd_span content, const char *path, const nd_foreign **foreign) {
    *foreign = NULL;
    if (content.size == 0) {
        return NULL;
    }
    if (nd_warc_may_begin(nd_fields_trim(content))) {
        return &FORMAT_WARC;
    }
    if (nd_fields_starts(content, "filedesc:") || nd_arc_begins(content)) {
        return &FORMAT_ARC;
    }
    *foreign = nd_jsonl_looks(content) ? NULL : nd_foreign_find(content, path);
    if (*foreign != NULL) {
        return NULL;
    }
    /* lines of JSON are known by the first of them, or by the file's name: one spoilt line does not
     * make the file a page */
    const bool lines =
        nd_jsonl_looks(content) ||
        (nd_sniff_lines_name(path) && !nd_sniff_html(content) && !nd_sniff_binary(content));
    return lines ? &FORMAT_JSONL : page_file(content, path);
}

static void note_damage(void *context, nd_stray what, uint64_t offset, const char *why) {
    bool *damaged = context;
    (void)offset;
    (void)why;
    *damaged = *damaged || what != ND_STRAY_BYTES;
}

/* A compressed archive may be entered in the middle if it has a member per record, which the first
 * good record shows: the next must start a member. Damage shows nothing. */
static nd_status look_at_members(nd_stream *stream, const nd_format *format, bool *splittable) {
    nd_status st = ND_OK;
    bool damaged = false;
    nd_frames frames = {.stream = stream,
                        .framing = &format->framing,
                        .splittable = true,
                        .most_expansion = nd_record_limits_of(0, 0, 0).most[ND_LIMIT_EXPANSION],
                        .stray = note_damage,
                        .context = &damaged};
    *splittable = false;
    ND_TRY(nd_frames_next(&frames, UINT64_MAX));
    while (!frames.ended && nd_stream_file_position(stream) <= DAMAGE_BYTES) {
        nd_archive_header header;
        nd_span bytes;
        size_t size = 0;
        st = nd_frames_header(&frames, &header, &bytes);
        const bool bad = st == ND_END || st == ND_ERR_FORMAT;
        ND_TRY(bad ? ND_OK : st);
        damaged = false;
        ND_TRY(bad || !header.is_measured
                   ? nd_frames_pass_unmeasured(&frames, bad ? 1 : header.header_bytes, "")
                   : nd_frames_measure(&frames, &header, ND_FRAMES_HELD, &bytes, &size));
        damaged = damaged || frames.explained;
        ND_TRY(nd_frames_next(&frames, UINT64_MAX));
        if (!damaged) {
            *splittable = frames.ended || nd_stream_place(stream).at_start;
            break;
        }
    }
out:
    return st;
}

static bool begins_archive(nd_span content) {
    return nd_warc_begins(content) || nd_arc_begins(content);
}

static size_t next_archive(nd_span bytes, size_t from) {
    return nd_min(nd_warc_next(bytes, from), nd_arc_next(bytes, from));
}

/* Content that is no archive's, nor plainly anything else's, may be the damaged start of one, which
 * is still known by its first good record: a member that is one or, where the source is called an
 * archive, a record anywhere; one that soon begins makes any source one. The magic may be damaged
 * too: then the name says the codec.
 * \param[in] content     the source's first
 * \param[in,out] format  the archive's, if there is such a record; under the cursor is then where
 *                        members are to be looked at */
static nd_status find_good_record(nd_stream *stream, const char *path, nd_span content,
                                  const nd_format **format) {
    static const nd_starts starts = {begins_archive, next_archive};
    nd_status st = ND_OK;
    uint64_t at = UINT64_MAX;
    const bool named = nd_sniff_ending(path, archives);
    const bool soon = nd_starts_find(&starts, content, 0, nd_min(FOREWORD, content.size)) <
                      nd_min(FOREWORD, content.size);
    if (nd_stream_codec(stream) == ND_CODEC_PLAIN) {
        const char *ending = strrchr(path, '.') != NULL ? strrchr(path, '.') : "";
        const bool zstd = strcmp(ending, ".zst") == 0;
        if (nd_sniff_binary(content) && (zstd || strcmp(ending, ".gz") == 0)) {
            ND_TRY(nd_stream_take_as(stream, zstd ? ND_CODEC_ZSTD : ND_CODEC_GZIP));
        } else if (!named && !soon) {
            goto out;
        }
    }
    ND_TRY(nd_stream_find(stream, 1, DAMAGE_BYTES, &starts, &at));
    if (at != UINT64_MAX) {
        nd_stream_seek(stream, at);
    } else if (nd_stream_codec(stream) != ND_CODEC_PLAIN && (named || soon)) {
        uint64_t passed = 0;
        nd_stream_seek(stream, 0);
        ND_TRY(nd_frames_pass_to(stream, 0, DAMAGE_BYTES, &starts, &passed));
    } else {
        goto out;
    }
    ND_TRY(nd_stream_need(stream, ND_STREAM_PEEK_BYTES, &content));
    if (begins_archive(content)) {
        *format = nd_warc_may_begin(content) ? &FORMAT_WARC : &FORMAT_ARC;
    }
out:
    return st;
}

nd_status nd_format_of(nd_stream *stream, const char *path, const nd_format **format,
                       bool *splittable) {
    nd_status st = ND_OK;
    nd_span content;
    const nd_foreign *foreign = NULL;
    *format = NULL;
    *splittable = false;
    ND_TRY(nd_stream_peek(stream, 0, &content));
    if (content.size == 0) { /* the first member may be empty, a dictionary: then the next counts */
        ND_TRY(nd_stream_need(stream, 1, &content));
    }
    if (content.size == 0 && nd_stream_damage(stream) == NULL) {
        goto out;
    }
    content.size = (size_t)nd_min(content.size, ND_STREAM_PEEK_BYTES);
    *format = recognise(content, path, &foreign);
    if (foreign != NULL) {
        st = nd_foreign_refuse(foreign, path, nd_stream_codec(stream));
        goto out;
    }
    bool doubtful = *format == NULL || *format == &FORMAT_TEXT || *format == &FORMAT_OTHER ||
                    (!(*format)->framing.archive && nd_sniff_ending(path, archives));
    if (!doubtful && !(*format)->framing.archive) { /* damaged bytes may look like anything */
        nd_span bytes;
        ND_TRY(nd_stream_need(stream, ND_STREAM_PEEK_BYTES, &bytes));
        doubtful = nd_stream_damage(stream) != NULL;
    }
    if (doubtful) {
        ND_TRY(find_good_record(stream, path, content, format));
    }
    if (*format == NULL) {
        const char *damage = nd_stream_damage(stream);
        st = nd_fail(ND_ERR_FORMAT, "%s: %s%s", path,
                     damage != NULL ? "cannot be unpacked: "
                                    : "binary data of no known format; expected WARC, ARC, JSONL, "
                                      "HTML or text, plain, .gz or .zst",
                     damage != NULL ? damage : "");
        goto out;
    }
    const bool plain = nd_stream_codec(stream) == ND_CODEC_PLAIN;
    if (plain) {
        *splittable = (*format)->framing.archive || *format == &FORMAT_JSONL;
    } else if ((*format)->framing.archive) {
        ND_TRY(look_at_members(stream, *format, splittable));
    }
out:
    nd_stream_seek(stream, 0);
    return st;
}

/* ==== the reader */

static nd_record_limits limits_of(const nd_reader_options *options) {
    return options == NULL ? nd_record_limits_of(0, 0, 0)
                           : nd_record_limits_of(options->max_page_bytes, options->max_expansion,
                                                 options->memory);
}

static nd_source_shape shape_of(const nd_stream *stream, const nd_format *format, bool splittable) {
    uint64_t checksum = 0;
    const nd_file_identity identity = nd_stream_identity(stream, &checksum);
    return (nd_source_shape){.bytes = identity.bytes,
                             .identity = identity,
                             .splittable = splittable,
                             .format =
                                 format == NULL ? "empty" : format->names[nd_stream_codec(stream)]};
}

/* The format of the source; one that is not read is an input that cannot be used. */
static nd_status know_format(nd_stream *stream, const char *path, const nd_format **format,
                             bool *splittable) {
    const nd_status st = nd_format_of(stream, path, format, splittable);
    return st == ND_ERR_FORMAT ? ND_ERR_INPUT : st;
}

nd_status nd_source_look(const char *path, const nd_reader_options *options,
                         nd_source_shape *shape) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    const nd_format *format = NULL;
    bool splittable = false;
    const nd_record_limits limits = limits_of(options);
    ND_TRY(nd_stream_open(path, &limits, &stream));
    ND_TRY(know_format(stream, path, &format, &splittable));
    *shape = shape_of(stream, format, splittable);
out:
    nd_stream_close(&stream);
    return st;
}

nd_source_shape nd_reader_shape(const nd_reader *reader) {
    return shape_of(reader->stream, reader->format, reader->frames.splittable);
}

static void report(nd_reader *reader, uint64_t offset, const char *reason) {
    reader->counts.records++;
    reader->counts.skipped++;
    if (reader->options.skip != NULL) {
        reader->options.skip(reader->options.skip_context, offset, reason);
    }
}

/* What a limit keeps from being read is no gap, unless nothing can be read after it. */
static void on_stray(void *context, nd_stray what, uint64_t offset, const char *why) {
    nd_reader *reader = context;
    reader->counts.gaps += what != ND_STRAY_REFUSED || !reader->frames.splittable;
    report(reader, offset, why);
}

/* ---- opening */

nd_jsonl_names nd_reader_jsonl_names(const nd_reader_options *options) {
    return (nd_jsonl_names){
        .id = options->jsonl_id != NULL ? options->jsonl_id : "id",
        .url = options->jsonl_url != NULL ? options->jsonl_url : "url",
        .text = options->jsonl_text != NULL ? options->jsonl_text : "text",
        .html = options->jsonl_html != NULL ? options->jsonl_html : "html",
        .date = options->jsonl_date,
    };
}

/* Go to the range's first record: byte 0 is one, elsewhere it is searched. A page may have begun
 * where no search finds it: there it can be entered again. */
static nd_status enter(nd_reader *reader) {
    uint64_t found = reader->begin;
    nd_status st = ND_OK;
    nd_span content = {0};
    nd_frames *frames = &reader->frames;
    nd_frames_restart(frames);
    if (reader->begin >= reader->end || reader->format == NULL ||
        (reader->begin > 0 && !frames->splittable)) {
        frames->ended = true;
        frames->next = UINT64_MAX;
        return ND_OK;
    }
    const nd_framing *framing = frames->framing;
    if (reader->begin > 0 && framing->archive &&
        nd_stream_codec(reader->stream) == ND_CODEC_PLAIN) {
        ND_TRY(nd_stream_peek(reader->stream, reader->begin - 1, &content));
    }
    if (reader->begin > 0 && (content.size < 2 || !nd_framing_may_begin(framing, content, 1))) {
        ND_TRY(
            nd_stream_find(reader->stream, reader->begin, reader->end, &framing->starts, &found));
    }
    frames->ended = found == UINT64_MAX;
    frames->next = UINT64_MAX;
    if (!frames->ended) {
        nd_stream_seek(reader->stream, found);
    }
out:
    return st;
}

/* Of a sample: what lies far after byte `end` is not looked at. */
static void reach(nd_reader *reader, uint64_t end) {
    const uint64_t most = reader->options.reach;
    nd_stream_end_at(reader->stream, most > 0 && end < UINT64_MAX - most ? end + most : UINT64_MAX);
}

nd_status nd_reader_open(const char *path, const char *url, uint64_t begin, uint64_t end,
                         const nd_reader_options *options, nd_reader **out) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    *out = NULL;
    nd_new(&reader, 1, sizeof *reader);
    if (options != NULL) {
        reader->options = *options;
    }
    const nd_reader_options *given = &reader->options;
    const nd_jsonl_names names = nd_reader_jsonl_names(given);
    reader->limits = limits_of(given);
    ND_TRY(nd_stream_open(path, &reader->limits, &reader->stream));
    reach(reader, 0);
    reader->frames = (nd_frames){.stream = reader->stream,
                                 .most_expansion = reader->limits.most[ND_LIMIT_EXPANSION],
                                 .stray = on_stray,
                                 .context = reader};
    ND_TRY(know_format(reader->stream, path, &reader->format, &reader->frames.splittable));
    reader->frames.framing = reader->format == NULL ? NULL : &reader->format->framing;
    ND_TRY(nd_charset_open(reader->limits.most[ND_LIMIT_PAGE], &reader->charset));
    ND_TRY(nd_jsonl_open(&names, &reader->limits, &reader->jsonl));
    reader->url = url;
    ND_TRY(nd_reader_move(reader, begin, end));
    *out = reader;
    reader = NULL;
out:
    nd_reader_close(&reader);
    return st;
}

nd_status nd_reader_move(nd_reader *reader, uint64_t begin, uint64_t end) {
    reach(reader, end);
    reader->begin = begin;
    reader->end = nd_min(end, nd_stream_file_bytes(reader->stream));
    reader->first = UINT64_MAX;
    return enter(reader);
}

void nd_reader_close(nd_reader **reader) {
    if (*reader == NULL) {
        return;
    }
    nd_stream_close(&(*reader)->stream);
    nd_charset_close(&(*reader)->charset);
    nd_jsonl_close(&(*reader)->jsonl);
    nd_http_scratch_free(&(*reader)->http);
    free(*reader);
    *reader = NULL;
}

/* ---- from record to record */

static void count(nd_reader *reader, nd_outcome outcome) {
    if (outcome == ND_OUTCOME_NONE) {
        return;
    }
    const nd_frames *frames = &reader->frames;
    if (reader->first == UINT64_MAX) {
        reader->first = frames->offset;
    }
    reader->counts.gaps += frames->cut != NULL;
    if (outcome == ND_OUTCOME_SKIPPED) {
        report(reader, frames->offset, reader->fault);
        return;
    }
    reader->counts.records++;
    reader->counts.pages += outcome == ND_OUTCOME_PAGE;
    if (outcome == ND_OUTCOME_OTHER) {
        reader->counts.other++;
        reader->counts.others[reader->other]++;
    }
    if (frames->cut != NULL) {
        report(reader, frames->offset, frames->cut);
    }
}

nd_status nd_reader_next(nd_reader *reader, nd_record *record) {
    nd_status st = ND_OK;
    nd_outcome outcome = ND_OUTCOME_NONE;
    while (outcome != ND_OUTCOME_PAGE) {
        ND_TRY(reader->frames.ended ? ND_OK : nd_frames_next(&reader->frames, reader->end));
        if (reader->frames.ended) {
            return ND_END;
        }
        reader->fault = NULL;
        ND_TRY(reader->format->read(reader, record, &outcome));
        count(reader, outcome);
    }
out:
    return st;
}

void nd_reader_get_counts(const nd_reader *reader, nd_reader_counts *counts) {
    const uint64_t reached =
        reader->frames.ended ? reader->end : nd_stream_file_position(reader->stream);
    *counts = reader->counts;
    counts->bytes = nd_max(nd_min(reached, reader->end), reader->begin) - reader->begin;
}

nd_file_identity nd_reader_identity(const nd_reader *reader, uint64_t *checksum) {
    return nd_stream_identity(reader->stream, checksum);
}

nd_status nd_reader_sum_blocks(nd_reader *reader, uint64_t begin, uint64_t end) {
    return nd_stream_sum_blocks(reader->stream, begin, end);
}

nd_status nd_reader_block_sum(nd_reader *reader, uint64_t *sum) {
    return nd_stream_block_sum(reader->stream, sum);
}

void nd_reader_uncache(const nd_reader *reader) {
    nd_stream_uncache(reader->stream, reader->begin, reader->end);
}

void nd_reader_chain(const nd_reader *reader, uint64_t *first, uint64_t *next) {
    *first = reader->first;
    *next = reader->first == UINT64_MAX ? UINT64_MAX : reader->frames.next;
}
