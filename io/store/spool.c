#define _GNU_SOURCE /* mremap() */

#include "io/store/spool.h"

#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== the part in memory */

/* Memory is asked for ahead of its use in such pieces, which are small beside a mapping and beside
 * a processor's cache. */
enum { AHEAD_BYTES = 512 << 10 };

static bool is_mapped(const nd_long_buffer *buffer) {
    return buffer->capacity >= ND_LONG_BUFFER_MAPPED;
}

/* ---- room */

nd_status nd_mapping_grow(void *from, size_t size, size_t wanted, const char *what, void **to) {
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_MEMORY));
    void *const grown =
        size > 0 ? mremap(from, size, wanted, MREMAP_MAYMOVE)
                 : mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (grown == MAP_FAILED) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: %s of %zu bytes", what, wanted);
        goto out;
    }
    *to = grown;
out:
    return st;
}

/* By doubling, as other buffers. */
static nd_status reserve(nd_long_buffer *buffer, size_t need, size_t most) {
    nd_status st = ND_OK;
    const bool was_mapped = is_mapped(buffer);
    void *mapped = NULL;
    if (need <= buffer->capacity) {
        return nd_fault_if_tight(ND_FAULT_MEMORY);
    }
    const size_t doubled = buffer->capacity > most / 2 ? most : buffer->capacity * 2;
    const size_t wanted = (size_t)nd_max(doubled, need);
    if (wanted < ND_LONG_BUFFER_MAPPED) {
        nd_grow_within(&buffer->data, &buffer->capacity, need, wanted, 1);
        return ND_OK;
    }

    ND_TRY(nd_mapping_grow(buffer->data, was_mapped ? buffer->capacity : 0, wanted, "a buffer",
                           &mapped));
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

/** Most bytes of the tail, and of whatever goes through a file in pieces: at this size the calls
 * cost nothing beside the copying, and a network file system sees large requests. */
enum { ND_SPOOL_PIECE = 1 << 20 };

/* ==== appending and reading */

enum { LEAST_MEMORY = 64 << 10 };

void nd_spool_open(nd_spool *spool, nd_spool_folder *folder, uint64_t memory) {
    *spool = (nd_spool){.folder = folder, .descriptor = -1};
    nd_spool_allow(spool, memory);
}

void nd_spool_allow(nd_spool *spool, uint64_t memory) {
    if (spool->path == NULL) {
        spool->memory = nd_max(memory, LEAST_MEMORY);
    }
}

/* ---- the file */

static void sum_up(nd_spool *spool, const void *bytes, size_t size) {
    if (spool->folder != NULL && spool->folder->keeps) {
        nd_kept_sums_add(&spool->sums, bytes, size);
    }
}

/* Make the spool's file, which it has none of yet. The held bytes count as its first ones, but are
 * not written.
 * \param[in] again  in place of a file of ours of that name (nd_own_file_remake)
 * \return ND_END if there is a file of that name already, and not `again` */
static nd_status spool_make_file(nd_spool *spool, const char *path, bool again) {
    ND_ASSERT(spool->path == NULL && spool->in_file == 0, spool->in_file, spool->size);
    const nd_status st = again ? nd_own_file_remake(path, &spool->descriptor)
                               : nd_own_file_create(path, &spool->descriptor);
    if (st == ND_OK) {
        spool->path = nd_text_copy(path);
        sum_up(spool, spool->held.data, spool->held.size);
    }
    return st;
}

/* A folder that nobody has named but us is one that this run has made. Where a file system shows
 * other owners than it was asked for, it still is one that is closed to others. */
nd_status nd_spool_folder_make(const nd_spool_folder *folder) {
    struct stat info;
    const char *path = folder->path;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return nd_fail(ND_ERR_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    }
    if (folder->unnamed && (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) ||
                            (info.st_uid != geteuid() && (info.st_mode & 077) != 0))) {
        return nd_fail(ND_ERR_IO, "%s: is not a folder of this run: remove it", path);
    }
    return ND_OK;
}

/* The next free name in the folder: files that a killed run left are not touched. */
static nd_status make_spill_file(nd_spool *spool) {
    nd_spool_folder *folder = spool->folder;
    char name[64];
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    ND_TRY(nd_spool_folder_make(folder));
    do {
        (void)snprintf(name, sizeof name, "/spill-%d-%" PRIu64, folder->rank, folder->next++);
        char *path = nd_own_file_join(folder->path, name);
        st = spool_make_file(spool, path, false);
        free(path);
    } while (st == ND_END);
out:
    return st;
}

