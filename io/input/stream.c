/* The bytes at hand lie in one piece between two ends that both move: decoding adds at the one, the
 * cursor takes at the other.
 *
 *                data         data + cursor                  data + size
 *   buffer         +--- passed ----+--------- at hand ---------+ - room - -
 *                       ^          ^          ^          ^     ^
 *   content number   marks[0]   content    marks[1]  marks[2]  content + (size - cursor)
 *
 * Content is numbered from the last seek. Between any two calls:
 *   - cursor <= size. What is passed is there only because moving the rest up costs more.
 *   - Compressed: marks[0] is the start of the member that the byte under the cursor is in, the
 *     marks after it are those of all members that start further on in what is at hand, ascending:
 *     marks[0].content <= content < marks[1].content (where marks[0] points may be gone from the
 *     buffer). There are none before anything was decoded, and none of a plain file.
 *   - `next` is the byte of the file at which reading goes on. Plain: the byte after the last at
 *     hand, so that byte next - (size - cursor) lies under the cursor. Compressed: the start of the
 *     member that is half decoded (`inside`: the last mark is its), or else of the one that is to
 *     be decoded next. It moves only when a member has ended well, so that where there is damage
 *     it is the start of the damaged member.
 *   - `damage` is set when no byte can follow those at hand, until the next seek. A plain file has
 *     none, and is never `inside`.
 * The prober has a place and a buffer of its own: looking elsewhere moves nothing of this. */
#include "io/input/stream.h"

#include "io/input/step.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a plain file copied under the cursor at a time. */
enum { PLAIN_STEP = ND_STEP(256 << 10) };
/* Room given to each step of a member that is decoded bit by bit. */
enum { STREAM_STEP = ND_STEP(256 << 10) };
/* Bytes looked at to see whether a member starts: the longest magic. */
enum { MAGIC_BYTES = 4 };
/* First byte of zstd's frames, less those that are skipped. */
enum { ZSTD_FIRST = 0x28 };
/* Bytes asked for at first in search of a line's end. */
enum { FIRST_LINE = ND_STEP(64 << 10) };
/* Consumed bytes are dropped from the buffer once there are this many. */
enum { COMPACT_BYTES = ND_STEP(1 << 20) };

/* A decoder that damage has put out of step may run on past its member's end by no more than this:
 * a block of zstd, or two stored ones of deflate. */
enum { OVERRUN_BYTES = 128 << 10 };
/* So much content of a place that looks like a member mostly shows whether it is one. */
enum { FIRST_PEEK_BYTES = 1 << 10 };

/* A member of which bytes are at hand: where its content and where its file bytes start. */
typedef struct mark {
    uint64_t content;
    uint64_t file;
} mark;

struct nd_stream {
    nd_file_window file;
    nd_codec codec;
    nd_member_decoder *decoder;
    nd_member_decoder *prober; /* a second one, so that looking elsewhere disturbs nothing */
    nd_buffer buffer;
    nd_buffer probe;
    size_t cursor;                  /* into the buffer */
    uint64_t content;               /* number of the byte under the cursor */
    uint64_t next;                  /* byte of the file, see above */
    bool inside;                    /* a member is half decoded */
    bool wary;                      /* of the next member nothing is known but its first bytes */
    const nd_record_limits *limits; /* NULL: none */
    uint64_t record_file;           /* where decoding stood when the present record began */
    uint64_t record_content;
    mark start; /* of the present record: where its content starts, and where its member (plain:
                   it) starts in the file */
    uint64_t start_member; /* number of that member's first byte of content */
    char damage_text[ND_FAIL_TEXT_SIZE];
    const char *damage; /* NULL, or why there are no bytes after those at hand */
    uint64_t skippable; /* of the member at hand or before `next`, if it is a frame of zstd that
                           says only how much to skip, the first byte; else UINT64_MAX */
    mark *marks;
    size_t mark_count;
    size_t mark_capacity;
};

nd_status nd_stream_open(const char *path, const nd_record_limits *limits, nd_stream **out) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    nd_span bytes;
    *out = NULL;
    nd_new(&stream, 1, sizeof *stream);
    ND_TRY(nd_file_window_open(&stream->file, path));
    ND_TRY(nd_file_window_at(&stream->file, 0, MAGIC_BYTES, &bytes));
    stream->limits = limits;
    ND_TRY(nd_stream_take_as(stream, nd_codec_of(bytes)));
    *out = stream;
    stream = NULL;
out:
    nd_stream_close(&stream);
    return st;
}

