#include "mpi/cmd/partition/partition.h"

#include "io/input/input_survey.h"
#include "io/result/result_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/help.h"
#include "mpi/cmd/plan_print.h"
#include "mpi/comm/comm.h"
#include "mpi/job/job.h"
#include "mpi/run/run.h"
#include "src/base/fault.h"
#include "src/base/printable.h"
#include "src/method/certainty.h"
#include "src/method/method.h"
#include "src/sets/candidates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SMALLEST_MEMORY = 16 << 20 };
static const double DEFAULT_CHECKPOINT_SECONDS = 60;
/* No step between two signs of life takes so long, unless something hangs. */
static const uint64_t DEFAULT_WATCHDOG_SECONDS = 600;

/* ---- presets: what a run looks for; how it runs is no part of them */

static const char *const presets[] = {"default", "safe", "pku"};
enum { PKU = 2, PRESETS = 3 };

static void take_preset(nd_job_options *job, size_t preset) {
    job->content.templates = ND_TEMPLATE_DEFAULTS;
    job->method = nd_method_find("lcs");
    job->method_options = preset == PKU ? nd_method_paper_options() : nd_method_default_options();
    for (const nd_option *row = nd_job_option_table; row->help != NULL; row++) {
        if (row->preset[0] != 0 || row->preset[1] != 0 || row->preset[PKU] != 0) {
            nd_option_set_number(row, row->preset[preset], job);
        }
    }
}

void nd_partition_defaults(nd_job_options *job) {
    take_preset(job, 0);
}

nd_status nd_partition_take_preset(nd_job_options *job, const char *text) {
    for (size_t i = 0; i < PRESETS; i++) {
        if (strcmp(text, presets[i]) == 0) {
            take_preset(job, i);
            return ND_OK;
        }
    }
    return nd_fail(ND_ERR_USAGE, "--preset %s: must be default, safe or pku", text);
}

nd_status nd_partition_take_method(nd_job_options *job, const char *name) {
    const nd_method *method = name != NULL ? nd_method_find(name) : job->method;
    if (method == NULL) {
        return nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", name);
    }
    if (method != job->method) { /* it brings what it was published with */
        job->method = method;
        job->slack = job->slack > 0 ? method->slack : 0;
        job->group_pairs = method->all_pairs ? ND_GROUP_RUN : ND_GROUP_ALL_PAIRS;
        nd_method_set_defaults(method, &job->method_options);
    }
    return ND_OK;
}

/* ---- what is more than a value */

static nd_status set_preset(void *options, const char *text) {
    return nd_partition_take_preset(&((nd_partition_arguments *)options)->job, text);
}

static nd_status set_sets(void *options, const char *text) {
    nd_job_options *job = &((nd_partition_arguments *)options)->job;
    const bool guarded = strcmp(text, "guarded") == 0;
    if (guarded || strcmp(text, "components") == 0) {
        job->transitivity = ND_TRANSITIVITY_VERIFIED;
        job->split_records = guarded;
        job->slack = !guarded ? 0 : job->slack > 0 ? job->slack : job->method->slack;
    } else if (strcmp(text, "star") == 0) {
        job->transitivity = ND_TRANSITIVITY_BOUNDED;
    } else {
        return nd_fail(ND_ERR_USAGE, "--sets %s: must be components, guarded or star", text);
    }
    return ND_OK;
}

static nd_status set_fault(void *options, const char *text) {
    (void)options;
    return nd_fault_arm(text);
}

const char *nd_partition_method_word(size_t i) {
    return nd_method_row(i) != NULL ? nd_method_row(i)->name : NULL;
}

#define AT(field) offsetof(nd_partition_arguments, field)

/* The preset comes first, then the method, then all else, so that options change both wherever they
 * stand. */
