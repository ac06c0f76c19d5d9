#define _GNU_SOURCE /* syncfs(), sync_file_range() */

#include "io/store/own_file.h"

#include "io/store/foreign_file.h"
#include "src/base/buffer.h"
#include "src/base/fault.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== files */

static nd_own_file_traffic traffic;

nd_own_file_traffic nd_own_file_so_far(void) {
    return traffic;
}

/* ---- making and opening */

void nd_own_file_allow_many(void) {
    enum { ENOUGH = 1 << 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < ENOUGH) {
        limit.rlim_cur = nd_min(limit.rlim_max, ENOUGH);
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* else with those that there are */
    }
}

void nd_own_file_folder(const char *path, char *folder, size_t room) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, room, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
                   slash == NULL ? "." : path);
}

char *nd_own_file_join(const char *path, const char *suffix) {
    const size_t size = strlen(path) + strlen(suffix) + 1;
    char *joined = nd_alloc(size, 1);
    (void)snprintf(joined, size, "%s%s", path, suffix);
    return joined;
}

nd_status nd_own_file_create(const char *path, int *descriptor) {
    nd_status st = ND_OK;
    *descriptor = -1;
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    *descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*descriptor < 0) {
        const int reason = errno;
        st = reason == EEXIST
                 ? ND_END
                 : nd_fail(ND_ERR_IO, "%s: cannot be made: %s%s", path, strerror(reason),
                           reason == ENOENT ? ": its folder has to be made first" : "");
    }
out:
    return st;
}

/* Between removing a file and making it, someone may put another there: then again. */
enum { MOST_TRIES = 10 };

nd_status nd_own_file_remake(const char *path, int *descriptor) {
    nd_status st = nd_own_file_create(path, descriptor);
    for (int i = 0; i < MOST_TRIES && st == ND_END; i++) {
        struct stat info;
        if (lstat(path, &info) != 0) {
            info.st_mode = S_IFREG;
            info.st_uid = geteuid();
        }
        if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) {
            return nd_fail(ND_ERR_IO, "%s: is %s, not a file of this user: remove it", path,
                           S_ISREG(info.st_mode) ? "another's file" : nd_file_kind(info.st_mode));
        }
        if (unlink(path) != 0 && errno != ENOENT) {
            return nd_fail(ND_ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
        }
        st = nd_own_file_create(path, descriptor);
    }
    return st == ND_END
               ? nd_fail(ND_ERR_IO, "%s: cannot be made: it comes back time and again", path)
               : st;
}

nd_status nd_own_file_open(const char *path, int *descriptor, uint64_t *size) {
    nd_status st = ND_OK;
    struct stat info;
    *descriptor = -1;
    *size = 0;
    ND_TRY(nd_fault(ND_FAULT_OPEN));
    const int opened = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened < 0) {
        const int reason = errno;
        st = reason == ENOENT ? ND_END
             : reason == ELOOP
                 ? nd_fail(ND_ERR_IO, "%s: is a symbolic link, not a file of ours", path)
                 : nd_fail(ND_ERR_IO, "%s: cannot be opened: %s", path, strerror(reason));
        goto out;
    }
    if (fstat(opened, &info) != 0 || !S_ISREG(info.st_mode)) {
        st = nd_fail(ND_ERR_IO, "%s: is not a regular file", path);
        (void)close(opened);
        goto out;
    }
    *descriptor = opened;
    *size = (uint64_t)info.st_size;
out:
    return st;
}

/* ---- reading and writing */

nd_status nd_own_file_read(int descriptor, const char *path, uint64_t offset, void *bytes,
                           size_t size) {
    nd_status st = ND_OK;
    ND_ASSERT(offset <= INT64_MAX - size, offset, size);
    ND_TRY(nd_fault(ND_FAULT_READ));
    for (size_t done = 0; done < size;) {
        const ssize_t got =
            pread(descriptor, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got > 0) {
            done += (size_t)got;
            traffic.read += (uint64_t)got;
        } else if (got == 0) {
            return nd_fail(ND_ERR_IO, "%s: ends at byte %llu, where %zu more were expected", path,
                           (unsigned long long)(offset + done), size - done);
        } else if (errno != EINTR) {
            return nd_fail(ND_ERR_IO, "%s: cannot read at byte %llu: %s", path,
                           (unsigned long long)(offset + done), strerror(errno));
        }
    }
out:
    return st;
}

