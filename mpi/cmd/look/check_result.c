/* neardup check OUT.h5 : is a result whole, and does it keep every promise of its schema? */
#include "mpi/cmd/command.h"
#include "mpi/cmd/option_value.h"

#include "io/result/result_check.h"
#include "src/base/printable.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

static void print_help(void) {
    (void)printf(
        "usage: neardup check OUT.h5\n\n"
        "Reads a whole result and checks that its bytes are those that were written (checksums),\n"
        "and every promise of the format: each page in exactly one set, links that lead to the\n"
        "representative, numbers, similarities and offsets in their ranges, tables that agree.\n"
        "Prints a line for each promise that is broken; exit code 1 if there is one. Takes 17\n"
        "bytes of memory a page.\n");
}

static void print_broken(void *path, const char *text) {
    (void)printf("%s: %s\n", (const char *)path, text);
}

static nd_status check_file(char *path, nd_result_findings *findings) {
    nd_status st = ND_OK;
    ND_TRY(nd_result_check(path, print_broken, path, findings));
    if (!findings->sealed) {
        (void)printf("%s: has no checksums to compare: written by an earlier neardup, or rewritten "
                     "by another program\n",
                     path);
    }
    if (findings->broken == 0) {
        (void)printf("%s: %" PRIu64 " pages in %" PRIu64 " sets, every promise holds\n", path,
                     findings->shape.pages, findings->shape.sets);
    }
    ND_TRY(nd_flush_stdout());
out:
    return st;
}

static int check_command(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    nd_result_findings findings = {0};
    int id = 0;
    opterr = 0;
    while ((id = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (id == 'h') {
            print_help();
            return ND_EXIT_DONE;
        }
        (void)nd_wrong_option(argv[optind - 1], options);
        return nd_usage_error("check", "%s", nd_fail_text());
    }
    if (argc - optind != 1) {
        return nd_usage_error("check", "needs one result file, got %d", argc - optind);
    }
    const nd_status st = check_file(argv[optind], &findings);
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup check: %s", nd_fail_text());
    }
    return st == ND_OK && findings.broken == 0 ? ND_EXIT_DONE : ND_EXIT_FAILED;
}

const nd_command nd_command_check = {
    .name = "check",
    .summary = "is a result whole, and does it keep every promise of its format?",
    .run = check_command,
};
