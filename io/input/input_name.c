#include "io/input/input_name.h"

#include "src/base/fault.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts */

enum { BLOCK_BYTES = 64 << 10 };

nd_status nd_texts_take(nd_texts *texts, char *block, size_t bytes) {
    nd_grow(&texts->blocks, &texts->capacity, texts->count + 1, sizeof *texts->blocks);
    texts->blocks[texts->count++] = block;
    texts->left = 0;
    texts->bytes += bytes;
    return ND_OK;
}

nd_status nd_texts_keep(nd_texts *texts, const char *text, size_t size, char **out) {
    nd_status st = ND_OK;
    char *block = NULL;
    ND_TRY(nd_fault_if_tight(ND_FAULT_MEMORY));
    if (size >= texts->left) {
        const size_t room = size >= BLOCK_BYTES ? size + 1 : BLOCK_BYTES;
        nd_new_room(&block, room, 1);
        nd_texts_take(texts, block, room);
        texts->end = block;
        texts->left = room;
        block = NULL;
    }
    *out = texts->end;
    memcpy(texts->end, text, size);
    texts->end[size] = '\0';
    texts->end += size + 1;
    texts->left -= size + 1;
out:
    free(block);
    return st;
}

void nd_texts_free(nd_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->blocks[i]);
    }
    free(texts->blocks);
    *texts = (nd_texts){0};
}

/* ---- paths */

/* "./a//b/./c" is "a/b/c": one file has one spelling, as far as the words themselves show. */
void nd_input_tidy_path(char *path) {
    char *to = path;
    for (const char *from = path; *from != '\0';) {
        const bool at_name = from == path || from[-1] == '/';
        if (at_name && from[0] == '.' && from[1] == '/' && (from[2] != '\0' || from != path)) {
            from += 2;
        } else if (at_name && from[0] == '/' && from != path) {
            from++;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

void nd_input_tidy_folder(char *path) {
    nd_input_tidy_path(path);
    size_t size = strlen(path);
    if (size > 1 && path[size - 1] == '.' && path[size - 2] == '/') { /* "a/." */
        path[--size] = '\0';
    }
    if (size > 1 && path[size - 1] == '/') {
        path[--size] = '\0';
    }
    if (strcmp(path, ".") == 0) {
        path[0] = '\0';
    }
}

void nd_input_cut_to_folder(char *path) {
    char *slash = strrchr(path, '/');
    path[slash == NULL ? 0 : slash == path ? 1 : slash - path] = '\0';
}

void nd_input_cut_to_common(char *folder, const char *other) {
    size_t common = 0;
    for (size_t i = 0; folder[0] != '\0' && other[0] != '\0'; i++) {
        const bool ends = folder[i] == '\0' || folder[i] == '/';
        if (ends && (other[i] == '\0' || other[i] == '/')) {
            common = i;
        }
        if (folder[i] != other[i] || folder[i] == '\0') {
            break;
        }
    }
    folder[common == 0 && folder[0] == '/' && other[0] == '/' ? 1 : common] = '\0';
}

const char *nd_input_after_folder(const char *path, const char *folder) {
    path += strlen(folder);
    return path + (folder[0] != '\0' && *path == '/');
}

/* ---- names */

nd_status nd_input_folder_name(nd_texts *texts, const char *path, char **out) {
    char *real = realpath(path[0] == '\0' ? "." : path, NULL);
    const char *slash = real != NULL ? strrchr(real, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : path;
    const nd_status st = nd_texts_keep(texts, name, strlen(name), out);
    free(real);
    return st;
}

void nd_input_append_url(nd_buffer *url, const char *name, const char *relative) {
    const char *const parts[] = {name, "/", relative};
    nd_buffer_append_text(url, "file://");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *at = parts[i]; *at != '\0'; at++) {
            /* %00 to %20, and %25 */
            const bool code = at[0] == '%' && (((at[1] == '0' || at[1] == '1') && at[2] != '\0') ||
                                               (at[1] == '2' && (at[2] == '0' || at[2] == '5')));
            char text[4];
            (void)snprintf(text, sizeof text, "%%%02X", (unsigned char)*at);
            if ((unsigned char)*at <= ' ' || code) {
                nd_buffer_append_text(url, text);
            } else {
                nd_buffer_append(url, at, 1);
            }
        }
    }
    nd_buffer_append(url, "", 1);
}