nd_status nd_own_file_write(int descriptor, const char *path, uint64_t offset, const void *bytes,
                            size_t size) {
    nd_status st = ND_OK;
    ND_ASSERT(offset <= INT64_MAX - size, offset, size);
    ND_TRY(nd_fault(ND_FAULT_WRITE));
    for (size_t done = 0; done < size;) {
        const ssize_t put =
            pwrite(descriptor, (const char *)bytes + done, size - done, (off_t)(offset + done));
        if (put > 0) {
            done += (size_t)put;
            traffic.written += (uint64_t)put;
        } else if (put == 0 || errno != EINTR) {
            return nd_fail(ND_ERR_IO, "%s: cannot write: %s", path,
                           put == 0 ? "no bytes are taken" : strerror(errno));
        }
    }
out:
    return st;
}

void nd_own_file_begin_sync(int descriptor, uint64_t offset, uint64_t size) {
    (void)sync_file_range(descriptor, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
}

/* ---- kept files */

void nd_kept_sums_add(nd_kept_sums *sums, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        const bool whole = sums->rest.size == 0 && size >= ND_KEPT_CHUNK;
        const size_t now = whole ? ND_KEPT_CHUNK : nd_min(size, ND_KEPT_CHUNK - sums->rest.size);
        if (!whole) {
            nd_buffer_append(&sums->rest, at, now);
        }
        if (whole || sums->rest.size == ND_KEPT_CHUNK) {
            const uint64_t sum = XXH3_64bits(whole ? at : sums->rest.data, ND_KEPT_CHUNK);
            nd_buffer_append(&sums->made, &sum, sizeof sum);
            sums->rest.size = 0;
        }
        at += now;
        size -= now;
    }
}

uint64_t nd_kept_sums_end(nd_kept_sums *sums) {
    if (sums->rest.size > 0) {
        const uint64_t sum = XXH3_64bits(sums->rest.data, sums->rest.size);
        nd_buffer_append(&sums->made, &sum, sizeof sum);
    }
    nd_buffer_free(&sums->rest);
    return XXH3_64bits(sums->made.data, sums->made.size);
}

void nd_kept_sums_free(nd_kept_sums *sums) {
    nd_buffer_free(&sums->made);
    nd_buffer_free(&sums->rest);
}

static nd_status refuse_kept(const nd_kept_file *file) {
    return nd_fail(ND_ERR_FORMAT, "%s: damaged: its checksum does not match: %s", file->path,
                   file->cure);
}

static uint64_t sums_size(const nd_kept_file *file) {
    const uint64_t chunks = file->size / ND_KEPT_CHUNK + (file->size % ND_KEPT_CHUNK > 0);
    return chunks * sizeof *file->sums;
}

static nd_status check_size(const nd_kept_file *file, uint64_t size) {
    const uint64_t whole = file->size + sums_size(file);
    return size == whole
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT, "%s: damaged: has %llu bytes of %llu: %s", file->path,
                         (unsigned long long)size, (unsigned long long)whole, file->cure);
}

static nd_status gone(const nd_kept_file *file, int reason) {
    return nd_fail(ND_ERR_IO, "%s: cannot be opened: %s", file->path, strerror(reason));
}

static nd_status read_sums(nd_kept_file *file, int descriptor) {
    nd_status st = ND_OK;
    const size_t size = (size_t)sums_size(file);
    file->sums = nd_alloc(size, 1);
    ND_TRY(nd_own_file_read(descriptor, file->path, file->size, file->sums, size));
    st = XXH3_64bits(file->sums, size) == file->checksum ? ND_OK : refuse_kept(file);
out:
    if (st != ND_OK) {
        free(file->sums);
        file->sums = NULL;
    }
    return st;
}

nd_status nd_kept_file_open(nd_kept_file *file, int *descriptor) {
    nd_status st = ND_OK;
    uint64_t size = 0;
    st = nd_own_file_open(file->path, descriptor, &size);
    ND_TRY(st == ND_END ? gone(file, ENOENT) : st);
    ND_TRY(check_size(file, size));
    ND_TRY(file->own || file->sums != NULL ? ND_OK : read_sums(file, *descriptor));
out:
    if (st != ND_OK && *descriptor >= 0) {
        (void)close(*descriptor);
        *descriptor = -1;
    }
    return st;
}

