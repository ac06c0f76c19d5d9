/* neardup rethreshold OUT.h5 --threshold T -o NEW.h5 : stricter sets of a result. */
#include "mpi/cmd/command.h"

#include "io/result/result_pairs.h"
#include "io/store/output_file.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/cmd/rethreshold/finished_sets.h"
#include "mpi/cmd/rethreshold/result_copy.h"
#include "mpi/cmd/rethreshold/strict_sets.h"
#include "mpi/job/run_parameters.h"
#include "src/base/printable.h"
#include "src/method/certainty.h"
#include "src/method/method_option.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    nd_shown_run run;
    double threshold, guard, certain;
    bool own_threshold, own_guard; /* these were given */
    const char *output;
    bool force;
} request;

static request asked;

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {"threshold", "T", ND_OPTION_REAL, AT(threshold),
     .help = "pages are similar from this score on: the run's, or above it",
     .given = AT(own_threshold)},
    {"slack", "X", ND_OPTION_REAL, AT(guard), .old = "guard",
     .help = "every page is similar to its representative at the threshold less X (the run's)",
     .bounded = true, .most = 1, .rare = true, .given = AT(own_guard)},
    {"min-confidence", "X", ND_OPTION_REAL, AT(certain), .old = "certain",
     .help = "a page leaves its set if it belongs there with a probability below X; 0: none leaves",
     .bounded = true, .most = 1, .rare = true},
    {"output", "FILE", ND_OPTION_TEXT, AT(output), .help = "the result", .letter = 'o'},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file with this name, not only a result", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.threshold = 0};
    nd_partition_defaults(&asked.run.options);
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table,
                                 .options = &asked.run.options.reader};
}

/* Is it known what the run's sets are by this threshold? */
static nd_status check(const request *r, const nd_result *result) {
    const nd_job_options *o = &r->run.options;
    const double least = o->method_options.threshold;
    char *additions = NULL;
    if (!nd_result_keeps_pairs(result)) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: has no pairs: neardup partition --pairs keep keeps them, and then "
                       "stricter sets can be made",
                       result->path);
    }
    if (result->shape.has_contained) {
        return nd_fail(
            ND_ERR_USAGE,
            "%s: its contained pages are of pages of two sets, and sets would be others: "
            "run neardup partition --contained at the other threshold",
            result->path);
    }
    const nd_status st = nd_result_find_text(result, "additions", &additions);
    if (st != ND_OK) {
        return st;
    }
    if (additions != NULL) {
        free(additions);
        return nd_fail(ND_ERR_USAGE,
                       "%s: of a run --index an index, whose sets do not follow from the pairs "
                       "alone: run all inputs with --pairs keep, then rethreshold",
                       result->path);
    }
    if (!nd_method_uses(o->method, nd_option_find(nd_method_option_table, "threshold"))) {
        return nd_fail(ND_ERR_USAGE, "%s: the method %s has no threshold", result->path,
                       o->method->name);
    }
    if (!(r->threshold >= least && r->threshold <= 1)) {
        return nd_fail(
            ND_ERR_USAGE,
            "--threshold %g: below the run's, %g, nothing is known of pairs: run neardup "
            "partition --threshold %g",
            r->threshold, least, r->threshold);
    }
    if (o->certain > 0) {
        return nd_fail(
            ND_ERR_USAGE,
            "%s: made with --min-confidence %g, and where the pages belong that left their "
            "sets it does not say: run neardup partition --min-confidence 0, then rethreshold "
            "--min-confidence %g",
            result->path, o->certain, o->certain);
    }
    if (r->certain > 0 && !nd_certainty_is_known(o->method, &o->method_options)) {
        return nd_fail(ND_ERR_USAGE,
                       "--min-confidence %g: %s: of this method and score it is not known",
                       r->certain, result->path);
    }
    return o->content.sample > 0 && !r->run.knows_sites
               ? nd_fail(ND_ERR_USAGE,
                         "%s: does not say what was learned of sites: made by an earlier neardup",
                         result->path)
               : ND_OK;
}

static bool is_result(const char *path) {
    nd_result result = {.file = H5I_INVALID_HID};
    const bool is = nd_result_open_file(&result, path) == ND_OK;
    (void)nd_result_close(&result);
    return is;
}

