#include "io/store/own_file.h"

#include "io/store/spool_internal.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

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

nd_status nd_spool_make_file(nd_spool *spool, const char *path, bool again) {
    nd_status st = ND_OK;
    char *copy = NULL;
    void *hash = NULL;
    ND_ASSERT(spool->path == NULL && spool->in_file == 0, spool->in_file, spool->size);
    ND_TRY(nd_file_checksum_new(&hash));
    ND_TRY(nd_own_file_join(path, "", &copy));
    ND_TRY(again ? nd_own_file_remake(path, &spool->descriptor)
                 : nd_own_file_create(path, &spool->descriptor));
    (void)XXH3_64bits_update(hash, spool->held.data, spool->held.size);
    spool->hash = hash;
    spool->path = copy;
    return ND_OK;
out:
    free(copy);
    (void)XXH3_freeState(hash);
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
        char *path = NULL;
        (void)snprintf(name, sizeof name, "/spill-%d-%" PRIu64, folder->rank, folder->next++);
        st = nd_own_file_join(folder->path, name, &path);
        st = st != ND_OK ? st : nd_spool_make_file(spool, path, false);
        free(path);
    } while (st == ND_END);
out:
    return st;
}

/* Write bytes after those in the file. */
static nd_status write_bytes(nd_spool *spool, const void *bytes, size_t size) {
    const nd_status st = nd_own_file_write(spool->descriptor, spool->path,
                                           spool->held.size + spool->in_file, bytes, size);
    if (st == ND_OK && size > 0) {
        (void)XXH3_64bits_update(spool->hash, bytes, size);
        spool->in_file += size;
        spool->folder->written += size;
    }
    return st;
}

nd_status nd_spool_write_tail(nd_spool *spool) {
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
    spool->file = (nd_kept_file){0};
    (void)XXH3_freeState(spool->hash);
    spool->hash = NULL;
    nd_buffer_free(&spool->tail);
    spool->in_file = 0;
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
            ND_TRY(nd_spool_write_tail(spool));
        }
        if (size > most) {
            ND_TRY(write_bytes(spool, bytes, size));
        } else {
            ND_TRY(nd_grow_within(&tail->data, &tail->capacity, tail->size + size, most, 1));
            ND_TRY(nd_buffer_append(tail, bytes, size));
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
    ND_TRY(nd_buffer_reserve(scratch, size));
    if (before > 0) {
        ND_TRY(nd_buffer_append(scratch, spool->held.data + offset, before));
    }
    if (stored > 0) {
        ND_TRY(
            nd_own_file_read(spool->descriptor, spool->path, from, scratch->data + before, stored));
    }
    scratch->size += stored;
    ND_ASSERT(before + stored <= size && size - before - stored <= spool->tail.size, before, stored,
              size);
    ND_TRY(nd_buffer_append(scratch, spool->tail.data, size - before - stored));
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
