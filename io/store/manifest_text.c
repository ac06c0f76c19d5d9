#include "io/store/json_add.h"
#include "io/store/manifest.h"
#include "io/store/own_file.h"
#include "io/store/spool.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char FORMAT[] = "neardup-work";
static const uint64_t FORMAT_VERSION = 8;

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

static json_object *format_piece(const nd_manifest_piece *piece) {
    char checksum[17];
    json_object *object = json_object_new_object();
    (void)snprintf(checksum, sizeof checksum, "%016" PRIx64, piece->checksum);
    const bool added = object != NULL && add_text(object, "file", piece->file) &&
                       add_text(object, "array", piece->array) &&
                       add_number(object, "first", piece->first) &&
                       add_number(object, "count", piece->count) &&
                       add_number(object, "record_size", piece->record_size) &&
                       add_number(object, "bytes", piece->count * piece->record_size) &&
                       add_text(object, "checksum", checksum);
    if (!added) {
        (void)json_object_put(object);
        object = NULL;
    }
    return object;
}

static bool add_all(json_object *root, const nd_manifest *manifest) {
    json_object *numbers = json_object_new_object();
    json_object *texts = json_object_new_object();
    json_object *pieces = json_object_new_array();
    bool added = add_text(root, "format", FORMAT);
    added = add_number(root, "format_version", FORMAT_VERSION) && added;
    added = add_text(root, "program_version", ND_VERSION) && added;
    added = (manifest->stage == NULL || add_text(root, "stage", manifest->stage)) && added;
    added = add_number(root, "generation", manifest->generation) && added;
    /* all three, even where something fails, so that all are owned */
    added = nd_json_add(root, "numbers", numbers) && added;
    added = nd_json_add(root, "texts", texts) && added;
    added = nd_json_add(root, "pieces", pieces) && added;

    for (size_t i = 0; added && i < manifest->value_count; i++) {
        const nd_manifest_value *value = &manifest->values[i];
        added = value->text != NULL ? add_text(texts, value->name, value->text)
                                    : add_number(numbers, value->name, value->number);
    }
    for (size_t i = 0; added && i < manifest->piece_count; i++) {
        if (!manifest->pieces[i].dropped) {
            json_object *piece = format_piece(&manifest->pieces[i]);
            added = piece != NULL && json_object_array_add(pieces, piece) == 0;
            if (!added) {
                (void)json_object_put(piece);
            }
        }
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
    ND_TRY(nd_buffer_append(text, body, size));
    ND_TRY(nd_buffer_append_text(text, tail));
out:
    (void)json_object_put(root);
    return st;
}

nd_status nd_manifest_write(nd_span text, const char *path) {
    nd_status st = ND_OK;
    uint64_t checksum = 0;
    nd_spool_folder nowhere = {0};
    nd_spool spool;
    nd_spool_open(&spool, &nowhere, text.size);
    ND_TRY(nd_spool_append(&spool, text.data, text.size));
    ND_TRY(nd_spool_keep(&spool, path, &checksum));
out:
    nd_spool_close(&spool);
    return st;
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
    ND_TRY(nd_buffer_reserve(text, (size_t)size + 1));
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

static nd_status parse_piece(nd_manifest *manifest, json_object *object, const char *path) {
    nd_manifest_piece piece = {0};
    const char *array = NULL;
    const char *file = NULL;
    const char *checksum = NULL;
    uint64_t bytes = 0;
    /* a manifest must not lead to files elsewhere: a file's name has no folder, and is one */
    const bool complete =
        get_text(object, "array", &array) && get_text(object, "file", &file) && file[0] != '\0' &&
        file[0] != '.' && strchr(file, '/') == NULL && strlen(file) <= NAME_MAX &&
        get_number(object, "first", &piece.first) && get_number(object, "count", &piece.count) &&
        get_number(object, "record_size", &piece.record_size) &&
        get_number(object, "bytes", &bytes) && get_text(object, "checksum", &checksum) &&
        sscanf(checksum, "%16" SCNx64, &piece.checksum) == 1;
    if (!complete || piece.record_size == 0 || piece.count == 0 ||
        bytes / piece.record_size != piece.count || bytes % piece.record_size != 0 ||
        piece.first > UINT64_MAX / 4 || piece.count > UINT64_MAX / 4) {
        return malformed(path, "names a file without its array, place, size and checksum");
    }
    piece.array = (char *)(uintptr_t)array; /* copied, not changed */
    piece.file = (char *)(uintptr_t)file;
    return nd_manifest_add_piece(manifest, &piece);
}

static nd_status parse_root(nd_manifest *manifest, json_object *root, const char *path) {
    nd_status st = ND_OK;
    const char *stage = NULL;
    json_object *numbers = member(root, "numbers", json_type_object);
    json_object *texts = member(root, "texts", json_type_object);
    json_object *pieces = member(root, "pieces", json_type_array);
    if (!get_number(root, "generation", &manifest->generation) || pieces == NULL) {
        return malformed(path, "has no generation or pieces");
    }
    if (numbers == NULL || texts == NULL) {
        return malformed(path, "has no numbers or texts");
    }
    if (get_text(root, "stage", &stage)) {
        ND_TRY(nd_manifest_set_stage(manifest, stage));
    }
    json_object_object_foreach(numbers, name, number) {
        if (!json_object_is_type(number, json_type_int)) {
            return malformed(path, "has a number that is none");
        }
        ND_TRY(nd_manifest_set_number(manifest, name, json_object_get_uint64(number)));
    }
    json_object_object_foreach(texts, text_name, text) {
        if (!json_object_is_type(text, json_type_string)) {
            return malformed(path, "has a text that is none");
        }
        ND_TRY(nd_manifest_set_text(manifest, text_name, json_object_get_string(text)));
    }
    for (size_t i = 0; i < json_object_array_length(pieces); i++) {
        ND_TRY(parse_piece(manifest, json_object_array_get_idx(pieces, i), path));
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
