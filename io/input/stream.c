#include "io/input/stream.h"

#include "io/input/file_window.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <stdlib.h>
#include <string.h>

/* ==== members */

/* Compressed bytes asked for at first: most members of a crawl are shorter. */
enum { FIRST_INPUT = ND_STEP(64 << 10) };
/* A member longer than this is not worth holding whole: it is streamed. */
enum { WHOLE_INPUT = ND_STEP(4 << 20) };
/* Room for a whole member's content at first, and at most; beyond, it is streamed. */
enum { FIRST_OUTPUT = ND_STEP(256 << 10), WHOLE_OUTPUT = ND_STEP(32 << 20) };

/* Byte of a gzip header, and the bit of it that says that the header has a checksum. */
enum { GZIP_FLAGS = 3, GZIP_HEADER_CRC = 2 };

/* A zstd frame of no more content, and of no more than FIRST_INPUT bytes, is decoded at once. */
enum { WHOLE_FRAME = ND_STEP(256 << 10) };

/* Bytes of a zstd block's header, and so many that a frame's header shows how long it is. */
enum { BLOCK_HEADER = 3, FRAME_START = 5 };

/* Skippable frame that holds a dictionary, and bytes of a skippable frame's header. */
#define DICTIONARY_MAGIC UINT32_C(0x184D2A5D)
enum { SKIPPABLE_HEADER = 8 };
/* A longer dictionary than this is taken for damage. */
enum { DICTIONARY_LIMIT = 64 << 20 };

struct nd_member_decoder {
    nd_codec codec;
    nd_file_window *file;
    uint64_t offset;     /* where decoding goes on */
    size_t whole_output; /* most content of a member that is decoded at once */
    bool window_refused;
    bool whole;
    bool streaming; /* the member is half decoded by zlib or zstd */
    struct libdeflate_decompressor *fast;
    z_stream inflate;
    bool inflate_ready;
    ZSTD_DCtx *zstd;
    ZSTD_DDict *dictionary; /* NULL: none */
    int window_log;         /* of the largest window of a frame */
    size_t wanted;          /* bytes that zstd asks for next */
    bool withheld;          /* it may have content for which there was no room */
};

static uint32_t read_u32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Whether a member of the codec may start with these bytes. */
static bool codec_starts(nd_codec codec, nd_span bytes) {
    if (codec == ND_CODEC_GZIP) { /* magic, and deflate, the only method there is */
        return bytes.size >= 3 && bytes.data[0] == 0x1f && bytes.data[1] == 0x8b &&
               bytes.data[2] == 8;
    }
    if (codec == ND_CODEC_ZSTD) {
        const uint32_t magic = bytes.size >= 4 ? read_u32(bytes.data) : 0;
        return magic == ZSTD_MAGICNUMBER ||
               (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
    }
    return true;
}

nd_codec nd_codec_of(nd_span bytes) {
    return codec_starts(ND_CODEC_GZIP, bytes)   ? ND_CODEC_GZIP
           : codec_starts(ND_CODEC_ZSTD, bytes) ? ND_CODEC_ZSTD
                                                : ND_CODEC_PLAIN;
}

/* ---- opening */

/* What zstd says: damage is no failure, want of memory is, and must not be taken for damage. */
static nd_status zstd_memory(size_t result) {
    return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
               ? nd_fail(ND_ERR_MEMORY, "out of memory: a zstd decoder")
               : ND_OK;
}

/* A context that has decoded nothing. */
static nd_status open_zstd(nd_member_decoder *decoder) {
    (void)ZSTD_freeDCtx(decoder->zstd);
    decoder->zstd = ZSTD_createDCtx();
    if (decoder->zstd == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a zstd decoder");
    }
    (void)ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, decoder->window_log);
    return zstd_memory(ZSTD_DCtx_refDDict(decoder->zstd, decoder->dictionary));
}

