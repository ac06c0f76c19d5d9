#include "io/store/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

const char *nd_file_kind(mode_t mode) {
    return S_ISREG(mode)    ? "a file"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
                            : "a device";
}

/* The name's fault, or want of descriptors or memory here. */
static nd_status cannot_open(const char *path, int error) {
    const bool ours = error == EMFILE || error == ENFILE || error == ENOMEM;
    return nd_fail(ours ? ND_ERR_IO : ND_ERR_INPUT, "%s: cannot be opened: %s", path,
                   strerror(error));
}

static nd_status refuse_kind(const char *path, mode_t mode) {
    return nd_fail(ND_ERR_INPUT, "%s: is %s, not a file", path, nd_file_kind(mode));
}

nd_status nd_foreign_file_open(const char *path, int *descriptor, struct stat *info) {
    *descriptor = -1;
    if (stat(path, info) != 0) {
        return cannot_open(path, errno);
    }
    if (!S_ISREG(info->st_mode)) {
        return refuse_kind(path, info->st_mode);
    }
    /* another may be there by now: not to wait for it, and not to have it as a terminal */
    const int opened = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened < 0) {
        return cannot_open(path, errno);
    }
    nd_status st = ND_OK;
    if (fstat(opened, info) != 0 || fcntl(opened, F_SETFL, O_RDONLY) != 0) {
        st = cannot_open(path, errno);
    } else if (!S_ISREG(info->st_mode)) {
        st = refuse_kind(path, info->st_mode);
    }
    if (st != ND_OK) {
        (void)close(opened);
    } else {
        *descriptor = opened;
    }
    return st;
}

bool nd_foreign_file_begins(const char *path, const char *line) {
    char found[128];
    struct stat info;
    int descriptor = -1;
    bool begins = false;
    const size_t size = strlen(line);
    if (size <= sizeof found && nd_foreign_file_open(path, &descriptor, &info) == ND_OK) {
        begins =
            pread(descriptor, found, size, 0) == (ssize_t)size && memcmp(found, line, size) == 0;
        (void)close(descriptor);
    }
    return begins;
}

nd_status nd_foreign_file_check(const char *path) {
    struct stat info;
    int descriptor = -1;
    const nd_status st = nd_foreign_file_open(path, &descriptor, &info);
    if (st == ND_OK) {
        (void)close(descriptor);
    }
    return st;
}
