#include "mpi/cmd/partition/partition_options.h"

#include "mpi/cmd/option_value.h"
#include "mpi/cmd/partition/presets.h"
#include "src/base/fault.h"
#include "src/method/method_option.h"
#include "src/method/methods.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t SMALLEST_MEMORY = UINT64_C(16) << 20;
static const double DEFAULT_CHECKPOINT_SECONDS = 60;
/* No step between two signs of life takes so long, unless something hangs. */
static const uint64_t DEFAULT_WATCHDOG_SECONDS = 600;

enum option_id {
    OPTION_METHOD = 256,
    OPTION_NAVIGATION,
    OPTION_LINKS,
    OPTION_TEMPLATES,
    OPTION_LINK_TOKENS,
    OPTION_SITE,
    OPTION_SMALL_SITE,
    OPTION_GUARD,
    OPTION_GUARD_CAP,
    OPTION_PRESET,
    OPTION_TRANSITIVITY,
    OPTION_SETS,
    OPTION_GROUP_PAIRS,
    OPTION_SET_CAP,
    OPTION_PAIRS,
    OPTION_MEMORY,
    OPTION_MEMORY_CHECK,
    OPTION_WORK,
    OPTION_RESUME,
    OPTION_DRY_RUN,
    OPTION_SPACE,
    OPTION_FORCE,
    OPTION_SAME_CONTENT,
    OPTION_CHECKPOINT,
    OPTION_UNIT,
    OPTION_PROGRESS,
    OPTION_STRICT,
    OPTION_WATCHDOG,
    OPTION_WATCHDOG_ABORT,
    OPTION_FAULT,
    OPTION_JSONL_ID,
    OPTION_JSONL_URL,
    OPTION_JSONL_TEXT,
    OPTION_JSONL_HTML,
    OPTION_MAX_PAGE,
    OPTION_MAX_EXPANSION,
    OPTION_OF_METHOD /* and as many more as nd_method_option_row() has */
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"navigation", required_argument, NULL, OPTION_NAVIGATION},
    {"links", required_argument, NULL, OPTION_LINKS},
    {"templates", required_argument, NULL, OPTION_TEMPLATES},
    {"link-tokens", required_argument, NULL, OPTION_LINK_TOKENS},
    {"site", required_argument, NULL, OPTION_SITE},
    {"small-site", required_argument, NULL, OPTION_SMALL_SITE},
    {"guard", required_argument, NULL, OPTION_GUARD},
    {"guard-cap", required_argument, NULL, OPTION_GUARD_CAP},
    {"preset", required_argument, NULL, OPTION_PRESET},
    {"transitivity", required_argument, NULL, OPTION_TRANSITIVITY},
    {"sets", required_argument, NULL, OPTION_SETS},
    {"group-pairs", required_argument, NULL, OPTION_GROUP_PAIRS},
    {"set-cap", required_argument, NULL, OPTION_SET_CAP},
    {"pairs", required_argument, NULL, OPTION_PAIRS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"memory-check", required_argument, NULL, OPTION_MEMORY_CHECK},
    {"work", required_argument, NULL, OPTION_WORK},
    {"resume", no_argument, NULL, OPTION_RESUME},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
    {"space", required_argument, NULL, OPTION_SPACE},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"same-content", required_argument, NULL, OPTION_SAME_CONTENT},
    {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
    {"unit", required_argument, NULL, OPTION_UNIT},
    {"progress", required_argument, NULL, OPTION_PROGRESS},
    {"strict", no_argument, NULL, OPTION_STRICT},
    {"watchdog", required_argument, NULL, OPTION_WATCHDOG},
    {"watchdog-abort", required_argument, NULL, OPTION_WATCHDOG_ABORT},
    {"fault", required_argument, NULL, OPTION_FAULT},
    {"jsonl-id", required_argument, NULL, OPTION_JSONL_ID},
    {"jsonl-url", required_argument, NULL, OPTION_JSONL_URL},
    {"jsonl-text", required_argument, NULL, OPTION_JSONL_TEXT},
    {"jsonl-html", required_argument, NULL, OPTION_JSONL_HTML},
    {"max-page", required_argument, NULL, OPTION_MAX_PAGE},
    {"max-expansion", required_argument, NULL, OPTION_MAX_EXPANSION},
};

enum { OWN_OPTIONS = sizeof options / sizeof options[0], MOST_OPTIONS = OWN_OPTIONS + 64 };

