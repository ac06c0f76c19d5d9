/** \file io/input/content_coding.h
 * Undoing the content codings of HTTP (RFC 9110, 8.4.1): gzip, deflate (with or without its zlib
 * wrapper, as servers send both), br, zstd; those of a transfer (RFC 9112, 7) are named likewise,
 * and its chunks are http.c's to undo. Damaged or cut-off data give what comes before the damage.
 */
#ifndef ND_IO_INPUT_CONTENT_CODING_H
#define ND_IO_INPUT_CONTENT_CODING_H

#include "src/base/buffer.h"

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

#endif