static const nd_option own_options[] = {
    {"output", "FILE", ND_OPTION_TEXT, AT(job.output),
     .help = "the result, HDF5; appears when it is complete. An older result under this name is "
             "replaced",
     .letter = 'o', .brief = "the result, HDF5; appears when it is complete"},
    {"force", NULL, ND_OPTION_FLAG, AT(job.force),
     .help = "replace any file with this name; never an input, a link or a device", .rare = true},
    {"method", "NAME", ND_OPTION_TEXT, AT(method),
     .help = "how near-duplicates are found: the first, or another in this list", .turn = 1,
     .word = nd_partition_method_word,
     .brief = "lcs, or another way to find near-duplicates: --help all"},
    {"preset", "default|safe|pku", ND_OPTION_OWN, 0,
     .help = "safe: for those who delete, fewer pairs and hardly a wrong one (--thin apart "
             "--min-confidence .99). pku: Huang, Wang and Li (CIKM 2008) "
             "as far as their slides say. Other options change the preset (default)",
     .turn = 2, .set = set_preset,
     .brief = "safe: for those who delete, hardly a wrong pair; pku: the paper's method (default)"},
    {"sets", "components|guarded|star", ND_OPTION_OWN, 0,
     .help = "how pairs become sets. components: connected by verified pairs (--transitivity "
             "verified --slack 0). guarded: the same, protected against chains. star: every page "
             "is similar to the one that opened its set (--transitivity bounded) (guarded)",
     .set = set_sets},
    {"memory", "SIZE", ND_OPTION_SIZE, AT(memory),
     .help = "most memory for a rank, as 512M or 2G; the rest goes to the work folder (its share "
             "in four fifths of the node's, or the Slurm job's, memory)",
     .bounded = true, .least = SMALLEST_MEMORY,
     .brief = "most memory of a rank, as 2G (its share of the node's)"},
    {"memory-check", "off|on", ND_OPTION_SWITCH, AT(any_memory),
     .help = "on: refuse a --memory that the node lacks for all its ranks", .rare = true},
    {"dry-run", NULL, ND_OPTION_FLAG, AT(dry_run),
     .help = "only print what the run will need on these ranks: neardup plan",
     .brief = "only print what the run will need"},
    {"strict", NULL, ND_OPTION_FLAG, AT(strict), .help = "exit with 3 if any record was skipped",
     .brief = "exit with 3 if any record was skipped"},
    {"watchdog", "SECONDS", ND_OPTION_NUMBER, AT(watchdog.warn),
     .help = "name a rank that makes no progress for this long; 0: never", .rare = true},
    {"watchdog-abort", "SECONDS", ND_OPTION_NUMBER, AT(watchdog.abort),
     .help = "end the job if a rank makes no progress for this long (0: never)", .rare = true},
    {"fault", "FAULT", ND_OPTION_OWN, 0,
     .help = "for tests: fail on purpose, POINT:RANK:N or count", .rare = true, .set = set_fault},
    {0},
};

/* ---- help */

/* Add "NAME VALUE" to a list of defaults, or the name alone to those before that are equal. */
static size_t add_default(char *text, size_t size, size_t used, const char *name, const char *value,
                          const char *before) {
    const bool equal = before[0] != '\0' && strcmp(before, value) == 0;
    const int more = equal ? 0
                           : snprintf(text + used, size - used, "%s%s%s%s", used == 0 ? "(" : "; ",
                                      name, name[0] != '\0' ? " " : "", value);
    return used + (size_t)more;
}

/* Of --method the names there are. */
static size_t own_defaults(const nd_option *option, char *text, size_t size) {
    size_t used = 0;
    if (strcmp(option->name, "method") != 0) {
        return 0;
    }
    for (size_t i = 0; nd_method_row(i) != NULL && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "(" : ", ",
                                 nd_method_row(i)->name);
    }
    (void)snprintf(text + used, size - used, ")");
    return used + 1;
}

/* Of each method that uses the option what it has by default, and of the preset pku. */
static size_t method_defaults(const nd_option *option, char *text, size_t size) {
    char before[ND_OPTION_TEXT_SIZE] = "";
    size_t used = 0;
    const nd_method_options paper = nd_method_paper_options();
    for (size_t i = 0; nd_method_row(i) != NULL && used + ND_OPTION_TEXT_SIZE < size; i++) {
        char room[ND_OPTION_TEXT_SIZE];
        const nd_method *method = nd_method_row(i);
        nd_method_options options = nd_method_default_options();
        if (!nd_method_uses(method, option)) {
            continue;
        }
        nd_method_set_defaults(method, &options);
        const char *value = nd_option_print(option, &options, room);
        used = add_default(text, size, used, method->name, value, before);
        (void)snprintf(before, sizeof before, "%s", value);
        if (i == 0) { /* lcs, the preset's */
            value = nd_option_print(option, &paper, room);
            used = add_default(text, size, used, "pku", value, before);
            (void)snprintf(before, sizeof before, "%s", value);
        }
    }
    (void)snprintf(text + used, size - used, ")");
    return used + 1;
}