/* A dictionary that cannot be used is left: the frames that need it then fail one by one. */
static nd_status load_dictionary(nd_member_decoder *decoder) {
    nd_status st = ND_OK;
    nd_buffer unpacked = {0};
    nd_span bytes;
    ND_TRY(nd_file_window_at(decoder->file, 0, SKIPPABLE_HEADER, &bytes));
    if (bytes.size < SKIPPABLE_HEADER || read_u32(bytes.data) != DICTIONARY_MAGIC ||
        read_u32(bytes.data + 4) > DICTIONARY_LIMIT) {
        goto out;
    }
    const size_t size = read_u32(bytes.data + 4);
    ND_TRY(nd_file_window_at(decoder->file, SKIPPABLE_HEADER, size, &bytes));
    nd_span dictionary = nd_span_part(bytes, 0, (size_t)nd_min(bytes.size, size));
    if (dictionary.size >= 4 && read_u32(dictionary.data) == ZSTD_MAGICNUMBER) {
        const unsigned long long content =
            ZSTD_getFrameContentSize(dictionary.data, dictionary.size);
        if (content > DICTIONARY_LIMIT) { /* the two error values are larger still */
            goto out;
        }
        nd_buffer_reserve(&unpacked, (size_t)content + 1);
        const size_t made =
            ZSTD_decompress(unpacked.data, (size_t)content, dictionary.data, dictionary.size);
        ND_TRY(zstd_memory(made));
        if (ZSTD_isError(made)) {
            goto out;
        }
        dictionary = (nd_span){unpacked.data, made};
    }
    /* making it does not say whether it is damaged or memory is short; a frame of nothing does */
    static const uint8_t nothing[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    const size_t tried = ZSTD_decompress_usingDict(decoder->zstd, NULL, 0, nothing, sizeof nothing,
                                                   dictionary.data, dictionary.size);
    if (!ZSTD_isError(tried)) {
        decoder->dictionary = ZSTD_createDDict(dictionary.data, dictionary.size);
        st = decoder->dictionary == NULL
                 ? nd_fail(ND_ERR_MEMORY, "out of memory: a zstd dictionary")
                 : zstd_memory(ZSTD_DCtx_refDDict(decoder->zstd, decoder->dictionary));
    }
out:
    nd_buffer_free(&unpacked);
    return st;
}

nd_status nd_member_open(nd_codec codec, nd_file_window *file, const nd_record_limits *limits,
                         nd_member_decoder **out) {
    nd_status st = ND_OK;
    nd_member_decoder *decoder = NULL;
    *out = NULL;
    nd_new(&decoder, 1, sizeof *decoder);
    decoder->codec = codec;
    decoder->file = file;
    decoder->whole_output =
        limits == NULL ? WHOLE_OUTPUT : (size_t)nd_min(limits->most[ND_LIMIT_PAGE], WHOLE_OUTPUT);
    if (codec == ND_CODEC_GZIP) {
        decoder->fast = libdeflate_alloc_decompressor();
        /* 16: expect a gzip header */
        decoder->inflate_ready = inflateInit2(&decoder->inflate, MAX_WBITS + 16) == Z_OK;
        if (decoder->fast == NULL || !decoder->inflate_ready) {
            st = nd_fail(ND_ERR_MEMORY, "out of memory: a gzip decoder");
            goto out;
        }
    } else if (codec == ND_CODEC_ZSTD) {
        const nd_record_limits usual = nd_record_limits_of(0, 0, 0);
        const uint64_t window = (limits != NULL ? limits : &usual)->most[ND_LIMIT_WINDOW];
        while (UINT64_C(2) << decoder->window_log <= window) { /* zstd takes powers of two */
            decoder->window_log++;
        }
        ND_TRY(open_zstd(decoder));
        ND_TRY(load_dictionary(decoder));
    }
    *out = decoder;
    decoder = NULL;
out:
    nd_member_close(&decoder);
    return st;
}

void nd_member_close(nd_member_decoder **decoder) {
    if (*decoder == NULL) {
        return;
    }
    libdeflate_free_decompressor((*decoder)->fast);
    if ((*decoder)->inflate_ready) {
        (void)inflateEnd(&(*decoder)->inflate);
    }
    (void)ZSTD_freeDCtx((*decoder)->zstd);
    (void)ZSTD_freeDDict((*decoder)->dictionary);
    free(*decoder);
    *decoder = NULL;
}

/* Whether the member was given up because its window is larger than the limit. */
static bool member_window_refused(const nd_member_decoder *decoder) {
    return decoder->window_refused;
}

/* ---- whole members */

/* A member that the window cuts off looks damaged: it is tried once more with a wide window. */
static nd_status try_whole(nd_member_decoder *decoder, nd_buffer *out, bool *done) {
    nd_status st = ND_OK;
    enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
    size_t used = 0;
    size_t made = 0;
    *done = false;
    for (size_t want = FIRST_INPUT;; want = WHOLE_INPUT) {
        nd_span input;
        ND_TRY(nd_file_window_at(decoder->file, decoder->offset, want, &input));
        if (input.size > GZIP_FLAGS && (input.data[GZIP_FLAGS] & GZIP_HEADER_CRC) != 0) {
            goto out; /* zlib refuses it where that is wrong, libdeflate does not look */
        }
        result = LIBDEFLATE_INSUFFICIENT_SPACE;
        for (size_t room = FIRST_OUTPUT;
             result == LIBDEFLATE_INSUFFICIENT_SPACE && room <= decoder->whole_output;) {
            nd_buffer_reserve(out, room);
            const size_t space = out->capacity - out->size;
            result = libdeflate_gzip_decompress_ex(decoder->fast, input.data, input.size,
                                                   out->data + out->size, space, &used, &made);
            room = space * 2;
        }
        const bool cut = decoder->offset + input.size < decoder->file->file_bytes;
        if (result != LIBDEFLATE_BAD_DATA || !cut || input.size >= WHOLE_INPUT) {
            break;
        }
    }
    if (result == LIBDEFLATE_SUCCESS) {
        decoder->offset += used;
        out->size += made;
        *done = true;
    }
out:
    return st;
}

/* ---- streamed members */

static nd_status inflate_step(nd_member_decoder *decoder, nd_span input, nd_buffer *out,
                              size_t room, nd_member_state *state) {
    z_stream *stream = &decoder->inflate;
    stream->next_in = (Bytef *)(uintptr_t)input.data;
    stream->avail_in = (uInt)nd_min(input.size, WHOLE_INPUT);
    stream->next_out = out->data + out->size;
    stream->avail_out = (uInt)room;
    const int result = inflate(stream, Z_NO_FLUSH);
    decoder->offset += (uint64_t)(stream->next_in - input.data);
    out->size = (size_t)(stream->next_out - out->data);
    *state = result == Z_STREAM_END ? ND_MEMBER_DONE
             : result == Z_OK       ? ND_MEMBER_MORE
                                    : ND_MEMBER_DAMAGED;
    return result == Z_MEM_ERROR ? nd_fail(ND_ERR_MEMORY, "out of memory: a gzip decoder") : ND_OK;
}

/* A small frame, in one call: nothing is given of one that is damaged. Whether this is tried
 * depends on the frame alone: zstd makes other bytes of some damaged ones where they are streamed.
 */
static nd_status try_frame(nd_member_decoder *decoder, nd_buffer *out, bool *done) {
    nd_status st = ND_OK;
    nd_span input;
    *done = false;
    ND_TRY(nd_file_window_at(decoder->file, decoder->offset, FIRST_INPUT, &input));
    input.size = (size_t)nd_min(input.size, FIRST_INPUT);
    const size_t size = ZSTD_findFrameCompressedSize(input.data, input.size);
    /* the two error values are larger than any content, that of a skippable frame is 0 */
    if (ZSTD_isError(size) || ZSTD_getFrameContentSize(input.data, input.size) > WHOLE_FRAME) {
        goto out;
    }
    nd_buffer_reserve(out, WHOLE_FRAME);
    const size_t made =
        ZSTD_decompressDCtx(decoder->zstd, out->data + out->size, WHOLE_FRAME, input.data, size);
    ND_TRY(zstd_memory(made));
    *done = !ZSTD_isError(made);
    if (*done) {
        decoder->offset += size;
        out->size += made;
    }
out:
    return st;
}

/* The bytes go in block by block: a call that fails says nothing of what it has given, so it must
 * not have begun with the end of a good block. */
static nd_status zstd_step(nd_member_decoder *decoder, nd_span input, nd_buffer *out, size_t room,
                           nd_member_state *state) {
    ZSTD_outBuffer to = {out->data + out->size, room, 0};
    ZSTD_inBuffer in = {input.data, 0, 0};
    size_t result = 0;
    if (decoder->withheld) { /* the rest of the last block, alone */
        result = ZSTD_decompressStream(decoder->zstd, &to, &in);
    }
    if (to.pos == 0) {
        /* what is asked for is a block and the header of the next */
        const size_t wanted = decoder->wanted;
        in.size = (size_t)nd_min(input.size, nd_max(nd_min(wanted, BLOCK_HEADER),
                                                    wanted - nd_min(wanted, BLOCK_HEADER)));
        result = ZSTD_decompressStream(decoder->zstd, &to, &in);
        decoder->wanted = result;
    }
    decoder->withheld = to.pos == room;
    decoder->offset += in.pos;
    out->size += to.pos;
    decoder->window_refused = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge;
    *state = ZSTD_isError(result) ? ND_MEMBER_DAMAGED
             : result == 0        ? ND_MEMBER_DONE
                                  : ND_MEMBER_MORE;
    return zstd_memory(result);
}

static nd_status stream_more(nd_member_decoder *decoder, size_t room, nd_buffer *out,
                             nd_member_state *state) {
    nd_status st = ND_OK;
    const size_t before = out->size;
    if (!decoder->streaming && decoder->codec == ND_CODEC_GZIP) {
        (void)inflateReset(&decoder->inflate);
    } else if (!decoder->streaming) {
        /* a context keeps the room that an earlier frame took, and what is in it: damage may refer
         * to bytes there, of which the content must not depend */
        ND_TRY(open_zstd(decoder));
        decoder->wanted = FRAME_START;
        decoder->withheld = false;
    }
    decoder->streaming = true;
    do {
        nd_span input;
        const uint64_t at = decoder->offset;
        const size_t size = out->size;
        ND_TRY(nd_file_window_at(decoder->file, at, FIRST_INPUT, &input));
        nd_buffer_reserve(out, room);
        ND_TRY(decoder->codec == ND_CODEC_GZIP ? inflate_step(decoder, input, out, room, state)
                                               : zstd_step(decoder, input, out, room, state));
        if (*state == ND_MEMBER_MORE && decoder->offset == at && out->size == size) {
            *state = ND_MEMBER_DAMAGED; /* the file ends inside the member */
        }
    } while (*state == ND_MEMBER_MORE && out->size == before);
out:
    return st;
}

/* ---- either way */

void nd_member_begin(nd_member_decoder *decoder, uint64_t offset, bool whole) {
    decoder->offset = offset;
    decoder->whole = whole;
    decoder->streaming = false;
    decoder->window_refused = false;
}

nd_status nd_member_more(nd_member_decoder *decoder, size_t room, nd_buffer *out,
                         nd_member_state *state) {
    bool done = false;
    nd_status st = ND_OK;
    if (decoder->codec == ND_CODEC_ZSTD && !decoder->streaming) {
        st = try_frame(decoder, out, &done);
    } else if (decoder->whole && !decoder->streaming) {
        st = try_whole(decoder, out, &done);
    }
    *state = ND_MEMBER_DONE;
    if (st != ND_OK || done) {
        return st;
    }
    return stream_more(decoder, room, out, state);
}

uint64_t nd_member_next(const nd_member_decoder *decoder) {
    return decoder->offset;
}

/* ==== the stream */

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
        if (!codec_starts(stream->codec, bytes)) {
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
    if (state == ND_MEMBER_DAMAGED && member_window_refused(stream->decoder)) {
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

/* Byte of the file from which a later member is to be searched after damage: all that was decoded
 * of the damaged member lies before it, but for so much as a decoder may have run on past its end
 * without noticing. */
static uint64_t stream_after_damage(const nd_stream *stream) {
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
        while (hit != NULL &&
               !codec_starts(stream->codec, (nd_span){hit, (size_t)(nd_span_end(bytes) - hit)})) {
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
    ND_TRY(nd_stream_find(stream, stream_after_damage(stream), UINT64_MAX, starts, found));
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