/* Read whole chunks, of which the file's last may be shorter, and compare them. */
static nd_status read_chunks(const nd_kept_file *file, int descriptor, uint64_t offset,
                             uint8_t *bytes, size_t size) {
    nd_status st = ND_OK;
    ND_TRY(nd_own_file_read(descriptor, file->path, offset, bytes, size));
    for (size_t at = 0; at < size; at += ND_KEPT_CHUNK) {
        ND_TRY(XXH3_64bits(bytes + at, nd_min(size - at, ND_KEPT_CHUNK)) ==
                       file->sums[(offset + at) / ND_KEPT_CHUNK]
                   ? ND_OK
                   : refuse_kept(file));
    }
out:
    return st;
}

nd_status nd_kept_file_read(const nd_kept_file *file, int descriptor, uint64_t offset, void *bytes,
                            size_t size) {
    nd_status st = ND_OK;
    uint8_t chunk[ND_KEPT_CHUNK];
    uint8_t *to = bytes;
    ND_ASSERT(offset <= file->size && size <= file->size - offset, offset, size, file->size);
    if (file->own) {
        return nd_own_file_read(descriptor, file->path, offset, bytes, size);
    }
    while (size > 0) {
        const size_t skip = offset % ND_KEPT_CHUNK;
        const size_t most = (size_t)nd_min(file->size - (offset - skip), ND_KEPT_CHUNK);
        size_t now = nd_min(size, most - skip);
        if (now < most) { /* a part of one */
            ND_TRY(read_chunks(file, descriptor, offset - skip, chunk, most));
            memcpy(to, chunk + skip, now);
        } else { /* as many as there are whole ones */
            now = offset + size == file->size ? size : size / ND_KEPT_CHUNK * ND_KEPT_CHUNK;
            ND_TRY(read_chunks(file, descriptor, offset, to, now));
        }
        to += now;
        offset += now;
        size -= now;
    }
out:
    return st;
}

nd_status nd_kept_file_check(const nd_kept_file *file) {
    enum { PIECE = 1 << 20 };
    nd_status st = ND_OK;
    int descriptor = -1;
    uint8_t *bytes = nd_alloc(PIECE, 1);
    nd_kept_file checked = *file;
    checked.own = false;
    checked.sums = NULL;
    ND_TRY(nd_kept_file_open(&checked, &descriptor));
    for (uint64_t at = 0; at < file->size;) {
        const size_t size = (size_t)nd_min(file->size - at, PIECE);
        ND_TRY(nd_kept_file_read(&checked, descriptor, at, bytes, size));
        at += size;
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    free(checked.sums);
    free(bytes);
    return st;
}

nd_status nd_kept_file_look(const nd_kept_file *file) {
    struct stat info;
    return lstat(file->path, &info) != 0 ? gone(file, errno)
           : !S_ISREG(info.st_mode)      ? nd_fail(ND_ERR_IO, "%s: is %s, not a file of ours",
                                                   file->path, nd_file_kind(info.st_mode))
                                         : check_size(file, (uint64_t)info.st_size);
}

/* ---- names */

static nd_status sync_path(const char *path, int flags) {
    nd_status st = ND_OK;
    const int descriptor = open(path, flags | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 || fsync(descriptor) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot sync: %s", path, strerror(errno));
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

nd_status nd_own_file_sync(const char *path) {
    const nd_status st = nd_fault(ND_FAULT_SYNC);
    return st != ND_OK ? st : sync_path(path, O_RDWR);
}

nd_status nd_own_file_sync_names(const char *path) {
    char folder[PATH_MAX];
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') { /* as who completes names writes a folder */
        size--;
    }
    (void)snprintf(folder, sizeof folder, "%.*s", (int)size, path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return sync_path(".", O_RDONLY | O_DIRECTORY);
    }
    slash[1] = '\0';
    return sync_path(folder, O_RDONLY | O_DIRECTORY);
}

/* Rename a file (an older one of that name is replaced; both lie in one folder).
 * \return ND_OK; ND_ERR_IO, naming the file, also where anything but a file has the new name */
static nd_status own_file_rename(const char *temporary, const char *path) {
    nd_status st = ND_OK;
    struct stat info;
    ND_TRY(nd_fault(ND_FAULT_RENAME));
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        st = nd_fail(ND_ERR_IO, "%s: is %s, which is not replaced: name another file", path,
                     nd_file_kind(info.st_mode));
    } else if (rename(temporary, path) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot rename to %s: %s", temporary, path, strerror(errno));
    }
out:
    return st;
}

nd_status nd_own_file_name(int descriptor, const char *temporary, const char *path) {
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_SYNC));
    if (fsync(descriptor) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot sync: %s", temporary, strerror(errno));
        goto out;
    }
    ND_TRY(own_file_rename(temporary, path));
