#include "src/base/buffer.h"

#include "src/base/contract.h"
#include "src/base/fault.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

/* Arrays start at this many items, so that the first few appends do not each reallocate. */
enum { FIRST_CAPACITY = 16 };

nd_status(nd_grow_within)(void *items, size_t *capacity, size_t need, size_t most,
                          size_t item_size) {
    if (need <= *capacity) {
        return nd_fault_if_tight(ND_FAULT_MEMORY);
    }
    ND_ASSERT(item_size > 0, item_size, need);
    const size_t doubled = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity * 2;
    const size_t wanted = nd_max(need, nd_min(doubled, most));
    const nd_status st = nd_fault(ND_FAULT_MEMORY);
    if (st != ND_OK) {
        return st;
    }
    void *old = NULL; /* copied, not cast: the caller's pointer has another type */
    memcpy(&old, items, sizeof old);
    void *grown = wanted > SIZE_MAX / item_size ? NULL : realloc(old, wanted * item_size);
    if (grown == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: %zu items of %zu bytes", wanted, item_size);
    }
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return ND_OK;
}

nd_status(nd_grow)(void *items, size_t *capacity, size_t need, size_t item_size) {
    return (nd_grow_within)(items, capacity, need, SIZE_MAX, item_size);
}

nd_status(nd_new)(void *items, size_t count, size_t size) {
    const nd_status st = nd_fault(ND_FAULT_MEMORY);
    if (st != ND_OK) {
        return st;
    }
    void *fresh = calloc(count == 0 ? 1 : count, size);
    if (fresh == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: %zu items of %zu bytes", count, size);
    }
    memcpy(items, &fresh, sizeof fresh);
    return ND_OK;
}

nd_status(nd_new_room)(void *items, size_t count, size_t size) {
    const void *none = NULL;
    size_t capacity = 0;
    memcpy(items, &none, sizeof none);
    return (nd_grow_within)(items, &capacity, count == 0 ? 1 : count, 0, size);
}

nd_status nd_buffer_reserve(nd_buffer *buffer, size_t extra) {
    if (extra > SIZE_MAX - buffer->size) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a buffer of %zu bytes", SIZE_MAX);
    }
    return nd_grow(&buffer->data, &buffer->capacity, buffer->size + extra, 1);
}

nd_status nd_buffer_append(nd_buffer *buffer, const void *bytes, size_t size) {
    nd_status st = nd_buffer_reserve(buffer, size);
    if (st == ND_OK && size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    }
    return st;
}

nd_status nd_buffer_append_text(nd_buffer *buffer, const char *text) {
    return nd_buffer_append(buffer, text, strlen(text));
}

void nd_buffer_free(nd_buffer *buffer) {
    free(buffer->data);
    *buffer = (nd_buffer){0};
}

nd_span nd_buffer_span(const nd_buffer *buffer) {
    return (nd_span){buffer->data, buffer->size};
}