/* What will be kept goes to the disk while the rank works on: in large pieces, each when the next
 * one is there too, so that nothing is appended to a page that the disk takes. */
static void begin_sync(nd_spool *spool) {
    enum { PIECE = 4 << 20 };
    while (spool->folder->keeps && spool->in_file - spool->begun >= 2 * PIECE) {
        nd_own_file_begin_sync(spool->descriptor, spool->held.size + spool->begun, PIECE);
        spool->begun += PIECE;
    }
}

/* Write bytes after those in the file. */
static nd_status write_bytes(nd_spool *spool, const void *bytes, size_t size) {
    const nd_status st = nd_own_file_write(spool->descriptor, spool->path,
                                           spool->held.size + spool->in_file, bytes, size);
    if (st == ND_OK && size > 0) {
        sum_up(spool, bytes, size);
        spool->in_file += size;
        spool->folder->written += size;
        begin_sync(spool);
    }
    return st;
}

/* Write what waits to be written. */
static nd_status spool_write_tail(nd_spool *spool) {
    const nd_status st = write_bytes(spool, spool->tail.data, spool->tail.size);
    if (st == ND_OK) {
        spool->tail.size = 0;
    }
    return st;
}

/* Close the file, with what was to be written to it, and remove it unless it is kept. */
static void remove_file(nd_spool *spool) {
    if (spool->path != NULL) {
        if (spool->descriptor >= 0) {
            (void)close(spool->descriptor);
        }
        if (!spool->kept) {
            (void)unlink(spool->path);
        }
    }
    free(spool->path);
    spool->path = NULL;
    free(spool->file.sums);
    spool->file = (nd_kept_file){0};
    nd_kept_sums_free(&spool->sums);
    nd_buffer_free(&spool->tail);
    spool->in_file = 0;
    spool->begun = 0;
    spool->descriptor = -1;
    spool->kept = false;
}

/* ---- appending */

static size_t most_tail(const nd_spool *spool) {
    return (size_t)nd_min(spool->memory / 2, ND_SPOOL_PIECE);
}

