#include "io/input/stream.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a plain file copied under the cursor at a time. */
enum { PLAIN_STEP = 256 << 10 };
/* Room given to each step of a member that is decoded bit by bit. */
enum { STREAM_STEP = 256 << 10 };
/* Bytes looked at to tell whether a member starts: the longest magic. */
enum { MAGIC_BYTES = 4 };
/* Consumed bytes are dropped from the buffer once there are this many. */
enum { COMPACT_BYTES = 1 << 20 };

/* A decoder that damage has put out of step may run on behind its member's end by no more than
 * this: a block of zstd, or two stored ones of deflate. */
enum { OVERRUN_BYTES = 128 << 10 };
/* Content of a place that looks like a member that is enough, mostly, to tell whether it is one. */
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
    uint64_t content;               /* uncompressed bytes before the cursor */
    uint64_t next;                  /* byte of the file from which decoding goes on */
    bool inside;                    /* a member is half decoded */
    bool wary;                      /* of the next member nothing is known but its first bytes */
    const nd_record_limits *limits; /* NULL: none */
    uint64_t record_file;           /* where decoding stood when the present record began */
    uint64_t record_content;
    char damage_text[ND_FAIL_TEXT_SIZE];
    uint64_t member; /* where the member decoded last starts */
    const char *damage;
    mark *marks;
    size_t mark_count;
    size_t mark_capacity;
};

nd_status nd_stream_open(const char *path, nd_stream **out) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    nd_span bytes;
    *out = NULL;
    ND_TRY(nd_new(&stream, 1, sizeof *stream));
    ND_TRY(nd_file_window_open(&stream->file, path));
    ND_TRY(nd_file_window_at(&stream->file, 0, MAGIC_BYTES, &bytes));
    stream->codec = nd_codec_of(bytes);
    ND_TRY(nd_member_open(stream->codec, &stream->file, &stream->decoder));
    ND_TRY(nd_member_open(stream->codec, &stream->file, &stream->prober));
    *out = stream;
    stream = NULL;
out:
    nd_stream_close(&stream);
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

nd_file_identity nd_stream_identity(const nd_stream *stream, uint64_t *checksum) {
    *checksum = stream->file.checksum;
    return stream->file.identity;
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
    stream->member = offset;
    stream->damage = NULL;
    stream->mark_count = 0;
    stream->wary = offset > 0;
    stream->record_file = offset;
    stream->record_content = 0;
}

void nd_stream_set_limits(nd_stream *stream, const nd_record_limits *limits) {
    stream->limits = limits;
    nd_member_set_limits(stream->decoder, limits);
    nd_member_set_limits(stream->prober, limits);
}

static uint64_t decoded_content(const nd_stream *stream) {
    return stream->content + (stream->buffer.size - stream->cursor);
}

void nd_stream_begin_record(nd_stream *stream) {
    stream->record_file = nd_stream_file_position(stream);
    stream->record_content = decoded_content(stream);
}

/* Whether what was decoded since the record began is far more than the bytes it came from. */
static bool expands_too_far(const nd_stream *stream) {
    const uint64_t content = decoded_content(stream) - stream->record_content;
    const uint64_t bytes = nd_stream_file_position(stream) - stream->record_file;
    return stream->limits != NULL && content > ND_EXPANSION_PASSED &&
           content / stream->limits->most[ND_LIMIT_EXPANSION] > bytes;
}

/* ---- getting bytes */

static void compact(nd_stream *stream) {
    nd_buffer *buffer = &stream->buffer;
    if (stream->cursor == buffer->size) {
        buffer->size = 0;
        stream->cursor = 0;
    } else if (stream->cursor >= COMPACT_BYTES && stream->cursor >= buffer->size / 4) {
        memmove(buffer->data, buffer->data + stream->cursor, buffer->size - stream->cursor);
        buffer->size -= stream->cursor;
        stream->cursor = 0;
    }
}

static nd_status more_plain(nd_stream *stream) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_TRY(nd_file_window_at(&stream->file, stream->next, PLAIN_STEP, &bytes));
    const size_t size = bytes.size < PLAIN_STEP ? bytes.size : PLAIN_STEP;
    ND_TRY(nd_buffer_append(&stream->buffer, bytes.data, size));
    stream->next += size;
out:
    return st;
}

