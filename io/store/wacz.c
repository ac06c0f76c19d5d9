#include "io/store/wacz.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <unzip.h>

static const char ending[] = ".wacz";
static const char folder[] = "archive/"; /* where WACZ has its WARCs */

/* The directory is read again whenever a part is opened; crawls have some tens of parts. */
enum { MOST_ENTRIES = 1 << 16, MOST_PARTS = 1 << 12, NAME_SIZE = 1 << 10 };

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
    return nd_fail(ND_ERR_INPUT, "%s: a WACZ that cannot be used: %s (zip -FF mends some)", path,
                   why);
}

/* minizip reads by a FILE: of a copy of the descriptor, so that it is the file that was opened. */
static voidpf reopen(voidpf opaque, const void *path, int mode) {
    (void)path;
    (void)mode;
    const int copy = dup(*(const int *)opaque);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "rb");
    if (file == NULL && copy >= 0) {
        (void)close(copy);
    }
    return file;
}

/* The entry under minizip's cursor, if it is a WARC. */
static nd_status add_entry(nd_wacz *wacz, unzFile zip, const char *path, uint64_t bytes) {
    nd_status st = ND_OK;
    unz_file_info64 info;
    char name[NAME_SIZE];
    nd_wacz_part part = {.name = NULL};
    if (unzGetCurrentFileInfo64(zip, &info, name, sizeof name, NULL, 0, NULL, 0) != UNZ_OK) {
        return damaged(path, "its directory is damaged");
    }
    if (strncmp(name, folder, strlen(folder)) != 0 || strstr(name, ".warc") == NULL) {
        return ND_OK;
    }
    if (info.size_filename >= sizeof name || strlen(name) != info.size_filename) {
        return damaged(path, "the name of a part is too long, or is none");
    }
    if (wacz->count == MOST_PARTS) {
        return damaged(path, "more WARCs than 4096");
    }
    part.packed = info.compression_method != 0 || (info.flag & 1) != 0;
    part.bytes = info.compressed_size;
    if (!part.packed) {
        int method = 0;
        int level = 0;
        if (info.compressed_size != info.uncompressed_size ||
            unzOpenCurrentFile2(zip, &method, &level, 1) != UNZ_OK) {
            return damaged(path, "its directory and its parts do not agree");
        }
        part.begin = unzGetCurrentFileZStreamPos64(zip);
        (void)unzCloseCurrentFile(zip);
        if (part.begin > bytes || part.bytes > bytes - part.begin) {
            return damaged(path, "a part ends after the file");
        }
    }
    ND_TRY(nd_grow(&wacz->parts, &wacz->capacity, wacz->count + 1, sizeof *wacz->parts));
    part.name = strdup(name);
    if (part.name == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: the parts of %s", path);
    }
    wacz->parts[wacz->count++] = part;
out:
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
    return wacz->count > 0 ? ND_OK : damaged(path, "there is no archive/*.warc.gz in it");
}

nd_status nd_wacz_read(const char *path, int descriptor, uint64_t bytes, nd_wacz *wacz) {
    nd_status st = ND_OK;
    zlib_filefunc64_def calls;
    unz_global_info64 all = {.number_entry = 0};
    int code = UNZ_OK;
    *wacz = (nd_wacz){0};
    fill_fopen64_filefunc(&calls);
    calls.zopen64_file = reopen;
    calls.opaque = &descriptor;
    unzFile zip = unzOpen2_64(path, &calls);
    if (zip == NULL || unzGetGlobalInfo64(zip, &all) != UNZ_OK) {
        st = damaged(path, "it has no directory of a zip archive");
        goto out;
    }
    if (all.number_entry > MOST_ENTRIES) {
        st = damaged(path, "more than 65536 entries");
        goto out;
    }
    for (uint64_t i = 0; i < all.number_entry; i++) {
        code = i == 0 ? unzGoToFirstFile(zip) : unzGoToNextFile(zip);
        if (code != UNZ_OK) {
            st = damaged(path, "its directory is damaged");
            goto out;
        }
        ND_TRY(add_entry(wacz, zip, path, bytes));
    }
    ND_TRY(check_parts(wacz, path));
out:
    if (zip != NULL) {
        (void)unzClose(zip);
    }
    return st;
}

void nd_wacz_free(nd_wacz *wacz) {
    for (size_t i = 0; i < wacz->count; i++) {
        free(wacz->parts[i].name);
    }
    free(wacz->parts);
    *wacz = (nd_wacz){0};
}
