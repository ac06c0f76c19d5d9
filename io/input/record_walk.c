#include "io/input/record_walk.h"

#include "io/input/reader_state.h"
#include "src/base/util.h"
#include "src/hash/xxh3_64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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
