#include "src/base/buffer.h"

#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays start at this many items, so that the first few appends do not each reallocate. */
enum { FIRST_CAPACITY = 16 };

void nd_memory_out(size_t count, size_t size, const char *who) {
    char line[256];
    (void)snprintf(line, sizeof line, "out of memory: %zu items of %zu bytes in %s", count, size,
                   who);
    nd_contract_leave(line);
    nd_print_line(stderr, "neardup: %s", line);
    _Exit(1);
}

/* Can the system give none? For tests, at one call on purpose. */
static bool is_out(const void *memory) {
    return nd_fault(ND_FAULT_MEMORY) != ND_OK || memory == NULL;
}

void *(nd_alloc)(size_t count, size_t size, const char *who) {
    const bool fits = size == 0 || count <= SIZE_MAX / size;
    void *memory = fits ? malloc(count * size > 0 ? count * size : 1) : NULL;
    if (is_out(memory)) {
        nd_memory_out(count, size, who);
    }
    return memory;
}

void *(nd_alloc_zero)(size_t count, size_t size, const char *who) {
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (is_out(memory)) {
        nd_memory_out(count, size, who);
    }
    return memory;
}

void(nd_grow_within)(void *items, size_t *capacity, size_t need, size_t most, size_t item_size,
                     const char *who) {
    if (need <= *capacity) {
        return;
    }
    ND_ASSERT(item_size > 0, item_size, need);
    const size_t doubled = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity * 2;
    const size_t wanted = nd_max(need, nd_min(doubled, most));
    void *old = NULL; /* copied, not cast: the caller's pointer has another type */
    memcpy(&old, items, sizeof old);
    void *grown = wanted > SIZE_MAX / item_size ? NULL : realloc(old, wanted * item_size);
    if (is_out(grown)) {
        nd_memory_out(wanted, item_size, who);
    }
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
}

void(nd_grow)(void *items, size_t *capacity, size_t need, size_t item_size, const char *who) {
    (nd_grow_within)(items, capacity, need, SIZE_MAX, item_size, who);
}

void(nd_new)(void *items, size_t count, size_t size, const char *who) {
    void *fresh = (nd_alloc_zero)(count, size, who);
    memcpy(items, &fresh, sizeof fresh);
}

void(nd_new_room)(void *items, size_t count, size_t size, const char *who) {
    void *fresh = (nd_alloc)(count, size, who);
    memcpy(items, &fresh, sizeof fresh);
}

char *nd_text_copy(const char *text) {
    const size_t size = strlen(text) + 1;
    return memcpy(nd_alloc(size, 1), text, size);
}

void nd_buffer_reserve(nd_buffer *buffer, size_t extra) {
    if (extra > SIZE_MAX - buffer->size) {
        nd_memory_out(SIZE_MAX, 1, "a buffer");
    }
    nd_grow(&buffer->data, &buffer->capacity, buffer->size + extra, 1);
}

void nd_buffer_append(nd_buffer *buffer, const void *bytes, size_t size) {
    nd_buffer_reserve(buffer, size);
    if (size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    }
}

void nd_buffer_append_text(nd_buffer *buffer, const char *text) {
    nd_buffer_append(buffer, text, strlen(text));
}

void nd_buffer_free(nd_buffer *buffer) {
    free(buffer->data);
    *buffer = (nd_buffer){0};
}

nd_span nd_buffer_span(const nd_buffer *buffer) {
    return (nd_span){buffer->data, buffer->size};
}
