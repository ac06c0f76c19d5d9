/** \file src/base/buffer.h
 * Memory: nd_alloc() and nd_alloc_zero(), nd_grow(), the one way in which every growing array of
 * the program gets longer, and a growing owned byte buffer (nd_buffer). None of them fails: a batch
 * job whose memory is at an end cannot go on, so one line says how much was asked for and by whom,
 * and the process ends, with the others of its job (nd_memory_out()). What strangers make is
 * bounded before memory is asked for: those limits are statuses. Nothing here is thread-safe.
 */
#ifndef ND_BASE_BUFFER_H
#define ND_BASE_BUFFER_H

#include "src/base/status.h"
#include "src/base/util.h"

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

/** End the process, and the others of its job as nd_contract_on_break() says: one line, no result,
 * the last checkpoint stays. Also for other libraries' memory. \param[in] who  the function that
 * asked, or what for */
_Noreturn void nd_memory_out(size_t count, size_t size, const char *who)
    __attribute__((cold, noinline));

/** Memory for count * size bytes, uninitialised, or zeroed; never NULL, not for a count of 0
 * either. The caller's to free(). */
void *nd_alloc(size_t count, size_t size, const char *who);
#define nd_alloc(count, size) nd_alloc((count), (size), __func__)
void *nd_alloc_zero(size_t count, size_t size, const char *who);
#define nd_alloc_zero(count, size) nd_alloc_zero((count), (size), __func__)

/** Make room for at least `need` items of `item_size` bytes in *items (grows by doubling).
 * \param[in,out] items     address of the array pointer; contents kept
 * \param[in,out] capacity  items that fit */
void nd_grow(void *items, size_t *capacity, size_t need, size_t item_size, const char *who);
#define nd_grow(items, capacity, need, item_size)                                                  \
    nd_grow(ND_ARRAY(items), (capacity), (need), (item_size), __func__)

/** nd_grow() that takes no room for more than `most` items, as long as need <= most: for arrays
 * that share a limited memory. */
void nd_grow_within(void *items, size_t *capacity, size_t need, size_t most, size_t item_size,
                    const char *who);
#define nd_grow_within(items, capacity, need, most, item_size)                                     \
    nd_grow_within(ND_ARRAY(items), (capacity), (need), (most), (item_size), __func__)

/** nd_alloc_zero() into *items (the address of a pointer). */
void nd_new(void *items, size_t count, size_t size, const char *who);
#define nd_new(items, count, size) nd_new(ND_ARRAY(items), (count), (size), __func__)

/** The same without the zeros, for what is written before it is read: memory that is not touched
 * need not be given by the system. */
void nd_new_room(void *items, size_t count, size_t size, const char *who);
#define nd_new_room(items, count, size) nd_new_room(ND_ARRAY(items), (count), (size), __func__)

/** A copy of a NUL-terminated text: the caller's to free(). */
char *nd_text_copy(const char *text);

/** Make room for `extra` more bytes after the present size. */
void nd_buffer_reserve(nd_buffer *buffer, size_t extra);

/** Append `size` bytes; `bytes` must not lie in the buffer itself. */
void nd_buffer_append(nd_buffer *buffer, const void *bytes, size_t size);

/** Append a NUL-terminated text without its NUL. */
void nd_buffer_append_text(nd_buffer *buffer, const char *text);

/** Free the bytes and make the buffer empty; an empty buffer is fine. */
void nd_buffer_free(nd_buffer *buffer);

/** The bytes as a borrowed view, valid until the buffer changes. */
nd_span nd_buffer_span(const nd_buffer *buffer);

#endif