/* What the default preset has, and pku if that is something else. */
static size_t job_defaults(const nd_option *option, char *text, size_t size) {
    char room[2][ND_OPTION_TEXT_SIZE];
    nd_job_options job = {0};
    nd_partition_arguments paper = {0};
    if (option->kept != ND_KEPT_IN_RESULT) {
        return 0;
    }
    nd_partition_defaults(&job);
    (void)set_preset(&paper, "pku");
    const char *value = nd_option_print(option, &job, room[0]);
    size_t used = add_default(text, size, 0, "", value, "");
    used =
        add_default(text, size, used, "pku", nd_option_print(option, &paper.job, room[1]), value);
    (void)snprintf(text + used, size - used, ")");
    return used + 1;
}

static void more(void) {
    enum { MARGIN = 13, TEXT_SIZE = 1024 };
    char begin[32];
    char text[TEXT_SIZE];
    (void)printf("Methods, each with the options that it uses beside those of all methods\n");
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const nd_method *method = nd_method_row(i);
        size_t used = (size_t)snprintf(text, sizeof text, "%s.", method->summary);
        for (const nd_method_use *use = method->options; use->name != NULL && used < TEXT_SIZE;
             use++) {
            used += (size_t)snprintf(text + used, sizeof text - used, " --%s", use->name);
        }
        (void)snprintf(begin, sizeof begin, "  %s", method->name);
        nd_help_beside(begin, MARGIN, text);
    }
    (void)printf("\nScores\n");
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        (void)snprintf(begin, sizeof begin, "  %s", nd_score_row(i)->name);
        nd_help_beside(begin, MARGIN, nd_score_row(i)->summary);
    }
}

/* ---- checks */

