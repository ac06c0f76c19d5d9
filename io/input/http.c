#include "io/input/http.h"

#include "io/input/charset.h"
#include "io/input/fields.h"
#include "io/input/file_window.h"
#include "src/base/util.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* ---- codings */

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

/* ---- responses */

/* Digits of a chunk's length that fit 64 bits. */
enum { CHUNK_DIGITS = 15 };
/* Bytes looked at to see whether a body is text; bytes by which a packed body may be longer than
 * what it unpacks to. */
enum { PLAIN_BYTES = 4096, MOST_OVERHEAD = 16 };

/* "HTTP/1.1 200 OK"; the version's form is not looked at: odd tools write "HTTP/2" or "ICY". */
static bool parse_status(nd_span line, unsigned *status, nd_span *phrase) {
    uint64_t number = 0;
    const bool starts = nd_fields_starts(line, "HTTP/") || nd_fields_starts(line, "ICY ");
    const uint8_t *blank = starts ? memchr(line.data, ' ', line.size) : NULL;
    if (blank == NULL) {
        return false;
    }
    *phrase = nd_fields_trim(nd_span_part(line, (size_t)(blank - line.data), line.size));
    if (phrase->size < 3 || !nd_fields_number(nd_span_part(*phrase, 0, 3), &number)) {
        return false;
    }
    *status = (unsigned)number;
    return true;
}

static void add_codings(nd_http_codings *codings, nd_span value) {
    nd_span item;
    while (nd_fields_item(&value, &item)) {
        const nd_coding coding = nd_coding_named(item);
        if (coding == ND_CODING_IDENTITY || coding == ND_CODING_UNKNOWN) {
            continue;
        }
        if (codings->count < sizeof codings->list / sizeof codings->list[0]) {
            codings->list[codings->count] = coding;
        }
        codings->count++;
    }
}

/* Of several types, on one line or on several, the last one that is one, and says something,
 * counts. */
static void add_types(nd_http_response *out, nd_span value) {
    nd_span item;
    if (nd_fields_find(value, ",") == SIZE_MAX) {
        item = value;
        value.size = 0;
    }
    do {
        if (value.size > 0 && !nd_fields_item(&value, &item)) {
            break;
        }
        const nd_span charset = nd_fields_charset(item);
        out->charset = charset.size > 0 ? charset : out->charset;
        const nd_span type = nd_fields_media_type(item);
        const nd_span before = nd_fields_media_type(out->content_type);
        if (out->content_type.size == 0) {
            out->content_type = item;
        } else if (nd_fields_is_media_type(type) && !nd_fields_is(type, "*/*") &&
                   !nd_fields_same(type, before)) {
            out->types_differ |= nd_fields_is_media_type(before) && !nd_fields_is(before, "*/*");
            out->content_type = item;
        }
    } while (value.size > 0);
}

/* One status line and the fields after it. */
static bool parse_one(nd_span message, nd_http_response *out, nd_span *phrase) {
    nd_span rest = message;
    nd_span line, value;
    nd_span name = {0};
    *out = (nd_http_response){0};
    if (!nd_fields_line(&rest, &line) || !parse_status(line, &out->status, phrase)) {
        return false;
    }
    while (nd_fields_line(&rest, &line)) {
        if (line.size == 0) {
            out->body = rest;
            out->complete = true;
            break;
        }
        if (name.size > 0 && (line.data[0] == ' ' || line.data[0] == '\t')) {
            value = nd_fields_trim(line); /* the field goes on: as if it were there once more */
        } else if (!nd_fields_split(line, &name, &value)) {
            continue;
        }
        if (nd_fields_is(name, "Content-Type")) {
            add_types(out, value);
        } else if (nd_fields_is(name, "Content-Encoding")) {
            add_codings(&out->content, value);
        } else if (nd_fields_is(name, "Transfer-Encoding")) {
            add_codings(&out->transfer, value);
        }
    }
    return true;
}

/* Is what follows the header another response, and this one not the answer? One that is no success
 * has no body that is a response; of a success, only CONNECT's has none of its own. */
static bool is_interim(const nd_http_response *response, nd_span phrase, nd_span *next) {
    nd_span line, other;
    unsigned status = 0;
    const bool success = response->status / 100 == 2;
    const bool connected =
        nd_fields_find(phrase, "established") != SIZE_MAX || response->content_type.size == 0;
    if (!response->complete || (success && !connected)) {
        return false;
    }
    *next = response->body;
    while (next->size > 0 && (next->data[0] == '\r' || next->data[0] == '\n')) {
        *next = nd_span_part(*next, 1, next->size);
    }
    nd_span rest = *next;
    return nd_fields_starts(rest, "HTTP/") && nd_fields_line(&rest, &line) &&
           parse_status(line, &status, &other);
}

