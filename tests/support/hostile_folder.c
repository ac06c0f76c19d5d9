#include "tests/support/hostile_folder.h"

#include "io/store/manifest.h"
#include "src/base/util.h"
#include "tests/support/warc_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static uint64_t below(nd_random *random, uint64_t bound) {
    return nd_random_below(random, bound);
}

uint64_t nd_hostile_number(nd_random *random, uint64_t number) {
    const uint64_t numbers[] = {0,
                                1,
                                number + 1,
                                number - 1,
                                number + 1 + below(random, 64),
                                number ^ UINT64_C(1) << below(random, 64),
                                UINT64_MAX - below(random, 3),
                                UINT64_MAX - number,
                                UINT32_MAX + below(random, 3) - 1,
                                UINT64_C(1) << below(random, 64),
                                below(random, 16),
                                nd_random_next(random)};
    return numbers[below(random, sizeof numbers / sizeof numbers[0])];
}

void nd_hostile_write(const char *path, nd_span bytes) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written =
        file >= 0 && write(file, bytes.data, bytes.size) == (ssize_t)bytes.size && close(file) == 0;
    nd_test_must(written ? ND_OK : nd_fail(ND_ERR_IO, "%s: cannot be written", path));
}

void nd_hostile_bytes(nd_buffer *bytes, nd_random *random) {
    static const uint8_t often[] = {0, '\n', '\r', '\t', ' ', ':', '"', '{', '0', 0x7f, 0x80, 0xff};
    if (bytes->size == 0) {
        return;
    }
    if (below(random, 6) == 0) {
        bytes->size = below(random, bytes->size);
        return;
    }
    for (uint64_t i = 1 + below(random, 6); i > 0; i--) {
        const size_t at = below(random, bytes->size);
        const size_t from = below(random, bytes->size);
        const size_t left = bytes->size - (at > from ? at : from);
        switch (below(random, 4)) {
        case 0:
            bytes->data[at] ^= (uint8_t)(1U << below(random, 8));
            break;
        case 1:
            bytes->data[at] = often[below(random, sizeof often)];
            break;
        case 2:
            bytes->data[at] = (uint8_t)nd_random_next(random);
            break;
        default:
            memmove(bytes->data + at, bytes->data + from, nd_min(left, 1 + below(random, 40)));
            break;
        }
    }
}

void nd_hostile_copy_file(const char *from, const char *to) {
    nd_buffer bytes = nd_test_read(from);
    nd_hostile_write(to, nd_buffer_span(&bytes));
    nd_buffer_free(&bytes);
}

void nd_hostile_copy_folder(const char *from, const char *to) {
    char path[2][512];
    DIR *opened = opendir(from);
    nd_test_must(opened != NULL && mkdir(to, 0700) == 0 ? ND_OK : ND_ERR_IO);
    for (const struct dirent *entry = readdir(opened); entry != NULL; entry = readdir(opened)) {
        (void)snprintf(path[0], sizeof path[0], "%s/%.200s", from, entry->d_name);
        (void)snprintf(path[1], sizeof path[1], "%s/%.200s", to, entry->d_name);
        struct stat info;
        if (stat(path[0], &info) == 0 && S_ISREG(info.st_mode)) {
            nd_hostile_copy_file(path[0], path[1]);
        }
    }
    (void)closedir(opened);
}

/* ---- the folder */

typedef struct folder {
    const char *path;
    nd_manifest manifest;
    bool sealed; /* checksums are made to fit */
} folder;

static const char *path_of(const folder *f, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", f->path, name);
    return path;
}

static const char *file_of(const folder *f, const nd_manifest_piece *piece) {
    static char name[NAME_MAX + 1];
    nd_manifest_file(&f->manifest, piece, name);
    return path_of(f, name);
}

static void edit(const nd_manifest_piece *piece, uint64_t record_size, nd_buffer *bytes,
                 nd_random *random) {
    const uint64_t record = below(random, piece->count) * record_size;
    const uint64_t other = below(random, piece->count) * record_size;
    const float narrow[] = {NAN, INFINITY, -1, 2, 1.0001F, 0};
    uint64_t number = 0;
    uint8_t *at = bytes->data + record;
    size_t size = 8;
    if (record_size >= 8) {
        at += 8 * below(random, record_size / 8);
    } else {
        size = record_size;
    }
    size = nd_min(size, (size_t)(bytes->data + bytes->size - at));
    switch (below(random, 8)) {
    case 0:
        memmove(bytes->data + record, bytes->data + other, record_size);
        break;
    case 1:
        memmove(at, bytes->data + other + ((size_t)(at - bytes->data) - record), size);
        break;
    case 2: /* half of a field of 64 bits */
        at += size == 8 && below(random, 2) == 0 ? 4 : 0;
        size = nd_min(size, 4);
        memcpy(&number, at, size);
        number = nd_hostile_number(random, number);
        memcpy(at, &number, size);
        break;
    case 3:
        memcpy(at + (size == 8 && below(random, 2) == 0 ? 4 : 0),
               &narrow[below(random, sizeof narrow / sizeof narrow[0])], nd_min(size, 4));
        break;
    case 4:
        at[below(random, size)] = (uint8_t)nd_random_next(random);
        break;
    default:
        memcpy(&number, at, size);
        number = nd_hostile_number(random, number);
        memcpy(at, &number, size);
        break;
    }
}