static nd_status make(request *r, const nd_result *result, const char *command_line) {
    nd_status st = ND_OK;
    char parameters[ND_PARAMETERS_SIZE];
    nd_kept_run kept = {.pages = 0};
    nd_strict_sets sets = {.components = 0};
    nd_finished_sets finished;
    bool finishing = false;
    nd_link *pairs = NULL;
    uint64_t set_count = 0;
    ND_TRY(nd_shown_run_read(&r->run, result));
    ND_TRY(check(r, result));
    nd_job_options stricter = r->run.options;
    stricter.method_options.threshold = r->threshold;
    stricter.certain = r->certain;
    stricter.guard = r->own_guard ? r->guard : stricter.guard;
    ND_TRY(nd_method_derive(stricter.method, &stricter.method_options));
    ND_TRY(nd_method_check_options(&stricter.method_options));
    ND_TRY(nd_kept_run_read(&kept, result, stricter.content.by_domain));
    ND_TRY(nd_strict_sets_make(&r->run, &stricter, &kept, &sets));
    finishing = true;
    ND_TRY(nd_finished_sets_make(&finished, &stricter, &kept, &sets.memberships));
    nd_result_change change = {.job = &finished.job,
                               .certainty = finished.certainty,
                               .parameters = parameters,
                               .command_line = command_line};
    ND_TRY(nd_new_room(&pairs, kept.pair_count, sizeof *pairs));
    for (uint64_t i = 0; i < kept.pair_count; i++) {
        if (sets.similar[i]) {
            pairs[change.pair_count++] = kept.pairs[i];
        }
    }
    change.pairs = pairs;
    nd_print_parameters(&stricter, parameters, sizeof parameters);
    ND_TRY(nd_result_copy(result, &change, r->output, &set_count));
    nd_print_line(stderr,
                  "neardup rethreshold: %s: %" PRIu64 " sets (%" PRIu64
                  " by the run's threshold); %" PRIu64 " of %" PRIu64
                  " components were made again, for which %" PRIu64
                  " pages were read again and %" PRIu64 " pairs compared",
                  r->output, set_count, result->shape.sets, sets.changed, sets.components,
                  sets.read, sets.compared);
out:
    free(pairs);
    if (finishing) {
        nd_finished_sets_close(&finished);
    }
    nd_kept_run_free(&kept);
    nd_strict_sets_free(&sets);
    return st;
}

/* What was called, for the result. */
static nd_status join_words(int argc, char **argv, nd_buffer *line) {
    nd_status st = ND_OK;
    ND_TRY(nd_buffer_append_text(line, "neardup"));
    for (int i = 0; i < argc; i++) {
        ND_TRY(nd_buffer_append_text(line, " "));
        ND_TRY(nd_buffer_append_text(line, argv[i]));
    }
    ND_TRY(nd_buffer_append(line, "", 1));
out:
    return st;
}

static nd_status rethreshold_result(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_result result = {.file = H5I_INVALID_HID};
    nd_buffer line = {0};
    nd_output_lock lock = {0};
    const char *path = NULL;
    open_options(sets);
    ND_TRY(join_words(argc, argv, &line));
    ND_TRY(nd_command_line_result(sets, argc, argv, &path));
    if (asked.output == NULL || !asked.own_threshold) {
        st = nd_fail(ND_ERR_USAGE, "needs --threshold T and -o FILE");
        goto out;
    }
    if (strcmp(asked.output, path) == 0) {
        st = nd_fail(ND_ERR_USAGE, "-o %s: is the result that is read: give it another name", path);
        goto out;
    }
    const nd_output output = {.option = "-o",
                              .path = asked.output,
                              .force = asked.force,
                              .replaces = is_result,
                              .what = "a result of neardup partition"};
    ND_TRY(nd_output_check(&output));
    ND_TRY(nd_result_open(&result, path));
    ND_TRY(nd_output_take(output.option, output.path, &lock));
    ND_TRY(make(&asked, &result, (const char *)line.data));
out:
    nd_output_release(&lock);
    nd_buffer_free(&line);
    nd_shown_run_close(&asked.run);
    (void)nd_result_close(&result);
    return st;
}

/* Under MPI for the stages' code alone: there is one rank. */
static int rethreshold(int argc, char **argv) {
    nd_comm comm;
    nd_comm_start(&argc, &argv);
    nd_comm_open(&comm, MPI_COMM_WORLD);
    const nd_status st = comm.size == 1 ? rethreshold_result(argc, argv)
                                        : nd_fail(ND_ERR_USAGE, "works on one process: start it "
                                                                "without mpirun or srun");
    const int code = nd_command_end(&nd_command_rethreshold, &comm, st);
    nd_comm_close(&comm);
    ND_MPI(MPI_Finalize());
    return code;
}

const nd_command nd_command_rethreshold = {
    .name = "rethreshold",
    .summary = "make stricter sets from a result that keeps its pairs, without another run",
    .usage = "OUT.h5 --threshold T -o NEW.h5",
    .about = "Makes the sets that neardup partition --threshold T would make from the same inputs, "
             "out of a result of partition --pairs keep. The kept pairs decide what stays "
             "together. Pages are read again from the inputs where a component changes or holds "
             "record pages (--record-pages split): a representative may meet new pages. "
             "Certainties are for the stricter sets. Below the run's threshold nothing is known.",
    .examples = "neardup rethreshold out.h5 --threshold .7 -o strict.h5\n"
                "neardup rethreshold out.h5 --threshold .7 --slack .05 -o tight.h5\n"
                "neardup rethreshold out.h5 --threshold .9 -o copies.h5 --force",
    .notes = "The result stores similarities as 32-bit floats. Pairs that differ by less are "
             "ordered by page, so another page may become the representative. A file named .txt "
             "counts as text, any other as HTML; that matters for thresholds within one site.",
    .open = open_options,
    .run = rethreshold,
};