bool nd_http_parse(nd_span message, nd_http_response *out) {
    nd_span phrase;
    if (!parse_one(message, out, &phrase)) {
        return false;
    }
    while (is_interim(out, phrase, &message) && parse_one(message, out, &phrase)) {
    }
    return true;
}

/* The length on a chunk's first line, before any extension. */
static bool parse_chunk_line(nd_span line, uint64_t *length) {
    size_t digits = 0;
    *length = 0;
    for (; digits < line.size && digits <= CHUNK_DIGITS; digits++) {
        const int byte = line.data[digits];
        const int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                          : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                          : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                       : -1;
        if (digit < 0) {
            break;
        }
        *length = *length * 16 + (uint64_t)digit;
    }
    const nd_span tail = nd_fields_trim((nd_span){line.data + digits, line.size - digits});
    return digits > 0 && digits <= CHUNK_DIGITS && (tail.size == 0 || tail.data[0] == ';');
}

/* Undo chunked framing. A body cut off inside a chunk gives what is there; a first line that is no
 * length, or a chunk that does not end where it says, means that the framing is not there or not
 * to be trusted: ND_ERR_FORMAT, and the body is to be read as it is. */
static nd_status unchunk(nd_span body, nd_buffer *out) {
    nd_span line;
    out->size = 0;
    for (bool first = true;; first = false) {
        uint64_t length = 0;
        if (!nd_fields_line(&body, &line)) {
            return first ? ND_ERR_FORMAT : ND_OK;
        }
        if (!parse_chunk_line(line, &length)) {
            return ND_ERR_FORMAT;
        }
        const size_t size = (size_t)nd_min(length, body.size);
        nd_buffer_append(out, body.data, size);
        body = (nd_span){body.data + size, body.size - size};
        if (length == 0 || body.size == 0) {
            break;
        }
        if (!nd_fields_line(&body, &line) || line.size != 0) {
            return body.size <= 1 ? ND_OK : ND_ERR_FORMAT;
        }
    }
    return ND_OK;
}

/* Are these bytes text, so that nobody packed them? What is packed has soon bytes that no text has.
 */
static bool is_plain(nd_span bytes) {
    const nd_span head = nd_span_part(bytes, 0, (size_t)nd_min(bytes.size, PLAIN_BYTES));
    for (size_t i = 0; i < head.size; i++) {
        if (head.data[i] < 0x20 && memchr("\t\n\f\r\x1b", head.data[i], 5) == NULL) {
            return false;
        }
    }
    const size_t valid = nd_utf8_valid_bytes(head); /* the last character may be cut off */
    return valid == head.size || (head.size < bytes.size && head.size - valid < 4);
}

/* Undo one coding, whatever it is labelled as, if the bytes are coded at all. What a mark shows is
 * believed, and of what is damaged what comes before is taken. Brotli and a naked deflate stream
 * have none and read much as theirs, so what they give must be as long as what it is made of.
 * \param[in]  named  or ND_CODING_UNKNOWN: there is no label
 * \param[out] undone  if so, `out` is the body */
static nd_status undo_coding(nd_coding named, nd_span body, uint64_t most, nd_buffer *out,
                             bool *undone) {
    nd_status st = ND_OK;
    const nd_coding shown = nd_coding_of_bytes(body);
    const bool zlib = shown == ND_CODING_DEFLATE;
    const bool plain = named != ND_CODING_UNKNOWN && is_plain(body);
    *undone = false;
    if (shown != ND_CODING_UNKNOWN) {
        st = nd_coding_undo(shown, body, most, out);
        /* the two bytes that show zlib may begin a text, if not all is right */
        const bool label = (named == ND_CODING_GZIP || named == ND_CODING_DEFLATE) && !plain;
        *undone = st == ND_OK || (st == ND_ERR_FORMAT && out->size > 0 && (!zlib || label));
        if (*undone || (st != ND_ERR_FORMAT && (st != ND_ERR_LIMIT || !zlib || label))) {
            return st == ND_ERR_FORMAT ? ND_OK : st;
        }
    }
    if (named == ND_CODING_UNKNOWN || plain) {
        return ND_OK;
    }
    /* a deflate stream that lost gzip's header, or never had it, still says gzip */
    st = nd_coding_undo(named == ND_CODING_GZIP ? ND_CODING_DEFLATE : named, body, most, out);
    *undone = st == ND_OK ? out->size > 0 && out->size + MOST_OVERHEAD >= body.size
                          : st == ND_ERR_FORMAT && out->size > body.size;
    return st == ND_ERR_FORMAT ? ND_OK : st;
}

