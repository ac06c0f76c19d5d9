#include "io/store/foreign_file.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- WACZ */

static const char ending[] = ".wacz";
static const char folder[] = "archive/"; /* where WACZ has its WARCs */

/* Of the zip format, in bytes: what comes before the texts of a record. */
enum { LOCAL_SIZE = 30, ROW_SIZE = 46, END_SIZE = 22, WIDE_END_SIZE = 56, LOCATOR_SIZE = 20 };
/* The directory is read again whenever a part is opened; crawls have some tens of parts. */
enum { MOST_DIRECTORY = 16 << 20, MOST_PARTS = 1 << 12, MOST_NAME = 1 << 10, MOST_COMMENT = 65535 };
static const uint64_t SHORT = UINT32_MAX; /* of 32 bits: stands for a number of 64 elsewhere */

bool nd_wacz_is(const char *path) {
    const size_t size = strlen(path);
    return size > strlen(ending) && strcasecmp(path + size - strlen(ending), ending) == 0;
}

/* A part's name may hold anything, its file's folder hardly this. */
size_t nd_wacz_file(const char *path) {
    const size_t size = strlen(ending);
    const char *at = strchr(path, '#');
    while (at != NULL &&
           ((size_t)(at - path) <= size || strncasecmp(at - size, ending, size) != 0)) {
        at = strchr(at + 1, '#');
    }
    return at == NULL ? 0 : (size_t)(at - path);
}

static nd_status damaged(const char *path, const char *why) {
    return nd_fail(ND_ERR_INPUT, "%s: a WACZ that cannot be used: %s", path, why);
}

static uint64_t number_at(const uint8_t *bytes, size_t size) {
    uint64_t number = 0;
    while (size-- > 0) {
        number = number << 8 | bytes[size];
    }
    return number;
}

static bool is_record(const uint8_t *bytes, const char *kind) {
    return memcmp(bytes, "PK", 2) == 0 && memcmp(bytes + 2, kind, 2) == 0;
}

/* All `size` bytes from `offset` on, which must be in the file. */
static nd_status read_at(const char *path, int descriptor, uint64_t offset, void *to, size_t size) {
    for (size_t held = 0; held < size;) {
        const ssize_t got =
            pread(descriptor, (uint8_t *)to + held, size - held, (off_t)(offset + held));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return damaged(path, got < 0 ? strerror(errno) : "it has become shorter");
        }
        held += (size_t)got;
    }
    return ND_OK;
}

typedef struct directory {
    uint64_t rows, begin, size;
} directory;

/* By the record at the file's end, or, where a number does not fit in there, the one before it. */
static nd_status find_directory(const char *path, int descriptor, uint64_t bytes, directory *out) {
    nd_status st = ND_OK;
    nd_buffer tail = {0};
    const size_t size =
        (size_t)nd_min(bytes, END_SIZE + MOST_COMMENT + LOCATOR_SIZE + WIDE_END_SIZE);
    nd_buffer_reserve(&tail, size);
    ND_TRY(read_at(path, descriptor, bytes - size, tail.data, size));
    const uint8_t *end = size < END_SIZE ? NULL : tail.data + size - END_SIZE;
    while (end != NULL && !(is_record(end, "\5\6") &&
                            end + END_SIZE + number_at(end + 20, 2) == tail.data + size)) {
        end = end > tail.data ? end - 1 : NULL;
    }
    if (end == NULL) {
        st = damaged(path, "there is no directory of a zip archive at its end");
        goto out;
    }
    *out = (directory){number_at(end + 10, 2), number_at(end + 16, 4), number_at(end + 12, 4)};
    const uint8_t *wide = end - LOCATOR_SIZE - WIDE_END_SIZE;
    if (end - tail.data >= LOCATOR_SIZE + WIDE_END_SIZE && is_record(end - LOCATOR_SIZE, "\6\7") &&
        is_record(wide, "\6\6")) {
        *out =
            (directory){number_at(wide + 32, 8), number_at(wide + 48, 8), number_at(wide + 40, 8)};
        end = wide;
    }
    const uint64_t place = bytes - size + (uint64_t)(end - tail.data);
    if (out->size > MOST_DIRECTORY) {
        st = damaged(path, "its directory has more than 16 MiB");
    } else if (out->size > place || out->begin != place - out->size) {
        st = damaged(path, "its directory does not lie where the end of the file says");
    }
out:
    nd_buffer_free(&tail);
    return st;
}

/* Sizes and place of a part by its row, and by the row's extra field what does not fit into that.
 */
static bool read_row(const uint8_t *row, const uint8_t *extra, size_t extra_size,
                     nd_wacz_part *part) {
    uint64_t content = number_at(row + 24, 4);
    uint64_t *const numbers[] = {&content, &part->bytes, &part->begin};
    part->bytes = number_at(row + 20, 4);
    part->begin = number_at(row + 42, 4);
    part->packed = number_at(row + 10, 2) != 0 || (row[8] & 1) != 0; /* deflated, or encrypted */
    while (extra_size >= 4) {
        const size_t size = (size_t)number_at(extra + 2, 2);
        if (size > extra_size - 4) {
            return false;
        }
        size_t taken = 0;
        for (int i = 0; number_at(extra, 2) == 1 && i < 3; i++) {
            if (*numbers[i] == SHORT && size - taken >= 8) {
                *numbers[i] = number_at(extra + 4 + taken, 8);
                taken += 8;
            }
        }
        extra += 4 + size;
        extra_size -= 4 + size;
    }
    return part->packed || content == part->bytes;
}

