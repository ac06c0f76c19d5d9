#include "mpi/cmd/command.h"

#include "mpi/cmd/option_value.h"

#include "src/base/printable.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const nd_command *const commands[] = {
    &nd_command_partition, &nd_command_export,   &nd_command_inspect,    &nd_command_explain,
    &nd_command_check,     &nd_command_evaluate, &nd_command_synthesize, &nd_command_plan,
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

int nd_usage_error(const char *command, const char *format, ...) {
    char text[2 * ND_FAIL_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    nd_print_line(stderr, "neardup %s: %s (see neardup %s --help)", command, text, command);
    return ND_EXIT_USAGE;
}

nd_status nd_flush_stdout(void) {
    const bool flushed = fflush(stdout) == 0;
    return flushed && ferror(stdout) == 0
               ? ND_OK
               : nd_fail(ND_ERR_IO, "cannot write to stdout: %s",
                         strerror(flushed ? EIO : errno)); /* the reason was then, not now */
}

static void print_help(FILE *to) {
    (void)fprintf(to,
                  "neardup %s: partition a web crawl into sets of near-duplicate pages\n\n"
                  "usage: neardup COMMAND [options] ...\n\ncommands:\n",
                  ND_VERSION);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        (void)fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fprintf(to, "\nneardup COMMAND --help tells a command's options; neardup --version the "
                      "version.\n");
}

/* Keep memory that is freed: the next stage wants as much again, and pages that come anew from the
 * system cost it more than the work that is done on them. What grows large over a whole run has
 * mappings of its own (io/store/long_buffer.h). */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_MAX, 0);
    (void)mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return ND_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("neardup %s\n", ND_VERSION);
        return ND_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return ND_EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0) {
            return commands[i]->run(argc - 1, argv + 1);
        }
    }
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i]->name;
    }
    const char *near = nd_near_word(argv[1], names, COMMAND_COUNT);
    nd_print_line(stderr, "neardup: no command '%s'%s%s%s (see neardup --help)", argv[1],
                  near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                  near != NULL ? "'?" : "");
    return ND_EXIT_USAGE;
}

int main(int argc, char **argv) {
    keep_freed_memory();
    const int code = run(argc, argv);
    /* what was printed is the result of some commands: it must be out before success is said */
    if (code == ND_EXIT_DONE && nd_flush_stdout() != ND_OK) {
        (void)fprintf(stderr, "neardup: %s\n", nd_fail_text());
        return ND_EXIT_FAILED;
    }
    return code;
}
