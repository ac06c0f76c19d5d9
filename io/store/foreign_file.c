#include "io/store/foreign_file.h"

#include "io/store/wacz.h"
#include "src/base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
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

/* A name that no file has: is it a part's of a WACZ?
 * \param[in] size  of the name, so much is the file's
 * \return as nd_foreign_file_open() */
static nd_status open_part(const char *path, size_t size, int *descriptor, struct stat *info) {
    nd_status st = ND_OK;
    nd_buffer file = {0};
    nd_wacz wacz = {0};
    const nd_wacz_part *part = NULL;
    ND_TRY(nd_buffer_append(&file, path, size));
    ND_TRY(nd_buffer_append(&file, "", 1));
    ND_TRY(nd_foreign_file_open((const char *)file.data, descriptor, info));
    ND_TRY(nd_wacz_read((const char *)file.data, *descriptor, (uint64_t)info->st_size, &wacz));
    for (size_t i = 0; i < wacz.count && part == NULL; i++) {
        part = strcmp(wacz.parts[i].name, path + size + 1) == 0 ? &wacz.parts[i] : NULL;
    }
    if (part == NULL) {
        st = nd_fail(ND_ERR_INPUT, "%s: there is no such part in the WACZ", path);
    } else if (part->packed) {
        st = nd_fail(ND_ERR_INPUT,
                     "%s: is packed in its archive, where a WACZ stores WARCs as they are: unzip "
                     "it, and give its folder archive",
                     path);
    } else if (lseek(*descriptor, (off_t)part->begin, SEEK_SET) < 0) {
        st = cannot_open(path, errno);
    } else {
        info->st_size = (off_t)part->bytes;
    }
out:
    if (st != ND_OK && *descriptor >= 0) {
        (void)close(*descriptor);
        *descriptor = -1;
    }
    nd_wacz_free(&wacz);
    nd_buffer_free(&file);
    return st;
}

nd_status nd_foreign_file_open(const char *path, int *descriptor, struct stat *info) {
    *descriptor = -1;
    if (stat(path, info) != 0) {
        const int error = errno;
        const size_t file = nd_wacz_file(path);
        return file > 0 && (error == ENOENT || error == ENOTDIR)
                   ? open_part(path, file, descriptor, info)
                   : cannot_open(path, error);
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
