/** \file src/base/buffer.h
 * A growing owned byte buffer (nd_buffer), and nd_grow(), the one way in which every growing array
 * of the program gets longer. Allocation failure is a status, never an abort. Nothing here is
 * thread-safe.
 */
#ifndef ND_BASE_BUFFER_H
#define ND_BASE_BUFFER_H

#include "src/base/span.h"
#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Owned bytes; all zero is a valid empty buffer. */
typedef struct nd_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
} nd_buffer;

/** The address of an array pointer, which any other argument is not: `records` given for `&records`
 * does not compile. */
#define ND_ARRAY(address) ((void)sizeof **(address), (address))

/** Make room for at least `need` items of `item_size` bytes in *items (grows by doubling).
 * \param[in,out] items     address of the array pointer; contents kept; untouched on failure
 * \param[in,out] capacity  items that fit
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_grow(void *items, size_t *capacity, size_t need, size_t item_size);
#define nd_grow(items, capacity, need, item_size)                                                  \
    nd_grow(ND_ARRAY(items), (capacity), (need), (item_size))

/** nd_grow() that takes no room for more than `most` items, as long as need <= most: for arrays
 * that share a limited memory. */
nd_status nd_grow_within(void *items, size_t *capacity, size_t need, size_t most, size_t item_size);
#define nd_grow_within(items, capacity, need, most, item_size)                                     \
    nd_grow_within(ND_ARRAY(items), (capacity), (need), (most), (item_size))

/** Allocate count * size zeroed bytes into *items (the address of a pointer); a count of 0 gives
 * one byte, so that NULL always means failure. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_new(void *items, size_t count, size_t size);
#define nd_new(items, count, size) nd_new(ND_ARRAY(items), (count), (size))

/** The same without the zeros, for what is written before it is read: memory that is not touched
 * need not be given by the system. */
nd_status nd_new_room(void *items, size_t count, size_t size);
#define nd_new_room(items, count, size) nd_new_room(ND_ARRAY(items), (count), (size))

/** Make room for `extra` more bytes after the present size. */
nd_status nd_buffer_reserve(nd_buffer *buffer, size_t extra);

/** Append `size` bytes; `bytes` must not lie in the buffer itself. */
nd_status nd_buffer_append(nd_buffer *buffer, const void *bytes, size_t size);

/** Append a NUL-terminated text without its NUL. */
nd_status nd_buffer_append_text(nd_buffer *buffer, const char *text);

/** Free the bytes and make the buffer empty; an empty buffer is fine. */
void nd_buffer_free(nd_buffer *buffer);

/** The bytes as a borrowed view, valid until the buffer changes. */
nd_span nd_buffer_span(const nd_buffer *buffer);

#endif
