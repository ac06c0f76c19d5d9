/* Which format a source has. */
#include "io/input/arc.h"
#include "io/input/fields.h"
#include "io/input/foreign.h"
#include "io/input/reader_state.h"
#include "io/input/sniff.h"
#include "io/input/step.h"
#include "io/input/warc.h"
#include "src/base/util.h"

#include <string.h>

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
                                      .read = nd_archive_record_read};
static const nd_format FORMAT_ARC = {.framing = {.archive = true,
                                                 .line_ends = true,
                                                 .starts = {nd_arc_begins, nd_arc_next},
                                                 .may_begin = nd_arc_may_begin,
                                                 .parse_header = nd_arc_parse},
                                     .names = {"arc", "arc.gz", "arc.zst"},
                                     .read = nd_archive_record_read};
static const nd_format FORMAT_JSONL = {
    .framing = {.line_ends = true, .starts = {nd_jsonl_begins, next_line}, .may_begin = anything},
    .names = {"jsonl", "jsonl.gz", "jsonl.zst"},
    .read = nd_line_record_read};
static const nd_format FORMAT_HTML = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"html", "html.gz", "html.zst"},
    .read = nd_html_file_read};
static const nd_format FORMAT_TEXT = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"txt", "txt.gz", "txt.zst"},
    .read = nd_text_file_read};
static const nd_format FORMAT_OTHER = {
    .framing = {.starts = {anything, NULL}, .may_begin = anything},
    .names = {"other", "other.gz", "other.zst"},
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
