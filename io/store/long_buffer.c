#define _GNU_SOURCE /* mremap() */
#include "io/store/long_buffer.h"

#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory is asked for ahead of its use in such pieces, which are small beside a mapping and beside
 * a processor's cache. */
enum { AHEAD_BYTES = 512 << 10 };

static bool is_mapped(const nd_long_buffer *buffer) {
    return buffer->capacity >= ND_LONG_BUFFER_MAPPED;
}

/* ---- room */

/* By doubling, as other buffers. */
static nd_status reserve(nd_long_buffer *buffer, size_t need, size_t most) {
    nd_status st = ND_OK;
    const bool was_mapped = is_mapped(buffer);
    if (need <= buffer->capacity) {
        return nd_fault_if_tight(ND_FAULT_MEMORY);
    }
    const size_t doubled = buffer->capacity > most / 2 ? most : buffer->capacity * 2;
    const size_t wanted = (size_t)nd_max(doubled, need);
    if (wanted < ND_LONG_BUFFER_MAPPED) {
        return nd_grow_within(&buffer->data, &buffer->capacity, need, wanted, 1);
    }

    ND_TRY(nd_fault(ND_FAULT_MEMORY));
    void *mapped =
        was_mapped ? mremap(buffer->data, buffer->capacity, wanted, MREMAP_MAYMOVE)
                   : mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a buffer of %zu bytes", wanted);
        goto out;
    }
    if (!was_mapped) {
        if (buffer->size > 0) {
            memcpy(mapped, buffer->data, buffer->size);
        }
        free(buffer->data);
        buffer->present = buffer->size;
    }
    buffer->data = mapped;
    buffer->capacity = wanted;
out:
    return st;
}

/* Ask the system for the memory of the next bytes in one call, which costs a third less than a
 * fault for every page of it. Where it cannot, the faults do it. */
static void ask_ahead(nd_long_buffer *buffer) {
#ifdef MADV_POPULATE_WRITE
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t begin = (size_t)nd_max(buffer->present, buffer->size) / page * page;
    const size_t length = (size_t)nd_min(buffer->capacity - begin, AHEAD_BYTES);
    (void)madvise(buffer->data + begin, length, MADV_POPULATE_WRITE);
    buffer->present = begin + length;
#else
    buffer->present = SIZE_MAX;
#endif
}

nd_status nd_long_buffer_append(nd_long_buffer *buffer, const void *bytes, size_t size,
                                size_t most) {
    nd_status st = ND_OK;
    ND_ASSERT(buffer->size <= most && size <= most - buffer->size, buffer->size, size, most);
    ND_TRY(reserve(buffer, buffer->size + size, most));
    if (is_mapped(buffer) && buffer->size + size > buffer->present) {
        ask_ahead(buffer);
    }
    ND_ASSERT(size <= buffer->capacity - buffer->size, size, buffer->size, buffer->capacity);
    if (size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    }
out:
    return st;
}

/* ---- the end */

void nd_long_buffer_cut(nd_long_buffer *buffer, size_t size) {
    ND_ASSERT(size <= buffer->size, size, buffer->size);
    buffer->size = size;
    if (!is_mapped(buffer)) {
        return; /* little room */
    }
    /* a mapping stays one */
    const size_t kept = (size_t)nd_max(size, ND_LONG_BUFFER_MAPPED);
    void *mapped = mremap(buffer->data, buffer->capacity, kept, 0);
    if (mapped != MAP_FAILED) { /* else it stays as large as it is */
        buffer->capacity = kept;
    }
    buffer->present = (size_t)nd_min(buffer->present, kept);
}

void nd_long_buffer_free(nd_long_buffer *buffer) {
    if (is_mapped(buffer)) {
        (void)munmap(buffer->data, buffer->capacity);
    } else {
        free(buffer->data);
    }
    *buffer = (nd_long_buffer){0};
}
