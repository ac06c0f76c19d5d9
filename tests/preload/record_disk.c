/* A library for LD_PRELOAD that writes down what a program does to the files below one folder, so
 * that tests/support/power_loss.py can make that folder as a power loss at any moment would have
 * left it. ND_RECORD_FOLDER is the folder, an absolute path; ND_RECORD_TO the file that the records
 * of all processes go to. A record is written once its call has come back, and a call that changes
 * names holds up the records of all other processes until its own is written: what depends on a
 * call, in whichever process, is written down after it. Files are known by their inodes, so that it
 * does not matter by which name or descriptor they are reached. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum operation {
    MADE = 1,
    WROTE,
    CUT,
    SYNCED,
    RENAMED,
    REMOVED,
    MADE_FOLDER,
    REMOVED_FOLDER,
    LINKED,
    ALL_SYNCED
};

enum { MOST_DESCRIPTORS = 4096 };
static bool watched[MOST_DESCRIPTORS];

/* Two paths and the bytes follow. */
typedef struct record {
    uint32_t operation, path_size, other_size, unused;
    uint64_t inode, offset, byte_count;
} record;

/* The path from the folder, without a slash at its start; NULL: it lies elsewhere. */
static const char *inside(const char *path, char room[4096]) {
    const char *folder = getenv("ND_RECORD_FOLDER");
    if (folder == NULL || path == NULL) {
        return NULL;
    }
    const size_t size = strlen(folder);
    room[0] = '\0';
    if (path[0] != '/' && getcwd(room, 2048) == NULL) {
        return NULL;
    }
    (void)snprintf(room + strlen(room), 4096 - strlen(room), "%s%s", path[0] == '/' ? "" : "/",
                   path);
    return strncmp(room, folder, size) == 0 && (room[size] == '/' || room[size] == '\0')
               ? room + size + (room[size] == '/')
               : NULL;
}

/* The file of the records, held by one process at a time: for a call on a name inside the folder,
 * or for none. */
static long records = -1;
static int holds;

static void hold(const char *name) {
    const int reason = errno;
    if (name == NULL) {
        return;
    }
    if (records < 0) {
        records = syscall(SYS_openat, AT_FDCWD, getenv("ND_RECORD_TO"),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    while (holds == 0 && flock((int)records, LOCK_EX) != 0) {
        if (errno != EINTR) {
            abort(); /* a test that would be wrong is worse than none */
        }
    }
    holds++;
    errno = reason;
}

static void release(const char *name) {
    const int reason = errno;
    if (name == NULL) {
        return;
    }
    if (--holds == 0 && flock((int)records, LOCK_UN) != 0) {
        abort();
    }
    errno = reason;
}

static void put(enum operation operation, uint64_t inode, const char *path, const char *other,
                uint64_t offset, const struct iovec *bytes, int count, size_t size) {
    const int reason = errno;
    record head = {.operation = operation, .inode = inode, .offset = offset, .byte_count = size};
    struct iovec parts[64] = {{&head, sizeof head}};
    int used = 1;
    if (path != NULL) {
        head.path_size = (uint32_t)strlen(path);
        parts[used++] = (struct iovec){(void *)(uintptr_t)path, head.path_size};
    }
    if (other != NULL) {
        head.other_size = (uint32_t)strlen(other);
        parts[used++] = (struct iovec){(void *)(uintptr_t)other, head.other_size};
    }
    for (int i = 0; i < count && size > 0; i++) { /* what was written of them */
        if (used == 64) {
            abort();
        }
        parts[used] = bytes[i];
        parts[used].iov_len = bytes[i].iov_len < size ? bytes[i].iov_len : size;
        size -= parts[used++].iov_len;
    }
    size_t all = 0;
    for (int i = 0; i < used; i++) {
        all += parts[i].iov_len;
    }
    hold("");
    if (syscall(SYS_writev, records, parts, used) != (long)all) {
        abort();
    }
    release("");
    errno = reason;
}

static uint64_t inode_of(int descriptor) {
    struct stat info;
    return fstat(descriptor, &info) == 0 ? info.st_ino : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS && watched[descriptor];
}

/* What a stream of the C library has written no call above has seen: of a small file that is synced
 * all bytes are written down. */
static void put_content(int descriptor) {
    enum { SMALL = 1 << 20 };
    struct stat info;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= SMALL) {
        struct iovec part = {malloc(SMALL), 0};
        const ssize_t got = part.iov_base == NULL ? 0 : pread(descriptor, part.iov_base, SMALL, 0);
        part.iov_len = got > 0 ? (size_t)got : 0;
        put(WROTE, info.st_ino, NULL, NULL, 0, &part, 1, part.iov_len);
        free(part.iov_base);
    }
}

/* ---- names */

static int opened(int descriptor, const char *path, int flags, bool there) {
    char room[4096];
    const char *name = inside(path, room);
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) {
        watched[descriptor] = name != NULL;
    }
    if (descriptor >= 0 && name != NULL) {
        if (!there) {
            put(MADE, inode_of(descriptor), name, NULL, 0, NULL, 0, 0);
        } else if ((flags & O_TRUNC) != 0) {
            put(CUT, inode_of(descriptor), NULL, NULL, 0, NULL, 0, 0);
        }
    }
    return descriptor;
}

