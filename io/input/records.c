#include "io/input/records.h"

#include "io/input/reader_state.h"
#include "io/input/stream.h"
#include "io/store/own_file.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <libdeflate.h>
#include <xxhash.h>
#include <zstd.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== walks */

/* Deflate unpacks to no more, zstd seldom: where it does, what is found is the same. */
enum { EXPANSION = 1032 };

struct nd_walk {
    const char *path;
    nd_stream *stream;
    const nd_format *format; /* NULL: none is known */
    nd_frames frames;        /* of an archive */
    bool at_record;          /* one is under the cursor, before which bytes were of none */
    uint64_t stray;          /* where these begin; UINT64_MAX: there were none */
    bool is_lost;            /* they are of a damaged member, or of one that is beyond a limit */
    char lost_text[ND_FAIL_TEXT_SIZE]; /* why */
    nd_walk_form form;
    nd_reader_options options; /* its bounds alone */
    nd_record_limits limits;   /* of them */
    nd_buffer names;           /* of the record at hand */
    XXH3_state_t *sum;         /* of the bytes that are passed */
    uint64_t pending;          /* bytes of a line under the cursor, or of the whole file */
};

/* Bytes of no record begin where the last record is entered that begins before them, unless they
 * are of a damaged member: so they are not parted from what may come in their member. */
static void on_stray(void *context, nd_stray what, uint64_t offset, const char *why) {
    nd_walk *walk = context;
    const bool is_plain = nd_stream_codec(walk->stream) == ND_CODEC_PLAIN;
    if (what != ND_STRAY_BYTES && !walk->is_lost) {
        walk->is_lost = true;
        (void)snprintf(walk->lost_text, sizeof walk->lost_text, "%s", why);
    }
    if (what != ND_STRAY_BYTES && walk->form == ND_WALK_PACKED) {
        return; /* no unpacked bytes are of it */
    }
    if (walk->stray == UINT64_MAX) {
        walk->stray = what == ND_STRAY_BYTES && walk->form == ND_WALK_RAW && !is_plain
                          ? walk->frames.entry
                          : offset;
    }
}

nd_status nd_walk_open(const char *path, const nd_reader_options *options, nd_walk **out) {
    nd_status st = ND_OK;
    nd_walk *walk = NULL;
    bool splittable = false;
    *out = NULL;
    nd_new(&walk, 1, sizeof *walk);
    walk->path = path;
    /* not whom it reports to: what is skipped was reported by the reader of the run */
    walk->options = (nd_reader_options){.max_page_bytes = options->max_page_bytes,
                                        .max_expansion = options->max_expansion,
                                        .memory = options->memory};
    /* what unpacks to much is passed over here, not held */
    walk->limits = nd_record_limits_of(options->max_page_bytes, UINT64_MAX, options->memory);
    walk->sum = XXH3_createState();
    if (walk->sum == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a checksum");
        goto out;
    }
    ND_TRY(nd_stream_open(path, &walk->limits, &walk->stream));
    ND_TRY(nd_stream_sum_blocks(walk->stream, 0, UINT64_MAX));
    st = nd_format_of(walk->stream, path, &walk->format, &splittable);
    if (st == ND_ERR_FORMAT) { /* what no run has used either: a file */
        walk->format = NULL;
        st = ND_OK;
    }
    ND_TRY(st);
    walk->form = walk->format == NULL || !walk->format->framing.line_ends ? ND_WALK_FILE
                 : splittable                                             ? ND_WALK_RAW
                                                                          : ND_WALK_PACKED;
    walk->frames = (nd_frames){.stream = walk->stream,
                               .framing = walk->format == NULL ? NULL : &walk->format->framing,
                               .splittable = splittable,
                               .most_expansion = EXPANSION,
                               .stray = on_stray,
                               .context = walk};
    *out = walk;
    walk = NULL;
out:
    nd_walk_close(&walk);
    return st;
}

void nd_walk_close(nd_walk **walk) {
    if (*walk != NULL) {
        nd_stream_close(&(*walk)->stream);
        (void)XXH3_freeState((*walk)->sum);
        nd_buffer_free(&(*walk)->names);
    }
    free(*walk);
    *walk = NULL;
}

nd_walk_form nd_walk_form_of(const nd_walk *walk) {
    return walk->form;
}

