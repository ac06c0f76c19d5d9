#include "io/store/manifest.h"

#include "io/store/json_add.h"
#include "io/store/own_file.h"
#include "src/base/sort.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <json-c/json.h>
#include <xxhash.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== as text */

static const char FORMAT[] = "neardup-work";
static const uint64_t FORMAT_VERSION = 12;

/* The end of a manifest's text: the checksum of all bytes before it. */
static const char TAIL[] = ",\n\"checksum\":\"%016" PRIx64 "\"}\n";
enum { TAIL_SIZE = 33 };

/* ---- writing */

static bool add_text(json_object *object, const char *name, const char *text) {
    return nd_json_add(object, name, json_object_new_string(text));
}

static bool add_number(json_object *object, const char *name, uint64_t number) {
    return nd_json_add(object, name, json_object_new_uint64(number));
}

/* The pieces of an array, which are `count` from there on. */
static json_object *format_array(const nd_manifest *manifest, size_t first, size_t count) {
    json_object *object = json_object_new_object();
    nd_buffer pieces = {0};
    char piece[6 * 21];
    const uint64_t size = nd_manifest_array_of(manifest, &manifest->pieces[first])->record_size;
    for (size_t i = first; i < first + count; i++) {
        const nd_manifest_piece *p = &manifest->pieces[i];
        if (!p->dropped) {
            (void)snprintf(piece, sizeof piece, "%s%" PRIu64 " %" PRIu64 " %u %u %u %016" PRIx64,
                           pieces.size > 0 ? "," : "", p->first, p->count, p->generation, p->rank,
                           p->number, p->checksum);
            nd_buffer_append_text(&pieces, piece);
        }
    }
    nd_buffer_append(&pieces, "", 1);
    if (object == NULL || !add_number(object, "record_size", size) ||
        !add_text(object, "pieces", (const char *)pieces.data)) {
        (void)json_object_put(object);
        object = NULL;
    }
    nd_buffer_free(&pieces);
    return object;
}

static bool add_all(json_object *root, const nd_manifest *manifest) {
    json_object *numbers = json_object_new_object();
    json_object *texts = json_object_new_object();
    json_object *arrays = json_object_new_object();
    bool added = add_text(root, "format", FORMAT);
    added = add_number(root, "format_version", FORMAT_VERSION) && added;
    added = add_text(root, "program_version", ND_VERSION) && added;
    added = (manifest->stage == NULL || add_text(root, "stage", manifest->stage)) && added;
    added = add_number(root, "generation", manifest->generation) && added;
    /* all three, even where something fails, so that all are owned */
    added = nd_json_add(root, "numbers", numbers) && added;
    added = nd_json_add(root, "texts", texts) && added;
    added = nd_json_add(root, "arrays", arrays) && added;

    for (size_t i = 0; added && i < manifest->value_count; i++) {
        const nd_manifest_value *value = &manifest->values[i];
        added = value->text != NULL ? add_text(texts, value->name, value->text)
                                    : add_number(numbers, value->name, value->number);
    }
    for (size_t i = 0, next = 0; added && i < manifest->piece_count; i = next) {
        bool any = false;
        for (; next < manifest->piece_count &&
               manifest->pieces[next].array == manifest->pieces[i].array;
             next++) {
            any = any || !manifest->pieces[next].dropped;
        }
        added =
            !any || nd_json_add(arrays, nd_manifest_array_of(manifest, &manifest->pieces[i])->name,
                                format_array(manifest, i, next - i));
    }
    return added;
}

static void format_tail(const void *text, size_t size, char *tail) {
    (void)snprintf(tail, TAIL_SIZE + 1, TAIL, (uint64_t)XXH3_64bits(text, size));
}