/* All options as getopt_long() takes them. */
static void list_options(struct option list[MOST_OPTIONS]) {
    size_t count = OWN_OPTIONS;
    const nd_method_option *row = NULL;
    memcpy(list, options, sizeof options);
    for (int i = 0; (row = nd_method_option_row((size_t)i)) != NULL && count + 1 < MOST_OPTIONS;
         i++) {
        list[count++] = (struct option){row->name, required_argument, NULL, OPTION_OF_METHOD + i};
    }
    list[count] = (struct option){NULL, 0, NULL, 0};
}

/* An option's help: its value, ": ", and lines that stand beside it. */
static void print_beside(const nd_method_option *option) {
    enum { COLUMN = 27 };
    const char *colon = strchr(option->help, ':');
    const int value = (int)(colon - option->help);
    int column = printf("      --%s %.*s ", option->name, value, option->help);
    if (column > COLUMN) {
        (void)printf("\n");
        column = 0;
    }
    for (const char *line = colon + 2; line != NULL; column = 0) {
        const char *end = strchr(line, '\n');
        const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
        (void)printf("%*s%.*s\n", COLUMN - column, "", length, line);
        line = end != NULL ? end + 1 : NULL;
    }
}

/* The options of a method beside those of all. */
static void print_used(const nd_method *method) {
    (void)printf("                             %s:", method->name);
    for (const nd_method_use *use = method->options; use->name != NULL; use++) {
        (void)printf(" %s", use->name);
    }
    (void)printf("%s\n", method->options->name == NULL ? " none" : "");
}

static void print_method_options(void) {
    const nd_method_option *option = NULL;
    (void)printf("    Options of methods, each used by (beside those of all):\n");
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        print_used(nd_method_row(i));
    }
    for (size_t i = 0; (option = nd_method_option_row(i)) != NULL; i++) {
        print_beside(option);
    }
}

/* How the job runs, whatever it looks for. */
static void print_run_options(void) {
    (void)printf(
        "      --memory SIZE        most memory of a rank, as 512M or 2G; what does not fit goes "
        "to\n"
        "                           the work folder (its share of four fifths of what the node, "
        "or\n"
        "                           the Slurm job on it, has)\n"
        "      --memory-check on|off  on: a --memory that the node has not got for all its ranks "
        "is\n"
        "                           refused (on)\n"
        "      --work DIR           keep checkpoints in DIR, which all ranks must see; it is "
        "removed\n"
        "                           when the result is there. SIGTERM, SIGUSR1 and Ctrl-C then end "
        "the\n"
        "                           job at the next checkpoint, a second Ctrl-C at once. mpirun "
        "hands\n"
        "                           USR1 on to the ranks; after Ctrl-C or TERM it gives them a "
        "second\n"
        "                           and kills them: kill -USR1 MPIRUN'S-PID instead, or start it "
        "with\n"
        "                           --mca odls_base_sigkill_timeout 600 (none: what outgrows "
        "memory goes\n"
        "                           to OUT.h5.spill, and nothing is kept)\n"
        "      --resume             go on from the checkpoints in DIR, if there are any, on any\n"
        "                           number of ranks\n"
        "      --checkpoint SECONDS while reading and comparing, most time between checkpoints "
        "(60)\n"
        "      --space check|ignore a run that cannot fit on the disk is refused before it starts\n"
        "                           (check)\n"
        "      --dry-run            only print what the run will need on these ranks: neardup "
        "plan\n"
        "      --same-content skip|keep\n"
        "                           input files with the same bytes as another of their collection "
        "are\n"
        "                           left out (keep; the same file under two names always is one)\n"
        "      --unit SIZE          inputs are read in pieces of this size (chosen)\n"
        "      --max-page SIZE      longer pages are skipped (128M, or a twelfth of --memory if "
        "that\n"
        "                           is less)\n"
        "      --max-expansion N    pages of more than 1M that unpack to more than N times their\n"
        "                           bytes are skipped (200)\n"
        "      --jsonl-id F, --jsonl-url F, --jsonl-text F, --jsonl-html F  fields of JSONL lines\n"
        "                           (id, url, text, html): a name, doc.text or /doc/text inside\n"
        "      --progress MODE      auto, bar, lines or none (auto)\n"
        "      --strict             exit with 3 if any record was skipped\n"
        "      --watchdog SECONDS   name a rank that makes no progress for so long, 0: never "
        "(600)\n"
        "      --watchdog-abort SECONDS\n"
        "                           end the job if a rank makes no progress for so long, 0: never "
        "(0)\n"
        "      --fault FAULT        for tests: fail on purpose, POINT:RANK:N or count\n"
        "  -h, --help               this text\n\n"
        "exit codes: 0 done, 1 failed or no page at all, 2 wrong usage, 3 done but an input gave\n"
        "nothing or was not read to its end (--strict: or a record was skipped), 4 stopped at a\n"
        "checkpoint on a signal (--resume goes on)\n");
}