bool nd_walk_is_archive(const nd_walk *walk) {
    return walk->format != NULL && walk->format->framing.archive;
}

bool nd_walk_is_warc(const nd_walk *walk) {
    return nd_walk_is_archive(walk) && walk->format->names[0][0] == 'w';
}

bool nd_walk_is_jsonl(const nd_walk *walk) {
    return walk->form != ND_WALK_FILE && !nd_walk_is_archive(walk);
}

nd_codec nd_walk_codec(const nd_walk *walk) {
    return nd_stream_codec(walk->stream);
}

const nd_starts *nd_walk_starts(const nd_walk *walk) {
    return nd_walk_is_archive(walk) ? &walk->format->framing.starts : NULL;
}

/* ---- places */

static uint64_t place_of(const nd_walk *walk) {
    const nd_place place = nd_stream_place(walk->stream);
    return walk->form == ND_WALK_RAW ? place.file : place.content;
}

static nd_status refused(const nd_walk *walk, uint64_t page, const char *reason) {
    return nd_fail(ND_ERR_INPUT, "%s: the page at byte %llu cannot be read again: %s", walk->path,
                   (unsigned long long)page, reason);
}

/* A page is not where the run has met it. */
static nd_status not_met(const nd_walk *walk, uint64_t page) {
    return walk->is_lost
               ? refused(walk, page, walk->lost_text)
               : nd_fail(ND_ERR_CHANGED,
                         "%s: has changed since the run: at byte %llu there was a page, and is "
                         "none: partition it again",
                         walk->path, (unsigned long long)page);
}

/* Pass over bytes, as nd_stream_skip() does, and add them to the checksum. */
static nd_status pass_summed(nd_walk *walk, uint64_t count, uint64_t *passed) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_TRY(nd_stream_need(walk->stream, (size_t)nd_min(count, ND_STREAM_PEEK_BYTES), &bytes));
    *passed = nd_min(nd_min(bytes.size, count), (uint64_t)nd_stream_member_after(walk->stream, 1));
    (void)XXH3_64bits_update(walk->sum, bytes.data, (size_t)*passed);
    nd_stream_consume(walk->stream, (size_t)*passed);
out:
    return st;
}

/* ---- records */

/* Views of the header go with the bytes that are passed: keep copies. */
static void keep_names(nd_walk *walk, const nd_archive_header *header, nd_walked *walked) {
    const nd_span from[] = {header->id, header->url, header->with, header->payload,
                            header->content_type};
    nd_span *const to[] = {&walked->id, &walked->url, &walked->with, &walked->digest,
                           &walked->type};
    walk->names.size = 0;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        nd_buffer_append(&walk->names, from[i].data, from[i].size);
    }
    size_t begin = 0;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        *to[i] = nd_span_part(nd_buffer_span(&walk->names), begin, begin + from[i].size);
        begin += from[i].size;
    }
}

/* The record under the cursor. \param[in] is_page  a page is met here */
static nd_status walk_record(nd_walk *walk, bool is_page, nd_walked *walked) {
    static const nd_walked_kind kinds[] = {[ND_ROLE_OWN] = ND_WALKED_RECORD,
                                           [ND_ROLE_INFORMATION] = ND_WALKED_INFORMATION,
                                           [ND_ROLE_COMPANION] = ND_WALKED_COMPANION,
                                           [ND_ROLE_REVISIT] = ND_WALKED_RECORD};
    nd_archive_header header = {0};
    nd_span bytes;
    size_t size = 0;
    nd_frames *frames = &walk->frames;
    nd_status st = nd_frames_header(frames, &header, &bytes);
    const bool cut = st == ND_END || st == ND_ERR_FORMAT;
    ND_TRY(cut ? ND_OK : st);
    walked->kind = cut || header.fault != NULL ? ND_WALKED_UNKNOWN : kinds[header.role];
    if (cut || !header.is_measured) {
        st = nd_frames_pass_unmeasured(frames, cut ? 1 : header.header_bytes, "");
        goto out;
    }
    keep_names(walk, &header, walked);
    ND_TRY(nd_frames_measure(frames, &header,
                             is_page ? walk->limits.most[ND_LIMIT_PAGE] : ND_FRAMES_HELD, &bytes,
                             &size));
    if (is_page && size > header.header_bytes) {
        walked->block = nd_span_part(bytes, header.header_bytes, size);
    }
    walked->checksum = is_page && size > 0 ? nd_xxh3_64(nd_span_part(bytes, 0, size), 0) : 0;
out:
    return st;
}