nd_status nd_stream_take_as(nd_stream *stream, nd_codec codec) {
    nd_status st = ND_OK;
    nd_member_close(&stream->decoder);
    nd_member_close(&stream->prober);
    stream->codec = codec;
    ND_TRY(nd_member_open(codec, &stream->file, stream->limits, &stream->decoder));
    ND_TRY(nd_member_open(codec, &stream->file, stream->limits, &stream->prober));
    nd_stream_seek(stream, 0);
out:
    return st;
}

void nd_stream_close(nd_stream **stream) {
    if (*stream == NULL) {
        return;
    }
    nd_member_close(&(*stream)->decoder);
    nd_member_close(&(*stream)->prober);
    nd_file_window_close(&(*stream)->file);
    nd_buffer_free(&(*stream)->buffer);
    nd_buffer_free(&(*stream)->probe);
    free((*stream)->marks);
    free(*stream);
    *stream = NULL;
}

nd_codec nd_stream_codec(const nd_stream *stream) {
    return stream->codec;
}

uint64_t nd_stream_file_bytes(const nd_stream *stream) {
    return stream->file.file_bytes;
}

void nd_stream_end_at(nd_stream *stream, uint64_t bytes) {
    stream->file.file_bytes = nd_min(bytes, stream->file.identity.bytes);
}

nd_file_identity nd_stream_identity(const nd_stream *stream, uint64_t *checksum) {
    *checksum = stream->file.checksum;
    return stream->file.identity;
}

nd_status nd_stream_sum_blocks(nd_stream *stream, uint64_t begin, uint64_t end) {
    return nd_file_window_sum_blocks(&stream->file, begin, end);
}

nd_status nd_stream_block_sum(nd_stream *stream, uint64_t *sum) {
    return nd_file_window_block_sum(&stream->file, sum);
}

void nd_stream_uncache(const nd_stream *stream, uint64_t begin, uint64_t end) {
    nd_file_window_uncache(&stream->file, begin, end);
}

void nd_stream_seek(nd_stream *stream, uint64_t offset) {
    const uint64_t begin = stream->next - stream->buffer.size; /* of a plain file's bytes at hand */
    stream->content = 0;
    if (stream->codec == ND_CODEC_PLAIN && offset >= begin && offset < stream->next) {
        stream->cursor = (size_t)(offset - begin);
    } else {
        stream->buffer.size = 0;
        stream->cursor = 0;
        stream->next = offset;
    }
    stream->inside = false;
    stream->damage = NULL;
    stream->skippable = UINT64_MAX;
    stream->mark_count = 0;
    stream->wary = offset > 0;
    stream->record_file = offset;
    stream->record_content = 0;
}

static uint64_t decoded_content(const nd_stream *stream) {
    return stream->content + (stream->buffer.size - stream->cursor);
}

void nd_stream_begin_record(nd_stream *stream) {
    stream->start = (mark){stream->content, nd_stream_place(stream).file};
    stream->start_member = stream->mark_count > 0 ? stream->marks[0].content : stream->content;
    stream->record_file = nd_stream_file_position(stream);
    stream->record_content = decoded_content(stream);
}

nd_status nd_stream_return(nd_stream *stream) {
    nd_status st = ND_OK;
    nd_stream_seek(stream, stream->start.file);
    stream->content = stream->record_content = stream->start_member;
    while (stream->content < stream->start.content) {
        uint64_t passed = 0;
        ND_TRY(nd_stream_skip(stream, stream->start.content - stream->content, &passed));
        if (passed == 0) { /* it was there before */
            return nd_fail(ND_ERR_CHANGED, "%s: has changed while it was read", stream->file.path);
        }
    }
out:
    return st;
}

/* Decode more of the member at `next`.
 * \param[in] wanted  bytes that are asked for: a doubtful member gives no more */