nd_status nd_manifest_format(const nd_manifest *manifest, nd_buffer *text) {
    nd_status st = ND_OK;
    char tail[TAIL_SIZE + 1];
    size_t size = 0;
    json_object *root = json_object_new_object();
    const char *body = NULL;
    if (root != NULL && add_all(root, manifest)) {
        body = json_object_to_json_string_length(
            root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    }
    if (body == NULL) {
        st =
            nd_fail(ND_ERR_MEMORY, "out of memory: a manifest of %zu files", manifest->piece_count);
        goto out;
    }
    size -= strlen("\n}"); /* the object goes on with its checksum */
    format_tail(body, size, tail);
    nd_buffer_append(text, body, size);
    nd_buffer_append_text(text, tail);
out:
    (void)json_object_put(root);
    return st;
}

nd_status nd_manifest_write(nd_span text, const char *path) {
    return nd_own_file_save(path, text.data, text.size);
}

/* ---- reading */

nd_status nd_manifest_read(nd_buffer *text, const char *path, bool *found) {
    nd_status st = ND_OK;
    int descriptor = -1;
    uint64_t size = 0;
    st = nd_own_file_open(path, &descriptor, &size);
    *found = st == ND_OK;
    if (st == ND_END) {
        return ND_OK;
    }
    ND_TRY(st);
    nd_buffer_reserve(text, (size_t)size + 1);
    ND_TRY(nd_own_file_read(descriptor, path, 0, text->data + text->size, (size_t)size));
    text->size += (size_t)size;
out:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return st;
}

/* NULL unless the member is there and of this type. */
static json_object *member(json_object *object, const char *name, json_type type) {
    json_object *value = NULL;
    const bool found = json_object_object_get_ex(object, name, &value);
    return found && json_object_is_type(value, type) ? value : NULL;
}

static bool get_number(json_object *object, const char *name, uint64_t *number) {
    json_object *value = member(object, name, json_type_int);
    *number = value == NULL ? 0 : json_object_get_uint64(value);
    return value != NULL;
}

static bool get_text(json_object *object, const char *name, const char **text) {
    json_object *value = member(object, name, json_type_string);
    *text = value == NULL ? NULL : json_object_get_string(value);
    return value != NULL;
}

static nd_status malformed(const char *path, const char *what) {
    return nd_fail(ND_ERR_FORMAT, "%s: %s", path, what);
}

/* A number and the character after it. */
static bool take_number(const char **at, int base, uint64_t most, char end, uint64_t *number) {
    char *after = NULL;
    if (!isxdigit((unsigned char)**at)) { /* no sign, no space */
        return false;
    }
    errno = 0;
    *number = strtoull(*at, &after, base);
    const bool right = errno == 0 && *number <= most && *after == end;
    *at = after + (*after != '\0');
    return right;
}

/* \return is it a piece? The text goes on after it. */
static bool take_piece(const char **at, uint64_t record_size, nd_manifest_piece *piece) {
    enum { NAMES = 3 }; /* generation, rank, number */
    const uint64_t most = UINT64_MAX / 4;
    uint64_t names[NAMES];
    *piece = (nd_manifest_piece){0};
    bool right = take_number(at, 10, most, ' ', &piece->first) &&
                 take_number(at, 10, most / record_size, ' ', &piece->count) && piece->count > 0;
    for (int i = 0; i < NAMES && right; i++) {
        right = take_number(at, 10, i == 1 ? INT_MAX : UINT32_MAX, ' ', &names[i]);
    }
    if (right) {
        const char *comma = strchr(*at, ',');
        piece->generation = (uint32_t)names[0];
        piece->rank = (uint32_t)names[1];
        piece->number = (uint32_t)names[2];
        right = take_number(at, 16, UINT64_MAX, comma != NULL ? ',' : '\0', &piece->checksum) &&
                (comma == NULL || **at != '\0');
    }
    return right;
}

static nd_status parse_array(nd_manifest *manifest, const char *name, json_object *object,
                             const char *path) {
    nd_status st = ND_OK;
    nd_manifest_piece piece;
    uint64_t record_size = 0;
    const char *pieces = NULL;
    /* a manifest must not lead to files elsewhere: an array's name is part of a file's */
    bool right = nd_work_folder_is_array(name) && get_number(object, "record_size", &record_size) &&
                 record_size > 0 && get_text(object, "pieces", &pieces) && *pieces != '\0';
    while (right && *pieces != '\0') {
        right = take_piece(&pieces, record_size, &piece);
        ND_TRY(right ? nd_manifest_add_piece(manifest, name, record_size, &piece) : ND_OK);
    }
    if (!right) {
        st = malformed(path, "damaged: an array has not the places and checksums of its files");
    }
out:
    return st;
}

static nd_status parse_root(nd_manifest *manifest, json_object *root, const char *path) {
    nd_status st = ND_OK;
    const char *stage = NULL;
    json_object *numbers = member(root, "numbers", json_type_object);
    json_object *texts = member(root, "texts", json_type_object);
    json_object *arrays = member(root, "arrays", json_type_object);
    if (!get_number(root, "generation", &manifest->generation) || arrays == NULL ||
        manifest->generation >= UINT32_MAX) {
        return malformed(path, "has no generation or arrays");
    }
    if (numbers == NULL || texts == NULL) {
        return malformed(path, "has no numbers or texts");
    }
    if (get_text(root, "stage", &stage)) {
        nd_manifest_set_stage(manifest, stage);
    }
    json_object_object_foreach(numbers, name, number) {
        if (!json_object_is_type(number, json_type_int)) {
            return malformed(path, "has a number that is none");
        }
        nd_manifest_set_number(manifest, name, json_object_get_uint64(number));
    }
    json_object_object_foreach(texts, text_name, text) {
        if (!json_object_is_type(text, json_type_string)) {
            return malformed(path, "has a text that is none");
        }
        nd_manifest_set_text(manifest, text_name, json_object_get_string(text));
    }
    json_object_object_foreach(arrays, array_name, array) {
        ND_TRY(json_object_is_type(array, json_type_object)
                   ? parse_array(manifest, array_name, array, path)
                   : malformed(path, "has an array that is none"));
    }
    st = nd_manifest_arrange(manifest);
    if (st == ND_ERR_INTERNAL) {
        char why[ND_FAIL_TEXT_SIZE];
        (void)snprintf(why, sizeof why, "damaged: %s", nd_fail_text());
        st = malformed(path, why);
    }
out:
    return st;
}

/* Another version may keep its checksum in another way: the version is looked at first. */
static nd_status check_head(json_object *root, nd_span text, const char *path) {
    const char *format = NULL;
    const char *writer = NULL;
    uint64_t version = 0;
    char tail[TAIL_SIZE + 1];
    if (!get_text(root, "format", &format) || strcmp(format, FORMAT) != 0 ||
        !get_number(root, "format_version", &version)) {
        return malformed(path, "damaged, or not a manifest of neardup");
    }
    if (version != FORMAT_VERSION) {
        return nd_fail(ND_ERR_FORMAT,
                       "%s: of version %" PRIu64 ", written by neardup %s; this neardup %s reads "
                       "version %" PRIu64,
                       path, version, get_text(root, "program_version", &writer) ? writer : "?",
                       ND_VERSION, FORMAT_VERSION);
    }
    if (text.size < TAIL_SIZE) {
        return malformed(path, "damaged: cut off");
    }
    format_tail(text.data, text.size - TAIL_SIZE, tail);
    return memcmp(tail, text.data + text.size - TAIL_SIZE, TAIL_SIZE) == 0
               ? ND_OK
               : malformed(path, "damaged: its checksum does not match");
}

nd_status nd_manifest_parse(nd_manifest *manifest, nd_span text, const char *path) {
    nd_status st = ND_OK;
    json_object *root = NULL;
    json_tokener *tokener = json_tokener_new();
    if (tokener == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a JSON parser");
    }
    if (text.size <= INT_MAX) {
        root = json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.size);
    }
    if (!json_object_is_type(root, json_type_object)) {
        st = malformed(path, "damaged: not a JSON object");
        goto out;
    }
    ND_TRY(check_head(root, text, path));
    ND_TRY(parse_root(manifest, root, path));
out:
    (void)json_object_put(root);
    json_tokener_free(tokener);
    if (st != ND_OK) {
        nd_manifest_free(manifest);
    }
    return st;
}