out:
    return st;
}

nd_status nd_own_file_publish(const char *temporary, const char *path) {
    nd_status st = ND_OK;
    ND_TRY(nd_own_file_sync(temporary));
    ND_TRY(own_file_rename(temporary, path));
    ND_TRY(nd_fault(ND_FAULT_SYNC));
    ND_TRY(nd_own_file_sync_names(path));
out:
    return st;
}

/* ---- many files at once */

/* A batch of so many files or bytes is published; and where it has few files each is synced by
 * itself, so that what others have written to the file system need not be waited for. */
enum { BATCH_FILES = 4096, FEW_FILES = 8 };
static const uint64_t BATCH_BYTES = 64 << 20;

static char *partial_name(const char *path, char name[PATH_MAX]) {
    (void)snprintf(name, PATH_MAX, "%s%s", path, ND_PARTIAL_SUFFIX);
    return name;
}

/* All of the file system at once: syncing file after file waits for the disk each time. Then each
 * file is asked whether its bytes have come there, which moves nothing. */
static nd_status sync_together(const nd_own_batch *batch) {
    static const unsigned ALL =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    nd_status st = ND_OK;
    char name[PATH_MAX];
    for (size_t i = 0; i < batch->count && st == ND_OK; i++) {
        const int descriptor =
            open(partial_name(batch->paths[i], name), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor < 0 || (i == 0 && syncfs(descriptor) != 0) ||
            sync_file_range(descriptor, 0, 0, ALL) != 0) {
            st = nd_fail(ND_ERR_IO, "%s: cannot sync: %s", name, strerror(errno));
        }
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
    }
    return st;
}

static bool in_one_folder(const char *a, const char *b) {
    char folders[2][PATH_MAX];
    nd_own_file_folder(a, folders[0], PATH_MAX);
    nd_own_file_folder(b, folders[1], PATH_MAX);
    return strcmp(folders[0], folders[1]) == 0;
}

static void forget(nd_own_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        free(batch->paths[i]);
    }
    free(batch->paths);
    *batch = (nd_own_batch){.count = 0};
}

nd_status nd_own_batch_publish(nd_own_batch *batch) {
    nd_status st = ND_OK;
    char name[PATH_MAX];
    const size_t count = batch->count;
    if (count > FEW_FILES) {
        ND_TRY(nd_fault(ND_FAULT_SYNC));
        ND_TRY(sync_together(batch));
    }
    for (size_t i = 0; i < count && count <= FEW_FILES; i++) {
        ND_TRY(nd_own_file_sync(partial_name(batch->paths[i], name)));
    }
    for (size_t i = 0; i < count; i++) {
        ND_TRY(own_file_rename(partial_name(batch->paths[i], name), batch->paths[i]));
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || !in_one_folder(batch->paths[i], batch->paths[i + 1])) {
            ND_TRY(nd_own_file_sync_names(batch->paths[i]));
        }
    }
out:
    if (st != ND_OK) {
        nd_own_batch_drop(batch);
    }
    forget(batch);
    return st;
}

nd_status nd_own_batch_add(nd_own_batch *batch, const char *path, uint64_t bytes) {
    nd_grow(&batch->paths, &batch->capacity, batch->count + 1, sizeof *batch->paths);
    batch->paths[batch->count++] = nd_text_copy(path);
    batch->bytes += bytes;
    return batch->count >= BATCH_FILES || batch->bytes >= BATCH_BYTES ? nd_own_batch_publish(batch)
                                                                      : ND_OK;
}

void nd_own_batch_drop(nd_own_batch *batch) {
    char name[PATH_MAX];
    for (size_t i = 0; i < batch->count; i++) {
        (void)unlink(partial_name(batch->paths[i], name));
    }
    forget(batch);
}

/* ---- folders, copies, and small files */

nd_status nd_own_folder_publish(const char *temporary, const char *path) {
    char folder[PATH_MAX];
    nd_status st = ND_OK;
    struct stat info;
    nd_own_file_folder(path, folder, sizeof folder);
    ND_TRY(sync_path(temporary, O_RDONLY | O_DIRECTORY));
    ND_TRY(nd_fault(ND_FAULT_RENAME));
    if (lstat(path, &info) == 0) {
        st = nd_fail(ND_ERR_IO, "%s: is there already: what was to be it is %s", path, temporary);
    } else if (rename(temporary, path) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot rename to %s: %s", temporary, path, strerror(errno));
    }
    ND_TRY(st);
    ND_TRY(sync_path(folder, O_RDONLY | O_DIRECTORY));
out:
    return st;
}