static size_t most_held(const nd_spool *spool) {
    const uint64_t most = spool->memory - most_tail(spool);
    const bool has_folder = spool->folder != NULL && spool->folder->path != NULL;
    return has_folder && most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

nd_status nd_spool_append(nd_spool *spool, const void *bytes, size_t size) {
    nd_status st = ND_OK;
    nd_buffer *tail = &spool->tail;
    const size_t most = most_tail(spool);
    if (spool->kept) {
        return nd_fail(ND_ERR_INTERNAL, "%s: is complete, nothing can be appended", spool->path);
    }
    if (spool->path == NULL && spool->held.size + size <= most_held(spool)) {
        ND_TRY(nd_long_buffer_append(&spool->held, bytes, size, most_held(spool)));
    } else {
        if (spool->path == NULL) {
            ND_TRY(make_spill_file(spool));
        }
        if (size > most - tail->size) {
            ND_TRY(spool_write_tail(spool));
        }
        if (size > most) {
            ND_TRY(write_bytes(spool, bytes, size));
        } else {
            nd_grow_within(&tail->data, &tail->capacity, tail->size + size, most, 1);
            nd_buffer_append(tail, bytes, size);
        }
    }
    spool->size += size;
    ND_ASSERT(spool->held.size + spool->in_file + tail->size == spool->size, spool->held.size,
              spool->in_file, spool->size);
out:
    return st;
}

/* ---- reading */

/* Put bytes into scratch of which some are in the file. */
static nd_status read_across(const nd_spool *spool, uint64_t offset, size_t size,
                             nd_buffer *scratch) {
    nd_status st = ND_OK;
    const uint64_t file = spool->held.size; /* where it begins */
    const uint64_t end = offset + size;
    const uint64_t from = nd_max(offset, file);
    const size_t before = (size_t)(from - offset);
    const size_t stored = (size_t)(nd_min(end, file + spool->in_file) - from);
    scratch->size = 0;
    nd_buffer_reserve(scratch, size);
    if (before > 0) {
        nd_buffer_append(scratch, spool->held.data + offset, before);
    }
    if (stored > 0) {
        uint8_t *to = scratch->data + before;
        ND_TRY(spool->kept ? nd_kept_file_read(&spool->file, spool->descriptor, from, to, stored)
                           : nd_own_file_read(spool->descriptor, spool->path, from, to, stored));
    }
    scratch->size += stored;
    ND_ASSERT(before + stored <= size && size - before - stored <= spool->tail.size, before, stored,
              size);
    nd_buffer_append(scratch, spool->tail.data, size - before - stored);
out:
    return st;
}

nd_status nd_spool_read(const nd_spool *spool, uint64_t offset, size_t size, nd_buffer *scratch,
                        const uint8_t **bytes) {
    nd_status st = ND_OK;
    ND_TRY(nd_fault_if_tight(ND_FAULT_READ));
    if (offset > spool->size || size > spool->size - offset) {
        return nd_fail(ND_ERR_INTERNAL, "a spool of %" PRIu64 " bytes is read at byte %" PRIu64,
                       spool->size, offset);
    }
    const uint64_t file = spool->held.size; /* where it begins */
    const uint64_t tail = file + spool->in_file;
    if (size <= file && offset <= file - size) {
        *bytes = offset > 0 ? spool->held.data + offset : spool->held.data;
    } else if (offset >= tail) {
        *bytes = offset > tail ? spool->tail.data + (offset - tail) : spool->tail.data;
    } else {
        ND_TRY(read_across(spool, offset, size, scratch));
        *bytes = scratch->data;
    }
out:
    return st;
}

void nd_spool_cut(nd_spool *spool, uint64_t size) {
    ND_ASSERT(size <= spool->held.size && !spool->kept, size, spool->held.size, spool->kept);
    nd_long_buffer_cut(&spool->held, (size_t)size);
    remove_file(spool);
    spool->size = size;
}

void nd_spool_close(nd_spool *spool) {
    remove_file(spool);
    nd_long_buffer_free(&spool->held);
    nd_spool_open(spool, spool->folder, spool->memory);
}

/* ==== readers */

void nd_spool_reader_open(nd_spool_reader *reader, const nd_spool *spool, size_t record_size,
                          uint64_t begin, uint64_t end, size_t window) {
    ND_ASSERT(record_size > 0 && begin <= end && end <= spool->size / record_size, begin, end,
              spool->size);
    *reader = (nd_spool_reader){.spool = spool,
                                .record_size = record_size,
                                .offset = begin * record_size,
                                .end = end * record_size,
                                .window = (size_t)nd_max(window / record_size, 1) * record_size};
}

nd_status nd_spool_reader_next(nd_spool_reader *reader, const void **records, uint64_t *count) {
    nd_status st = ND_OK;
    const size_t size = (size_t)nd_min(reader->end - reader->offset, reader->window);
    const uint8_t *bytes = NULL;
    *count = 0;
    ND_TRY(nd_spool_read(reader->spool, reader->offset, size, &reader->scratch, &bytes));
    reader->offset += size;
    ND_ASSERT(reader->offset <= reader->end && size % reader->record_size == 0, reader->offset,
              reader->end, size);
    *records = bytes;
    *count = size / reader->record_size;
out:
    return st;
}

void nd_spool_reader_close(nd_spool_reader *reader) {
    nd_buffer_free(&reader->scratch);
    *reader = (nd_spool_reader){0};
}

nd_status nd_spool_reader_take(nd_spool_reader *reader, void *records, uint64_t room,
                               uint64_t *count) {
    const uint64_t now = nd_min((reader->end - reader->offset) / reader->record_size, room);
    const uint8_t *bytes = NULL;
    ND_ASSERT(reader->offset <= reader->end, reader->offset, reader->end);
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

/* ==== files that outlive their spool */

/* Write the held bytes to where room was left for them. The file has everything then. */
static nd_status write_held(nd_spool *spool) {
    nd_long_buffer *held = &spool->held;
    const nd_status st =
        nd_own_file_write(spool->descriptor, spool->path, 0, held->data, held->size);
    if (st == ND_OK) {
        spool->in_file += held->size;
        spool->folder->written += held->size;
        nd_long_buffer_free(held);
    }
    return st;
}

/* Copy everything to a new file at `path` and have that instead of the old one. */
static nd_status copy_to(nd_spool *spool, const char *path) {
    nd_spool copy;
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    nd_status st = ND_OK;
    nd_spool_open(&copy, spool->folder, ND_SPOOL_PIECE);
    ND_TRY(spool_make_file(&copy, path, true));
    while (copy.size < spool->size) {
        const size_t size = (size_t)nd_min(spool->size - copy.size, ND_SPOOL_PIECE);
        ND_TRY(nd_spool_read(spool, copy.size, size, &scratch, &bytes));
        ND_TRY(nd_spool_append(&copy, bytes, size));
    }
    ND_TRY(spool_write_tail(&copy));
    ND_ASSERT(copy.in_file == spool->size, copy.in_file, spool->size);
    nd_spool_close(spool);
    *spool = copy;
    copy = (nd_spool){0};
out:
    nd_spool_close(&copy);
    nd_buffer_free(&scratch);
    return st;
}

/* Have everything in a file at `path`: a spill file is renamed if it lies on the same file system.
 */
static nd_status move_to(nd_spool *spool, const char *path) {
    nd_status st = ND_OK;
    if (spool->path == NULL) {
        ND_TRY(spool_make_file(spool, path, true));
        return write_held(spool);
    }
    ND_TRY(spool_write_tail(spool));
    ND_TRY(write_held(spool));
    ND_TRY(nd_fault(ND_FAULT_RENAME));
    if (rename(spool->path, path) == 0) {
        free(spool->path);
        spool->path = nd_text_copy(path);
    } else if (errno == EXDEV) {
        ND_TRY(copy_to(spool, path));
    } else {
        st = nd_fail(ND_ERR_IO, "%s: cannot rename to %s: %s", spool->path, path, strerror(errno));
    }
out:
    return st;
}

/* The checksums go after the bytes: where they were not made on the way, these are read again. */
static nd_status write_sums(nd_spool *spool, uint64_t *checksum) {
    nd_status st = ND_OK;
    nd_kept_sums *sums = &spool->sums;
    nd_buffer scratch = {0};
    const uint8_t *bytes = NULL;
    for (uint64_t at = 0; !spool->folder->keeps && at < spool->size;) {
        const size_t size = (size_t)nd_min(spool->size - at, ND_SPOOL_PIECE);
        ND_TRY(nd_spool_read(spool, at, size, &scratch, &bytes));
        nd_kept_sums_add(sums, bytes, size);
        at += size;
    }
    *checksum = nd_kept_sums_end(sums);
    ND_TRY(nd_own_file_write(spool->descriptor, spool->path, spool->size, sums->made.data,
                             sums->made.size));
    spool->folder->written += sums->made.size;
    nd_kept_sums_free(sums);
out:
    nd_buffer_free(&scratch);
    return st;
}

nd_status nd_spool_keep(nd_spool *spool, const char *path, uint64_t *checksum) {
    nd_status st = ND_OK;
    char *temporary = NULL;
    if (spool->kept) {
        return nd_fail(ND_ERR_INTERNAL, "%s: is kept already", spool->path);
    }
    temporary = nd_own_file_join(path, ".tmp");
    ND_TRY(move_to(spool, temporary));
    ND_ASSERT(spool->in_file == spool->size && spool->tail.size == 0, spool->in_file, spool->size,
              spool->tail.size);
    ND_TRY(write_sums(spool, checksum));
    ND_TRY(nd_own_file_name(spool->descriptor, temporary, path));
    free(spool->path);
    spool->path = nd_text_copy(path);
    spool->kept = true;
    spool->file = (nd_kept_file){
        .path = spool->path, .size = spool->size, .checksum = *checksum, .own = true, .cure = ""};
    nd_buffer_free(&spool->tail);
out:
    free(temporary);
    return st;
}

void nd_spool_open_kept(nd_spool *spool, nd_spool_folder *folder, const nd_kept_file *file) {
    nd_spool_open(spool, folder, 0);
    spool->path = nd_text_copy(file->path);
    spool->file = *file;
    spool->file.path = spool->path;
    spool->file.sums = NULL; /* those are its holder's */
    spool->size = spool->in_file = file->size;
    spool->kept = true;
}

void nd_spool_rest(nd_spool *spool) {
    ND_ASSERT(spool->kept && spool->held.size == 0 && spool->tail.size == 0, spool->kept,
              spool->held.size, spool->tail.size);
    if (spool->descriptor >= 0) {
        (void)close(spool->descriptor);
        spool->descriptor = -1;
    }
}

nd_status nd_spool_resume(nd_spool *spool) {
    ND_ASSERT(spool->file.path != NULL && spool->descriptor < 0, spool->kept, spool->descriptor);
    return nd_kept_file_open(&spool->file, &spool->descriptor);
}
