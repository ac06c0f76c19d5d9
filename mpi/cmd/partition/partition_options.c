#include "mpi/cmd/partition/partition_options.h"

#include "mpi/cmd/help.h"
#include "mpi/job/job.h"
#include "src/base/fault.h"
#include "src/method/certainty.h"
#include "src/method/method.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
        job->guard = job->guard > 0 ? method->guard : 0;
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
        job->forms_apart = guarded;
        job->guard = !guarded ? 0 : job->guard > 0 ? job->guard : job->method->guard;
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

void nd_partition_more(void) {
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

/* Whoever gives such a name to the output expects the pages again, or a table. */
bool nd_partition_is_name_of_pages(const char *path) {
    static const char *const endings[] = {"jsonl", "ndjson",  "json", "warc", "arc", "wet",  "wat",
                                          "wacz",  "parquet", "csv",  "tsv",  "txt", "html", "htm",
                                          "gz",    "zst",     "zip",  "xz",   "bz2"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && dot != NULL; i++) {
        if (strcasecmp(dot + 1, endings[i]) == 0) {
            return true;
        }
    }
    return false;
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
    const char *const index = job->against != NULL      ? "--index"
                              : job->keep_index != NULL ? "--write-index"
                                                        : NULL;
    if ((job->rejoin || job->reread) && job->against == NULL) {
        return nd_fail(ND_ERR_USAGE, "--%s: of which index? give --index INDEX",
                       job->rejoin ? "recluster" : "reread");
    }
    if (job->rejoin && job->reread) {
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
    if (!job->own_guard && method->keys_suffice) {
        job->guard = 0;
    }
    if (!job->own_guard && job->guard >= method->threshold) {
        job->guard = method->threshold / 2;
    }
    if (!(job->guard >= 0) || (verified && !(job->guard < method->threshold))) {
        st = nd_fail(ND_ERR_USAGE, "--slack %g: must be at least 0 and below the threshold, %g",
                     job->guard, method->threshold);
    }
    ND_TRY(st);
    if (!(job->certain >= 0 && job->certain <= 1)) {
        return nd_fail(ND_ERR_USAGE, "--min-confidence %g: must be from 0 to 1", job->certain);
    }
    if (job->certain > 0 && !nd_certainty_is_known(job->method, method)) {
        if (job->own_certain) {
            return nd_fail(
                ND_ERR_USAGE,
                "--min-confidence %g: how certain pages are was measured for --method lcs with "
                "--score %s alone; leave out the one or the other",
                job->certain, nd_method_default_options().score->name);
        }
        job->certain = 0;
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

nd_status nd_partition_read(const nd_command_table sets[ND_COMMAND_TABLES], int argc, char **argv,
                            nd_partition_arguments **arguments) {
    nd_status st = ND_OK;
    nd_words words;
    *arguments = &asked;
    nd_buffer *line = &asked.command_line; /* for the result file */
    nd_buffer_append_text(line, "neardup");
    for (int i = 0; i < argc; i++) {
        nd_buffer_append_text(line, " ");
        nd_buffer_append_text(line, argv[i]);
    }
    nd_buffer_append(line, "", 1);
    asked.job.command_line = (const char *)line->data;
    ND_TRY(nd_command_line_read(sets, argc, argv, 2, NULL));
    ND_TRY(nd_command_line_read(sets, argc, argv, 1, NULL));
    ND_TRY(nd_partition_take_method(&asked.job, asked.method));
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, &words));
    asked.inputs = (const char *const *)words.words;
    asked.input_count = words.count;
out:
    return st;
}