static nd_status walk_archive(nd_walk *walk, uint64_t page, nd_walked *walked) {
    nd_status st = ND_OK;
    nd_frames *frames = &walk->frames;
    if (!walk->at_record) {
        walk->stray = UINT64_MAX;
        walk->is_lost = false;
        ND_TRY(frames->ended ? ND_OK : nd_frames_next(frames, UINT64_MAX));
        walk->at_record = !frames->ended;
        if (walk->stray != UINT64_MAX) {
            walked->kind = ND_WALKED_UNKNOWN;
            walked->begin = walk->stray;
            /* the damage begins where the page was met, or before it and goes on */
            ND_TRY(walked->begin >= page && walk->is_lost ? not_met(walk, page) : ND_OK);
            goto out;
        }
    }
    if (!walk->at_record) {
        return walk->is_lost && page != UINT64_MAX ? not_met(walk, page) : ND_END;
    }
    walk->at_record = false;
    walked->begin = frames->entry;
    ND_TRY(walked->begin > page ? not_met(walk, page)
                                : walk_record(walk, walked->begin == page, walked));
out:
    return st;
}

/* A line that is too long to be held is no page: it is passed over, and has no view. Line ends with
 * which it begins are before it, as for readers. */
static nd_status walk_line(nd_walk *walk, uint64_t page, nd_span bytes, nd_walked *walked) {
    nd_status st = ND_OK;
    const uint8_t *end = NULL;
    size_t taken = 0;
    walked->kind = ND_WALKED_RECORD;
    while (taken < bytes.size && (bytes.data[taken] == '\r' || bytes.data[taken] == '\n')) {
        taken++;
    }
    walk->pending = taken;
    if (taken > 0) {
        return ND_OK;
    }
    st = nd_stream_line(walk->stream, walk->limits.most[ND_LIMIT_PAGE], &walked->line, &taken);
    walk->pending = taken;
    if (st != ND_ERR_LIMIT) {
        walked->checksum = st == ND_OK ? XXH3_64bits(walked->line.data, walked->line.size) : 0;
        return st;
    }
    if (walked->begin == page) {
        char reason[ND_FAIL_TEXT_SIZE];
        st = refused(walk, page,
                     nd_record_limits_refuse(&walk->limits, ND_LIMIT_PAGE, reason, sizeof reason));
        goto out;
    }
    walked->line = (nd_span){0};
    walk->pending = 0;
    do {
        ND_TRY(nd_stream_need(walk->stream, ND_STREAM_PEEK_BYTES, &bytes));
        end = bytes.size > 0 ? memchr(bytes.data, '\n', bytes.size) : NULL;
        nd_stream_consume(walk->stream, end != NULL ? (size_t)(end - bytes.data) + 1 : bytes.size);
    } while (end == NULL && bytes.size > 0);
out:
    return st;
}

/* The whole file is the record. */
static nd_status walk_file(nd_walk *walk, nd_walked *walked) {
    nd_status st = ND_OK;
    uint64_t passed = 0;
    (void)XXH3_64bits_reset(walk->sum);
    do {
        ND_TRY(pass_summed(walk, UINT64_MAX, &passed));
    } while (passed > 0);
    walked->checksum = XXH3_64bits_digest(walk->sum);
out:
    return st;
}

nd_status nd_walk_next(nd_walk *walk, uint64_t page, nd_walked *walked) {
    nd_status st = ND_OK;
    nd_span bytes;
    *walked = (nd_walked){.kind = ND_WALKED_RECORD};
    if (walk->form == ND_WALK_FILE) {
        walk->pending++;
        return walk->pending > 1 ? ND_END : walk_file(walk, walked);
    }
    if (nd_walk_is_archive(walk)) {
        return walk_archive(walk, page, walked);
    }
    nd_stream_consume(walk->stream, (size_t)walk->pending);
    walk->pending = 0;
    ND_TRY(nd_stream_need(walk->stream, ND_STREAM_PEEK_BYTES, &bytes));
    if (bytes.size == 0) { /* the end, or damage, after which no line is found */
        return ND_END;
    }
    walked->begin = place_of(walk);
    ND_TRY(walked->begin > page ? not_met(walk, page) : walk_line(walk, page, bytes, walked));
out:
    return st;
}

