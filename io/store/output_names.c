#include "io/store/output_names.h"

#include "io/store/own_file.h"
#include "src/base/sort.h"
#include "src/base/util.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part of a path; what would lead elsewhere is written as it would be in a URL. */
static nd_status append_part(nd_buffer *out, nd_span part) {
    nd_status st = ND_OK;
    const bool up = part.size <= 2 && strncmp((const char *)part.data, "..", part.size) == 0;
    for (size_t i = 0; i < part.size; i++) {
        const uint8_t byte = part.data[i];
        ND_TRY(up            ? nd_buffer_append_text(out, "%2E")
               : byte == '/' ? nd_buffer_append_text(out, "%2F")
                             : nd_buffer_append(out, &byte, 1));
    }
out:
    return st;
}

/* The parts of a path with one slash before each; "." is none. */
static nd_status clean(nd_span path, nd_buffer *out) {
    nd_status st = ND_OK;
    out->size = 0;
    for (size_t begin = 0; begin < path.size;) {
        const uint8_t *slash = memchr(path.data + begin, '/', path.size - begin);
        const size_t end = slash != NULL ? (size_t)(slash - path.data) : path.size;
        const nd_span part = nd_span_part(path, begin, end);
        if (part.size > 1 || (part.size == 1 && part.data[0] != '.')) {
            ND_TRY(nd_buffer_append_text(out, "/"));
            ND_TRY(append_part(out, part));
        }
        begin = end + 1;
    }
out:
    return st;
}

/* Shorten a folder to what it has in common with that of a path; both begin with a slash, or are
 * empty. */
static size_t common_folder(const char *folder, size_t size, nd_span path) {
    size_t same = 0;
    size_t end = 0; /* of the last part that both have whole */
    while (same < size && same < path.size && (uint8_t)folder[same] == path.data[same]) {
        same++;
        end = same < path.size && path.data[same] == '/' && (same == size || folder[same] == '/')
                  ? same
                  : end;
    }
    return end;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_name(const char *text, size_t size, char **sorted, size_t count) {
    char copy[PATH_MAX];
    const char *const key = copy;
    (void)snprintf(copy, sizeof copy, "%.*s", (int)nd_min(size, PATH_MAX - 1), text);
    return bsearch(&key, sorted, count, sizeof *sorted, by_text) != NULL;
}

/* Is a file written under the name of this folder, or will it be until it is complete? */
static bool is_taken(const char *folder, size_t size, char **sorted, size_t count) {
    const size_t suffix = strlen(ND_PARTIAL_SUFFIX);
    return is_name(folder, size, sorted, count) ||
           (size > suffix && memcmp(folder + size - suffix, ND_PARTIAL_SUFFIX, suffix) == 0 &&
            is_name(folder, size - suffix, sorted, count));
}

/* A folder and a file of one name, as parts of a WACZ or of crawls that were added may have: the
 * slash after such a folder is written as it would be in a URL. */
static nd_status part_folders(char **to, size_t count) {
    nd_status st = ND_OK;
    char **sorted = NULL;
    char **changed = NULL; /* NULL: stays */
    nd_buffer name = {0};
    ND_TRY(nd_new(&sorted, count, sizeof *sorted));
    ND_TRY(nd_new(&changed, count, sizeof *changed));
    memcpy(sorted, to, count * sizeof *sorted);
    nd_sort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        bool taken = false;
        name.size = 0;
        for (const char *at = to[i]; *at != '\0'; at++) {
            const bool here = *at == '/' && is_taken(to[i], (size_t)(at - to[i]), sorted, count);
            ND_TRY(here ? nd_buffer_append_text(&name, "%2F") : nd_buffer_append(&name, at, 1));
            taken = taken || here;
        }
        ND_TRY(nd_buffer_append(&name, "", 1));
        ND_TRY(taken ? nd_own_file_join((const char *)name.data, "", &changed[i]) : ND_OK);
    }
    for (size_t i = 0; i < count; i++) {
        if (changed[i] != NULL) {
            free(to[i]);
            to[i] = changed[i];
            changed[i] = NULL;
        }
    }
out:
    nd_output_names_free(&changed, count);
    free(sorted);
    nd_buffer_free(&name);
    return st;
}

/* No two may be one, nor one what another is called until it is complete. */
static nd_status check_different(char *const *to, size_t count) {
    nd_status st = ND_OK;
    char **sorted = NULL;
    char *partial = NULL;
    ND_TRY(nd_new(&sorted, count, sizeof *sorted));
    memcpy(sorted, to, count * sizeof *sorted);
    nd_sort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        ND_TRY(nd_own_file_join(sorted[i], ND_PARTIAL_SUFFIX, &partial));
        const bool clashes = bsearch(&partial, sorted, count, sizeof *sorted, by_text) != NULL ||
                             (i > 0 && strcmp(sorted[i - 1], sorted[i]) == 0);
        free(partial);
        partial = NULL;
        if (clashes) {
            st = nd_fail(ND_ERR_USAGE,
                         "two inputs would be written as %s: partition them under names of their "
                         "own (NAME=INPUT)",
                         sorted[i]);
            goto out;
        }
    }
out:
    free(sorted);
    return st;
}

nd_status nd_output_names(const nd_span *paths, const uint64_t *collections, size_t count,
                          const nd_span *names, size_t name_count, char ***to) {
    nd_status st = ND_OK;
    char **folders = NULL; /* of collections; NULL: none of its paths was met */
    size_t *sizes = NULL;
    nd_buffer path = {0};
    nd_buffer name = {0};
    ND_TRY(nd_new(to, count, sizeof **to));
    ND_TRY(nd_new(&folders, name_count, sizeof *folders));
    ND_TRY(nd_new(&sizes, name_count, sizeof *sizes));
    for (size_t i = 0; i < count; i++) {
        const uint64_t c = collections[i];
        ND_TRY(clean(paths[i], &path));
        ND_TRY(nd_buffer_append(&path, "", 1));
        const nd_span text = nd_span_part(nd_buffer_span(&path), 0, path.size - 1);
        if (folders[c] == NULL) {
            ND_TRY(nd_own_file_join((const char *)path.data, "", &folders[c]));
            sizes[c] = text.size;
        }
        sizes[c] = common_folder(folders[c], sizes[c], text);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t c = collections[i];
        ND_TRY(clean(paths[i], &path));
        name.size = 0;
        ND_TRY(append_part(&name, names[c]));
        ND_TRY(names[c].size > 0 ? nd_buffer_append_text(&name, "/") : ND_OK);
        const size_t begin = nd_min(sizes[c] + 1, path.size);
        ND_TRY(nd_buffer_append(&name, path.data + begin, path.size - begin));
        ND_TRY(nd_buffer_append(&name, "", 1));
        ND_TRY(nd_own_file_join((const char *)name.data, "", &(*to)[i]));
    }
    ND_TRY(part_folders(*to, count));
    ND_TRY(check_different(*to, count));
out:
    for (size_t c = 0; folders != NULL && c < name_count; c++) {
        free(folders[c]);
    }
    free(folders);
    free(sizes);
    nd_buffer_free(&path);
    nd_buffer_free(&name);
    return st;
}

void nd_output_names_free(char ***to, size_t count) {
    for (size_t i = 0; *to != NULL && i < count; i++) {
        free((*to)[i]);
    }
    free(*to);
    *to = NULL;
}
