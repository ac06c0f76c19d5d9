#define _GNU_SOURCE /* mremap() */
#include "io/store/long_buffer.h"

#include "src/base/buffer.h"
#include "src/base/fault.h"

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

/* Replace the bytes by a mapping of so many that begins with them. \return MAP_FAILED: there is no
 * memory, and the bytes are as they were */
static void *map_bytes(const nd_long_buffer *buffer, size_t wanted) {
    if (is_mapped(buffer)) {
        return mremap(buffer->data, buffer->capacity, wanted, MREMAP_MAYMOVE);
    }
    void *mapped = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped != MAP_FAILED && buffer->size > 0) {
        memcpy(mapped, buffer->data, buffer->size);
    }
    return mapped;
}

static nd_status grow_mapped(nd_long_buffer *buffer, size_t wanted) {
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_MEMORY));
    void *mapped = map_bytes(buffer, wanted);
    if (mapped == MAP_FAILED) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a buffer of %zu bytes", wanted);
        goto out;
    }
    if (!is_mapped(buffer)) {
        free(buffer->data);
        buffer->present = buffer->size;
    }
    buffer->data = mapped;
    buffer->capacity = wanted;
out:
    return st;
}

/* By doubling, as other buffers. */
static nd_status reserve(nd_long_buffer *buffer, size_t need, size_t most) {
    if (need <= buffer->capacity) {
        return ND_OK;
    }
    size_t wanted = buffer->capacity > most / 2 ? most : buffer->capacity * 2;
    wanted = wanted < need ? need : wanted;
    if (wanted >= ND_LONG_BUFFER_MAPPED) {
        return grow_mapped(buffer, wanted);
    }
    return nd_grow_within(&buffer->data, &buffer->capacity, need, wanted, 1);
}

/* Ask the system for the memory of the next bytes in one call, which costs a third less than a
 * fault for every page of it. Where it cannot, the faults do it. */
static void ask_ahead(nd_long_buffer *buffer) {
#ifdef MADV_POPULATE_WRITE
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t known = buffer->present > buffer->size ? buffer->present : buffer->size;
    const size_t begin = known / page * page;
    const size_t left = buffer->capacity - begin;
    const size_t length = left < AHEAD_BYTES ? left : AHEAD_BYTES;
    (void)madvise(buffer->data + begin, length, MADV_POPULATE_WRITE);
    buffer->present = begin + length;
#else
    buffer->present = SIZE_MAX;
#endif
}

nd_status nd_long_buffer_append(nd_long_buffer *buffer, const void *bytes, size_t size,
                                size_t most) {
    nd_status st = ND_OK;
    ND_TRY(reserve(buffer, buffer->size + size, most));
    if (is_mapped(buffer) && buffer->size + size > buffer->present) {
        ask_ahead(buffer);
    }
    if (size > 0) {
        memcpy(buffer->data + buffer->size, bytes, size);
        buffer->size += size;
    }
out:
    return st;
}

/* ---- the end */

void nd_long_buffer_cut(nd_long_buffer *buffer, size_t size) {
    buffer->size = size;
    if (!is_mapped(buffer)) {
        return; /* little room */
    }
    /* a mapping stays one */
    const size_t kept = size < ND_LONG_BUFFER_MAPPED ? ND_LONG_BUFFER_MAPPED : size;
    void *mapped = mremap(buffer->data, buffer->capacity, kept, 0);
    if (mapped != MAP_FAILED) { /* else it stays as large as it is */
        buffer->capacity = kept;
    }
    buffer->present = buffer->present < kept ? buffer->present : kept;
}

void nd_long_buffer_free(nd_long_buffer *buffer) {
    if (is_mapped(buffer)) {
        (void)munmap(buffer->data, buffer->capacity);
    } else {
        free(buffer->data);
    }
    *buffer = (nd_long_buffer){0};
}
