/* neardup overlap OUT.h5 : what the collections of a result share, and how large they are. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/overlap/overlap_json.h"
#include "mpi/cmd/overlap/overlap_picture.h"
#include "mpi/cmd/overlap/overlap_text.h"
#include "mpi/cmd/partition/partition_options.h"
#include "src/base/util.h"

typedef struct request {
    nd_overlap_wish wish;
    nd_shown_run run;
    const char *svg;
    bool force, json;
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"collections", "A,B,...", ND_OPTION_TEXT, AT(wish.collections),
     .help = "these alone, in this order (all)"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json),
     .help = "print text, or one JSON object with all matrices"},
    {"svg", "FILE", ND_OPTION_TEXT, AT(svg),
     .help = "draw the shared sets: a Venn diagram for two or three collections, a matrix for any "
             "number"},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file with this name, not only such a picture", .rare = true},
    {"memory", "SIZE", ND_OPTION_SIZE, AT(wish.memory),
     .help = "for sorting; what needs more (about 32 bytes a page) lies in OUT.h5.spill meanwhile",
     .rare = true},

    {.help = "Estimates from samples alone, beside the exact numbers"},
    {"sample", "N", ND_OPTION_NUMBER, AT(wish.sample),
     .help = "estimate sizes from N sets drawn in each collection; 0: no estimates",
     .bounded = true, .most = 1e6},
    {"queries", "N", ND_OPTION_NUMBER, AT(wish.queries),
     .help = "look for N pages among these by strong queries too; this reads all inputs again, "
             "twice; 0: none",
     .bounded = true, .most = 1e6},
    {"fixed", "NAME", ND_OPTION_TEXT, AT(wish.fixed),
     .help = "the collection whose size is 1 (the first); least squares depend on it"},
    {"resamples", "N", ND_OPTION_NUMBER, AT(wish.resamples), .help = "for the intervals",
     .rare = true, .bounded = true, .least = 1, .most = 1e6},
    {"seed", "N", ND_OPTION_NUMBER, AT(wish.seed), .help = "another one draws other samples"},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.wish = {.resamples = 1000, .seed = 1, .memory = UINT64_C(1) << 28}};
    nd_partition_defaults(&asked.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.run.options.reader};
}

static int overlap(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result result = {.file = H5I_INVALID_HID};
    nd_overlap_findings findings = {.fixed = 0};
    const char *path = NULL;
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    ND_TRY(asked.svg != NULL ? nd_overlap_picture_check(asked.svg, asked.force) : ND_OK);
    asked.wish.sample = nd_max(asked.wish.sample, asked.wish.queries);
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_shown_run_read(&asked.run, &result));
    ND_TRY(nd_overlap_find(&findings, &asked.run, &asked.wish));
    ND_TRY(asked.svg != NULL ? nd_overlap_picture_save(&findings, asked.svg) : ND_OK);
    if (asked.json) {
        ND_TRY(nd_overlap_json_print(&findings));
    } else {
        nd_overlap_text_print(&findings);
    }
    ND_TRY(nd_flush_stdout());
out:
    nd_overlap_findings_free(&findings);
    nd_shown_run_close(&asked.run);
    (void)nd_result_close(&result);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_overlap, st);
}

const nd_command nd_command_overlap = {
    .name = "overlap",
    .summary = "compare the collections in a result",
    .usage = "OUT.h5 [options]",
    .about = "Compares the collections (NAME=INPUT) in a result. First comes a sentence for each "
             "pair. Exact tables follow: shared URLs, texts and sets, what all collections share, "
             "pages for each set, and how many sets exist at least (capture and recapture). "
             "--sample adds estimates as Bharat and Broder (1998) made them from samples: pages "
             "drawn in one collection are looked for in the others. Sizes follow by least squares "
             "and by logarithms, with 95 % intervals. --queries looks for them by strong queries, "
             "and counts what these miss.",
    .examples = "neardup overlap out.h5\n"
                "neardup overlap out.h5 --collections spring,autumn --svg overlap.svg\n"
                "neardup overlap out.h5 --sample 1000 --queries 200 --format json",
    .notes =
        "Least squares minimise the sum over pairs of (f_xy s_x - f_yx s_y) squared; f_xy is the "
        "share of x's sample that y has. Sizes then become shares in the joint coverage: a drawn "
        "page counts one divided by the number of collections that have it. Logarithms do the same "
        "with ln s_x - ln s_y - ln(f_yx / f_xy), weighted by certainty. They need no fixed "
        "collection and no pair without overlap. With small overlaps and many collections, least "
        "squares draw all sizes but the fixed one to 0. Collections that share nothing form "
        "groups, and sizes hold within a group.\n\nA strong query asks for the 8 rarest words in a "
        "page together; pages with fewer words are counted, not asked for.\n\nURLs are compared "
        "byte by byte. At most 512 collections are compared at once.",
    .open = open_options,
    .run = overlap,
};
