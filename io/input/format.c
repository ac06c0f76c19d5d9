/* Which format a source has. */
#include "io/input/arc.h"
#include "io/input/fields.h"
#include "io/input/foreign.h"
#include "io/input/reader_state.h"
#include "io/input/sniff.h"
#include "io/input/step.h"
#include "io/input/warc.h"
#include "src/base/order.h"

#include <string.h>

/* How far a good record is searched in a source that starts damaged. */
enum { DAMAGE_BYTES = ND_STEP(64 << 20) };

static bool anything(nd_span content) {
    return content.size > 0;
}

static const nd_format FORMAT_WARC = {.names = {"warc", "warc.gz", "warc.zst"},
                                      .archive = true,
                                      .line_ends = true,
                                      .begins = nd_warc_begins,
                                      .may_begin = nd_warc_may_begin,
                                      .parse_header = nd_warc_parse,
                                      .read = nd_archive_record_read};
static const nd_format FORMAT_ARC = {.names = {"arc", "arc.gz", "arc.zst"},
                                     .archive = true,
                                     .line_ends = true,
                                     .begins = nd_arc_begins,
                                     .may_begin = nd_arc_may_begin,
                                     .parse_header = nd_arc_parse,
                                     .read = nd_archive_record_read};
static const nd_format FORMAT_JSONL = {.names = {"jsonl", "jsonl.gz", "jsonl.zst"},
                                       .line_ends = true,
                                       .begins = nd_jsonl_begins,
                                       .may_begin = anything,
                                       .read = nd_line_record_read};
static const nd_format FORMAT_HTML = {.names = {"html", "html.gz", "html.zst"},
                                      .begins = anything,
                                      .may_begin = anything,
                                      .read = nd_html_file_read};
static const nd_format FORMAT_TEXT = {.names = {"txt", "txt.gz", "txt.zst"},
                                      .begins = anything,
                                      .may_begin = anything,
                                      .read = nd_text_file_read};
static const nd_format FORMAT_OTHER = {.names = {"other", "other.gz", "other.zst"},
                                       .begins = anything,
                                       .may_begin = anything,
                                       .read = nd_other_file_read};

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

/* The record under the cursor, of a compressed archive: does the member end with it? What is wrong
 * with it shows nothing.
 * \param[out] known    whether it shows
 * \param[out] at_start  and if so, whether the next one starts a member, or there is none */
static nd_status look_at_record(nd_stream *stream, const nd_format *format, bool *known,
                                bool *at_start) {
    nd_status st = ND_OK;
    nd_archive_header header;
    nd_span bytes;
    *known = false;
    *at_start = false;
    st = nd_archive_record_header(stream, format, &header, &bytes);
    if (st == ND_END || st == ND_ERR_FORMAT) {
        return ND_OK;
    }
    ND_TRY(st);
    for (uint64_t left = header.header_bytes + header.length; left > 0;) {
        uint64_t skipped = 0;
        ND_TRY(nd_stream_skip(stream, left, &skipped));
        ND_TRY(nd_stream_need(stream, 1, &bytes));
        if (bytes.size == 0 || nd_stream_place(stream).at_start) {
            break;
        }
        left -= skipped;
    }
    do { /* the line ends after the block */
        ND_TRY(nd_stream_need(stream, ND_STREAM_PEEK_BYTES, &bytes));
        *at_start = bytes.size == 0 || nd_stream_place(stream).at_start;
        const bool line_end = bytes.size > 0 && (*bytes.data == '\r' || *bytes.data == '\n');
        if (*at_start || !line_end) {
            break;
        }
        nd_stream_consume(stream, 1);
    } while (true);
    *known = *at_start || format->may_begin(bytes);
out:
    return st;
}

/* A compressed archive may be entered in the middle if it has a member per record, which the first
 * good record shows: the next must start a member. */
static nd_status look_at_members(nd_stream *stream, const nd_format *format, bool *splittable) {
    nd_status st = ND_OK;
    bool known = false;
    *splittable = false;
    while (true) {
        uint64_t passed = 0;
        nd_span bytes;
        ND_TRY(look_at_record(stream, format, &known, splittable));
        if (known || nd_stream_file_position(stream) > DAMAGE_BYTES) {
            break;
        }
        ND_TRY(nd_stream_skip(stream, DAMAGE_BYTES, &passed));
        ND_TRY(nd_stream_need(stream, 1, &bytes));
        if (bytes.size == 0 && nd_stream_damage(stream) != NULL) {
            const uint64_t from = nd_stream_after_damage(stream);
            uint64_t at = UINT64_MAX;
            ND_TRY(nd_stream_find(stream, from, from + DAMAGE_BYTES, format->begins, &at));
            nd_stream_seek(stream, nd_min(at, nd_stream_file_bytes(stream)));
            ND_TRY(nd_stream_need(stream, 1, &bytes));
        }
        if (bytes.size == 0 || !nd_stream_place(stream).at_start) {
            break;
        }
    }
out:
    return st;
}

static bool begins_archive(nd_span content) {
    return nd_warc_begins(content) || nd_arc_begins(content);
}

/* Content that is no archive's, nor plainly anything else's, may be the damaged start of one, which
 * is still known by its first good record: a member that is one, and in a plain file called an
 * archive a line that starts one. The magic may be damaged too: then the name says the codec.
 * \param[in] content     the source's first
 * \param[in,out] format  the archive's, if there is such a record, under the cursor then */
static nd_status find_good_record(nd_stream *stream, const char *path, nd_span content,
                                  const nd_format **format) {
    static const char *const archives[] = {".warc", ".arc", ".wet", ".wat", NULL};
    nd_status st = ND_OK;
    uint64_t at = UINT64_MAX;
    if (nd_stream_codec(stream) == ND_CODEC_PLAIN) {
        const char *ending = strrchr(path, '.') != NULL ? strrchr(path, '.') : "";
        const bool zstd = strcmp(ending, ".zst") == 0;
        if (nd_sniff_binary(content) && (zstd || strcmp(ending, ".gz") == 0)) {
            ND_TRY(nd_stream_take_as(stream, zstd ? ND_CODEC_ZSTD : ND_CODEC_GZIP));
        } else if (!nd_sniff_ending(path, archives)) {
            goto out;
        }
    }
    ND_TRY(nd_stream_find(stream, 1, DAMAGE_BYTES, begins_archive, &at));
    if (at != UINT64_MAX) {
        nd_stream_seek(stream, at);
        ND_TRY(nd_stream_need(stream, 1, &content));
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
    bool doubtful = *format == NULL || *format == &FORMAT_TEXT || *format == &FORMAT_OTHER;
    if (!doubtful && !(*format)->archive) { /* damaged bytes may look like anything */
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
        *splittable = (*format)->archive || *format == &FORMAT_JSONL;
    } else if ((*format)->archive) {
        ND_TRY(look_at_members(stream, *format, splittable));
    }
out:
    nd_stream_seek(stream, 0);
    return st;
}
