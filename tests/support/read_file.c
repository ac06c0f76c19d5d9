#include "tests/support/read_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

nd_status nd_test_read_file(nd_buffer *buffer, const char *path) {
    nd_status st = ND_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    for (size_t got = 1; got > 0;) {
        nd_buffer_reserve(buffer, CHUNK);
        got = fread(buffer->data + buffer->size, 1, CHUNK, file);
        buffer->size += got;
    }
    if (ferror(file)) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read", path);
    }
    (void)fclose(file);
    return st;
}

static bool is_html(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0) {
        return errno == ENOTDIR ? visit(context, path)
                                : nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    nd_status st = ND_OK;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        bool is_folder = entries[i]->d_type == DT_DIR;
        if (st == ND_OK && (is_folder || is_html(entries[i]->d_name))) {
            (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
            st = is_folder ? nd_test_walk_html(inner, visit, context) : visit(context, inner);
        }
        free(entries[i]);
    }
    free(entries);
    return st;
}