nd_status nd_walk_compare(const nd_walk *walk, const nd_walked *walked, uint64_t checksum,
                          bool *same) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_record record;
    *same = walked->checksum == checksum;
    if (*same) {
        return ND_OK;
    }
    /* damage may make a record end elsewhere here than for a reader */
    st = nd_reader_open(walk->path, "", walked->begin, walked->begin + 1, &walk->options, &reader);
    while (st == ND_OK && !*same) {
        st = nd_reader_next(reader, &record);
        *same = st == ND_OK && record.checksum == checksum;
    }
    nd_reader_close(&reader);
    /* what is no known format any more is another source: one that fails is named as it is */
    return st == ND_END || (st == ND_ERR_INPUT && walk->format == NULL) ? ND_OK : st;
}

const char *nd_walk_damage(const nd_walk *walk) {
    return walk->form == ND_WALK_PACKED ? nd_stream_damage(walk->stream) : NULL;
}

uint64_t nd_walk_end(const nd_walk *walk) {
    return walk->form == ND_WALK_PACKED ? place_of(walk) : nd_stream_file_bytes(walk->stream);
}

nd_status nd_walk_block_sum(nd_walk *walk, uint64_t *sum) {
    return nd_stream_block_sum(walk->stream, sum);
}

/* ==== copies */

/* Bytes read, packed and written at once. */
enum { STEP_BYTES = 1 << 20 };
/* The usual levels: what is written is kept, and is to take no more room than it did. */
enum { GZIP_LEVEL = 6, ZSTD_LEVEL = 3 };

struct nd_record_copy {
    const char *source;
    char *path, *partial;
    int descriptor;
    bool packed;
    nd_codec codec;
    const nd_starts *starts;
    nd_file_window file; /* of the source, unless it is packed */
    nd_stream *stream;   /* if it is */
    uint64_t place;      /* of the stream's cursor */
    uint64_t last;       /* end of what was copied last */
    struct libdeflate_compressor *gzip;
    ZSTD_CCtx *zstd;
    nd_buffer content; /* still to be packed */
    nd_buffer bytes;   /* still to be written */
    uint64_t written;
};

nd_status nd_record_copy_open(const char *source, bool packed, nd_codec codec,
                              const nd_starts *starts, const char *path, nd_record_copy **out) {
    nd_status st = ND_OK;
    nd_record_copy *copy = NULL;
    *out = NULL;
    nd_new(&copy, 1, sizeof *copy);
    *copy = (nd_record_copy){.source = source,
                             .descriptor = -1,
                             .packed = packed,
                             .codec = codec,
                             .starts = starts,
                             .file = {.descriptor = -1}};
    copy->path = nd_text_copy(path);
    copy->partial = nd_own_file_join(path, ND_PARTIAL_SUFFIX);
    ND_TRY(packed ? nd_stream_open(source, NULL, &copy->stream)
                  : nd_file_window_open(&copy->file, source));
    ND_TRY(nd_own_file_remake(copy->partial, &copy->descriptor));
    *out = copy;
    copy = NULL;
out:
    return nd_record_copy_close(&copy, st, NULL, NULL);
}

static nd_status flush(nd_record_copy *copy) {
    nd_status st = ND_OK;
    ND_TRY(nd_own_file_write(copy->descriptor, copy->path, copy->written, copy->bytes.data,
                             copy->bytes.size));
    copy->written += copy->bytes.size;
    copy->bytes.size = 0;
out:
    return st;
}

static nd_status put(nd_record_copy *copy, nd_span bytes) {
    nd_status st = ND_OK;
    nd_buffer_append(&copy->bytes, bytes.data, bytes.size);
    ND_TRY(copy->bytes.size >= STEP_BYTES ? flush(copy) : ND_OK);
out:
    return st;
}