/* From where its local header begins to where its bytes do; the header has the name again.
 * \param[in] end  of all parts: where the directory begins */
static nd_status find_bytes(const char *path, int descriptor, uint64_t end, nd_wacz_part *part) {
    nd_status st = ND_OK;
    uint8_t header[LOCAL_SIZE + MOST_NAME];
    const size_t name_size = strlen(part->name);
    if (part->begin > end || end - part->begin < LOCAL_SIZE + name_size) {
        return damaged(path, "a part ends after the file's last");
    }
    ND_TRY(read_at(path, descriptor, part->begin, header, LOCAL_SIZE + name_size));
    if (!is_record(header, "\3\4") || number_at(header + 8, 2) != 0 ||
        number_at(header + 26, 2) != name_size ||
        memcmp(header + LOCAL_SIZE, part->name, name_size) != 0) {
        return damaged(path, "its directory and its parts do not agree");
    }
    part->begin += LOCAL_SIZE + name_size + number_at(header + 28, 2);
    if (part->begin > end || part->bytes > end - part->begin) {
        return damaged(path, "a part ends after the file's last");
    }
out:
    return st;
}

/* The parts that are WARCs, of the directory's rows. */
static nd_status add_parts(nd_wacz *wacz, const char *path, int descriptor, const directory *dir) {
    nd_status st = ND_OK;
    nd_buffer rows = {0};
    nd_wacz_part part = {.name = NULL};
    uint64_t left = dir->rows;
    size_t at = 0;
    nd_buffer_reserve(&rows, (size_t)dir->size);
    ND_TRY(read_at(path, descriptor, dir->begin, rows.data, (size_t)dir->size));
    while (at < dir->size) {
        const uint8_t *row = rows.data + at;
        size_t name_size = 0;
        size_t extra_size = 0;
        bool sound = left-- > 0 && dir->size - at >= ROW_SIZE && is_record(row, "\1\2");
        if (sound) {
            name_size = (size_t)number_at(row + 28, 2);
            extra_size = (size_t)number_at(row + 30, 2);
            at += ROW_SIZE + name_size + extra_size + (size_t)number_at(row + 32, 2);
        }
        if (!sound || at > dir->size) {
            st = damaged(path, "its directory is damaged");
            goto out;
        }
        const nd_span name = {row + ROW_SIZE, name_size};
        if (name.size <= strlen(folder) || memcmp(name.data, folder, strlen(folder)) != 0) {
            continue;
        }
        if (name.size > MOST_NAME || memchr(name.data, '\0', name.size) != NULL) {
            st = damaged(path, "the name of a part is too long, or is none");
            goto out;
        }
        free(part.name);
        part.name = NULL;
        nd_new(&part.name, name.size + 1, 1);
        memcpy(part.name, name.data, name.size);
        if (strstr(part.name, ".warc") == NULL) {
            continue;
        }
        if (wacz->count == MOST_PARTS) {
            st = damaged(path, "it has more than 4096 WARCs");
            goto out;
        }
        if (!read_row(row, name.data + name.size, extra_size, &part)) {
            st = damaged(path, "its directory is damaged");
            goto out;
        }
        ND_TRY(part.packed ? ND_OK : find_bytes(path, descriptor, dir->begin, &part));
        nd_grow(&wacz->parts, &wacz->capacity, wacz->count + 1, sizeof *wacz->parts);
        wacz->parts[wacz->count++] = part;
        part.name = NULL;
    }
    st = left == 0 ? ND_OK : damaged(path, "its directory is damaged");
out:
    free(part.name);
    nd_buffer_free(&rows);
    return st;
}

static int by_begin(const void *a, const void *b) {
    const nd_wacz_part *x = a;
    const nd_wacz_part *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_name(const void *a, const void *b) {
    const nd_wacz_part *x = a;
    const nd_wacz_part *y = b;
    return strcmp(x->name, y->name);
}

/* A directory may name the same bytes any number of times. */
static nd_status check_parts(nd_wacz *wacz, const char *path) {
    uint64_t end = 0;
    nd_sort(wacz->parts, wacz->count, sizeof *wacz->parts, by_begin);
    for (size_t i = 0; i < wacz->count; i++) {
        const nd_wacz_part *part = &wacz->parts[i];
        if (!part->packed && part->begin < end) {
            return damaged(path, "parts of it overlap");
        }
        end = part->packed ? end : part->begin + part->bytes;
    }
    nd_sort(wacz->parts, wacz->count, sizeof *wacz->parts, by_name);
    for (size_t i = 1; i < wacz->count; i++) {
        if (strcmp(wacz->parts[i - 1].name, wacz->parts[i].name) == 0) {
            return damaged(path, "two parts of it have one name");
        }
    }
    return wacz->count > 0 ? ND_OK : damaged(path, "it has no archive/*.warc.gz");
}

nd_status nd_wacz_read(const char *path, int descriptor, uint64_t bytes, nd_wacz *wacz) {
    nd_status st = ND_OK;
    directory dir = {0};
    *wacz = (nd_wacz){0};
    ND_TRY(find_directory(path, descriptor, bytes, &dir));
    ND_TRY(add_parts(wacz, path, descriptor, &dir));
    ND_TRY(check_parts(wacz, path));
out:
    return st;
}

void nd_wacz_free(nd_wacz *wacz) {
    for (size_t i = 0; i < wacz->count; i++) {
        free(wacz->parts[i].name);
    }
    free(wacz->parts);
    *wacz = (nd_wacz){0};
}

/* ---- files */

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
    nd_buffer_append(&file, path, size);
    nd_buffer_append(&file, "", 1);
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