static nd_status more_compressed(nd_stream *stream, size_t wanted) {
    nd_status st = ND_OK;
    if (!stream->inside) {
        nd_span bytes;
        ND_TRY(nd_file_window_at(&stream->file, stream->next, MAGIC_BYTES, &bytes));
        if (!nd_codec_starts(stream->codec, bytes)) {
            stream->damage = "no compressed member here";
            goto out;
        }
        const bool skips = stream->codec == ND_CODEC_ZSTD && bytes.data[0] != ZSTD_FIRST;
        stream->skippable = skips ? stream->next : UINT64_MAX;
        nd_grow(&stream->marks, &stream->mark_capacity, stream->mark_count + 1,
                sizeof *stream->marks);
        stream->marks[stream->mark_count++] = (mark){decoded_content(stream), stream->next};
        nd_member_begin(stream->decoder, stream->next, !stream->wary);
        stream->inside = true;
    }

    nd_member_state state = ND_MEMBER_DAMAGED;
    size_t room = stream->wary ? (size_t)nd_min(wanted, STREAM_STEP) : STREAM_STEP;
    room = (size_t)nd_max(room, FIRST_PEEK_BYTES);
    ND_TRY(nd_member_more(stream->decoder, room, &stream->buffer, &state));
    if (state == ND_MEMBER_DONE) {
        stream->inside = false;
        stream->wary = false;
        stream->next = nd_member_next(stream->decoder);
        goto out;
    }
    if (state == ND_MEMBER_DAMAGED) {
        stream->damage = "compressed data are damaged or cut off";
    }
    if (stream->limits == NULL) {
        goto out;
    }

    /* is what was decoded since the record began far more than the bytes it came from? */
    const uint64_t content = decoded_content(stream) - stream->record_content;
    const uint64_t bytes = nd_stream_file_position(stream) - stream->record_file;
    const bool expands =
        content > ND_EXPANSION_PASSED && content / stream->limits->most[ND_LIMIT_EXPANSION] > bytes;
    if (state == ND_MEMBER_DAMAGED && nd_member_window_refused(stream->decoder)) {
        stream->damage = nd_record_limits_refuse(stream->limits, ND_LIMIT_WINDOW,
                                                 stream->damage_text, sizeof stream->damage_text);
    } else if (state == ND_MEMBER_MORE && expands) {
        stream->damage = nd_record_limits_refuse(stream->limits, ND_LIMIT_EXPANSION,
                                                 stream->damage_text, sizeof stream->damage_text);
    }
out:
    return st;
}

/* Marks before the last one at or before the cursor say nothing any more. */
static void drop_marks(nd_stream *stream) {
    size_t passed = 0;
    while (passed + 1 < stream->mark_count &&
           stream->marks[passed + 1].content <= stream->content) {
        passed++;
    }
    if (passed > 0) {
        stream->mark_count -= passed;
        memmove(stream->marks, stream->marks + passed, stream->mark_count * sizeof(mark));
    }
}

nd_status nd_stream_need(nd_stream *stream, size_t need, nd_span *bytes) {
    nd_status st = ND_OK;
    nd_buffer *buffer = &stream->buffer;
    *bytes = (nd_span){0};
    ND_TRY(nd_fault_if_tight(ND_FAULT_INPUT_READ));
    while (buffer->size - stream->cursor < need && stream->damage == NULL &&
           (stream->inside || stream->next < stream->file.file_bytes)) {
        /* passed bytes go before there is to be more room, but a long rest is not moved often */
        const size_t ahead = buffer->size - stream->cursor;
        if (ahead == 0 || (stream->cursor >= COMPACT_BYTES && stream->cursor >= buffer->size / 4)) {
            if (ahead > 0) {
                memmove(buffer->data, buffer->data + stream->cursor, ahead);
            }
            buffer->size = ahead;
            stream->cursor = 0;
        }
        if (stream->codec != ND_CODEC_PLAIN) {
            ND_TRY(more_compressed(stream, need - ahead));
            continue;
        }
        nd_span read;
        ND_TRY(nd_file_window_at(&stream->file, stream->next, PLAIN_STEP, &read));
        read.size = (size_t)nd_min(read.size, PLAIN_STEP);
        nd_buffer_append(buffer, read.data, read.size);
        stream->next += read.size;
    }
    drop_marks(stream);
    ND_ASSERT(stream->mark_count == 0 || stream->marks[0].content <= stream->content,
              stream->mark_count, stream->content);
    ND_ASSERT(!stream->inside || stream->marks[stream->mark_count - 1].file == stream->next,
              stream->mark_count, stream->next);
    if (buffer->size > stream->cursor) {
        *bytes = (nd_span){buffer->data + stream->cursor, buffer->size - stream->cursor};
    }
out:
    return st;
}