/* Content as one member. */
static nd_status pack(nd_record_copy *copy, nd_span content) {
    nd_status st = ND_OK;
    nd_buffer *to = &copy->bytes;
    const bool gzip = copy->codec == ND_CODEC_GZIP;
    if (gzip && copy->gzip == NULL) {
        copy->gzip = libdeflate_alloc_compressor(GZIP_LEVEL);
    } else if (!gzip && copy->zstd == NULL) {
        copy->zstd = ZSTD_createCCtx();
    }
    if (gzip ? copy->gzip == NULL : copy->zstd == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a packer");
    }
    const size_t room = gzip ? libdeflate_gzip_compress_bound(copy->gzip, content.size)
                             : ZSTD_compressBound(content.size);
    nd_buffer_reserve(to, room);
    const size_t made = gzip ? libdeflate_gzip_compress(copy->gzip, content.data, content.size,
                                                        to->data + to->size, room)
                             : ZSTD_compressCCtx(copy->zstd, to->data + to->size, room,
                                                 content.data, content.size, ZSTD_LEVEL);
    if (gzip ? made == 0 : ZSTD_isError(made) != 0) {
        st = nd_fail(ND_ERR_MEMORY, "%s: out of memory: %zu bytes to be packed", copy->path,
                     content.size);
        goto out;
    }
    to->size += made;
    ND_TRY(to->size >= STEP_BYTES ? flush(copy) : ND_OK);
out:
    return st;
}

nd_status nd_record_copy_add(nd_record_copy *copy, nd_span bytes) {
    nd_status st = ND_OK;
    if (!copy->packed) {
        return copy->codec == ND_CODEC_PLAIN ? put(copy, bytes) : pack(copy, bytes);
    }
    while (bytes.size > 0) {
        const size_t step = (size_t)nd_min(bytes.size, STEP_BYTES - copy->content.size);
        nd_buffer_append(&copy->content, bytes.data, step);
        bytes = nd_span_part(bytes, step, bytes.size);
        if (copy->content.size == STEP_BYTES) {
            ND_TRY(pack(copy, nd_buffer_span(&copy->content)));
            copy->content.size = 0;
        }
    }
out:
    return st;
}

static nd_status too_short(const nd_record_copy *copy) {
    return nd_fail(ND_ERR_CHANGED, "%s: has become shorter while it was copied", copy->source);
}

static nd_status copy_packed(nd_record_copy *copy, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    nd_span bytes;
    while (copy->place < end) {
        ND_TRY(nd_stream_need(copy->stream, 1, &bytes));
        uint64_t found = UINT64_MAX;
        if (bytes.size == 0 && nd_stream_damage(copy->stream) != NULL && copy->starts != NULL) {
            ND_TRY(nd_stream_recover(copy->stream, copy->starts, UINT64_MAX, &found));
        }
        if (bytes.size == 0) {
            ND_TRY(found == UINT64_MAX ? too_short(copy) : ND_OK);
            continue;
        }
        const bool wanted = copy->place >= begin;
        const size_t step = (size_t)nd_min(bytes.size, (wanted ? end : begin) - copy->place);
        if (wanted) {
            ND_TRY(nd_record_copy_add(copy, nd_span_part(bytes, 0, step)));
        }
        nd_stream_consume(copy->stream, step);
        copy->place += step;
    }
out:
    return st;
}

nd_status nd_record_copy_range(nd_record_copy *copy, uint64_t begin, uint64_t end) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_ASSERT(begin <= end && begin >= copy->last, begin, end, copy->last);
    copy->last = end;
    if (copy->packed) {
        return copy_packed(copy, begin, end);
    }
    for (uint64_t at = begin; at < end; at += bytes.size) {
        const size_t want = (size_t)nd_min(end - at, STEP_BYTES);
        ND_TRY(nd_file_window_at(&copy->file, at, want, &bytes));
        if (bytes.size < want) {
            st = too_short(copy);
            goto out;
        }
        bytes.size = want;
        ND_TRY(put(copy, bytes));
    }
out:
    return st;
}

uint64_t nd_record_copy_bytes(const nd_record_copy *copy) {
    return copy->written + copy->bytes.size;
}