static nd_status copy_file(const char *path, const char *copy) {
    enum { PIECE = 1 << 20 };
    nd_status st = ND_OK;
    uint8_t *bytes = NULL;
    uint64_t size = 0;
    int from = -1;
    int to = -1;
    nd_new(&bytes, PIECE, 1);
    ND_TRY(nd_own_file_open(path, &from, &size));
    ND_TRY(nd_own_file_create(copy, &to));
    for (uint64_t at = 0; at < size;) {
        const size_t piece = size - at < PIECE ? (size_t)(size - at) : PIECE;
        ND_TRY(nd_own_file_read(from, path, at, bytes, piece));
        ND_TRY(nd_own_file_write(to, copy, at, bytes, piece));
        at += piece;
    }
    ND_TRY(sync_path(copy, O_RDWR));
out:
    if (from >= 0) {
        (void)close(from);
    }
    if (to >= 0) {
        (void)close(to);
        if (st != ND_OK) {
            (void)unlink(copy);
        }
    }
    free(bytes);
    return st == ND_END ? nd_fail(ND_ERR_IO, "%s: cannot copy it to %s", path, copy) : st;
}

nd_status nd_own_file_take(const char *path, const char *copy) {
    return link(path, copy) == 0 ? ND_OK
           : errno == EXDEV || errno == EPERM || errno == EMLINK || errno == ENOTSUP
               ? copy_file(path, copy)
               : nd_fail(ND_ERR_IO, "%s: cannot link it to %s: %s", path, copy, strerror(errno));
}

nd_status nd_own_file_save(const char *path, const void *bytes, size_t size) {
    nd_status st = ND_OK;
    int descriptor = -1;
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s%s", path, ND_PARTIAL_SUFFIX) >= PATH_MAX) {
        return nd_fail(ND_ERR_IO, "%s: the name is too long", path);
    }
    ND_TRY(nd_own_file_remake(temporary, &descriptor));
    ND_TRY(nd_own_file_write(descriptor, temporary, 0, bytes, size));
    ND_TRY(nd_own_file_publish(temporary, path));
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
        if (st != ND_OK) {
            (void)unlink(temporary);
        }
    }
    return st;
}

/* ---- by stdio */

nd_status nd_own_stream_open(nd_own_stream *stream, const char *path) {
    nd_status st = ND_OK;
    int descriptor = -1;
    *stream = (nd_own_stream){.path = path};
    stream->partial = nd_own_file_join(path, ND_PARTIAL_SUFFIX);
    ND_TRY(nd_own_file_remake(stream->partial, &descriptor));
    stream->to = fdopen(descriptor, "wb");
    if (stream->to == NULL) {
        (void)close(descriptor);
        (void)unlink(stream->partial);
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a file");
    }
out:
    if (st != ND_OK) {
        free(stream->partial);
        stream->partial = NULL;
    }
    return st;
}

nd_status nd_own_stream_close(nd_own_stream *stream, nd_status st) {
    if (stream->to == NULL) {
        return st;
    }
    const bool bad = ferror(stream->to) != 0;
    if ((fclose(stream->to) != 0 || bad) && st == ND_OK) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be written: %s", stream->path, strerror(errno));
    }
    st = st == ND_OK ? nd_own_file_publish(stream->partial, stream->path) : st;
    if (st != ND_OK) {
        (void)unlink(stream->partial);
    }
    free(stream->partial);
    *stream = (nd_own_stream){.to = NULL};
    return st;
}

/* ==== locks */

/* A lock's file starts with this; a user's own file of that name hardly does. */
static const char OWNER_PREFIX[] = "neardup run on host ";

/* It is written to: it must not be a link. */
static int open_lock(const char *path, int flags) {
    return open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
}

static nd_status not_ours(const nd_lock_place *place, const char *is) {
    return nd_fail(ND_ERR_IO, "%s: is %s lock of neardup: name %s", place->path, is, place->other);
}