bool nd_partition_ends_as(const char *path, const char *const *endings, size_t count) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < count && dot != NULL; i++) {
        if (strcasecmp(dot + 1, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Whoever gives such a name to the output expects the pages again, or a table. */
bool nd_partition_is_name_of_pages(const char *path) {
    static const char *const endings[] = {"jsonl", "ndjson",  "json", "warc", "arc", "wet",  "wat",
                                          "wacz",  "parquet", "csv",  "tsv",  "txt", "html", "htm",
                                          "gz",    "zst",     "zip",  "xz",   "bz2"};
    return nd_partition_ends_as(path, endings, sizeof endings / sizeof endings[0]);
}

/* Of what the options say together; what follows from them is derived meanwhile. */
nd_status nd_partition_check(nd_partition_arguments *a) {
    nd_status st = ND_OK;
    nd_job_options *job = &a->job;
    const nd_method_options *method = &job->method_options;
    const bool verified = job->transitivity == ND_TRANSITIVITY_VERIFIED;
    if (job->output == NULL && !a->dry_run) {
        return nd_fail(ND_ERR_USAGE, "no -o OUT.h5: where should the result go?");
    }
    if (job->output != NULL && !job->force && nd_partition_is_name_of_pages(job->output)) {
        return nd_fail(ND_ERR_USAGE,
                       "-o %s: the result says which pages are alike, in HDF5, and is no file of "
                       "pages: neardup dedup INPUT -o FILE writes those that are kept; or give "
                       "-o OUT.h5, then neardup filter OUT.h5 -o DIR",
                       job->output);
    }
    if (a->input_count == 0) {
        return nd_fail(ND_ERR_USAGE, "no INPUT: which pages should be partitioned?");
    }
    if (job->resume && job->work == NULL) {
        return nd_fail(ND_ERR_USAGE, "--resume: from where? give --work DIR");
    }
    const char *const index = job->index != NULL         ? "--index"
                              : job->write_index != NULL ? "--write-index"
                                                         : NULL;
    if ((job->recluster || job->reread) && job->index == NULL) {
        return nd_fail(ND_ERR_USAGE, "--%s: of which index? give --index INDEX",
                       job->recluster ? "recluster" : "reread");
    }
    if (job->recluster && job->reread) {
        return nd_fail(ND_ERR_USAGE, "--recluster: --reread makes all sets anew: give one of them");
    }
    if (index != NULL && job->transitivity == ND_TRANSITIVITY_FULL) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: takes no --transitivity full, and so no --preset pku: take --preset "
                       "default or safe",
                       index);
    }
    if (job->keep_pairs && !verified) {
        return nd_fail(ND_ERR_USAGE,
                       "--pairs keep: pages are compared with representatives alone here; "
                       "it takes --transitivity verified");
    }

    ND_TRY(nd_method_derive(job->method, &job->method_options));
    /* the bounds cannot be left out where they make the sets, and the fingerprints of pages are not
     * part of checkpoints */
    if (job->transitivity == ND_TRANSITIVITY_BOUNDED &&
        (!method->filters || method->keys_suffice)) {
        return nd_fail(ND_ERR_USAGE,
                       "--%s off: the exact bounds make the sets of --transitivity bounded (--sets "
                       "star); take verified or full",
                       method->filters ? "verify" : "filters");
    }
    if ((job->work != NULL || index != NULL) && method->keys_suffice) {
        return nd_fail(ND_ERR_USAGE,
                       "--verify off: the method %s keeps no checkpoints of it; leave "
                       "out %s",
                       job->method->name, index != NULL ? index : "--work");
    }

    /* The guard lies below the threshold, so what is wrong with that is said first. One that nobody
     * has asked for makes way for a low threshold, and for sets that nothing is compared for. */
    if (!job->own_slack && method->keys_suffice) {
        job->slack = 0;
    }
    if (!job->own_slack && job->slack >= method->threshold) {
        job->slack = method->threshold / 2;
    }
    if (!(job->slack >= 0) || (verified && !(job->slack < method->threshold))) {
        st = nd_fail(ND_ERR_USAGE, "--slack %g: must be at least 0 and below the threshold, %g",
                     job->slack, method->threshold);
    }
    ND_TRY(st);
    if (!(job->min_confidence >= 0 && job->min_confidence <= 1)) {
        return nd_fail(ND_ERR_USAGE, "--min-confidence %g: must be from 0 to 1",
                       job->min_confidence);
    }
    if (job->min_confidence > 0 && !nd_certainty_is_known(job->method, method)) {
        if (job->own_min_confidence) {
            return nd_fail(
                ND_ERR_USAGE,
                "--min-confidence %g: how certain pages are was measured for --method lcs with "
                "--score %s alone; leave out the one or the other",
                job->min_confidence, nd_method_default_options().score->name);
        }
        job->min_confidence = 0;
    }
out:
    return st;
}

static nd_partition_arguments asked;

/* One that the method does not use would be passed over in silence. */
static nd_status allow_method_option(const nd_option *option, const char *text) {
    return nd_method_uses(asked.job.method, option)
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s %s: the method %s does not use it", option->name, text,
                         asked.job.method->name);
}

void nd_partition_open(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (nd_partition_arguments){.watchdog = {.warn = DEFAULT_WATCHDOG_SECONDS}};
    nd_partition_defaults(&asked.job);
    asked.job.checkpoint_seconds = DEFAULT_CHECKPOINT_SECONDS;
    asked.job.progress = ND_PROGRESS_AUTO;
    sets[0] = (nd_command_table){.table = own_options, .options = &asked, .defaults = own_defaults};
    sets[1] = (nd_command_table){
        .table = nd_job_option_table, .options = &asked.job, .defaults = job_defaults};
    sets[2] = (nd_command_table){.table = nd_method_option_table,
                                 .options = &asked.job.method_options,
                                 .allow = allow_method_option,
                                 .defaults = method_defaults};
}