nd_status nd_stream_line(nd_stream *stream, uint64_t limit, nd_span *line, size_t *taken) {
    nd_status st = ND_OK;
    nd_span bytes;
    size_t searched = 0;
    for (size_t want = FIRST_LINE;; want = (size_t)nd_min(want * 2, limit + 2)) {
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

/* ---- places */

void nd_stream_consume(nd_stream *stream, size_t count) {
    ND_ASSERT(count <= stream->buffer.size - stream->cursor, count, stream->buffer.size,
              stream->cursor);
    stream->cursor += count;
    stream->content += count;
    drop_marks(stream);
}

nd_place nd_stream_place(const nd_stream *stream) {
    if (stream->codec == ND_CODEC_PLAIN) {
        const uint64_t ahead = stream->buffer.size - stream->cursor;
        return (nd_place){stream->next - ahead, stream->content, true};
    }
    if (stream->mark_count == 0) {
        return (nd_place){stream->next, stream->content, false};
    }
    return (nd_place){stream->marks[0].file, stream->content,
                      stream->marks[0].content == stream->content};
}

size_t nd_stream_member_after(const nd_stream *stream, size_t from) {
    for (size_t i = 0; i < stream->mark_count; i++) {
        if (stream->marks[i].content >= stream->content + from) {
            return (size_t)(stream->marks[i].content - stream->content);
        }
    }
    return SIZE_MAX;
}

const char *nd_stream_damage(const nd_stream *stream) {
    return stream->damage;
}

bool nd_stream_is_refused(const nd_stream *stream) {
    return stream->damage == stream->damage_text;
}

uint64_t nd_stream_damaged_member(const nd_stream *stream) {
    return stream->next;
}

uint64_t nd_stream_after_damage(const nd_stream *stream) {
    if (stream->skippable != UINT64_MAX) { /* what it says to skip may be more than it holds */
        return stream->skippable + 1;
    }
    const uint64_t reached = nd_stream_file_position(stream);
    const uint64_t first = stream->next + 1;
    return nd_max(reached, first + OVERRUN_BYTES) - OVERRUN_BYTES;
}

uint64_t nd_stream_file_position(const nd_stream *stream) {
    return stream->inside ? nd_member_next(stream->decoder) : stream->next;
}

nd_status nd_stream_skip(nd_stream *stream, uint64_t count, uint64_t *skipped) {
    nd_status st = ND_OK;
    const uint64_t ahead = stream->buffer.size - stream->cursor;
    *skipped = 0;
    if (stream->codec == ND_CODEC_PLAIN && count > ahead) { /* without reading what is between */
        const uint64_t at = stream->next - ahead;
        *skipped = nd_min(count, nd_max(stream->file.file_bytes, at) - at);
        stream->content += *skipped;
        stream->next = at + *skipped;
        stream->buffer.size = 0;
        stream->cursor = 0;
        return ND_OK;
    }
    while (*skipped < count) {
        nd_span bytes;
        const uint64_t rest = count - *skipped;
        ND_TRY(nd_stream_need(stream, (size_t)nd_min(rest, ND_STREAM_PEEK_BYTES), &bytes));
        if (bytes.size == 0 || (*skipped > 0 && nd_stream_place(stream).at_start)) {
            break;
        }
        const size_t step =
            (size_t)nd_min(nd_min(bytes.size, rest), nd_stream_member_after(stream, 1));
        nd_stream_consume(stream, step);
        *skipped += step;
    }
out:
    return st;
}

/* ---- looking elsewhere */

/* The first `most` bytes, or a few more, of the content at a place. */
static nd_status peek(nd_stream *stream, uint64_t offset, size_t most, nd_span *content) {
    nd_status st = ND_OK;
    nd_buffer *probe = &stream->probe;
    nd_member_state state = ND_MEMBER_MORE;
    probe->size = 0;
    *content = (nd_span){0};
    if (stream->codec == ND_CODEC_PLAIN) {
        ND_TRY(nd_file_window_at(&stream->file, offset, most, content));
    } else {
        nd_member_begin(stream->prober, offset, false);
        while (state == ND_MEMBER_MORE && probe->size < most) {
            ND_TRY(nd_member_more(stream->prober, most - probe->size, probe, &state));
        }
        *content = nd_buffer_span(probe);
    }
    content->size = (size_t)nd_min(content->size, most);
out:
    return st;
}

nd_status nd_stream_peek(nd_stream *stream, uint64_t offset, nd_span *content) {
    return peek(stream, offset, ND_STREAM_PEEK_BYTES, content);
}

nd_status nd_stream_look(nd_stream *stream, uint64_t offset, size_t want, nd_span *bytes) {
    stream->probe.size = 0;
    const nd_status st = nd_file_window_look(&stream->file, offset, want, &stream->probe);
    *bytes = nd_buffer_span(&stream->probe);
    return st;
}

/* Whether a record starts at a place: mostly a few of its bytes show it, so that a file full of
 * places that look like members costs little. */
static nd_status begins_at(nd_stream *stream, uint64_t offset, nd_begins *begins, bool *begun) {
    nd_status st = ND_OK;
    nd_span content;
    if (stream->codec == ND_CODEC_PLAIN) {
        ND_TRY(nd_stream_peek(stream, offset, &content));
        *begun = begins(content);
        goto out;
    }
    ND_TRY(peek(stream, offset, FIRST_PEEK_BYTES, &content));
    *begun = begins(content);
    /* a header goes on after these bytes only if it holds no control characters so far */
    bool text = content.size == FIRST_PEEK_BYTES;
    for (size_t i = 0; text && i < content.size; i++) {
        const uint8_t byte = content.data[i];
        text = byte >= ' ' || byte == '\t' || byte == '\r' || byte == '\n';
    }
    if (!*begun && text) {
        ND_TRY(nd_stream_peek(stream, offset, &content));
        *begun = begins(content);
    }
out:
    return st;
}

/* The first byte in [from, to) of a plain file that is worth asking; `to` or more if there is none.
 */
static nd_status next_byte(nd_stream *stream, const nd_starts *starts, uint64_t from, uint64_t to,
                           uint64_t *at) {
    nd_status st = ND_OK;
    for (*at = from; *at < to;) {
        nd_span bytes;
        const uint64_t look = *at - (*at > 0); /* the byte before it counts */
        ND_TRY(nd_file_window_at(&stream->file, look, ND_STREAM_PEEK_BYTES + 2, &bytes));
        const bool last = look + bytes.size >= stream->file.file_bytes;
        /* of the last bytes it is asked when all are there that it looks at */
        const size_t asked = last ? bytes.size : bytes.size - ND_STREAM_PEEK_BYTES;
        const size_t hit = starts->next(bytes, (size_t)(*at - look));
        *at = look + nd_min(hit, asked);
        if (hit < asked || last) {
            *at = hit < asked ? *at : nd_max(*at, to);
            break;
        }
    }
out:
    return st;
}

/* The first place in [from, to) that looks like a member; `to` or more if there is none. */
static nd_status next_magic(nd_stream *stream, uint64_t from, uint64_t to, uint64_t *at) {
    nd_status st = ND_OK;
    /* that of zstd's own frames: a skippable one starts nothing */
    const int first = stream->codec == ND_CODEC_GZIP ? 0x1f : ZSTD_FIRST;
    for (*at = from; *at < to;) {
        nd_span bytes;
        ND_TRY(nd_file_window_at(&stream->file, *at, MAGIC_BYTES, &bytes));
        if (bytes.size < MAGIC_BYTES) {
            *at = to;
            break;
        }
        /* the last bytes are too few for a magic: they are looked at again with the next window */
        const uint8_t *last = bytes.data + bytes.size - (MAGIC_BYTES - 1);
        const uint8_t *hit = memchr(bytes.data, first, (size_t)(last - bytes.data));
        while (
            hit != NULL &&
            !nd_codec_starts(stream->codec, (nd_span){hit, (size_t)(nd_span_end(bytes) - hit)})) {
            hit = memchr(hit + 1, first, (size_t)(last - (hit + 1)));
        }
        *at += (uint64_t)((hit != NULL ? hit : last) - bytes.data);
        if (hit != NULL) {
            break;
        }
    }
out:
    return st;
}

nd_status nd_stream_find(nd_stream *stream, uint64_t from, uint64_t to, const nd_starts *starts,
                         uint64_t *found) {
    nd_status st = ND_OK;
    *found = UINT64_MAX;
    to = nd_min(to, stream->file.file_bytes);
    for (uint64_t at = from; at < to; at++) {
        bool begun = false;
        ND_TRY(stream->codec == ND_CODEC_PLAIN ? next_byte(stream, starts, at, to, &at)
                                               : next_magic(stream, at, to, &at));
        if (at >= to) {
            break;
        }
        ND_TRY(begins_at(stream, at, starts->begins, &begun));
        if (begun) {
            *found = at;
            break;
        }
    }
out:
    return st;
}

nd_status nd_stream_recover(nd_stream *stream, const nd_starts *starts, uint64_t end,
                            uint64_t *found) {
    nd_status st = ND_OK;
    ND_TRY(nd_stream_find(stream, nd_stream_after_damage(stream), UINT64_MAX, starts, found));
    if (*found < end) {
        const uint64_t content = decoded_content(stream);
        nd_stream_seek(stream, *found);
        stream->content = stream->record_content = content;
    }
out:
    return st;
}

nd_status nd_stream_find_ahead(nd_stream *stream, size_t from, size_t to, nd_begins *begins,
                               size_t *found) {
    nd_status st = ND_OK;
    *found = to;
    for (size_t i = 0; i < stream->mark_count && *found == to; i++) {
        const mark *at = &stream->marks[i];
        bool begun = false;
        if (at->content >= stream->content + from && at->content < stream->content + to) {
            ND_TRY(begins_at(stream, at->file, begins, &begun));
        }
        if (begun) {
            *found = (size_t)(at->content - stream->content);
        }
    }
out:
    return st;
}
