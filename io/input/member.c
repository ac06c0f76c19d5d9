#include "io/input/member.h"

#include "io/input/step.h"
#include "src/base/util.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

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

bool nd_codec_starts(nd_codec codec, nd_span bytes) {
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
    return nd_codec_starts(ND_CODEC_GZIP, bytes)   ? ND_CODEC_GZIP
           : nd_codec_starts(ND_CODEC_ZSTD, bytes) ? ND_CODEC_ZSTD
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

bool nd_member_window_refused(const nd_member_decoder *decoder) {
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