nd_status nd_partition_read(nd_command_call *call, nd_partition_arguments **arguments) {
    nd_status st = ND_OK;
    nd_words words;
    *arguments = &asked;
    nd_buffer *line = &asked.command_line; /* for the result file */
    nd_buffer_append_text(line, "neardup");
    for (int i = 0; i < call->argc; i++) {
        nd_buffer_append_text(line, " ");
        nd_buffer_append_text(line, call->argv[i]);
    }
    nd_buffer_append(line, "", 1);
    asked.job.command_line = (const char *)line->data;
    ND_TRY(nd_command_line_read(call, 2, NULL));
    ND_TRY(nd_command_line_read(call, 1, NULL));
    ND_TRY(nd_partition_take_method(&asked.job, asked.method));
    ND_TRY(nd_command_line_read(call, 0, &words));
    asked.inputs = (const char *const *)words.words;
    asked.input_count = words.count;
out:
    return st;
}

/* ---- neardup partition [options] INPUT... -o OUT.h5 : the job. */

/* Collective. Ranks on this node. */
static int ranks_on_node(void) {
    MPI_Comm node;
    int ranks = 1;
    ND_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    ND_MPI(MPI_Comm_size(node, &ranks));
    ND_MPI(MPI_Comm_free(&node));
    return ranks;
}

static uint64_t smallest(uint64_t bytes) {
    const nd_comm world = {.handle = MPI_COMM_WORLD};
    return nd_comm_min(&world, bytes);
}

/* Collective. What a rank may use where nothing is said: all nodes give the same answer, the
 * smallest, so that results and plans do not depend on where a rank runs. */
static uint64_t default_memory(void) {
    return smallest(nd_memory_default(ranks_on_node()));
}

/* Collective; one answer on all ranks. Has every node what its ranks are to take? */
static nd_status check_memory(const nd_partition_arguments *a) {
    const uint64_t ranks = (uint64_t)ranks_on_node();
    const uint64_t node = nd_memory_of_node();
    const uint64_t share = smallest(node == 0 ? UINT64_MAX : node / ranks);
    if (a->any_memory || a->memory <= share) {
        return ND_OK;
    }
    return nd_fail(ND_ERR_USAGE,
                   "--memory %.1fG for each rank: %.1fG is a rank's share of all that its node, or "
                   "what this job may use of it, has; give less (nothing: four fifths of the "
                   "share), or start fewer ranks on a node (--memory-check off takes it)",
                   (double)a->memory / 1073741824., (double)share / 1073741824.);
}

/* Inputs beyond this part of a rank's share of the node are not left in the system's cache. They
 * would not stay there until the next run anyway, and meanwhile stand in the way of the pages. */
enum { INPUT_PART = 4 };

/* What a script that starts the program, and knows better, says of how to go on. */
static const char GO_ON[] = "NEARDUP_GO_ON";

/* What to type next, to see whether the result is good, and to act on it. */
static void print_next(const nd_job *job) {
    /* one pair to look at is in a set of two; and standard input cannot be read a second time */
    const nd_input_list *inputs = &job->inputs;
    const bool gone = inputs->count == 1 && inputs->inputs[0].standard_input;
    const bool pairs = job->totals.sets_of_many > 0 && !gone;
    const nd_next_step act[] = {{"review", " -o review.html"}, {"filter", " -o DIR"}};
    const nd_next_step look[] = {{"inspect", ""}};
    nd_print_next(job->options.output, pairs ? act : look, pairs ? 2 : 1);
}

/* How the sets were found. The paper's own form makes perhaps-similar sets of shared fingerprints,
 * without candidate pairs. */
static void print_pairs(const nd_job_options *o, const nd_job_totals *t) {
    char candidates[48] = "";
    char passed[96] = "";
    if (o->transitivity != ND_TRANSITIVITY_FULL) {
        (void)snprintf(candidates, sizeof candidates, "%" PRIu64 " candidates, ", t->candidates);
    }
    if (t->candidates_passed > 0) {
        (void)snprintf(passed, sizeof passed,
                       "; passed over %" PRIu64 " meetings in groups of more than %" PRIu64
                       " (--group-pairs)",
                       t->candidates_passed, o->group_pairs);
    }
    nd_print_line(stderr, "pairs: %s%" PRIu64 " within the bounds, %" PRIu64 " similar%s",
                  candidates, t->pairs, t->links, passed);
    if (o->transitivity != ND_TRANSITIVITY_VERIFIED) {
        nd_print_line(stderr, "perhaps-similar sets: %" PRIu64 " of %" PRIu64 " pages in all",
                      t->perhaps_sets, t->perhaps_pages);
    }
}