void nd_partition_help(void) {
    (void)printf(
        "usage: neardup partition [options] INPUT... -o OUT.h5\n"
        "       mpirun -n RANKS neardup partition ...\n\n"
        "INPUT is a file, a folder (walked), a glob, @LIST (a file with one INPUT a line), - for\n"
        "standard input (copied to the work folder or beside OUT.h5), or NAME=INPUT to name its\n"
        "collection. Formats are told by content: WARC, ARC, WET and JSONL (plain, .gz, .zst),\n"
        "HTML and text files. The result does not depend on RANKS.\n\n"
        "  -o, --output FILE        the result, HDF5; appears when it is complete. A file that is\n"
        "                           there already is replaced if it is a result\n"
        "      --force              replace it whatever it is; never an input, a link or a device\n"
        "      --method NAME        how near-duplicates are found:\n");
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        (void)printf("                             %s  %s\n", nd_method_row(i)->name,
                     nd_method_row(i)->summary);
    }
    (void)printf("      --score NAME         how two pages are compared:\n");
    for (size_t i = 0; nd_score_row(i) != NULL; i++) {
        (void)printf("                             %s  %s\n", nd_score_row(i)->name,
                     nd_score_row(i)->summary);
    }
    (void)printf(
        "      --preset NAME        default, or pku: Huang, Wang and Li (CIKM 2008) to the "
        "letter;\n"
        "                           other options change it\n");
    print_method_options();
    (void)printf(
        "      --navigation drop|keep  nav, footer, aside, select, button (drop; pku keep)\n"
        "      --links drop|keep    short blocks that are mostly links (drop; pku keep)\n"
        "      --templates N        tell a site's template from a sample of N pages, 0: keep "
        "templates\n"
        "                           (1000; pku 0)\n"
        "      --site host|domain   what a site is: the URL's host or its registered domain "
        "(host)\n"
        "      --small-site N       on sites of up to N pages 3 classes make a template, not 4 "
        "(8)\n"
        "      --link-tokens N      a page with fewer tokens left, or an index page, gets back "
        "the\n"
        "                           links that its site does not repeat (200; pku 0: none does)\n"
        "      --transitivity KIND  how pairs become sets (verified; pku full):\n"
        "                             verified  components of verified pairs\n"
        "                             bounded   the paper's sorted leaders, inside components of\n"
        "                                       pairs that pass the exact bounds\n"
        "                             full      the same inside components of shared fingerprints\n"
        "      --guard X            verified: pages of a set are similar to its leader at the\n"
        "                           threshold less X; 0: no guard against chains (0.15; other\n"
        "                           methods theirs)\n"
        "      --guard-cap N        most pages that the guard compares with one another; larger\n"
        "                           components are cut into pieces, each guarded for itself: its\n"
        "                           pages are in no set of another piece (20000)\n"
        "      --sets KIND          the same in a word:\n"
        "                             components  of verified pairs: --transitivity verified\n"
        "                                         --guard 0\n"
        "                             guarded     --transitivity verified, with a guard\n"
        "                             star        every page is similar to the page that opened\n"
        "                                         its set: --transitivity bounded\n"
        "      --group-pairs N      all pages that share a key are candidates where they are at\n"
        "                           most N, in larger groups the 8 next by length (16)\n"
        "      --set-cap N          bounded, full: most pages of a component; a larger one is\n"
        "                           cut where rare keys do not join it, then by length, and\n"
        "                           told (4096)\n"
        "      --pairs keep|drop    verified: the result tells all pairs that the method calls "
        "similar,\n"
        "                           of pages of different contents: equal ones are compared once "
        "(drop)\n");
    print_run_options();
}

/* ---- values */

