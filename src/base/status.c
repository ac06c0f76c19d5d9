#include "src/base/status.h"

#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures */

static _Thread_local char fail_text[ND_FAIL_TEXT_SIZE];

nd_status nd_fail(nd_status status, const char *format, ...) {
    va_list arguments;
    char text[ND_FAIL_TEXT_SIZE]; /* the arguments may hold the text that is replaced */
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = length < 0 ? 0 : (size_t)length;
    nd_printable_message(text, nd_min(size, sizeof text - 1), fail_text, sizeof fail_text);
    return status;
}

const char *nd_fail_text(void) {
    return fail_text;
}

/* ---- contracts */

static void (*end_job)(const char *line);

void nd_contract_on_break(void (*leave)(const char *line)) {
    end_job = leave;
}

void nd_contract_leave(const char *line) {
    if (end_job != NULL) {
        end_job(line);
    }
}

/* A file as the tree names it, whatever path the compiler was given. */
static const char *in_tree(const char *file) {
    static const char *const floors[] = {"/src/", "/io/", "/mpi/"};
    for (size_t i = 0; i < sizeof floors / sizeof floors[0]; i++) {
        for (const char *at = strstr(file, floors[i]); at != NULL; at = strstr(file, floors[i])) {
            file = at + 1;
        }
    }
    return file;
}

void nd_contract_broken(const char *file, int line, const char *condition, const char *names,
                        const uint64_t *values, size_t count) {
    char text[1024];
    size_t used = 0;
    (void)snprintf(text, sizeof text,
                   "%s:%d: a mistake of the program, please report it: not %s (%s =", in_tree(file),
                   line, condition, names);
    for (size_t i = 0; i < count; i++) {
        used = nd_min(strlen(text), sizeof text - 1);
        (void)snprintf(text + used, sizeof text - used, "%s %" PRIu64, i == 0 ? "" : ",",
                       values[i]);
    }
    used = nd_min(strlen(text), sizeof text - 2);
    (void)snprintf(text + used, sizeof text - used, ")");
    nd_contract_leave(text);
    nd_print_line(stderr, "neardup: %s", text);
    abort();
}
