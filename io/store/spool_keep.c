/* Spools as complete files: kept under a name of their own, and opened again. */
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
#include <unistd.h>
#include <xxhash.h>

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
    ND_TRY(nd_spool_make_file(&copy, path, true));
    while (copy.size < spool->size) {
        const size_t size = (size_t)nd_min(spool->size - copy.size, ND_SPOOL_PIECE);
        ND_TRY(nd_spool_read(spool, copy.size, size, &scratch, &bytes));
        ND_TRY(nd_spool_append(&copy, bytes, size));
    }
    ND_TRY(nd_spool_write_tail(&copy));
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
    char *moved = NULL;
    if (spool->path == NULL) {
        ND_TRY(nd_spool_make_file(spool, path, true));
        return write_held(spool);
    }
    ND_TRY(nd_spool_write_tail(spool));
    ND_TRY(write_held(spool));
    ND_TRY(nd_own_file_join(path, "", &moved));
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
    ND_TRY(nd_own_file_join(path, ".tmp", &temporary));
    ND_TRY(nd_own_file_join(path, "", &final_path));
    ND_TRY(move_to(spool, temporary));
    ND_ASSERT(spool->in_file == spool->size && spool->tail.size == 0, spool->in_file, spool->size,
              spool->tail.size);
    ND_TRY(nd_own_file_publish(temporary, path));
    free(spool->path);
    spool->path = final_path;
    final_path = NULL;
    spool->kept = true;
    *checksum = XXH3_64bits_digest(spool->hash);
    spool->file = (nd_kept_file){spool->path, spool->size, *checksum, true, ""};
    (void)XXH3_freeState(spool->hash);
    spool->hash = NULL;
    nd_buffer_free(&spool->tail);
out:
    free(temporary);
    free(final_path);
    return st;
}

void nd_spool_open_kept(nd_spool *spool, nd_spool_folder *folder, const nd_kept_file *file) {
    nd_spool_open(spool, folder, 0);
    (void)nd_own_file_join(file->path, "", &spool->path);
    spool->file = *file;
    spool->file.path = spool->path;
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
