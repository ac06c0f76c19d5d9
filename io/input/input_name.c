#include "io/input/input_name.h"

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nd_status nd_input_copy_text(const char *text, size_t size, char **out) {
    nd_status st = nd_new(out, size + 1, 1);
    if (st == ND_OK) {
        memcpy(*out, text, size);
    }
    return st;
}

/* Last name of a folder's path; that of "." and ".." and "/" has to be looked up. */
nd_status nd_input_folder_name(const char *path, size_t size, char **out) {
    nd_status st = ND_OK;
    char *given = NULL;
    char *real = NULL;
    ND_TRY(nd_input_copy_text(path, size, &given));
    real = realpath(size == 0 ? "." : given, NULL);
    const char *slash = real != NULL ? strrchr(real, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : given;
    ND_TRY(nd_input_copy_text(name, strlen(name), out));
out:
    free(given);
    free(real);
    return st;
}

/* file://NAME/RELATIVE; blanks and control characters would break a URL's line. */
nd_status nd_input_url(const char *name, const char *relative, char **out) {
    nd_status st = ND_OK;
    nd_buffer url = {0};
    ND_TRY(nd_buffer_append_text(&url, "file://"));
    ND_TRY(nd_buffer_append_text(&url, name));
    ND_TRY(nd_buffer_append_text(&url, "/"));
    ND_TRY(nd_buffer_append_text(&url, relative));
    nd_buffer safe = {0};
    for (size_t i = 0; i < url.size && st == ND_OK; i++) {
        char code[4];
        (void)snprintf(code, sizeof code, "%%%02X", url.data[i]);
        st = url.data[i] <= 0x20 ? nd_buffer_append_text(&safe, code)
                                 : nd_buffer_append(&safe, &url.data[i], 1);
    }
    if (st == ND_OK) {
        st = nd_input_copy_text((const char *)safe.data, safe.size, out);
    }
    nd_buffer_free(&safe);
out:
    nd_buffer_free(&url);
    return st;
}

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