nd_status nd_record_copy_close(nd_record_copy **out, nd_status st, nd_own_batch *batch,
                               bool *made) {
    nd_record_copy *copy = *out;
    bool added = false;
    if (copy == NULL) {
        return st;
    }
    const bool is_open = copy->descriptor >= 0;
    /* packed bytes of nothing are a member of nothing: no bytes at all are no file of that form */
    const bool nothing = copy->codec != ND_CODEC_PLAIN && nd_record_copy_bytes(copy) == 0;
    if (st == ND_OK && is_open && (copy->content.size > 0 || nothing)) {
        st = pack(copy, nd_buffer_span(&copy->content));
    }
    st = st == ND_OK && is_open ? flush(copy) : st;
    if (is_open && close(copy->descriptor) != 0 && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written", copy->path);
    }
    if (st == ND_OK && is_open && copy->written > 0) {
        added = true; /* in any case it is the batch's */
        st = nd_own_batch_add(batch, copy->path, copy->written);
    }
    if (is_open && !added) {
        (void)unlink(copy->partial);
    }
    if (made != NULL) {
        *made = added;
    }
    nd_file_window_close(&copy->file);
    nd_stream_close(&copy->stream);
    if (copy->gzip != NULL) {
        libdeflate_free_compressor(copy->gzip);
    }
    (void)ZSTD_freeCCtx(copy->zstd);
    nd_buffer_free(&copy->content);
    nd_buffer_free(&copy->bytes);
    free(copy->path);
    free(copy->partial);
    free(copy);
    *out = NULL;
    return st;
}

/* ==== crawls of our own */

/* The fastest level: what is written is mostly read again at once. */
enum { FAST_GZIP_LEVEL = 1 };
enum { WRITE_BYTES = 1 << 20 };
/* Synthetic pages have no date of their own; one date makes equal pages equal bytes. */
static const char WARC_DATE[] = "2020-01-01T00:00:00Z";

struct nd_record_writer {
    char *path;
    char *partial;
    FILE *file;
    nd_record_format format;
    struct libdeflate_compressor *compressor;
    nd_buffer record;
    nd_buffer packed;
};

const char *nd_record_suffix(nd_record_format format) {
    return format == ND_RECORD_WARC ? ".warc.gz" : ".jsonl";
}

/* ---- records */

static void append_line(nd_buffer *out, const char *name, nd_span value, const char *end) {
    nd_buffer_append_text(out, name);
    nd_buffer_append(out, value.data, value.size);
    nd_buffer_append_text(out, end);
}

void nd_warc_append(nd_buffer *out, const nd_warc_header *header, const nd_span block[2]) {
    char lines[256];
    (void)snprintf(lines, sizeof lines,
                   "WARC-Date: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", header->date,
                   header->content_type, block[0].size + block[1].size);
    nd_buffer_append_text(out, "WARC/1.1\r\nWARC-Type: ");
    nd_buffer_append_text(out, header->type);
    nd_buffer_append_text(out, "\r\n");
    if (header->url.size > 0) {
        append_line(out, "WARC-Target-URI: ", header->url, "\r\n");
    }
    if (header->with.size > 0) {
        append_line(out, "WARC-Concurrent-To: <", header->with, ">\r\n");
    }
    append_line(out, "WARC-Record-ID: <", header->id, ">\r\n");
    nd_buffer_append_text(out, lines);
    nd_buffer_append(out, block[0].data, block[0].size);
    nd_buffer_append(out, block[1].data, block[1].size);
    nd_buffer_append_text(out, "\r\n\r\n");
}

static void append_json_text(nd_buffer *out, nd_span text) {
    size_t begin = 0;
    nd_buffer_append_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        if (byte >= ' ' && byte != '"' && byte != '\\') {
            continue;
        }
        char escape[8] = {'\\', (char)byte, '\0'};
        if (byte < ' ') {
            (void)snprintf(escape, sizeof escape, byte == '\n' ? "\\n" : "\\u%04x", (unsigned)byte);
        }
        nd_buffer_append(out, text.data + begin, i - begin);
        nd_buffer_append_text(out, escape);
        begin = i + 1;
    }
    nd_buffer_append(out, text.data + begin, text.size - begin);
    nd_buffer_append_text(out, "\"");
}

/* ---- the file */

static nd_status fail(const nd_record_writer *w, const char *what) {
    return nd_fail(ND_ERR_IO, "%s: cannot %s: %s", w->path, what, strerror(errno));
}

static nd_status write_bytes(nd_record_writer *w, nd_span bytes) {
    return fwrite(bytes.data, 1, bytes.size, w->file) == bytes.size ? ND_OK : fail(w, "write");
}