static void print_summary(const nd_job *job) {
    const nd_job_totals *t = &job->totals;
    const nd_progress *p = &job->progress;
    const double beside = MPI_Wtime() - p->run_started - p->listed - p->in_stages;
    double seconds = p->listed + beside;
    for (size_t i = 0; i < p->count; i++) {
        seconds += p->rows[i].seconds_max; /* of a run that was resumed, too */
    }
    if (t->capped_sets > 0) {
        nd_print_line(stderr,
                      "neardup: --set-cap %" PRIu64 " struck: %" PRIu64
                      " perhaps-similar sets were larger (the largest: %" PRIu64
                      " pages) and were cut; pages of different pieces were not compared",
                      job->options.set_cap, t->capped_sets, t->capped_largest);
    }
    if (t->alike_apart > 0) {
        nd_print_line(stderr,
                      "neardup: %" PRIu64
                      " pairs of similarity .9 or more are in two sets: one of the pages is not "
                      "similar to the representative of the other (--slack)",
                      t->alike_apart);
    }
    if (t->index_pages == 0 && t->pages > 0) {
        const uint64_t repeats = t->pages - t->sets;
        nd_print_line(stderr,
                      "%" PRIu64 " of %" PRIu64 " pages (%.1f %%) repeat another; %" PRIu64
                      " would be kept",
                      repeats, t->pages, 100. * (double)repeats / (double)t->pages, t->sets);
    }
    nd_print_line(stderr,
                  "pages: %" PRIu64 " (%" PRIu64 " exact copies, %" PRIu64
                  " more of equal content, %" PRIu64 " without text) of %" PRIu64
                  " records in %zu sources; %" PRIu64 " other records, %" PRIu64 " skipped",
                  t->pages, t->exact_copies, t->content_copies, t->pages_without_text, t->records,
                  job->inputs.count, t->other, t->skipped);
    nd_print_others(job);
    nd_print_revisits(job);
    print_pairs(&job->options, t);
    if (job->options.contained > 0) {
        nd_print_line(stderr,
                      "contained: %" PRIu64 " of %" PRIu64 " pairs that were compared; %" PRIu64
                      " meetings of pages in a frequent key were passed over",
                      t->contained, t->contained_candidates, t->contained_passed);
    }
    if (t->forms > 0) {
        nd_print_line(stderr,
                      "forms: %" PRIu64 " sets of %" PRIu64
                      " pages were forms filled with other data: they are apart, but for twins "
                      "(--record-pages join)",
                      t->forms, t->form_pages);
    }
    if (t->left_out > 0) {
        nd_print_line(stderr,
                      "left out: %" PRIu64 " pages that belong to their sets with a probability "
                      "below %g (--min-confidence 0 keeps them)",
                      t->left_out, job->options.min_confidence);
    }
    if (t->index_pages > 0) {
        nd_print_line(stderr,
                      "index: %" PRIu64 " pages before; of %" PRIu64 " new ones %" PRIu64
                      " joined their sets, %" PRIu64 " are in sets of their own",
                      t->index_pages, (t->pages - t->index_pages), t->joined_indexed,
                      (t->pages - t->index_pages - t->joined_indexed));
    }
    nd_print_line(stderr,
                  "sets: %" PRIu64 " (%" PRIu64 " of more than one page; the largest: %" PRIu64
                  " pages)",
                  t->sets, t->sets_of_many, t->largest_set);
    nd_print_line(
        stderr,
        "time: %.2f s, %.0f pages per second on %d ranks (%.2f s to list the inputs, %.2f "
        "between stages); result: %s",
        seconds, seconds > 0 ? (double)t->pages / seconds : 0, job->comm.size, p->listed, beside,
        job->options.output);
}

