/* neardup check OUT.h5 : is a result whole, and does it keep every promise of its schema? */
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"

#include "io/result/result_check.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct request {
    const char *path;
    bool json;
    json_object *broken; /* what is broken, as JSON; NULL: as text */
} request;

static request asked;

static const nd_option options[] = {
    {"format", "json|text", ND_OPTION_SWITCH, offsetof(request, json),
     .help = "print text, or one JSON object"},
    {0},
};

static void report_broken(void *context, const char *text) {
    const request *r = context;
    if (r->json) {
        nd_json_add_words(r->broken, NULL, text);
    } else {
        (void)printf("%s: %s\n", r->path, text);
    }
}

static void print_findings(const char *path, const nd_result_findings *findings) {
    if (!findings->sealed) {
        (void)printf("%s: has no checksums to compare: written by an earlier neardup, or rewritten "
                     "by another program\n",
                     path);
    }
    if (findings->broken == 0) {
        (void)printf("%s: %" PRIu64 " pages in %" PRIu64 " sets, every promise holds\n", path,
                     findings->shape.pages, findings->shape.sets);
    }
}

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.path = NULL};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static int check_command(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result_findings findings = {0};
    json_object *root = NULL;
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &asked.path));
    if (asked.json) {
        root = nd_json_new();
        nd_json_add_words(root, "result", asked.path);
        asked.broken = nd_json_add_array(root, "broken");
    }
    ND_TRY(nd_result_check(asked.path, report_broken, &asked, &findings));
    if (asked.json) {
        nd_json_add_flag(root, "whole", findings.broken == 0);
        nd_json_add_flag(root, "sealed", findings.sealed);
        nd_json_add_number(root, "pages", findings.shape.pages);
        nd_json_add_number(root, "sets", findings.shape.sets);
        nd_json_print(stdout, &root);
    } else {
        print_findings(asked.path, &findings);
    }
    ND_TRY(nd_flush_stdout());
out:
    (void)json_object_put(root);
    return st != ND_OK            ? nd_command_failed(&nd_command_check, st)
           : findings.broken == 0 ? ND_EXIT_DONE
                                  : ND_EXIT_FAILED;
}

const nd_command nd_command_check = {
    .name = "check",
    .summary = "verify that a result is whole and keeps every promise in its format",
    .usage = "OUT.h5 [--format json]",
    .about = "Reads a whole result and checks its checksums, then every promise in its format. "
             "Each page is in exactly one set, links lead to the representative, tables agree, and "
             "numbers, similarities and offsets are in range. Prints a line for each broken "
             "promise; exit code 1 if there is one. Needs 17 bytes of memory a page.",
    .examples = "neardup check out.h5\n"
                "neardup check out.h5 && neardup export out.h5 --what drop\n"
                "for f in *.h5; do neardup check \"$f\"; done",
    .open = open_options,
    .run = check_command,
};
