#include "io/own_file.h"

#include "src/base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static nd_own_file_traffic traffic;

nd_own_file_traffic nd_own_file_so_far(void) {
    return traffic;
}

nd_status nd_own_file_read(int descriptor, const char *path, uint64_t offset, void *bytes,
                           size_t size) {
    nd_status st = ND_OK;
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

static nd_status sync_path(const char *path, int flags) {
    int descriptor = -1;
    nd_status st = ND_OK;
    ND_TRY(nd_fault(ND_FAULT_SYNC));
    descriptor = open(path, flags | O_CLOEXEC);
    if (descriptor < 0 || fsync(descriptor) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot sync: %s", path, strerror(errno));
    }
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

nd_status nd_own_file_publish(const char *temporary, const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    nd_status st = ND_OK;
    if (slash != NULL) {
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    }
    ND_TRY(sync_path(temporary, O_RDWR));
    ND_TRY(nd_fault(ND_FAULT_RENAME));
    if (rename(temporary, path) != 0) {
        st = nd_fail(ND_ERR_IO, "%s: cannot rename to %s: %s", temporary, path, strerror(errno));
        goto out;
    }
    ND_TRY(sync_path(folder, O_RDONLY | O_DIRECTORY));
out:
    return st;
}
