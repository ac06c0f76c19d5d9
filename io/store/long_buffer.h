/** \file io/store/long_buffer.h
 * A growing owned buffer for very many bytes (nd_long_buffer). From some MiB on its memory is a
 * mapping of its own: it grows without being copied, is asked of the system ahead of its use, and
 * goes back to the system when it is no longer needed. For short buffers there is nd_buffer, which
 * costs no system call. Not thread-safe.
 */
#ifndef ND_IO_STORE_LONG_BUFFER_H
#define ND_IO_STORE_LONG_BUFFER_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Bytes of capacity from which on the memory is a mapping. */
enum { ND_LONG_BUFFER_MAPPED = 4 << 20 };

/** Owned bytes; all zero is a valid empty buffer. */
typedef struct nd_long_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    size_t present; /**< bytes of a mapping that the system has given memory to, as far as asked */
} nd_long_buffer;

/** Append `size` bytes, which must not lie in the buffer itself.
 * \param[in] most  bytes that room may be taken for, at least those there will be then
 * \return ND_OK or ND_ERR_MEMORY; the buffer is as it was then */
nd_status nd_long_buffer_append(nd_long_buffer *buffer, const void *bytes, size_t size,
                                size_t most);

/** Keep the first `size` bytes, no more than there are, and give back the room after them. */
void nd_long_buffer_cut(nd_long_buffer *buffer, size_t size);

/** Free the bytes and make the buffer empty; an empty buffer is fine. */
void nd_long_buffer_free(nd_long_buffer *buffer);

#endif