static bool is_there(const char *path) {
    struct stat info;
    const int reason = errno;
    const bool there = lstat(path, &info) == 0;
    errno = reason;
    return there;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;                     \
        va_end(rest);                                                                              \
        char room[4096];                                                                           \
        const char *made = (flags & O_CREAT) != 0 ? inside(path, room) : NULL;                     \
        hold(made);                                                                                \
        const bool there = is_there(path);                                                         \
        const int descriptor = opened(REAL(name)(path, flags, mode), path, flags, there);          \
        release(made);                                                                             \
        return descriptor;                                                                         \
    }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) {
        watched[descriptor] = false;
    }
    return REAL(close)(descriptor);
}

int rename(const char *from, const char *to) {
    char rooms[2][4096];
    const char *a = inside(from, rooms[0]);
    const char *b = inside(to, rooms[1]);
    hold(b);
    const int code = REAL(rename)(from, to);
    if (code == 0 && a != NULL && b != NULL) {
        put(RENAMED, 0, a, b, 0, NULL, 0, 0);
    }
    release(b);
    return code;
}

/* A file from outside is on the disk. */
int link(const char *from, const char *to) {
    char rooms[2][4096];
    const char *a = inside(from, rooms[0]);
    const char *b = inside(to, rooms[1]);
    hold(b);
    const int code = REAL(link)(from, to);
    if (code == 0 && a != NULL && b != NULL) {
        put(LINKED, 0, a, b, 0, NULL, 0, 0);
    } else if (code == 0 && b != NULL) {
        const int descriptor = REAL(open)(to, O_RDONLY);
        put(MADE, inode_of(descriptor), b, NULL, 0, NULL, 0, 0);
        put_content(descriptor);
        put(SYNCED, inode_of(descriptor), NULL, NULL, 0, NULL, 0, 0);
        (void)REAL(close)(descriptor);
    }
    release(b);
    return code;
}

#define REMOVE(name, operation)                                                                    \
    int name(const char *path) {                                                                   \
        char room[4096];                                                                           \
        const char *gone = inside(path, room);                                                     \
        hold(gone);                                                                                \
        const int code = REAL(name)(path);                                                         \
        if (code == 0 && gone != NULL) {                                                           \
            put(operation, 0, gone, NULL, 0, NULL, 0, 0);                                          \
        }                                                                                          \
        release(gone);                                                                             \
        return code;                                                                               \
    }
REMOVE(unlink, REMOVED)
REMOVE(rmdir, REMOVED_FOLDER)

int mkdir(const char *path, mode_t mode) {
    char room[4096];
    struct stat info;
    const char *made = inside(path, room);
    hold(made);
    const int code = REAL(mkdir)(path, mode);
    if (code == 0 && made != NULL && stat(path, &info) == 0) {
        put(MADE_FOLDER, info.st_ino, made, NULL, 0, NULL, 0, 0);
    }
    release(made);
    return code;
}

/* ---- bytes */

static ssize_t wrote(int descriptor, ssize_t size, off_t offset, const struct iovec *bytes,
                     int count) {
    if (size > 0 && is_watched(descriptor)) {
        put(WROTE, inode_of(descriptor), NULL, NULL, (uint64_t)offset, bytes, count, (size_t)size);
    }
    return size;
}

#define PWRITE(name, offset_type)                                                                  \
    ssize_t name(int descriptor, const void *bytes, size_t size, offset_type offset) {             \
        const struct iovec part = {(void *)(uintptr_t)bytes, size};                                \
        return wrote(descriptor, REAL(name)(descriptor, bytes, size, offset), offset, &part, 1);   \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type)                                                                 \
    ssize_t name(int descriptor, const struct iovec *parts, int count, offset_type offset) {       \
        return wrote(descriptor, REAL(name)(descriptor, parts, count, offset), offset, parts,      \
                     count);                                                                       \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t size) {
    const struct iovec part = {(void *)(uintptr_t)bytes, size};
    const off_t at = is_watched(descriptor) ? lseek(descriptor, 0, SEEK_CUR) : 0;
    return wrote(descriptor, REAL(write)(descriptor, bytes, size), at, &part, 1);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    const off_t at = is_watched(descriptor) ? lseek(descriptor, 0, SEEK_CUR) : 0;
    return wrote(descriptor, REAL(writev)(descriptor, parts, count), at, parts, count);
}

static int cut(int code, uint64_t inode, off_t size) {
    if (code == 0) {
        put(CUT, inode, NULL, NULL, (uint64_t)size, NULL, 0, 0);
    }
    return code;
}

#define FTRUNCATE(name, offset_type)                                                               \
    int name(int descriptor, offset_type size) {                                                   \
        const int code = REAL(name)(descriptor, size);                                             \
        return is_watched(descriptor) ? cut(code, inode_of(descriptor), size) : code;              \
    }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

int truncate(const char *path, off_t size) {
    char room[4096];
    struct stat info;
    const int code = REAL(truncate)(path, size);
    return inside(path, room) != NULL && stat(path, &info) == 0 ? cut(code, info.st_ino, size)
                                                                : code;
}

#define SYNC(name)                                                                                 \
    int name(int descriptor) {                                                                     \
        const int code = REAL(name)(descriptor);                                                   \
        if (code == 0 && is_watched(descriptor)) {                                                 \
            put_content(descriptor);                                                               \
            put(SYNCED, inode_of(descriptor), NULL, NULL, 0, NULL, 0, 0);                          \
        }                                                                                          \
        return code;                                                                               \
    }
SYNC(fsync)
SYNC(fdatasync)

/* Of the names that it brings to the disk too nothing is written down: nobody is to rely on that.
 */
int syncfs(int descriptor) {
    const int code = REAL(syncfs)(descriptor);
    if (code == 0 && is_watched(descriptor)) {
        put(ALL_SYNCED, 0, NULL, NULL, 0, NULL, 0, 0);
    }
    return code;
}
