#include "io/store/manifest.h"

#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(nd_manifest_piece) == 40, "a piece takes 40 bytes");

static void free_value(nd_manifest_value *value) {
    free(value->name);
    free(value->text);
}

void nd_manifest_free(nd_manifest *manifest) {
    for (size_t i = 0; i < manifest->value_count; i++) {
        free_value(&manifest->values[i]);
    }
    for (size_t i = 0; i < manifest->array_count; i++) {
        free(manifest->arrays[i].name);
    }
    free(manifest->values);
    free(manifest->arrays);
    free(manifest->pieces);
    free(manifest->stage);
    *manifest = (nd_manifest){0};
}

/* ---- adding */

static char *copy_text(const char *text) {
    const size_t size = strlen(text) + 1;
    return memcpy(nd_alloc(size, 1), text, size);
}

void nd_manifest_set_stage(nd_manifest *manifest, const char *stage) {
    free(manifest->stage);
    manifest->stage = copy_text(stage);
}

/* The place of a name: its present one, or one more. */
static size_t place_of(const nd_manifest *manifest, const char *name) {
    size_t i = 0;
    while (i < manifest->value_count && strcmp(manifest->values[i].name, name) != 0) {
        i++;
    }
    return i;
}

static void set_value(nd_manifest *manifest, const char *name, uint64_t number, const char *text) {
    const nd_manifest_value value = {copy_text(name), text != NULL ? copy_text(text) : NULL,
                                     number};
    const size_t place = place_of(manifest, name);
    (void)nd_grow(&manifest->values, &manifest->value_capacity, place + 1,
                  sizeof *manifest->values);
    if (place < manifest->value_count) {
        free_value(&manifest->values[place]);
    } else {
        manifest->value_count++;
    }
    manifest->values[place] = value;
}

void nd_manifest_set_number(nd_manifest *manifest, const char *name, uint64_t number) {
    set_value(manifest, name, number, NULL);
}

void nd_manifest_set_text(nd_manifest *manifest, const char *name, const char *text) {
    set_value(manifest, name, 0, text);
}

/* The row of an array: its present one, or one more. */
static size_t row_of(const nd_manifest *manifest, const char *array) {
    size_t i = 0;
    while (i < manifest->array_count && strcmp(manifest->arrays[i].name, array) != 0) {
        i++;
    }
    return i;
}

nd_status nd_manifest_add_piece(nd_manifest *manifest, const char *array, uint64_t record_size,
                                const nd_manifest_piece *piece) {
    const size_t row = row_of(manifest, array);
    ND_ASSERT(piece->count > 0 && record_size > 0 && piece->first <= UINT64_MAX - piece->count &&
                  row <= UINT16_MAX,
              piece->first, piece->count, record_size);
    if (row == manifest->array_count) {
        (void)nd_grow(&manifest->arrays, &manifest->array_capacity, row + 1,
                      sizeof *manifest->arrays);
        manifest->arrays[manifest->array_count++] = (nd_kept_array){copy_text(array), record_size};
    } else if (manifest->arrays[row].record_size != record_size) {
        return nd_fail(ND_ERR_INTERNAL, "checkpoint: records of %s differ in size: %llu and %llu",
                       array, (unsigned long long)manifest->arrays[row].record_size,
                       (unsigned long long)record_size);
    }
    (void)nd_grow(&manifest->pieces, &manifest->piece_capacity, manifest->piece_count + 1,
                  sizeof *manifest->pieces);
    manifest->pieces[manifest->piece_count] = *piece;
    manifest->pieces[manifest->piece_count++].array = (uint16_t)row;
    return ND_OK;
}

nd_status nd_manifest_merge(nd_manifest *into, const nd_manifest *from, bool values) {
    nd_status st = ND_OK;
    for (size_t i = 0; values && i < from->value_count; i++) {
        const nd_manifest_value *value = &from->values[i];
        set_value(into, value->name, value->number, value->text);
    }
    for (size_t i = 0; i < from->piece_count && st == ND_OK; i++) {
        const nd_manifest_piece *piece = &from->pieces[i];
        const nd_kept_array *array = nd_manifest_array_of(from, piece);
        if (!piece->dropped) {
            st = nd_manifest_add_piece(into, array->name, array->record_size, piece);
        }
    }
    return st;
}

/* ---- in order */

static int by_name(const void *a, const void *b) {
    return strcmp(((const nd_kept_array *)a)->name, ((const nd_kept_array *)b)->name);
}

static int by_place(const void *a, const void *b) {
    const nd_manifest_piece *x = a;
    const nd_manifest_piece *y = b;
    return x->array != y->array ? (x->array > y->array) - (x->array < y->array)
                                : (x->first > y->first) - (x->first < y->first);
}

/* Rows by name, and the pieces' numbers of them. */
static void arrange_arrays(nd_manifest *manifest) {
    uint16_t *rows = nd_alloc(manifest->array_count, sizeof *rows); /* new ones, by old ones */
    nd_kept_array *before = nd_alloc(manifest->array_count, sizeof *before);
    for (size_t i = 0; i < manifest->array_count; i++) {
        before[i] = manifest->arrays[i];
    }
    nd_sort(manifest->arrays, manifest->array_count, sizeof *manifest->arrays, by_name);
    for (size_t i = 0; i < manifest->array_count; i++) {
        rows[i] = (uint16_t)row_of(manifest, before[i].name);
    }
    for (size_t i = 0; i < manifest->piece_count; i++) {
        manifest->pieces[i].array = rows[manifest->pieces[i].array];
    }
    free(before);
    free(rows);
}