/* Rank 0: how it ended. */
static void print_end(const nd_partition_arguments *a, nd_job *job, nd_status st) {
    const nd_job_totals *t = &job->totals;
    const nd_repeated_ids *r = &job->repeated_ids;
    nd_progress_clear(&job->progress);
    if (st == ND_STOPPED) {
        const char *go_on = getenv(GO_ON);
        nd_print_line(stderr, "neardup: stopped as asked; %s",
                      go_on != NULL ? go_on : "the same command with --resume goes on");
        return;
    }
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup: %s", nd_fail_text());
        return;
    }
    /* a result by which pages would be deleted that are not meant */
    if (r->repeated > 0) {
        nd_print_line(stderr,
                      "neardup: %" PRIu64
                      " pages have the id of an earlier page of their collection: deleting by id "
                      "takes both; the first: %s at %s, byte %" PRIu64 ", and at %s, byte %" PRIu64,
                      r->repeated, r->at[1].id, job->inputs.inputs[r->at[0].source].path,
                      r->at[0].offset, job->inputs.inputs[r->at[1].source].path, r->at[1].offset);
    }
    if (a->job.progress != ND_PROGRESS_NONE) {
        print_summary(job);
    }
    if (t->sources_unused > 0) {
        (void)fprintf(stderr,
                      "neardup: exit code 3: %" PRIu64
                      " of %zu inputs gave nothing, or could not be read to the end\n",
                      t->sources_unused, job->inputs.count);
    }
    nd_print_gaps(job, " (/skipped lists where)");
    if (a->job.progress != ND_PROGRESS_NONE && !a->filters) {
        print_next(job);
    }
}

static nd_status print_plan(const nd_partition_arguments *a, nd_plan_task *task) {
    nd_status st = ND_OK;
    nd_input_list inputs = {0};
    nd_input_sample sample;
    ND_TRY(nd_input_list_resolve(&inputs, a->inputs, a->input_count));
    ND_TRY(a->job.dedup_inputs ? nd_input_list_skip_copies(&inputs) : ND_OK);
    ND_TRY(nd_input_sample_take(&inputs, &a->job.reader, !a->job.content.navigation, &sample));
    ND_TRY(sample.sampled > 0 ? ND_OK : nd_unused_inputs_refuse(&inputs, &a->job.reader));
    nd_plan_print_sample(&sample);
    nd_plan_take_options(task, &a->job, &inputs);
    nd_plan_take_sample(task, &sample);
    const nd_plan_rates rates = nd_plan_rates_of(task->kind, task->whole);
    const nd_plan plan = nd_plan_make(task, &rates);
    nd_plan_print(task, &plan, a->memory > 0);
    if (a->job.index != NULL || a->job.write_index != NULL) {
        (void)puts("index    what --index and --write-index read and keep comes on top");
    }
out:
    nd_input_list_free(&inputs);
    return st;
}

/* --dry-run: rank 0 prints what the run would need here. */
static int dry_run(const nd_partition_arguments *a) {
    nd_comm comm;
    nd_plan_task task = nd_plan_usual_machine();
    int code = ND_EXIT_DONE;
    nd_comm_open(&comm, MPI_COMM_WORLD);
    task.nodes = nd_plan_nodes(&comm);
    task.ranks = comm.size;
    task.memory = nd_plan_memory_shares(a->memory > 0 ? a->memory : default_memory());
    const nd_status st = comm.rank == 0 ? print_plan(a, &task) : ND_OK;
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup: %s", nd_fail_text());
        code = st == ND_ERR_USAGE ? ND_EXIT_USAGE : ND_EXIT_FAILED;
    }
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, comm.handle)); /* one code for all ranks */
    nd_comm_close(&comm);
    return code;
}

