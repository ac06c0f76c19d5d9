#include "io/spool.h"

#include "io/own_file.h"
#include "src/base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum {
    LEAST_MEMORY = 64 << 10,
    /* of the write buffer and of whatever goes through a file in pieces: at this size the calls
     * cost nothing beside the copying, and a network file system sees large requests */
    PIECE_BYTES = 1 << 20,
    /* memory is asked for ahead of its use in buffers of at least so many bytes, in such pieces,
     * which are small beside the buffer and beside a processor's cache */
    LONG_BUFFER = 4 << 20,
    AHEAD_BYTES = 512 << 10
};

void nd_spool_open(nd_spool *spool, nd_spool_folder *folder, uint64_t memory) {
    *spool = (nd_spool){.folder = folder,
                        .memory = memory < LEAST_MEMORY ? LEAST_MEMORY : memory,
                        .descriptor = -1};
}

/* ---- the file */

/* `path` with something behind it, the caller's to free(). */
static nd_status joined_path(const char *path, const char *more, char **joined) {
    const size_t size = strlen(path) + strlen(more) + 1;
    const nd_status st = nd_new(joined, size, 1);
    if (st == ND_OK) {
        (void)snprintf(*joined, size, "%s%s", path, more);
    }
    return st;
}

static nd_status new_hash(XXH3_state_t **hash, const char *path) {
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_MEMORY));
    *hash = XXH3_createState();
    if (*hash == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: the checksum of %s", path);
        goto out;
    }
    (void)XXH3_64bits_reset(*hash);
out:
    return st;
}

/* Make the spool's file, which it has none of yet.
 * \param[in] flags  O_EXCL or O_TRUNC
 * \return ND_END if there is a file of that name already */
static nd_status make_file(nd_spool *spool, const char *path, int flags) {
    nd_status st = ND_OK;
    char *copy = NULL;
    XXH3_state_t *hash = NULL;
    ND_TRY(new_hash(&hash, path));
    ND_TRY(joined_path(path, "", &copy));
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    spool->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666);
    if (spool->descriptor < 0) {
        const int reason = errno;
        st = reason == EEXIST && flags == O_EXCL
                 ? ND_END
                 : nd_fail(ND_ERR_IO, "%s: cannot be made: %s", path, strerror(reason));
        goto out;
    }
    spool->hash = hash;
    spool->path = copy;
    return ND_OK;
out:
    free(copy);
    (void)XXH3_freeState(hash);
    return st;
}

/* The next free name in the folder: files that a killed run left are not touched. */
static nd_status make_spill_file(nd_spool *spool) {
    nd_spool_folder *folder = spool->folder;
    char name[64];
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    if (mkdir(folder->path, 0777) != 0 && errno != EEXIST) {
        return nd_fail(ND_ERR_IO, "%s: cannot make the folder: %s", folder->path, strerror(errno));
    }
    do {
        char *path = NULL;
        (void)snprintf(name, sizeof name, "/spill-%d-%" PRIu64, folder->rank, folder->next++);
        st = joined_path(folder->path, name, &path);
        st = st != ND_OK ? st : make_file(spool, path, O_EXCL);
        free(path);
    } while (st == ND_END);
out:
    return st;
}

static nd_status write_bytes(nd_spool *spool, const void *bytes, size_t size) {
    const nd_status st =
        nd_own_file_write(spool->descriptor, spool->path, spool->in_file, bytes, size);
    if (st == ND_OK && size > 0) {
        (void)XXH3_64bits_update(spool->hash, bytes, size);
        spool->in_file += size;
        spool->folder->written += size;
    }
    return st;
}

static nd_status write_buffer(nd_spool *spool) {
    const nd_status st = write_bytes(spool, spool->buffer.data, spool->buffer.size);
    if (st == ND_OK) {
        spool->buffer.size = 0;
    }
    return st;
}

/* ---- appending */