nd_status nd_manifest_arrange(nd_manifest *manifest) {
    const nd_manifest_piece *pieces = manifest->pieces;
    size_t sorted = 1; /* so many are in order; as a rule all that were read */
    char names[2][NAME_MAX + 1];
    arrange_arrays(manifest);
    while (sorted < manifest->piece_count && by_place(&pieces[sorted - 1], &pieces[sorted]) <= 0) {
        sorted++;
    }
    if (sorted < manifest->piece_count) {
        nd_sort(manifest->pieces, manifest->piece_count, sizeof *pieces, by_place);
    }
    for (size_t i = 1; i < manifest->piece_count; i++) {
        if (pieces[i].array == pieces[i - 1].array &&
            pieces[i].first - pieces[i - 1].first < pieces[i - 1].count) {
            nd_manifest_file(manifest, &pieces[i - 1], names[0]);
            nd_manifest_file(manifest, &pieces[i], names[1]);
            return nd_fail(ND_ERR_INTERNAL, "checkpoint: record %llu of %s is in both %s and %s",
                           (unsigned long long)pieces[i].first,
                           nd_manifest_array_of(manifest, &pieces[i])->name, names[0], names[1]);
        }
    }
    return ND_OK;
}

void nd_manifest_take_checked(nd_manifest *manifest, const nd_manifest *before) {
    size_t b = 0;
    for (size_t i = 0; i < manifest->piece_count; i++) {
        nd_manifest_piece *piece = &manifest->pieces[i];
        const char *array = nd_manifest_array_of(manifest, piece)->name;
        for (; b < before->piece_count; b++) {
            const nd_manifest_piece *other = &before->pieces[b];
            const int order = strcmp(nd_manifest_array_of(before, other)->name, array);
            if (order > 0 || (order == 0 && other->first >= piece->first)) {
                break;
            }
        }
        const nd_manifest_piece *same = b < before->piece_count ? &before->pieces[b] : NULL;
        piece->checked = same != NULL && same->checked && same->generation == piece->generation &&
                         same->rank == piece->rank && same->number == piece->number;
    }
}

nd_status nd_manifest_check_whole(const nd_manifest *manifest, const char *path) {
    char names[2][NAME_MAX + 1];
    for (size_t i = 1; i < manifest->piece_count; i++) {
        const nd_manifest_piece *before = &manifest->pieces[i - 1];
        const nd_manifest_piece *piece = &manifest->pieces[i];
        if (before->array == piece->array && piece->first - before->first > before->count) {
            nd_manifest_file(manifest, before, names[0]);
            nd_manifest_file(manifest, piece, names[1]);
            return nd_fail(ND_ERR_FORMAT, "%s: damaged: record %llu of %s is neither in %s nor %s",
                           path, (unsigned long long)(before->first + before->count),
                           nd_manifest_array_of(manifest, piece)->name, names[0], names[1]);
        }
    }
    return ND_OK;
}

/* ---- looking up */

const nd_manifest_value *nd_manifest_find(const nd_manifest *manifest, const char *name) {
    const size_t place = place_of(manifest, name);
    return place < manifest->value_count ? &manifest->values[place] : NULL;
}

nd_manifest_piece *nd_manifest_array(const nd_manifest *manifest, const char *array,
                                     size_t *count) {
    const size_t row = row_of(manifest, array);
    size_t begin = 0;
    size_t end = 0;
    ND_FIND_FIRST(begin, 0, manifest->piece_count, manifest->pieces[begin].array >= row);
    ND_FIND_FIRST(end, begin, manifest->piece_count, manifest->pieces[end].array > row);
    *count = end - begin;
    return *count == 0 ? NULL : manifest->pieces + begin;
}

const nd_kept_array *nd_manifest_array_of(const nd_manifest *manifest,
                                          const nd_manifest_piece *piece) {
    return &manifest->arrays[piece->array];
}

void nd_manifest_file(const nd_manifest *manifest, const nd_manifest_piece *piece,
                      char name[NAME_MAX + 1]) {
    nd_work_folder_part(piece->generation, nd_manifest_array_of(manifest, piece)->name,
                        (int)piece->rank, piece->number, name);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **nd_manifest_files(const nd_manifest *manifest) {
    size_t size = manifest->piece_count * sizeof(char *);
    char name[NAME_MAX + 1];
    for (size_t i = 0; i < manifest->piece_count; i++) {
        nd_manifest_file(manifest, &manifest->pieces[i], name);
        size += strlen(name) + 1;
    }
    const char **files = nd_alloc(size, 1); /* the texts after them */
    char *text = (char *)(files + manifest->piece_count);
    for (size_t i = 0; i < manifest->piece_count; i++) {
        nd_manifest_file(manifest, &manifest->pieces[i], name);
        files[i] = text;
        text = stpcpy(text, name) + 1;
    }
    nd_sort(files, manifest->piece_count, sizeof *files, by_text);
    return files;
}
