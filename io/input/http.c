#include "io/input/http.h"

#include "io/input/content_coding.h"
#include "io/input/fields.h"
#include "src/base/order.h"

#include <string.h>

/* Digits of a chunk's length that fit 64 bits. */
enum { CHUNK_DIGITS = 15 };

bool nd_http_parse(nd_span message, nd_http_response *out) {
    nd_span rest = message;
    nd_span line, name, value;
    *out = (nd_http_response){0};
    /* "HTTP/1.1 200 OK"; the version's form is not looked at: odd tools write "HTTP/2" or "ICY" */
    if (!nd_fields_line(&rest, &line) ||
        !(nd_fields_starts(line, "HTTP/") || nd_fields_starts(line, "ICY "))) {
        return false;
    }
    const uint8_t *blank = memchr(line.data, ' ', line.size);
    uint64_t status = 0;
    if (blank == NULL) {
        return false;
    }
    value = nd_fields_trim(nd_span_part(line, (size_t)(blank - line.data), line.size));
    if (value.size < 3 || !nd_fields_number(nd_span_part(value, 0, 3), &status)) {
        return false;
    }
    out->status = (unsigned)status;

    while (nd_fields_line(&rest, &line)) {
        if (line.size == 0) {
            out->body = rest;
            break;
        }
        if (!nd_fields_split(line, &name, &value)) {
            continue;
        }
        nd_span *field = nd_fields_is(name, "Content-Type")        ? &out->content_type
                         : nd_fields_is(name, "Content-Encoding")  ? &out->content_encoding
                         : nd_fields_is(name, "Transfer-Encoding") ? &out->transfer_encoding
                                                                   : NULL;
        if (field != NULL && field->size == 0) { /* of several the first counts */
            *field = value;
        }
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
    nd_status st = ND_OK;
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
        ND_TRY(nd_buffer_append(out, body.data, size));
        body = (nd_span){body.data + size, body.size - size};
        if (length == 0 || body.size == 0) {
            break;
        }
        if (!nd_fields_line(&body, &line) || line.size != 0) {
            return body.size <= 1 ? ND_OK : ND_ERR_FORMAT;
        }
    }
out:
    return st;
}

/* Undo the listed codings. */
static nd_status undo_codings(nd_span list, const nd_record_limits *limits, nd_buffer *buffers,
                              nd_span *body, nd_record_limit *passed) {
    nd_status st = ND_OK;
    unsigned undone = 0;
    /* a body may unpack to what is asked of a page, and to no more than so many times what it is
     * packed into, whatever the number of codings */
    const uint64_t page = limits->most[ND_LIMIT_PAGE];
    const uint64_t times = limits->most[ND_LIMIT_EXPANSION];
    const uint64_t expanded = nd_max(
        body->size > UINT64_MAX / times ? UINT64_MAX : body->size * times, ND_EXPANSION_FREE);
    const uint64_t most = nd_min(expanded, page);
    *passed = expanded < page ? ND_LIMIT_EXPANSION : ND_LIMIT_PAGE;
    while (list.size > 0) {
        /* they are listed in the order in which they were applied, and undone from the last */
        size_t begin = list.size;
        while (begin > 0 && list.data[begin - 1] != ',') {
            begin--;
        }
        const nd_coding coding =
            nd_coding_named(nd_fields_trim(nd_span_part(list, begin, list.size)));
        list.size = begin > 0 ? begin - 1 : 0;
        if (coding == ND_CODING_IDENTITY || coding == ND_CODING_UNKNOWN) {
            continue;
        }
        if (undone == limits->most[ND_LIMIT_CODINGS]) {
            *passed = ND_LIMIT_CODINGS;
            return ND_ERR_LIMIT;
        }
        nd_buffer *out = &buffers[undone++ % 2];
        st = nd_coding_undo(coding, *body, most, out);
        if (st != ND_OK && st != ND_ERR_FORMAT) {
            goto out;
        }
        if (st == ND_OK || out->size > 0) { /* else the body was not coded */
            *body = nd_buffer_span(out);
        }
        st = ND_OK;
    }
out:
    return st;
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
    *body = response->body;
    if (nd_fields_find(response->transfer_encoding, "chunked") != SIZE_MAX) {
        st = unchunk(response->body, &scratch->framing);
        if (st == ND_OK) {
            *body = nd_buffer_span(&scratch->framing);
        } else if (st != ND_ERR_FORMAT) {
            goto out;
        }
    }
    ND_TRY(undo_codings(response->content_encoding, limits, scratch->coding, body, passed));
    if (body->size > limits->most[ND_LIMIT_PAGE]) {
        *passed = ND_LIMIT_PAGE;
        st = ND_ERR_LIMIT;
    }
out:
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