typedef struct decoding {
    const nd_record_limits *limits;
    nd_http_scratch *scratch;
    uint64_t most; /* bytes that the body may have */
    uint64_t undone;
    nd_span body;
} decoding;

static nd_status undo_listed(decoding *d, const nd_http_codings *codings) {
    nd_status st = ND_OK;
    bool changed = false;
    for (size_t i = codings->count; i > 0 && st == ND_OK; i--) { /* undone from the last */
        if (codings->list[i - 1] == ND_CODING_CHUNKED) {
            if (d->body.data == d->scratch->framing.data) {
                continue; /* out of chunks already */
            }
            st = unchunk(d->body, &d->scratch->framing);
            if (st == ND_OK) {
                d->body = nd_buffer_span(&d->scratch->framing);
            }
            st = st == ND_ERR_FORMAT ? ND_OK : st;
            continue;
        }
        nd_buffer *out = &d->scratch->coding[d->undone % 2];
        ND_TRY(undo_coding(codings->list[i - 1], d->body, d->most, out, &changed));
        if (changed) {
            d->body = nd_buffer_span(out);
            d->undone++;
        }
    }
out:
    return st;
}

/* What servers packed and did not label, or labelled once too few. */
static nd_status undo_unlabelled(decoding *d) {
    nd_status st = ND_OK;
    bool changed = true;
    while (changed && d->undone < d->limits->most[ND_LIMIT_CODINGS]) {
        nd_buffer *out = &d->scratch->coding[d->undone % 2];
        ND_TRY(undo_coding(ND_CODING_UNKNOWN, d->body, d->most, out, &changed));
        if (changed) {
            d->body = nd_buffer_span(out);
            d->undone++;
        }
    }
out:
    return st;
}

static size_t packings(const nd_http_codings *codings) {
    const size_t most = sizeof codings->list / sizeof codings->list[0];
    size_t count = codings->count;
    for (size_t i = 0; i < codings->count && i < most; i++) {
        count -= codings->list[i] == ND_CODING_CHUNKED;
    }
    return count;
}

/* Buffers that a large body needed on its way are not kept beside it. */
static void free_unused(nd_buffer *buffer, nd_span body) {
    if (buffer->capacity > ND_EXPANSION_FREE && buffer->data != body.data) {
        nd_buffer_free(buffer);
    }
}

nd_status nd_http_body(const nd_http_response *response, const nd_record_limits *limits,
                       nd_http_scratch *scratch, nd_span *body, nd_record_limit *passed) {
    nd_status st = ND_OK;
    /* a body may unpack to what is asked of a page, and to no more than so many times what it is
     * packed into, whatever the number of codings */
    const uint64_t page = limits->most[ND_LIMIT_PAGE];
    const uint64_t times = limits->most[ND_LIMIT_EXPANSION];
    const size_t stored = response->body.size;
    const uint64_t expanded =
        nd_max(stored > UINT64_MAX / times ? UINT64_MAX : stored * times, ND_EXPANSION_FREE);
    decoding d = {.limits = limits,
                  .scratch = scratch,
                  .most = nd_min(expanded, page),
                  .body = response->body};
    if (packings(&response->content) + packings(&response->transfer) >
        limits->most[ND_LIMIT_CODINGS]) {
        *passed = ND_LIMIT_CODINGS;
        st = ND_ERR_LIMIT;
        goto out;
    }
    *passed = expanded < page ? ND_LIMIT_EXPANSION : ND_LIMIT_PAGE;
    ND_TRY(undo_listed(&d, &response->transfer));
    ND_TRY(undo_listed(&d, &response->content));
    ND_TRY(undo_unlabelled(&d));
    if (d.body.size > page) {
        *passed = ND_LIMIT_PAGE;
        st = ND_ERR_LIMIT;
    }
out:
    *body = d.body;
    free_unused(&scratch->framing, *body);
    free_unused(&scratch->coding[0], *body);
    free_unused(&scratch->coding[1], *body);
    return st;
}

void nd_http_scratch_free(nd_http_scratch *scratch) {
    nd_buffer_free(&scratch->framing);
    nd_buffer_free(&scratch->coding[0]);
    nd_buffer_free(&scratch->coding[1]);
}
