/** \file io/input/utf8_repair.h
 * Is it UTF-8 (RFC 3629), and if not, make it so: each invalid sequence (the longest that could
 * still have become a character) becomes U+FFFD, as browsers do. ASCII is passed 32 bytes at a
 * time.
 */
#ifndef ND_IO_INPUT_UTF8_REPAIR_H
#define ND_IO_INPUT_UTF8_REPAIR_H

#include "src/base/buffer.h"

/** Length of the valid UTF-8 at the start of `bytes`; bytes.size if all is. */
size_t nd_utf8_valid_bytes(nd_span bytes);

/** Append `bytes` to `out` with every invalid sequence replaced.
 * \param[out] replaced  how many were
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_utf8_repair(nd_span bytes, nd_buffer *out, uint64_t *replaced);

/** The same for texts of which no more than `limit` bytes are of use.
 * \return likewise, or ND_ERR_LIMIT as soon as `out` holds more */
nd_status nd_utf8_repair_within(nd_span bytes, uint64_t limit, nd_buffer *out, uint64_t *replaced);

#endif