/* Most bytes in the buffer. */
static size_t buffer_limit(const nd_spool *spool) {
    uint64_t limit = spool->memory;
    if (spool->path != NULL && limit > PIECE_BYTES) {
        limit = PIECE_BYTES;
    } else if (spool->path == NULL && (spool->folder == NULL || spool->folder->path == NULL)) {
        limit = SIZE_MAX;
    }
    return limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

/* Everything to the file; the buffer shrinks to what a spool with a file may have. */
static nd_status empty_buffer(nd_spool *spool) {
    nd_status st = ND_OK;
    if (spool->path == NULL) {
        ND_TRY(make_spill_file(spool));
    }
    ND_TRY(write_buffer(spool));
    if (spool->buffer.capacity > buffer_limit(spool)) {
        nd_buffer_free(&spool->buffer);
        spool->present = 0;
    }
out:
    return st;
}

/* Ask the system for the memory of the next bytes of a long buffer in one call, which costs a third
 * less than a fault for every page of it. Where it cannot, the faults do it. */
static void ask_ahead(nd_spool *spool) {
#ifdef MADV_POPULATE_WRITE
    nd_buffer *buffer = &spool->buffer;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t begin = spool->present > buffer->size ? spool->present : buffer->size;
    const size_t end =
        begin + AHEAD_BYTES < buffer->capacity ? begin + AHEAD_BYTES : buffer->capacity;
    uint8_t *data = buffer->data + begin;
    data -= (uintptr_t)data % page;
    (void)madvise(data, (size_t)(buffer->data + end - data), MADV_POPULATE_WRITE);
    spool->present = end;
#else
    spool->present = SIZE_MAX;
#endif
}

nd_status nd_spool_append(nd_spool *spool, const void *bytes, size_t size) {
    nd_status st = ND_OK;
    nd_buffer *buffer = &spool->buffer;
    if (spool->kept) {
        return nd_fail(ND_ERR_INTERNAL, "%s: is complete, nothing can be appended", spool->path);
    }
    if (size > buffer_limit(spool) - buffer->size) {
        ND_TRY(empty_buffer(spool));
    }
    if (size > buffer_limit(spool)) {
        ND_TRY(write_bytes(spool, bytes, size));
    } else {
        ND_TRY(nd_grow_within(&buffer->data, &buffer->capacity, buffer->size + size,
                              buffer_limit(spool), 1));
        if (buffer->size + size > spool->present && buffer->capacity >= LONG_BUFFER) {
            ask_ahead(spool);
        }
        ND_TRY(nd_buffer_append(buffer, bytes, size));
    }
    spool->size += size;
out:
    return st;
}

/* ---- reading */

nd_status nd_spool_read(const nd_spool *spool, uint64_t offset, size_t size, nd_buffer *scratch,
                        const uint8_t **bytes) {
    nd_status st = ND_OK;
    if (offset > spool->size || size > spool->size - offset) {
        return nd_fail(ND_ERR_INTERNAL, "a spool of %" PRIu64 " bytes is read at byte %" PRIu64,
                       spool->size, offset);
    }
    if (offset >= spool->in_file) {
        const size_t place = (size_t)(offset - spool->in_file);
        *bytes = place > 0 ? spool->buffer.data + place : spool->buffer.data;
        return ND_OK;
    }
    const uint64_t left = spool->in_file - offset;
    const size_t stored = left < size ? (size_t)left : size;
    scratch->size = 0;
    ND_TRY(nd_buffer_reserve(scratch, size));
    ND_TRY(nd_own_file_read(spool->descriptor, spool->path, offset, scratch->data, stored));
    scratch->size = stored;
    ND_TRY(nd_buffer_append(scratch, spool->buffer.data, size - stored));
    *bytes = scratch->data;
out:
    return st;
}

uint8_t *nd_spool_memory(const nd_spool *spool) {
    return spool->path == NULL ? spool->buffer.data : NULL;
}

void nd_spool_cut(nd_spool *spool, uint64_t size) {
    nd_buffer *buffer = &spool->buffer;
    uint8_t *less = realloc(buffer->data, size == 0 ? 1 : (size_t)size);
    if (less != NULL) { /* else it stays as large as it is */
        buffer->data = less;
        buffer->capacity = size == 0 ? 1 : (size_t)size;
    }
    buffer->size = (size_t)size;
    spool->present = buffer->size;
    spool->size = size;
}

void nd_spool_reader_open(nd_spool_reader *reader, const nd_spool *spool, size_t record_size,
                          uint64_t begin, uint64_t end, size_t window) {
    *reader = (nd_spool_reader){
        .spool = spool,
        .record_size = record_size,
        .offset = begin * record_size,
        .end = end * record_size,
        .window = window < record_size ? record_size : window / record_size * record_size};
}

nd_status nd_spool_reader_next(nd_spool_reader *reader, const void **records, uint64_t *count) {
    nd_status st = ND_OK;
    const uint64_t left = reader->end - reader->offset;
    const size_t size = left < reader->window ? (size_t)left : reader->window;
    const uint8_t *bytes = NULL;
    *count = 0;
    ND_TRY(nd_spool_read(reader->spool, reader->offset, size, &reader->scratch, &bytes));
    reader->offset += size;
    *records = bytes;
    *count = size / reader->record_size;
out:
    return st;
}

void nd_spool_reader_close(nd_spool_reader *reader) {
    nd_buffer_free(&reader->scratch);
    *reader = (nd_spool_reader){0};
}

/* ---- keeping */

/* Copy everything to a new file at `path` and have that instead of the old one. */
static nd_status copy_to(nd_spool *spool, const char *path) {
    nd_spool copy;
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    nd_status st = ND_OK;
    nd_spool_open(&copy, spool->folder, PIECE_BYTES);
    ND_TRY(make_file(&copy, path, O_TRUNC));
    while (copy.size < spool->size) {
        const uint64_t left = spool->size - copy.size;
        const size_t size = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        ND_TRY(nd_spool_read(spool, copy.size, size, &scratch, &bytes));
        ND_TRY(nd_spool_append(&copy, bytes, size));
    }
    ND_TRY(write_buffer(&copy));
    nd_spool_close(spool);
    *spool = copy;
    copy = (nd_spool){0};
out:
    nd_spool_close(&copy);
    nd_buffer_free(&scratch);
    return st;
}

/* Have everything in a file at `path`: what is in memory is written there, a spill file is renamed
 * if it lies on the same file system. */
static nd_status move_to(nd_spool *spool, const char *path) {
    nd_status st = ND_OK;
    char *moved = NULL;
    if (spool->path == NULL) {
        ND_TRY(make_file(spool, path, O_TRUNC));
        return write_buffer(spool);
    }
    ND_TRY(write_buffer(spool));
    ND_TRY(joined_path(path, "", &moved));
    ND_TRY(nd_fault(ND_FAULT_RENAME));
    if (rename(spool->path, path) == 0) {
        char *old = spool->path;
        spool->path = moved;
        moved = old;
    } else if (errno == EXDEV) {
        ND_TRY(copy_to(spool, path));
    } else {
        st = nd_fail(ND_ERR_IO, "%s: cannot rename to %s: %s", spool->path, path, strerror(errno));
    }
out:
    free(moved);
    return st;
}

nd_status nd_spool_keep(nd_spool *spool, const char *path, uint64_t *checksum) {
    nd_status st = ND_OK;
    char *temporary = NULL;
    char *final_path = NULL;
    if (spool->kept) {
        return nd_fail(ND_ERR_INTERNAL, "%s: is kept already", spool->path);
    }
    ND_TRY(joined_path(path, ".tmp", &temporary));
    ND_TRY(joined_path(path, "", &final_path));
    ND_TRY(move_to(spool, temporary));
    ND_TRY(nd_own_file_publish(temporary, path));
    free(spool->path);
    spool->path = final_path;
    final_path = NULL;
    spool->kept = true;
    *checksum = XXH3_64bits_digest(spool->hash);
    (void)XXH3_freeState(spool->hash);
    spool->hash = NULL;
    nd_buffer_free(&spool->buffer);
out:
    free(temporary);
    free(final_path);
    return st;
}

/* Open a file for reading. On failure the spool is empty. */
static nd_status open_file(nd_spool *spool, const char *path) {
    struct stat info;
    nd_status st = ND_OK;
    char *copy = NULL;
    ND_TRY(joined_path(path, "", &copy));
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    spool->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (spool->descriptor < 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
        goto out;
    }
    spool->path = copy;
    spool->kept = true;
    copy = NULL;
    if (fstat(spool->descriptor, &info) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be looked at: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        st = nd_fail(ND_ERR_IO, "%s: is not a regular file", path);
    } else {
        spool->size = spool->in_file = (uint64_t)info.st_size;
    }
out:
    free(copy);
    if (st != ND_OK) {
        nd_spool_close(spool);
    }
    return st;
}

nd_status nd_spool_open_kept(nd_spool *spool, nd_spool_folder *folder, const char *path,
                             uint64_t size) {
    nd_spool_open(spool, folder, 0);
    nd_status st = open_file(spool, path);
    if (st == ND_OK && spool->size != size) {
        st = nd_fail(ND_ERR_IO, "%s: has %" PRIu64 " bytes, not %" PRIu64 ": it is damaged", path,
                     spool->size, size);
        nd_spool_close(spool);
    }
    return st;
}

void nd_spool_close(nd_spool *spool) {
    if (spool->path != NULL) {
        (void)close(spool->descriptor);
        if (!spool->kept) {
            (void)unlink(spool->path);
        }
    }
    free(spool->path);
    (void)XXH3_freeState(spool->hash);
    nd_buffer_free(&spool->buffer);
    nd_spool_open(spool, spool->folder, spool->memory);
}

nd_status nd_spool_checksum(const char *path, uint64_t *checksum) {
    nd_spool_folder nowhere = {0};
    nd_spool spool;
    nd_spool_reader reader = {0};
    const void *bytes = NULL;
    uint64_t count = 0;
    nd_status st = ND_OK;
    nd_spool_open(&spool, &nowhere, 0);
    XXH3_state_t *hash = NULL;
    ND_TRY(new_hash(&hash, path));
    ND_TRY(open_file(&spool, path));
    nd_spool_reader_open(&reader, &spool, 1, 0, spool.size, PIECE_BYTES);
    do {
        ND_TRY(nd_spool_reader_next(&reader, &bytes, &count));
        (void)XXH3_64bits_update(hash, bytes, (size_t)count);
    } while (count > 0);
    *checksum = XXH3_64bits_digest(hash);
out:
    (void)XXH3_freeState(hash);
    nd_spool_reader_close(&reader);
    nd_spool_close(&spool);
    return st;
}

nd_status nd_spool_reader_take(nd_spool_reader *reader, void *records, uint64_t room,
                               uint64_t *count) {
    const uint64_t left = (reader->end - reader->offset) / reader->record_size;
    const uint64_t now = left < room ? left : room;
    const uint8_t *bytes = NULL;
    *count = 0;
    if (now == 0) {
        return ND_OK;
    }
    const nd_status st =
        nd_spool_read(reader->spool, reader->offset, (size_t)(now * reader->record_size),
                      &reader->scratch, &bytes);
    if (st == ND_OK) {
        memcpy(records, bytes, (size_t)(now * reader->record_size));
        reader->offset += now * reader->record_size;
        *count = now;
    }
    return st;
}
