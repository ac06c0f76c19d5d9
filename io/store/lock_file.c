#include "io/store/lock_file.h"

#include "src/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