static nd_status begin_member(nd_stream *stream) {
    nd_status st = ND_OK;
    nd_span bytes;
    ND_TRY(nd_file_window_at(&stream->file, stream->next, MAGIC_BYTES, &bytes));
    stream->member = stream->next;
    if (!nd_codec_starts(stream->codec, bytes)) {
        stream->damage = "no compressed member here";
        goto out;
    }
    ND_TRY(nd_grow(&stream->marks, &stream->mark_capacity, stream->mark_count + 1,
                   sizeof *stream->marks));
    stream->marks[stream->mark_count++] =
        (mark){stream->content + (stream->buffer.size - stream->cursor), stream->next};
    nd_member_begin(stream->decoder, stream->next, !stream->wary);
    stream->inside = true;
out:
    return st;
}

/* \param[in] wanted  bytes that are asked for: a doubtful member gives no more */
static nd_status more_compressed(nd_stream *stream, size_t wanted) {
    nd_status st = ND_OK;
    if (!stream->inside) {
        ND_TRY(begin_member(stream));
        if (!stream->inside) {
            goto out;
        }
    }
    nd_member_state state = ND_MEMBER_DAMAGED;
    size_t room = stream->wary && wanted < STREAM_STEP ? wanted : STREAM_STEP;
    room = room > FIRST_PEEK_BYTES ? room : FIRST_PEEK_BYTES;
    ND_TRY(nd_member_more(stream->decoder, room, &stream->buffer, &state));
    if (state == ND_MEMBER_DONE) {
        stream->inside = false;
        stream->wary = false;
        stream->next = nd_member_next(stream->decoder);
    } else if (state == ND_MEMBER_DAMAGED && nd_member_window_refused(stream->decoder) &&
               stream->limits != NULL) {
        stream->damage = nd_record_limits_refuse(stream->limits, ND_LIMIT_WINDOW,
                                                 stream->damage_text, sizeof stream->damage_text);
    } else if (state == ND_MEMBER_DAMAGED) {
        stream->damage = "compressed data are damaged or cut off";
    } else if (expands_too_far(stream)) {
        stream->damage = nd_record_limits_refuse(stream->limits, ND_LIMIT_EXPANSION,
                                                 stream->damage_text, sizeof stream->damage_text);
    }
out:
    return st;
}

static bool is_at_end(const nd_stream *stream) {
    return stream->damage != NULL || (!stream->inside && stream->next >= stream->file.file_bytes);
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
    *bytes = (nd_span){0};
    while (stream->buffer.size - stream->cursor < need && !is_at_end(stream)) {
        compact(stream);
        const size_t wanted = need - (stream->buffer.size - stream->cursor);
        ND_TRY(stream->codec == ND_CODEC_PLAIN ? more_plain(stream)
                                               : more_compressed(stream, wanted));
    }
    drop_marks(stream);
    if (stream->buffer.size > stream->cursor) {
        *bytes =
            (nd_span){stream->buffer.data + stream->cursor, stream->buffer.size - stream->cursor};
    }
out:
    return st;
}

/* ---- places */