/* The record as a gzip member of its own. */
static nd_status write_packed(nd_record_writer *w) {
    nd_status st = ND_OK;
    const size_t room = libdeflate_gzip_compress_bound(w->compressor, w->record.size);
    w->packed.size = 0;
    nd_buffer_reserve(&w->packed, room);
    w->packed.size = libdeflate_gzip_compress(w->compressor, w->record.data, w->record.size,
                                              w->packed.data, room);
    if (w->packed.size == 0) {
        st = nd_fail(ND_ERR_INTERNAL, "%s: a record does not fit its bound", w->path);
        goto out;
    }
    ND_TRY(write_bytes(w, nd_buffer_span(&w->packed)));
out:
    return st;
}

/* Every WARC file says first what wrote it. */
static nd_status write_information(nd_record_writer *w) {
    nd_status st = ND_OK;
    static const char text[] =
        "software: neardup " ND_VERSION "\r\nformat: WARC File Format 1.1\r\n";
    static const char id[] = "urn:neardup:information";
    const nd_span block[2] = {{(const uint8_t *)text, sizeof text - 1}, {NULL, 0}};
    w->record.size = 0;
    const nd_warc_header warcinfo = {.type = "warcinfo",
                                     .id = {(const uint8_t *)id, sizeof id - 1},
                                     .date = WARC_DATE,
                                     .content_type = "application/warc-fields"};
    nd_warc_append(&w->record, &warcinfo, block);
    ND_TRY(write_packed(w));
out:
    return st;
}

nd_status nd_record_writer_open(const char *path, nd_record_format format, nd_record_writer **out) {
    nd_status st = ND_OK;
    int descriptor = -1;
    nd_new(out, 1, sizeof **out);
    (*out)->format = format;
    (*out)->path = nd_text_copy(path);
    (*out)->partial = nd_own_file_join(path, ND_PARTIAL_SUFFIX);
    (*out)->compressor = libdeflate_alloc_compressor(FAST_GZIP_LEVEL);
    if ((*out)->compressor == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory");
        goto out;
    }
    ND_TRY(nd_own_file_remake((*out)->partial, &descriptor));
    (*out)->file = fdopen(descriptor, "wb");
    if ((*out)->file == NULL) {
        (void)close(descriptor);
        (void)unlink((*out)->partial);
        st = fail(*out, "create");
        goto out;
    }
    (void)setvbuf((*out)->file, NULL, _IOFBF, WRITE_BYTES);
    if (format == ND_RECORD_WARC) {
        ND_TRY(write_information(*out));
    }
out:
    return st == ND_OK ? st : nd_record_writer_close(out, st);
}

nd_status nd_record_writer_add(nd_record_writer *w, const nd_written_page *page) {
    static const char header[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    const nd_span block[2] = {{(const uint8_t *)header, sizeof header - 1}, page->html};
    nd_status st = ND_OK;
    w->record.size = 0;
    if (w->format == ND_RECORD_JSONL) {
        nd_buffer_append_text(&w->record, "{\"id\": ");
        append_json_text(&w->record, page->id);
        nd_buffer_append_text(&w->record, ", \"url\": ");
        append_json_text(&w->record, page->url);
        nd_buffer_append_text(&w->record, ", \"html\": ");
        append_json_text(&w->record, page->html);
        nd_buffer_append_text(&w->record, "}\n");
        ND_TRY(write_bytes(w, nd_buffer_span(&w->record)));
    } else {
        const nd_warc_header response = {.type = "response",
                                         .id = page->id,
                                         .url = page->url,
                                         .date = WARC_DATE,
                                         .content_type = "application/http; msgtype=response"};
        nd_warc_append(&w->record, &response, block);
        ND_TRY(write_packed(w));
    }
out:
    return st;
}

nd_status nd_record_writer_close(nd_record_writer **writer, nd_status st) {
    nd_record_writer *w = *writer;
    if (w == NULL) {
        return st;
    }
    const bool opened = w->file != NULL;
    if (opened && fclose(w->file) != 0 && st == ND_OK) {
        st = fail(w, "write");
    }
    st = st != ND_OK ? st : nd_own_file_publish(w->partial, w->path);
    if (st != ND_OK && opened) {
        (void)unlink(w->partial);
    }
    if (w->compressor != NULL) {
        libdeflate_free_compressor(w->compressor);
    }
    nd_buffer_free(&w->record);
    nd_buffer_free(&w->packed);
    free(w->path);
    free(w->partial);
    free(w);
    *writer = NULL;
    return st;
}