static int run_job(const nd_partition_arguments *a) {
    nd_job job;
    nd_job_options options = a->job;
    const uint64_t machine = default_memory();
    options.memory = nd_memory_shares(a->memory > 0 ? a->memory : machine);
    options.memory.cached_input = machine / INPUT_PART;
    options.reader.memory = options.memory.total;
    nd_run_open(&job, MPI_COMM_WORLD, &options);
    nd_stop_listen(job.comm.rank, options.work != NULL);
    nd_watchdog_start(job.comm.rank, &a->watchdog);
    const nd_status st = nd_run(&job, a->inputs, a->input_count);
    nd_stop_be_quiet();
    int code = st == ND_STOPPED     ? ND_EXIT_STOPPED
               : st == ND_ERR_USAGE ? ND_EXIT_USAGE
               : st != ND_OK        ? ND_EXIT_FAILED
                                    : nd_command_inputs_code(&job, a->strict);
    if (job.comm.rank == 0) {
        print_end(a, &job, st);
    }
    nd_command_print_passings(job.comm.rank);
    /* one code for all ranks, whatever each of them met */
    ND_MPI(MPI_Bcast(&code, 1, MPI_INT, 0, job.comm.handle));
    nd_watchdog_stop();
    /* after a failed close (a full disk) nothing may be left to HDF5: every rank ends as it is */
    if (nd_comm_sum(&job.comm, nd_result_left_open()) > 0) {
        nd_output_release(&job.lock);
        (void)fflush(NULL);
        ND_MPI(MPI_Barrier(job.comm.handle)); /* the reason is out before mpirun sees an end */
        _exit(code);
    }
    nd_run_close(&job);
    return code;
}

/* Open MPI gives each file that ranks write together a shared file pointer, which nobody uses here,
 * in a file whose name is made of the other's: a long one is refused by the system, and overruns a
 * buffer of Open MPI 4 (its issue 13565), after all work is done. One of its ways to keep that
 * pointer does without if it has to, but leaves more files when ranks are killed, so that it is for
 * long names. Open MPI looks for this when it starts. */
void nd_partition_start(nd_command_call *call, const nd_partition_arguments *a) {
    enum { SAFE_NAME = 160 }; /* of some 220 */
    const char *output = a->job.output;
    if (output != NULL && strlen(output) > SAFE_NAME) {
        (void)setenv("OMPI_MCA_sharedfp", "individual", 1);
    }
    nd_comm_start(&call->argc, &call->argv);
}

int nd_partition_run(const nd_command *command, nd_status read, const nd_partition_arguments *a) {
    int rank = 0;
    ND_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    nd_fault_set_rank(rank);
    const nd_status st = read == ND_OK && !a->dry_run ? check_memory(a) : read;
    if (st == ND_OK) {
        return a->dry_run ? dry_run(a) : run_job(a);
    }
    if (rank == 0) {
        (void)nd_command_failed(command, ND_ERR_USAGE);
    }
    return ND_EXIT_USAGE;
}

static nd_status partition(nd_command_call *call) {
    nd_partition_arguments *a = NULL;
    /* every rank has the same command line and takes it the same way */
    nd_status st = nd_partition_read(call, &a);
    st = st == ND_OK ? nd_partition_check(a) : st;
    nd_partition_start(call, a);
    const int code = nd_partition_run(&nd_command_partition, st, a);
    nd_buffer_free(&a->command_line);
    ND_MPI(MPI_Finalize());
    call->code = code;
    return ND_OK;
}

const nd_command nd_command_partition = {
    .name = "partition",
    .summary = "find the sets of near-duplicate pages of a crawl (alone, or under mpirun/srun)",
    .usage = "[options] INPUT... -o OUT.h5",
    .about = "INPUT is a file, a folder, a glob, @LIST (a file with one INPUT a line), - for "
             "standard input, or NAME=INPUT to name its collection. Formats are known by content: "
             "WARC, ARC, WET and JSONL (plain, .gz, .zst), HTML and text files.",
    .examples = "neardup partition crawl.warc.gz -o out.h5\n"
                "mpirun -n 4 neardup partition 2024=old/ 2025=new/ --work w --resume -o out.h5\n"
                "neardup partition pages.jsonl.zst --jsonl-text body --method simhash -o out.h5",
    .notes = "Standard input is copied to the work folder, or beside OUT.h5. The result does not "
             "depend on the number of ranks.\n\nMore exit codes: 1 no page at all. 3 done, but an "
             "input could not be read to its end, or a record is cut off (--strict: or one was "
             "skipped). 4 stopped at a checkpoint by a signal (--resume continues).",
    .groups = "--help all: every option, in groups (what of a page is compared, how pairs become "
              "sets, inputs, across crawls, how it runs, methods), and notes. neardup help TOPIC: "
              "inputs, sets, results, keep, indexes, clusters, trust, limits.",
    .more = more,
    .open = nd_partition_open,
    .run = partition,
};
