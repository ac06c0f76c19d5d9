#include "io/input/content_coding.h"

#include "io/input/step.h"
#include "src/base/util.h"

#include <brotli/decode.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Room made for each step of decoding. */
enum { STEP_BYTES = ND_STEP(128 << 10) };
/* zlib counts its input in 32 bits: fed in pieces. */
enum { INPUT_BYTES = 1 << 30 };
/* Window bits that say to zlib which wrapper to expect. */
enum { GZIP_WRAPPER = MAX_WBITS + 16, ZLIB_WRAPPER = MAX_WBITS, NO_WRAPPER = -MAX_WBITS };
/* Window of a zstd body: more than 8 MiB may not be asked of whom the body is for (RFC 9659). */
enum { ZSTD_WINDOW_BITS = 23 };

nd_coding nd_coding_named(nd_span name) {
    static const struct {
        const char *name;
        nd_coding coding;
    } names[] = {{"gzip", ND_CODING_GZIP},         {"x-gzip", ND_CODING_GZIP},
                 {"deflate", ND_CODING_DEFLATE},   {"x-deflate", ND_CODING_DEFLATE},
                 {"br", ND_CODING_BROTLI},         {"brotli", ND_CODING_BROTLI},
                 {"zstd", ND_CODING_ZSTD},         {"chunked", ND_CODING_CHUNKED},
                 {"identity", ND_CODING_IDENTITY}, {"none", ND_CODING_IDENTITY},
                 {"", ND_CODING_IDENTITY}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (name.size == strlen(names[i].name) &&
            (name.size == 0 ||
             strncasecmp(names[i].name, (const char *)name.data, name.size) == 0)) {
            return names[i].coding;
        }
    }
    return ND_CODING_UNKNOWN;
}

nd_coding nd_coding_of_bytes(nd_span data) {
    static const uint8_t gzip[] = {0x1f, 0x8b, 0x08};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (data.size > sizeof gzip && memcmp(data.data, gzip, sizeof gzip) == 0) {
        return ND_CODING_GZIP;
    }
    if (data.size > sizeof zstd && memcmp(data.data, zstd, sizeof zstd) == 0) {
        return ND_CODING_ZSTD;
    }
    /* RFC 1950: a window of 32 KiB, no dictionary, and a multiple of 31 */
    const bool zlib = data.size > 2 && data.data[0] == 0x78 && (data.data[1] & 0x20) == 0 &&
                      ((unsigned)data.data[0] << 8 | data.data[1]) % 31 == 0;
    return zlib ? ND_CODING_DEFLATE : ND_CODING_UNKNOWN;
}

/* Room for a step, never past the limit by more than the one byte that shows it is passed. */
static void make_room(nd_buffer *out, uint64_t limit, size_t *room) {
    *room = (size_t)nd_min(limit - out->size + 1, STEP_BYTES);
    nd_buffer_reserve(out, *room);
}

static nd_status undo_zlib(int window_bits, nd_span data, uint64_t limit, nd_buffer *out) {
    nd_status st = ND_OK;
    z_stream stream = {0};
    const uint8_t *end = nd_span_end(data);
    int result = Z_OK;
    out->size = 0;
    if (inflateInit2(&stream, window_bits) != Z_OK) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: an inflate decoder");
    }
    stream.next_in = (Bytef *)(uintptr_t)data.data;
    do {
        size_t room = 0;
        make_room(out, limit, &room);
        stream.avail_in = (uInt)nd_min((uint64_t)(end - stream.next_in), INPUT_BYTES);
        stream.next_out = out->data + out->size;
        stream.avail_out = (uInt)room;
        result = inflate(&stream, Z_NO_FLUSH);
        out->size += room - stream.avail_out;
        /* members follow one another; what else follows the last one is no part of the body */
        const nd_span rest = {stream.next_in, (size_t)(end - stream.next_in)};
        if (result == Z_STREAM_END && window_bits == GZIP_WRAPPER &&
            nd_coding_of_bytes(rest) == ND_CODING_GZIP) {
            result = inflateReset(&stream);
        }
    } while (result == Z_OK && out->size <= limit);
    st = out->size > limit        ? ND_ERR_LIMIT
         : result == Z_STREAM_END ? ND_OK
         : result == Z_MEM_ERROR  ? nd_fail(ND_ERR_MEMORY, "out of memory: an inflate decoder")
                                  : ND_ERR_FORMAT;
    (void)inflateEnd(&stream);
    return st;
}

static nd_status undo_brotli(nd_span data, uint64_t limit, nd_buffer *out) {
    nd_status st = ND_OK;
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (state == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a brotli decoder");
    }
    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT && out->size <= limit) {
        size_t room = 0;
        make_room(out, limit, &room);
        uint8_t *to = out->data + out->size;
        size_t left = room;
        result = BrotliDecoderDecompressStream(state, &data.size, &data.data, &left, &to, NULL);
        out->size += room - left;
    }
    const int error = (int)BrotliDecoderGetErrorCode(state);
    const bool lacks_memory = error <= (int)BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                              error >= (int)BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    st = out->size > limit                         ? ND_ERR_LIMIT
         : result == BROTLI_DECODER_RESULT_SUCCESS ? ND_OK
         : lacks_memory ? nd_fail(ND_ERR_MEMORY, "out of memory: a brotli decoder")
                        : ND_ERR_FORMAT;
    BrotliDecoderDestroyInstance(state);
    return st;
}

static nd_status undo_zstd(nd_span data, uint64_t limit, nd_buffer *out) {
    nd_status st = ND_OK;
    ZSTD_inBuffer in = {data.data, data.size, 0};
    ZSTD_DCtx *context = ZSTD_createDCtx();
    size_t result = 1;
    if (context == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a zstd decoder");
    }
    (void)ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOW_BITS);
    while (out->size <= limit) {
        size_t room = 0;
        make_room(out, limit, &room);
        ZSTD_outBuffer to = {out->data + out->size, room, 0};
        result = ZSTD_decompressStream(context, &to, &in);
        out->size += to.pos;
        if (ZSTD_isError(result) || (in.pos == in.size && (result == 0 || to.pos < room))) {
            break;
        }
    }
    st = out->size > limit ? ND_ERR_LIMIT
         : result == 0     ? ND_OK
         : ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
             ? nd_fail(ND_ERR_MEMORY, "out of memory: a zstd decoder")
             : ND_ERR_FORMAT;
    (void)ZSTD_freeDCtx(context);
    return st;
}

nd_status nd_coding_undo(nd_coding coding, nd_span data, uint64_t limit, nd_buffer *out) {
    nd_status st = ND_ERR_FORMAT;
    out->size = 0;
    switch (coding) {
    case ND_CODING_GZIP:
        return undo_zlib(GZIP_WRAPPER, data, limit, out);
    case ND_CODING_DEFLATE:
        /* it should mean zlib's wrapper, but many servers sent the naked stream */
        st = undo_zlib(ZLIB_WRAPPER, data, limit, out);
        return st == ND_ERR_FORMAT && out->size == 0 ? undo_zlib(NO_WRAPPER, data, limit, out) : st;
    case ND_CODING_BROTLI:
        return undo_brotli(data, limit, out);
    case ND_CODING_ZSTD:
        return undo_zstd(data, limit, out);
    case ND_CODING_IDENTITY: /* none */
    case ND_CODING_CHUNKED:
    case ND_CODING_UNKNOWN:
        break;
    }
    return st;
}