/* ==== in memory */

_Static_assert(sizeof(nd_manifest_piece) == 48, "a piece takes 48 bytes");

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
    for (size_t i = 0; i < manifest->piece_count; i++) {
        free(manifest->pieces[i].sums);
    }
    free(manifest->values);
    free(manifest->arrays);
    free(manifest->pieces);
    free(manifest->stage);
    *manifest = (nd_manifest){0};
}

/* ---- adding */

void nd_manifest_set_stage(nd_manifest *manifest, const char *stage) {
    free(manifest->stage);
    manifest->stage = nd_text_copy(stage);
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
    const nd_manifest_value value = {nd_text_copy(name), text != NULL ? nd_text_copy(text) : NULL,
                                     number};
    const size_t place = place_of(manifest, name);
    nd_grow(&manifest->values, &manifest->value_capacity, place + 1, sizeof *manifest->values);
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
        nd_grow(&manifest->arrays, &manifest->array_capacity, row + 1, sizeof *manifest->arrays);
        manifest->arrays[manifest->array_count++] =
            (nd_kept_array){nd_text_copy(array), record_size};
    } else if (manifest->arrays[row].record_size != record_size) {
        return nd_fail(ND_ERR_INTERNAL, "checkpoint: records of %s differ in size: %llu and %llu",
                       array, (unsigned long long)manifest->arrays[row].record_size,
                       (unsigned long long)record_size);
    }
    nd_grow(&manifest->pieces, &manifest->piece_capacity, manifest->piece_count + 1,
            sizeof *manifest->pieces);
    nd_manifest_piece *added = &manifest->pieces[manifest->piece_count++];
    *added = *piece;
    added->array = (uint16_t)row;
    added->sums = NULL;
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

void nd_manifest_take_sums(nd_manifest *manifest, nd_manifest *before) {
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
        nd_manifest_piece *same = b < before->piece_count ? &before->pieces[b] : NULL;
        if (same != NULL && same->generation == piece->generation && same->rank == piece->rank &&
            same->number == piece->number) {
            piece->sums = same->sums;
            same->sums = NULL;
        }
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