static nd_status parse_transitivity(const char *text, nd_transitivity *transitivity) {
    if (strcmp(text, "verified") == 0) {
        *transitivity = ND_TRANSITIVITY_VERIFIED;
    } else if (strcmp(text, "bounded") == 0) {
        *transitivity = ND_TRANSITIVITY_BOUNDED;
    } else if (strcmp(text, "full") == 0) {
        *transitivity = ND_TRANSITIVITY_FULL;
    } else {
        return nd_fail(ND_ERR_USAGE, "--transitivity %s: must be verified, bounded or full", text);
    }
    return ND_OK;
}

/* A method other than the preset's brings what it was published with. */
static nd_status apply_method(const char *text, nd_job_options *job) {
    const nd_method *method = nd_method_find(text);
    if (method == NULL) {
        return nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", text);
    }
    if (method != job->method) {
        job->method = method;
        job->guard = job->guard > 0 ? method->guard : 0;
        nd_method_set_defaults(method, &job->method_options);
    }
    return ND_OK;
}

static nd_status parse_sets(const char *text, nd_job_options *job) {
    const bool guarded = strcmp(text, "guarded") == 0;
    if (guarded || strcmp(text, "components") == 0) {
        job->transitivity = ND_TRANSITIVITY_VERIFIED;
        job->guard = !guarded ? 0 : job->guard > 0 ? job->guard : job->method->guard;
    } else if (strcmp(text, "star") == 0) {
        job->transitivity = ND_TRANSITIVITY_BOUNDED;
    } else {
        return nd_fail(ND_ERR_USAGE, "--sets %s: must be components, guarded or star", text);
    }
    return ND_OK;
}

static nd_status parse_content_option(nd_partition_arguments *a, int id) {
    nd_content_choice *content = &a->job.content;
    switch (id) {
    case OPTION_NAVIGATION:
        return nd_parse_choice("navigation", optarg, "drop", "keep", &content->navigation);
    case OPTION_LINKS:
        return nd_parse_choice("links", optarg, "drop", "keep", &content->links);
    case OPTION_TEMPLATES:
        return nd_parse_number("templates", optarg, &content->sample);
    case OPTION_SITE:
        return nd_parse_choice("site", optarg, "domain", "host", &content->by_domain);
    case OPTION_LINK_TOKENS:
        return nd_parse_number("link-tokens", optarg, &content->link_tokens);
    case OPTION_SMALL_SITE:
        return nd_parse_number("small-site", optarg, &content->templates.small_site);
    case OPTION_GUARD:
        a->own_guard = true;
        return nd_parse_real("guard", optarg, &a->job.guard);
    case OPTION_GUARD_CAP:
        return nd_parse_number("guard-cap", optarg, &a->job.guard_cap);
    default:
        return nd_fail(ND_ERR_USAGE, "unknown option or missing value");
    }
}

static nd_status parse_method_option(nd_partition_arguments *a, int id) {
    switch (id) {
    case OPTION_TRANSITIVITY:
        return parse_transitivity(optarg, &a->job.transitivity);
    case OPTION_SETS:
        return parse_sets(optarg, &a->job);
    case OPTION_GROUP_PAIRS:
        return nd_parse_number("group-pairs", optarg, &a->job.group_pairs);
    case OPTION_SET_CAP:
        return nd_parse_number("set-cap", optarg, &a->job.set_cap);
    case OPTION_PAIRS:
        return nd_parse_choice("pairs", optarg, "keep", "drop", &a->job.keep_pairs);
    default:
        return parse_content_option(a, id);
    }
}

/* An option of methods. One that the method does not use would be passed over in silence. */
static nd_status parse_row(nd_partition_arguments *a, int id) {
    const nd_method_option *option = nd_method_option_row((size_t)(id - OPTION_OF_METHOD));
    return nd_method_uses(a->job.method, option)
               ? nd_method_option_set(option, optarg, &a->job.method_options)
               : nd_fail(ND_ERR_USAGE, "--%s %s: the method %s does not use it", option->name,
                         optarg, a->job.method->name);
}

