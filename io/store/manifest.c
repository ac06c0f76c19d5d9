#include "io/store/manifest.h"

#include "src/base/contract.h"
#include "src/base/order.h"
#include "src/base/sort.h"

#include <stdlib.h>
#include <string.h>

static void free_piece(nd_manifest_piece *piece) {
    free(piece->array);
    free(piece->file);
}

static void free_value(nd_manifest_value *value) {
    free(value->name);
    free(value->text);
}

void nd_manifest_free(nd_manifest *manifest) {
    for (size_t i = 0; i < manifest->value_count; i++) {
        free_value(&manifest->values[i]);
    }
    for (size_t i = 0; i < manifest->piece_count; i++) {
        free_piece(&manifest->pieces[i]);
    }
    free(manifest->values);
    free(manifest->pieces);
    free(manifest->stage);
    *manifest = (nd_manifest){0};
}

/* ---- adding */

static nd_status copy_text(const char *text, char **copy) {
    const nd_status st = nd_new(copy, strlen(text) + 1, 1);
    if (st == ND_OK) {
        memcpy(*copy, text, strlen(text));
    }
    return st;
}

nd_status nd_manifest_set_stage(nd_manifest *manifest, const char *stage) {
    char *copy = NULL;
    const nd_status st = copy_text(stage, &copy);
    if (st == ND_OK) {
        free(manifest->stage);
        manifest->stage = copy;
    }
    return st;
}

/* The place of a name: its present one, or one more. */
static size_t place_of(const nd_manifest *manifest, const char *name) {
    size_t i = 0;
    while (i < manifest->value_count && strcmp(manifest->values[i].name, name) != 0) {
        i++;
    }
    return i;
}

static nd_status set_value(nd_manifest *manifest, const char *name, uint64_t number,
                           const char *text) {
    nd_status st = ND_OK;
    nd_manifest_value value = {.number = number};
    const size_t place = place_of(manifest, name);
    ND_TRY(copy_text(name, &value.name));
    if (text != NULL) {
        ND_TRY(copy_text(text, &value.text));
    }
    ND_TRY(
        nd_grow(&manifest->values, &manifest->value_capacity, place + 1, sizeof *manifest->values));
    if (place < manifest->value_count) {
        free_value(&manifest->values[place]);
    } else {
        manifest->value_count++;
    }
    manifest->values[place] = value;
out:
    if (st != ND_OK) {
        free_value(&value);
    }
    return st;
}

nd_status nd_manifest_set_number(nd_manifest *manifest, const char *name, uint64_t number) {
    return set_value(manifest, name, number, NULL);
}

nd_status nd_manifest_set_text(nd_manifest *manifest, const char *name, const char *text) {
    return set_value(manifest, name, 0, text);
}

nd_status nd_manifest_add_piece(nd_manifest *manifest, const nd_manifest_piece *piece) {
    nd_status st = ND_OK;
    nd_manifest_piece copy = *piece;
    ND_ASSERT(piece->count > 0 && piece->record_size > 0 &&
                  piece->first <= UINT64_MAX - piece->count,
              piece->first, piece->count, piece->record_size);
    copy.array = NULL;
    copy.file = NULL;
    ND_TRY(copy_text(piece->array, &copy.array));
    ND_TRY(copy_text(piece->file, &copy.file));
    ND_TRY(nd_grow(&manifest->pieces, &manifest->piece_capacity, manifest->piece_count + 1,
                   sizeof *manifest->pieces));
    manifest->pieces[manifest->piece_count++] = copy;
out:
    if (st != ND_OK) {
        free_piece(&copy);
    }
    return st;
}

nd_status nd_manifest_merge(nd_manifest *into, const nd_manifest *from, bool values) {
    nd_status st = ND_OK;
    for (size_t i = 0; values && i < from->value_count; i++) {
        const nd_manifest_value *value = &from->values[i];
        ND_TRY(set_value(into, value->name, value->number, value->text));
    }
    for (size_t i = 0; i < from->piece_count; i++) {
        if (!from->pieces[i].dropped) {
            ND_TRY(nd_manifest_add_piece(into, &from->pieces[i]));
        }
    }
out:
    return st;
}

static int by_place(const void *a, const void *b) {
    const nd_manifest_piece *x = a;
    const nd_manifest_piece *y = b;
    const int arrays = strcmp(x->array, y->array);
    return arrays != 0 ? arrays : (x->first > y->first) - (x->first < y->first);
}

nd_status nd_manifest_arrange(nd_manifest *manifest) {
    nd_sort(manifest->pieces, manifest->piece_count, sizeof *manifest->pieces, by_place);
    for (size_t i = 1; i < manifest->piece_count; i++) {
        const nd_manifest_piece *before = &manifest->pieces[i - 1];
        const nd_manifest_piece *piece = &manifest->pieces[i];
        if (strcmp(before->array, piece->array) != 0) {
            continue;
        }
        if (piece->first - before->first < before->count) {
            return nd_fail(ND_ERR_INTERNAL, "checkpoint: record %llu of %s is in both %s and %s",
                           (unsigned long long)piece->first, piece->array, before->file,
                           piece->file);
        }
        if (before->record_size != piece->record_size) {
            return nd_fail(ND_ERR_INTERNAL, "checkpoint: records of %s differ in size: %s and %s",
                           piece->array, before->file, piece->file);
        }
    }
    return ND_OK;
}

nd_status nd_manifest_check_whole(const nd_manifest *manifest, const char *path) {
    for (size_t i = 1; i < manifest->piece_count; i++) {
        const nd_manifest_piece *before = &manifest->pieces[i - 1];
        const nd_manifest_piece *piece = &manifest->pieces[i];
        if (strcmp(before->array, piece->array) == 0 &&
            piece->first - before->first > before->count) {
            return nd_fail(ND_ERR_FORMAT, "%s: damaged: record %llu of %s is neither in %s nor %s",
                           path, (unsigned long long)(before->first + before->count), piece->array,
                           before->file, piece->file);
        }
    }
    return ND_OK;
}

/* ---- looking up */

const nd_manifest_value *nd_manifest_find(const nd_manifest *manifest, const char *name) {
    const size_t place = place_of(manifest, name);
    return place < manifest->value_count ? &manifest->values[place] : NULL;
}

const nd_manifest_piece *nd_manifest_array(const nd_manifest *manifest, const char *array,
                                           size_t *count) {
    size_t begin = 0;
    size_t end = 0;
    ND_FIND_FIRST(begin, 0, manifest->piece_count,
                  strcmp(manifest->pieces[begin].array, array) >= 0);
    ND_FIND_FIRST(end, begin, manifest->piece_count,
                  strcmp(manifest->pieces[end].array, array) > 0);
    *count = end - begin;
    return *count == 0 ? NULL : manifest->pieces + begin;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

nd_status nd_manifest_files(const nd_manifest *manifest, const char ***files) {
    *files = NULL;
    const nd_status st = nd_new(files, manifest->piece_count, sizeof **files);
    for (size_t i = 0; st == ND_OK && i < manifest->piece_count; i++) {
        (*files)[i] = manifest->pieces[i].file;
    }
    if (st == ND_OK) {
        nd_sort(*files, manifest->piece_count, sizeof **files, by_text);
    }
    return st;
}
