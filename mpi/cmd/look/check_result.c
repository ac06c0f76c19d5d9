/* neardup check OUT.h5 : is a result whole, and does it keep every promise of its schema? */
#include "mpi/cmd/command.h"
#include "mpi/cmd/command_line.h"

#include "io/result/result_check.h"

#include <inttypes.h>
#include <stdio.h>

static void print_broken(void *path, const char *text) {
    (void)printf("%s: %s\n", *(const char *const *)path, text);
}

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    (void)sets; /* it has none */
}

static int check_command(int argc, char **argv) {
    nd_status st = ND_OK;
    const nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result_findings findings = {0};
    const char *path = NULL;
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    ND_TRY(nd_result_check(path, print_broken, &path, &findings));
    if (!findings.sealed) {
        (void)printf("%s: has no checksums to compare: written by an earlier neardup, or rewritten "
                     "by another program\n",
                     path);
    }
    if (findings.broken == 0) {
        (void)printf("%s: %" PRIu64 " pages in %" PRIu64 " sets, every promise holds\n", path,
                     findings.shape.pages, findings.shape.sets);
    }
    ND_TRY(nd_flush_stdout());
out:
    return st != ND_OK            ? nd_command_failed(&nd_command_check, st)
           : findings.broken == 0 ? ND_EXIT_DONE
                                  : ND_EXIT_FAILED;
}

const nd_command nd_command_check = {
    .name = "check",
    .summary = "is a result whole, and does it keep every promise of its format?",
    .usage = "OUT.h5",
    .about = "Reads a whole result and checks that its bytes are those that were written "
             "(checksums), and every promise of the format: each page in exactly one set, links "
             "that lead to the representative, numbers, similarities and offsets in their ranges, "
             "tables that agree. Prints a line for each promise that is broken; exit code 1 if "
             "there is one. Takes 17 bytes of memory a page.",
    .examples = "neardup check out.h5\n"
                "neardup check out.h5 && neardup export out.h5 --what drop\n"
                "for f in *.h5; do neardup check \"$f\"; done",
    .open = open_options,
    .run = check_command,
};