static nd_status parse_option(nd_partition_arguments *a, int id) {
    nd_reader_options *reader = &a->job.reader;
    if (id >= OPTION_OF_METHOD) {
        return parse_row(a, id);
    }
    switch (id) {
    case 'o':
        a->job.output = optarg;
        return ND_OK;
    case 'h':
        a->help = true;
        return ND_OK;
    case OPTION_STRICT:
        a->strict = true;
        return ND_OK;
    case OPTION_MEMORY:
        return nd_parse_size("memory", optarg, &a->memory);
    case OPTION_MEMORY_CHECK:
        return nd_parse_choice("memory-check", optarg, "off", "on", &a->any_memory);
    case OPTION_WORK:
        a->job.work = optarg;
        return ND_OK;
    case OPTION_RESUME:
        a->job.resume = true;
        return ND_OK;
    case OPTION_DRY_RUN:
        a->dry_run = true;
        return ND_OK;
    case OPTION_SPACE:
        return nd_parse_choice("space", optarg, "ignore", "check", &a->job.ignore_space);
    case OPTION_FORCE:
        a->job.force = true;
        return ND_OK;
    case OPTION_SAME_CONTENT:
        return nd_parse_choice("same-content", optarg, "skip", "keep", &a->job.skip_copies);
    case OPTION_CHECKPOINT:
        return nd_parse_real("checkpoint", optarg, &a->job.checkpoint_seconds);
    case OPTION_UNIT:
        return nd_parse_size("unit", optarg, &a->job.unit_bytes);
    case OPTION_MAX_PAGE:
        return nd_parse_size("max-page", optarg, &reader->max_page_bytes);
    case OPTION_MAX_EXPANSION:
        return nd_parse_number("max-expansion", optarg, &reader->max_expansion);
    case OPTION_PROGRESS:
        return nd_parse_progress(optarg, &a->job.progress);
    case OPTION_JSONL_ID:
        reader->jsonl_id = optarg;
        return ND_OK;
    case OPTION_JSONL_URL:
        reader->jsonl_url = optarg;
        return ND_OK;
    case OPTION_JSONL_TEXT:
        reader->jsonl_text = optarg;
        return ND_OK;
    case OPTION_JSONL_HTML:
        reader->jsonl_html = optarg;
        return ND_OK;
    case OPTION_WATCHDOG:
        return nd_parse_number("watchdog", optarg, &a->watchdog.warn);
    case OPTION_WATCHDOG_ABORT:
        return nd_parse_number("watchdog-abort", optarg, &a->watchdog.abort);
    case OPTION_FAULT:
        return nd_fault_arm(optarg);
    case OPTION_PRESET:
    case OPTION_METHOD:
        return ND_OK; /* applied before the others */
    default:
        return parse_method_option(a, id);
    }
}

/* Where the bounds make the sets, they cannot be left out; and the fingerprints of pages are not
 * part of checkpoints. */
static nd_status check_left_out(const nd_job_options *job) {
    const nd_method_options *method = &job->method_options;
    if (job->transitivity == ND_TRANSITIVITY_BOUNDED &&
        (!method->filters || method->keys_suffice)) {
        return nd_fail(ND_ERR_USAGE,
                       "--%s off: the exact bounds make the sets of --transitivity bounded (--sets "
                       "star); take verified or full",
                       method->filters ? "verify" : "filters");
    }
    if (job->work != NULL && method->keys_suffice) {
        return nd_fail(ND_ERR_USAGE,
                       "--verify off: the method %s keeps no checkpoints of it; leave "
                       "out --work",
                       job->method->name);
    }
    return ND_OK;
}

/* The guard lies below the threshold, so what is wrong with that is told first. One that nobody has
 * asked for makes way for a low threshold, and for sets that nothing is compared for. */
static nd_status derive_options(nd_partition_arguments *a) {
    nd_job_options *job = &a->job;
    nd_status st = nd_method_derive(job->method, &job->method_options);
    const bool guards = job->transitivity == ND_TRANSITIVITY_VERIFIED;
    st = st != ND_OK ? st : check_left_out(job);
    if (st == ND_OK && !a->own_guard && job->method_options.keys_suffice) {
        job->guard = 0;
    }
    if (st == ND_OK && !a->own_guard && job->guard >= job->method_options.threshold) {
        job->guard = job->method_options.threshold / 2;
    }
    if (st != ND_OK ||
        (job->guard >= 0 && (!guards || job->guard < job->method_options.threshold))) {
        return st;
    }
    return nd_fail(ND_ERR_USAGE, "--guard %g: must be at least 0 and below the threshold, %g",
                   job->guard, job->method_options.threshold);
}