/* What the file says, without the newline; "" if it says nothing. */
static nd_status read_owner(const nd_lock_place *place, int descriptor,
                            char owner[ND_LOCK_OWNER_SIZE]) {
    const ssize_t got = pread(descriptor, owner, ND_LOCK_OWNER_SIZE - 1, 0);
    if (got < 0) {
        owner[0] = '\0';
        return nd_fail(ND_ERR_IO, "%s: cannot read: %s", place->path, strerror(errno));
    }
    owner[got] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
    /* a loss of power may have cut it short */
    const size_t size = nd_min(strlen(owner), strlen(OWNER_PREFIX));
    return strncmp(owner, OWNER_PREFIX, size) != 0 ? not_ours(place, "not a") : ND_OK;
}

static nd_status write_owner(const nd_lock_place *place, int descriptor,
                             char owner[ND_LOCK_OWNER_SIZE]) {
    char line[ND_LOCK_OWNER_SIZE + 1];
    char host[128] = "unknown";
    const char *job = getenv("SLURM_JOB_ID");
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(owner, ND_LOCK_OWNER_SIZE, "%s%s, process %ld%s%.32s", OWNER_PREFIX, host,
                   (long)getpid(), job != NULL ? ", Slurm job " : "", job != NULL ? job : "");
    const int size = snprintf(line, sizeof line, "%s\n", owner);
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, line, (size_t)size, 0) != size ||
        fsync(descriptor) != 0) {
        return nd_fail(ND_ERR_IO, "%s: cannot write: %s", place->path, strerror(errno));
    }
    return ND_OK;
}

static nd_status in_use(const nd_lock_place *place, int descriptor) {
    char owner[ND_LOCK_OWNER_SIZE] = "";
    (void)read_owner(place, descriptor, owner);
    return nd_fail(ND_ERR_IO, "%s: in use by a %s: wait for its end or name %s", place->what,
                   owner[0] != '\0' ? owner : "neardup run", place->other);
}

/* \param[out] locked  false, with ND_OK: there are no locks here, and none is needed */
static nd_status lock(const nd_lock_place *place, int descriptor, bool *locked) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *locked = fcntl(descriptor, F_SETLK, &whole) == 0;
    if (*locked) {
        return ND_OK;
    }
    if (errno == EACCES || errno == EAGAIN) {
        return in_use(place, descriptor);
    }
    return place->needed ? nd_fail(ND_ERR_IO,
                                   "%s: cannot lock: %s: the work folder must lie on a file system "
                                   "with file locks (Lustre: mounted with flock)",
                                   place->path, strerror(errno))
                         : ND_OK;
}

nd_status nd_lock_file_try(const nd_lock_place *place, int *descriptor,
                           char owner[ND_LOCK_OWNER_SIZE]) {
    nd_status st = ND_OK;
    char before[ND_LOCK_OWNER_SIZE];
    struct stat opened, named;
    bool locked = false;
    owner[0] = '\0';
    *descriptor = -1;
    const int file = open_lock(place->path, O_RDWR | O_CREAT);
    if (file < 0) {
        const bool closed = errno == EACCES || errno == EPERM || errno == EROFS;
        return errno == ENOENT || (closed && !place->needed) ? ND_OK
               : errno == ELOOP
                   ? not_ours(place, "a symbolic link, not a")
                   : nd_fail(ND_ERR_IO, "%s: cannot open: %s", place->path, strerror(errno));
    }
    if (fstat(file, &opened) != 0 || !S_ISREG(opened.st_mode) || opened.st_nlink > 1) {
        /* another name of some other file would be written to as well */
        st = not_ours(place, "not a");
        goto out;
    }
    ND_TRY(lock(place, file, &locked));
    /* its last holder may have removed it meanwhile */
    if (locked && lstat(place->path, &named) == 0 && opened.st_dev == named.st_dev &&
        opened.st_ino == named.st_ino) {
        ND_TRY(read_owner(place, file, before));
        ND_TRY(write_owner(place, file, owner));
        *descriptor = file;
    }
out:
    if (*descriptor < 0) {
        (void)close(file); /* which unlocks */
    }
    return st;
}

nd_status nd_lock_file_look(const nd_lock_place *place) {
    nd_status st = ND_OK;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open_lock(place->path, O_RDONLY);
    if (file >= 0) {
        if (fcntl(file, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK) {
            st = in_use(place, file);
        }
        (void)close(file);
    }
    return st;
}

bool nd_lock_file_is_of(const nd_lock_place *place, const char *owner) {
    char seen[ND_LOCK_OWNER_SIZE] = "";
    const int file = open_lock(place->path, O_RDONLY);
    const bool same =
        file >= 0 && read_owner(place, file, seen) == ND_OK && strcmp(seen, owner) == 0;
    if (file >= 0) {
        (void)close(file);
    }
    return same;
}
