/** \file io/input/http.h
 * An HTTP/1 response as archives store it: status line, header, body; what stands in front of the
 * answer (100 Continue, 103 Early Hints, a proxy's answer to CONNECT, a redirect that was
 * followed) passed over; the body's chunked framing (RFC 9112, 7.1) and its transfer and content
 * codings undone. Archives hold much that is wrong, so this reads what it can: framing that does
 * not fit means that the body was stored without it, a coding that does not fit means that it was
 * undone before, and a coding that the bytes show themselves needs no label.
 */
#ifndef ND_INPUT_HTTP_H
#define ND_INPUT_HTTP_H

#include "io/input/record_limits.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/* ---- Undoing the content codings of HTTP (RFC 9110, 8.4.1): gzip, deflate (with or without its
 * zlib wrapper, as servers send both), br, zstd; those of a transfer (RFC 9112, 7) are named
 * likewise, and its chunks are http.c's to undo. Damaged or cut-off data give what comes before the
 * damage. */

typedef enum nd_coding {
    ND_CODING_IDENTITY,
    ND_CODING_GZIP,
    ND_CODING_DEFLATE,
    ND_CODING_BROTLI,
    ND_CODING_ZSTD,
    ND_CODING_CHUNKED,
    ND_CODING_UNKNOWN
} nd_coding;

/** The coding of a token such as "gzip" or "x-gzip", in any case; empty is identity. */
nd_coding nd_coding_named(nd_span name);

/** The coding by which the bytes begin: gzip, zstd, or zlib's wrapper (deflate); else unknown,
 * since the others have no mark. */
nd_coding nd_coding_of_bytes(nd_span data);

/** Undo one coding; of gzip all members, of zstd all frames.
 * \param[in]     limit  most bytes to make
 * \param[in,out] out    emptied, then filled; holds what could be decoded whatever is returned
 * \return ND_OK; ND_ERR_FORMAT if the data are damaged, cut off or not of this coding, and for
 *         what is none of those above; ND_ERR_LIMIT if there is more than `limit`;
 *         ND_ERR_MEMORY */
nd_status nd_coding_undo(nd_coding coding, nd_span data, uint64_t limit, nd_buffer *out);

/* ---- responses */

/** Codings in the order in which they were applied; those that change nothing, or are not known,
 * are left out. */
typedef struct nd_http_codings {
    nd_coding list[16];
    size_t count; /**< listed; more than the list holds are only counted */
} nd_http_codings;

/** Views into the message; a field that is missing is empty. */
typedef struct nd_http_response {
    unsigned status;
    nd_span content_type; /**< of several the last one that is a media type (WHATWG Fetch, 2.2.2) */
    nd_span charset;      /**< of that type or, where it names none, of an earlier one */
    bool types_differ;    /**< there are several, of different types */
    nd_http_codings content;
    nd_http_codings transfer;
    nd_span body;
    bool complete; /**< the header ends */
} nd_http_response;

/** Read the header of a response.
 * \param[in] message  the message, or its beginning if it holds the whole header
 * \return false if there is no status line; a header that does not end is read as far as it goes,
 *         with an empty body */
bool nd_http_parse(nd_span message, nd_http_response *out);

/** Two buffers that nd_http_body() decodes into by turns; all zero is valid. */
typedef struct nd_http_scratch {
    nd_buffer framing;
    nd_buffer coding[2];
} nd_http_scratch;

/** The body with framing and codings undone.
 * \param[out] body    a view into the message or into the scratch, valid until either changes
 * \param[out] passed  the limit that the body is beyond; set with ND_ERR_LIMIT only
 * \return ND_OK, ND_ERR_LIMIT or ND_ERR_MEMORY */
nd_status nd_http_body(const nd_http_response *response, const nd_record_limits *limits,
                       nd_http_scratch *scratch, nd_span *body, nd_record_limit *passed);

void nd_http_scratch_free(nd_http_scratch *scratch);

#endif