static nd_status check(nd_partition_arguments *a) {
    if (a->job.output == NULL && !a->dry_run) {
        return nd_fail(ND_ERR_USAGE, "no -o OUT.h5: where should the result go?");
    }
    if (a->input_count == 0) {
        return nd_fail(ND_ERR_USAGE, "no INPUT: which pages should be partitioned?");
    }
    if (a->job.set_cap < 2) {
        return nd_fail(ND_ERR_USAGE, "--set-cap %llu: must be at least 2",
                       (unsigned long long)a->job.set_cap);
    }
    if (a->job.guard_cap < 2) {
        return nd_fail(ND_ERR_USAGE, "--guard-cap %llu: must be at least 2",
                       (unsigned long long)a->job.guard_cap);
    }
    if (a->memory > 0 && a->memory < SMALLEST_MEMORY) {
        return nd_fail(ND_ERR_USAGE, "--memory %llu: must be at least 16M",
                       (unsigned long long)a->memory);
    }
    if (a->job.resume && a->job.work == NULL) {
        return nd_fail(ND_ERR_USAGE, "--resume: from where? give --work DIR");
    }
    if (!(a->job.checkpoint_seconds >= 0)) {
        return nd_fail(ND_ERR_USAGE, "--checkpoint %g: must be at least 0 seconds",
                       a->job.checkpoint_seconds);
    }
    if (a->job.group_pairs < 2 || a->job.group_pairs > ND_GROUP_RUN) {
        return nd_fail(ND_ERR_USAGE, "--group-pairs %llu: must be 2 to %d",
                       (unsigned long long)a->job.group_pairs, ND_GROUP_RUN);
    }
    if (a->job.keep_pairs && a->job.transitivity != ND_TRANSITIVITY_VERIFIED) {
        return nd_fail(ND_ERR_USAGE, "--pairs keep: pages are compared with leaders alone here; "
                                     "it takes --transitivity verified");
    }
    return derive_options(a);
}

/* The command line as one text, for the result file. */
static nd_status keep_command_line(nd_partition_arguments *a, int argc, char **argv) {
    nd_status st = nd_buffer_append_text(&a->command_line, "neardup");
    for (int i = 0; i < argc && st == ND_OK; i++) {
        st = nd_buffer_append_text(&a->command_line, " ");
        st = st != ND_OK ? st : nd_buffer_append_text(&a->command_line, argv[i]);
    }
    st = st != ND_OK ? st : nd_buffer_append(&a->command_line, "", 1);
    a->job.command_line = (const char *)a->command_line.data;
    return st;
}

/* What a pass over the command line looks for: the preset comes first, then the method, then all
 * else, so that options change both wherever they stand. */
typedef enum pass { PASS_PRESET, PASS_METHOD, PASS_OTHERS } pass;

static nd_status parse_in_pass(nd_partition_arguments *a, pass which, int id) {
    switch (which) {
    case PASS_PRESET:
        return id == OPTION_PRESET ? nd_apply_preset(optarg, &a->job) : ND_OK;
    case PASS_METHOD:
        a->method = id == OPTION_METHOD ? optarg : a->method;
        return ND_OK;
    default:
        return parse_option(a, id);
    }
}

static nd_status parse_pass(int argc, char **argv, nd_partition_arguments *a, pass which) {
    nd_status st = ND_OK;
    int id = 0;
    struct option list[MOST_OPTIONS];
    list_options(list);
    opterr = 0; /* told below, in one line */
    optind = 0; /* start over, also in glibc's own state */
    while ((id = getopt_long(argc, argv, "o:h", list, NULL)) != -1) {
        if (id == '?') {
            st = nd_wrong_option(argv[optind - 1], list);
            goto out;
        }
        ND_TRY(parse_in_pass(a, which, id));
    }
out:
    return st;
}

nd_status nd_partition_parse(int argc, char **argv, nd_partition_arguments *a) {
    nd_status st = ND_OK;
    nd_partition_defaults(&a->job);
    a->job.checkpoint_seconds = DEFAULT_CHECKPOINT_SECONDS;
    a->watchdog.warn = DEFAULT_WATCHDOG_SECONDS;
    ND_TRY(nd_parse_progress("auto", &a->job.progress));
    ND_TRY(keep_command_line(a, argc, argv));
    ND_TRY(parse_pass(argc, argv, a, PASS_PRESET));
    ND_TRY(parse_pass(argc, argv, a, PASS_METHOD));
    ND_TRY(a->method == NULL ? ND_OK : apply_method(a->method, &a->job));
    ND_TRY(parse_pass(argc, argv, a, PASS_OTHERS));
    a->inputs = (const char *const *)(argv + optind);
    a->input_count = (size_t)(argc - optind);
    if (!a->help) {
        ND_TRY(check(a));
    }
out:
    return st;
}