void nd_stream_consume(nd_stream *stream, size_t count) {
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
        return (nd_place){stream->member, stream->content, false};
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

const char *nd_stream_damage(const nd_stream *stream, uint64_t *offset) {
    *offset = stream->member;
    return stream->damage;
}

uint64_t nd_stream_after_damage(const nd_stream *stream) {
    const uint64_t reached = nd_stream_file_position(stream);
    const uint64_t first = stream->member + 1;
    return reached > first + OVERRUN_BYTES ? reached - OVERRUN_BYTES : first;
}

uint64_t nd_stream_file_position(const nd_stream *stream) {
    return stream->inside ? nd_member_next(stream->decoder) : stream->next;
}

static uint64_t skip_plain(nd_stream *stream, uint64_t count) {
    const uint64_t ahead = stream->buffer.size - stream->cursor;
    if (count <= ahead) {
        nd_stream_consume(stream, (size_t)count);
        return count;
    }
    const uint64_t at = stream->next - ahead;
    const uint64_t left = at < stream->file.file_bytes ? stream->file.file_bytes - at : 0;
    const uint64_t moved = count < left ? count : left;
    stream->content += moved;
    stream->next = at + moved;
    stream->buffer.size = 0;
    stream->cursor = 0;
    return moved;
}

nd_status nd_stream_skip(nd_stream *stream, uint64_t count, uint64_t *skipped) {
    nd_status st = ND_OK;
    *skipped = 0;
    if (stream->codec == ND_CODEC_PLAIN) {
        *skipped = skip_plain(stream, count);
        return ND_OK;
    }
    while (*skipped < count) {
        nd_span bytes;
        const uint64_t rest = count - *skipped;
        ND_TRY(nd_stream_need(stream, rest < ND_STREAM_PEEK_BYTES ? rest : ND_STREAM_PEEK_BYTES,
                              &bytes));
        if (bytes.size == 0 || (*skipped > 0 && nd_stream_place(stream).at_start)) {
            break;
        }
        size_t step = bytes.size < rest ? bytes.size : (size_t)rest;
        const size_t member = nd_stream_member_after(stream, 1);
        step = member < step ? member : step;
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
    content->size = content->size < most ? content->size : most;
out:
    return st;
}

nd_status nd_stream_peek(nd_stream *stream, uint64_t offset, nd_span *content) {
    return peek(stream, offset, ND_STREAM_PEEK_BYTES, content);
}

/* Whether a header may go on behind these bytes: it holds no control characters. */
static bool is_text(nd_span bytes) {
    for (size_t i = 0; i < bytes.size; i++) {
        const uint8_t byte = bytes.data[i];
        if (byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            return false;
        }
    }
    return true;
}

/* Whether a record starts at a place: mostly told by a few of its bytes, so that a file full of
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
    if (!*begun && content.size == FIRST_PEEK_BYTES && is_text(content)) {
        ND_TRY(nd_stream_peek(stream, offset, &content));
        *begun = begins(content);
    }
out:
    return st;
}

/* The first line start in [from, to) of a plain file; `to` or more if there is none. */
static nd_status next_line(nd_stream *stream, uint64_t from, uint64_t to, uint64_t *at) {
    nd_status st = ND_OK;
    *at = from;
    for (uint64_t look = from - 1; from > 0;) {
        nd_span bytes;
        *at = to;
        ND_TRY(nd_file_window_at(&stream->file, look, 1, &bytes));
        if (look >= to || bytes.size == 0) {
            break;
        }
        const uint8_t *hit = memchr(bytes.data, '\n', bytes.size);
        if (hit != NULL) {
            *at = look + (uint64_t)(hit - bytes.data) + 1;
            break;
        }
        look += bytes.size;
    }
out:
    return st;
}

/* Index of the first member magic that lies whole in `bytes`; SIZE_MAX if there is none. */
static size_t find_magic(nd_codec codec, nd_span bytes) {
    const int first = codec == ND_CODEC_GZIP ? 0x1f : 0x28; /* a skippable frame starts nothing */
    const uint8_t *end = bytes.data + bytes.size;
    for (const uint8_t *at = bytes.data; end - at >= MAGIC_BYTES; at++) {
        at = memchr(at, first, (size_t)(end - at) - (MAGIC_BYTES - 1));
        if (at == NULL) {
            break;
        }
        if (nd_codec_starts(codec, (nd_span){at, (size_t)(end - at)})) {
            return (size_t)(at - bytes.data);
        }
    }
    return SIZE_MAX;
}

/* The first place in [from, to) that looks like a member; `to` or more if there is none. */
static nd_status next_magic(nd_stream *stream, uint64_t from, uint64_t to, uint64_t *at) {
    nd_status st = ND_OK;
    for (*at = from; *at < to;) {
        nd_span bytes;
        ND_TRY(nd_file_window_at(&stream->file, *at, MAGIC_BYTES, &bytes));
        if (bytes.size < MAGIC_BYTES) {
            *at = to;
            break;
        }
        const size_t hit = find_magic(stream->codec, bytes);
        if (hit != SIZE_MAX) {
            *at += hit;
            break;
        }
        *at += bytes.size - (MAGIC_BYTES - 1);
    }
out:
    return st;
}

nd_status nd_stream_find(nd_stream *stream, uint64_t from, uint64_t to, nd_begins *begins,
                         uint64_t *found) {
    nd_status st = ND_OK;
    *found = UINT64_MAX;
    to = to < stream->file.file_bytes ? to : stream->file.file_bytes;
    for (uint64_t at = from; at < to; at++) {
        bool begun = false;
        ND_TRY(stream->codec == ND_CODEC_PLAIN ? next_line(stream, at, to, &at)
                                               : next_magic(stream, at, to, &at));
        if (at >= to) {
            break;
        }
        ND_TRY(begins_at(stream, at, begins, &begun));
        if (begun) {
            *found = at;
            break;
        }
    }
out:
    return st;
}