static void change_values(folder *f, nd_random *random) {
    nd_buffer bytes = {0};
    nd_manifest_piece *piece = &f->manifest.pieces[below(random, f->manifest.piece_count)];
    const uint64_t size = nd_manifest_array_of(&f->manifest, piece)->record_size;
    bytes = nd_test_read(file_of(f, piece));
    for (uint64_t i = 1 + below(random, 3); i > 0 && bytes.size > 0; i--) {
        edit(piece, size, &bytes, random);
    }
    if (piece->count > 1 && below(random, 12) == 0) { /* fewer of them */
        piece->count -= 1 + below(random, piece->count - 1);
        bytes.size = (size_t)(piece->count * size);
    }
    nd_hostile_write(file_of(f, piece), nd_buffer_span(&bytes));
    if (f->sealed) {
        piece->checksum = XXH3_64bits(bytes.data, bytes.size);
    }
    nd_buffer_free(&bytes);
}

static void change_piece(folder *f, nd_random *random) {
    nd_manifest *m = &f->manifest;
    nd_manifest_piece *piece = &m->pieces[below(random, m->piece_count)];
    const nd_manifest_piece *other = &m->pieces[below(random, m->piece_count)];
    nd_kept_array *array = &m->arrays[piece->array];
    switch (below(random, 7)) {
    case 0:
        piece->first = nd_hostile_number(random, piece->first);
        break;
    case 1:
        piece->count = nd_hostile_number(random, piece->count);
        break;
    case 2: /* the same bytes as other records */
        array->record_size = array->record_size * piece->count;
        piece->count = 1;
        break;
    case 3:
        piece->count = array->record_size * piece->count;
        array->record_size = 1;
        break;
    case 4:
        piece->dropped = true;
        break;
    case 5:
        piece->array = other->array;
        break;
    default: /* one file for two: its name has the array */
        piece->generation = other->generation;
        piece->rank = other->rank;
        piece->number = other->number;
        piece->checksum = other->checksum;
        break;
    }
    piece->count = nd_max(piece->count, 1);
}

static void change_value(folder *f, nd_random *random) {
    nd_manifest *m = &f->manifest;
    nd_manifest_value *value = &m->values[below(random, m->value_count)];
    if (value->text == NULL) {
        value->number = nd_hostile_number(random, value->number);
        return;
    }
    nd_buffer text = {0};
    nd_buffer_append(&text, value->text, strlen(value->text));
    nd_hostile_bytes(&text, random);
    nd_buffer_append(&text, "", 1);
    free(value->text);
    value->text = (char *)text.data;
}

/* What is not said by the manifest. */
static void change_files(folder *f, nd_random *random) {
    const nd_manifest_piece *piece = &f->manifest.pieces[below(random, f->manifest.piece_count)];
    char path[4096];
    nd_buffer bytes = {0};
    (void)snprintf(path, sizeof path, "%s",
                   below(random, 2) == 0 ? file_of(f, piece) : path_of(f, "manifest.json"));
    switch (below(random, 4)) {
    case 0:
        (void)unlink(path);
        break;
    case 1:
        (void)unlink(path);
        nd_test_must(symlink("/etc/passwd", path) == 0 ? ND_OK : ND_ERR_IO);
        break;
    default:
        bytes = nd_test_read(path);
        nd_hostile_bytes(&bytes, random);
        nd_hostile_write(path, nd_buffer_span(&bytes));
        nd_buffer_free(&bytes);
        break;
    }
}

void nd_hostile_folder(const char *path, nd_random *random) {
    folder f = {.path = path, .sealed = below(random, 20) != 0};
    nd_buffer text = nd_test_read(path_of(&f, "manifest.json"));
    nd_test_must(nd_manifest_parse(&f.manifest, nd_buffer_span(&text), path));
    text.size = 0;
    const uint64_t how = below(random, 16);
    if (how == 0) {
        change_value(&f, random);
    } else if (how == 1) {
        change_piece(&f, random);
    } else if (how > 2) {
        for (uint64_t i = 1 + below(random, 2); i > 0; i--) {
            change_values(&f, random);
        }
    }
    nd_test_must(nd_manifest_format(&f.manifest, &text));
    nd_hostile_write(path_of(&f, "manifest.json"), nd_buffer_span(&text));
    if (how == 2) {
        change_files(&f, random);
    }
    nd_manifest_free(&f.manifest);
    nd_buffer_free(&text);
}
