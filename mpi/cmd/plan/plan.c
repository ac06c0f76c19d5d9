/* neardup plan : what a run will need, before it is made; curves of keys; coefficients of runs. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/option_value.h"
#include "mpi/cmd/plan/plan_curves.h"
#include "mpi/cmd/plan/plan_print.h"

#include "io/input/unused_input.h"
#include "io/result/plan_file.h"
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/printable.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MACHINES = 3 };

typedef struct arguments {
    nd_plan_task task;
    double ranks_per_node; /* 0: not given, as nodes */
    uint64_t memory;       /* 0: the share of this machine's */
    const char *coefficients;
    const char *output; /* of --calibrate */
    bool force;         /* replace a file of another kind */
    bool calibrate;
    bool json;
    bool help;
    nd_curve_wishes curves;
    nd_reader_options reader; /* of the inputs */
    char *const *words;       /* inputs or results */
    size_t word_count;
} arguments;

static void print_help(void) {
    (void)printf(
        "usage: neardup plan --pages N [options]\n"
        "       neardup plan INPUT... [options]\n"
        "       neardup plan --calibrate RESULT.h5... [-o FILE]\n"
        "       neardup plan --curve SETTING... [--propose T --budget P] [--svg FILE]\n\n"
        "Tells, from what finished runs needed, what a run of neardup partition will need: time,\n"
        "exchange, disk and memory of each stage. Of INPUT a small sample is read. Without "
        "--nodes\n"
        "and --ranks-per-node: one line each for 1 node of 2 ranks, 1 of 8 and 10 of 16.\n\n"
        "the pages\n"
        "      --pages N            how many\n"
        "      --page-bytes SIZE    HTML of a page, in the mean (the sample's, or 22500)\n"
        "      --input-bytes SIZE   compressed input of a page\n"
        "      --tokens N           tokens of a page\n"
        "      --jsonl-text F, --jsonl-html F\n"
        "                           the JSONL fields of INPUT, as partition takes them\n"
        "the machine\n"
        "      --nodes N, --ranks-per-node N\n"
        "      --memory SIZE        of a rank (its share of this machine's, as partition takes "
        "it)\n"
        "      --checkpoints yes|no with a work folder, --work (yes)\n"
        "      --speed X            of a core, relative to where the coefficients are from (1)\n"
        "      --input-disk SIZE    bytes a second that a node reads of the inputs (500M)\n"
        "      --disk SIZE          the same of the work folder (500M)\n"
        "      --network SIZE       the same that a node sends (1250M)\n"
        "coefficients\n"
        "      --calibrate          take them from finished runs, best of several sizes and "
        "numbers\n"
        "                           of ranks, none with more ranks than cores, and some in\n"
        "                           memory, for the times; print them\n"
        "  -o, --output FILE        and write them to FILE (JSON)\n"
        "      --coefficients FILE  plan with those of FILE (built in)\n"
        "curves: the probability that two pages meet, by their similarity\n"
        "      --curve SETTING      bands:25x5, sketch:90/100, supershingles:6x14:2, "
        "buckets:14x2,\n"
        "                           pieces:12x32:384; may be given up to 12 times\n"
        "      --propose T          bands and rows for threshold T\n"
        "      --budget P           of so many minima (128)\n"
        "      --svg FILE           plot them too\n\n"
        "      --format text|json   (text)\n"
        "      --force              a file under the name of -o or --svg is replaced whatever it "
        "is\n"
        "                           (only if it is one of these)\n"
        "  -h, --help               this text\n\n"
        "exit codes: 0 done, 1 failed, 2 wrong usage\n");
}

enum option_id {
    OPTION_PAGES = 256,
    OPTION_PAGE_BYTES,
    OPTION_INPUT_BYTES,
    OPTION_TOKENS,
    OPTION_NODES,
    OPTION_RANKS,
    OPTION_MEMORY,
    OPTION_CHECKPOINTS,
    OPTION_SPEED,
    OPTION_INPUT_DISK,
    OPTION_DISK,
    OPTION_NETWORK,
    OPTION_CALIBRATE,
    OPTION_COEFFICIENTS,
    OPTION_CURVE,
    OPTION_PROPOSE,
    OPTION_BUDGET,
    OPTION_SVG,
    OPTION_FORMAT,
    OPTION_JSONL_TEXT,
    OPTION_JSONL_HTML,
    OPTION_FORCE
};

static const struct option options[] = {
    {"pages", required_argument, NULL, OPTION_PAGES},
    {"page-bytes", required_argument, NULL, OPTION_PAGE_BYTES},
    {"input-bytes", required_argument, NULL, OPTION_INPUT_BYTES},
    {"tokens", required_argument, NULL, OPTION_TOKENS},
    {"nodes", required_argument, NULL, OPTION_NODES},
    {"ranks-per-node", required_argument, NULL, OPTION_RANKS},
    {"memory", required_argument, NULL, OPTION_MEMORY},
    {"checkpoints", required_argument, NULL, OPTION_CHECKPOINTS},
    {"speed", required_argument, NULL, OPTION_SPEED},
    {"input-disk", required_argument, NULL, OPTION_INPUT_DISK},
    {"disk", required_argument, NULL, OPTION_DISK},
    {"network", required_argument, NULL, OPTION_NETWORK},
    {"calibrate", no_argument, NULL, OPTION_CALIBRATE},
    {"coefficients", required_argument, NULL, OPTION_COEFFICIENTS},
    {"curve", required_argument, NULL, OPTION_CURVE},
    {"propose", required_argument, NULL, OPTION_PROPOSE},
    {"budget", required_argument, NULL, OPTION_BUDGET},
    {"svg", required_argument, NULL, OPTION_SVG},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"jsonl-text", required_argument, NULL, OPTION_JSONL_TEXT},
    {"jsonl-html", required_argument, NULL, OPTION_JSONL_HTML},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- the command line */

static nd_status parse_positive(const char *option, double *number) {
    uint64_t whole = 0;
    nd_status st = nd_parse_number(option, optarg, &whole);
    if (st == ND_OK && whole == 0) {
        st = nd_fail(ND_ERR_USAGE, "--%s 0: must be at least 1", option);
    }
    *number = (double)whole;
    return st;
}

static nd_status parse_bytes(const char *option, double *bytes) {
    uint64_t whole = 0;
    const nd_status st = nd_parse_size(option, optarg, &whole);
    *bytes = (double)whole;
    return st;
}

static nd_status parse_speed(double *speed) {
    const nd_status st = nd_parse_real("speed", optarg, speed);
    return st == ND_OK && !(*speed > 0)
               ? nd_fail(ND_ERR_USAGE, "--speed %s: must be above 0", optarg)
               : st;
}

static nd_status add_curve(nd_curve_wishes *curves) {
    if (curves->count == ND_CURVES_MAX) {
        return nd_fail(ND_ERR_USAGE, "--curve %s: more than %d are too many", optarg,
                       (int)ND_CURVES_MAX);
    }
    curves->specs[curves->count++] = optarg;
    return ND_OK;
}

static nd_status parse_other(arguments *a, int id, const char *word) {
    nd_curve_wishes *curves = &a->curves;
    bool text = true;
    nd_status st = ND_OK;
    switch (id) {
    case OPTION_CALIBRATE:
        a->calibrate = true;
        return ND_OK;
    case OPTION_COEFFICIENTS:
        a->coefficients = optarg;
        return ND_OK;
    case OPTION_CURVE:
        return add_curve(curves);
    case OPTION_PROPOSE:
        curves->proposes = true;
        return nd_parse_real("propose", optarg, &curves->threshold);
    case OPTION_BUDGET:
        return nd_parse_small("budget", optarg, &curves->budget);
    case OPTION_SVG:
        curves->svg = optarg;
        return ND_OK;
    case OPTION_FORMAT:
        st = nd_parse_choice("format", optarg, "text", "json", &text);
        a->json = curves->json = !text;
        return st;
    case OPTION_FORCE:
        a->force = true;
        return ND_OK;
    case OPTION_JSONL_TEXT:
        a->reader.jsonl_text = optarg;
        return ND_OK;
    case OPTION_JSONL_HTML:
        a->reader.jsonl_html = optarg;
        return ND_OK;
    case 'o':
        a->output = optarg;
        return ND_OK;
    case 'h':
        a->help = true;
        return ND_OK;
    default:
        return nd_wrong_option(word, options);
    }
}

static nd_status parse_option(arguments *a, int id, const char *word) {
    nd_plan_task *task = &a->task;
    switch (id) {
    case OPTION_PAGES:
        return parse_positive("pages", &task->pages);
    case OPTION_PAGE_BYTES:
        return parse_bytes("page-bytes", &task->page_bytes);
    case OPTION_INPUT_BYTES:
        return parse_bytes("input-bytes", &task->input_bytes);
    case OPTION_TOKENS:
        return parse_positive("tokens", &task->tokens);
    case OPTION_NODES:
        return parse_positive("nodes", &task->nodes);
    case OPTION_RANKS:
        return parse_positive("ranks-per-node", &a->ranks_per_node);
    case OPTION_MEMORY:
        return nd_parse_size("memory", optarg, &a->memory);
    case OPTION_CHECKPOINTS:
        return nd_parse_choice("checkpoints", optarg, "yes", "no", &task->checkpoints);
    case OPTION_SPEED:
        return parse_speed(&task->speed);
    case OPTION_INPUT_DISK:
        return parse_bytes("input-disk", &task->input_disk);
    case OPTION_DISK:
        return parse_bytes("disk", &task->disk);
    case OPTION_NETWORK:
        return parse_bytes("network", &task->network);
    default:
        return parse_other(a, id, word);
    }
}

static bool wants_curves(const arguments *a) {
    return a->curves.count > 0 || a->curves.proposes;
}

static nd_status check(const arguments *a) {
    if (a->curves.svg != NULL && !wants_curves(a)) {
        return nd_fail(ND_ERR_USAGE, "--svg %s: of what? give --curve or --propose", a->curves.svg);
    }
    if (a->output != NULL && !a->calibrate) {
        return nd_fail(ND_ERR_USAGE, "-o %s: only coefficients are written: give --calibrate",
                       a->output);
    }
    if (wants_curves(a)) {
        return a->word_count == 0
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE, "%s: curves are of no input", a->words[0]);
    }
    if (a->calibrate) {
        return a->word_count > 0
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE, "--calibrate: by which results? name RESULT.h5 files");
    }
    if ((a->task.pages > 0) == (a->word_count > 0)) {
        return nd_fail(ND_ERR_USAGE, "either --pages N or INPUT: what should be planned?");
    }
    return ND_OK;
}

static nd_status parse(int argc, char **argv, arguments *a) {
    nd_status st = ND_OK;
    int id = 0;
    *a = (arguments){.task = nd_plan_usual_machine(), .curves = {.budget = 128}};
    a->task.checkpoints = true;
    opterr = 0; /* told in one line */
    while ((id = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        ND_TRY(parse_option(a, id, argv[optind - 1]));
    }
    a->words = argv + optind;
    a->word_count = (size_t)(argc - optind);
    if (!a->help) {
        ND_TRY(check(a));
    }
out:
    return st;
}

/* ---- coefficients */

static void print_rates(const nd_plan_rates *rates) {
    (void)printf("%-16s %12s %12s  %-11s  %s\n", "coefficient", "at 1M pages", "per doubling",
                 "growth", "unit");
    for (int i = 0; i < ND_RATES; i++) {
        const nd_rate_row *row = nd_rate_get((nd_rate)i);
        (void)printf("%-16s %12.5g %12.5g  %-11s  %s\n", row->name, rates->value[i],
                     rates->per_doubling[i], row->logarithmic ? "logarithmic" : "linear",
                     row->unit);
    }
}

static bool is_rates(const char *path) {
    nd_plan_rates rates = nd_plan_default_rates();
    return nd_plan_rates_read(path, &rates) == ND_OK;
}

static bool is_plot(const char *path) {
    struct stat info;
    int descriptor = -1;
    char begin[4] = "";
    const bool read = nd_foreign_file_open(path, &descriptor, &info) == ND_OK &&
                      nd_own_file_read(descriptor, path, 0, begin, sizeof begin) == ND_OK;
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return read && memcmp(begin, "<svg", sizeof begin) == 0;
}

/* Before any work: neither a result that is read nor anything else is lost. */
static nd_status check_output(const arguments *a) {
    const bool rates = a->output != NULL;
    const nd_output output = {.option = rates ? "-o" : "--svg",
                              .path = rates ? a->output : a->curves.svg,
                              .force = a->force,
                              .replaces = rates ? is_rates : is_plot,
                              .what = rates ? "a file of coefficients" : "a plot (SVG)"};
    const nd_output_files taken = nd_output_look(rates ? a->output : "");
    for (size_t i = 0; rates && i < a->word_count; i++) {
        struct stat info;
        if (stat(a->words[i], &info) == 0 &&
            nd_output_takes(&taken, (uint64_t)info.st_dev, (uint64_t)info.st_ino)) {
            return nd_fail(ND_ERR_USAGE, "-o %s: is the result %s: name another file", output.path,
                           a->words[i]);
        }
    }
    return output.path == NULL ? ND_OK : nd_output_check(&output);
}

static nd_status calibrate(const arguments *a) {
    nd_status st = ND_OK;
    nd_plan_run *runs = NULL;
    nd_plan_rates rates = nd_plan_default_rates();
    ND_TRY(nd_new(&runs, a->word_count, sizeof *runs));
    for (size_t i = 0; i < a->word_count; i++) {
        ND_TRY(nd_plan_run_read(a->words[i], &runs[i]));
    }
    nd_plan_calibrate(&rates, runs, a->word_count);
    print_rates(&rates);
    if (a->output != NULL) {
        ND_TRY(nd_plan_rates_write(a->output, &rates, (const char *const *)a->words, runs,
                                   a->word_count));
    }
out:
    free(runs);
    return st;
}

/* ---- plans */

static nd_status look_at_inputs(arguments *a, nd_input_sample *sample) {
    nd_status st = ND_OK;
    nd_input_list inputs = {0};
    const nd_plan_task given = a->task;
    ND_TRY(nd_input_list_resolve(&inputs, (const char *const *)a->words, a->word_count));
    ND_TRY(nd_input_sample_take(&inputs, &a->reader, sample));
    ND_TRY(sample->sampled > 0 ? ND_OK : nd_unused_inputs_refuse(&inputs, &a->reader));
    nd_plan_take_sample(&a->task, sample);
    if (given.page_bytes > 0 || given.input_bytes > 0 || given.tokens > 0) {
        st = nd_fail(ND_ERR_USAGE, "--page-bytes, --input-bytes, --tokens: told by the INPUT");
    }
out:
    nd_input_list_free(&inputs);
    return st;
}

static void set_machine(const arguments *a, nd_plan_task *task, double nodes, double on_node) {
    *task = a->task;
    task->nodes = nodes;
    task->ranks = nodes * on_node;
    task->memory =
        nd_plan_memory_shares(a->memory > 0 ? a->memory : nd_memory_default((int)on_node));
}

/* The machines to be planned for. \return how many */
static size_t list_machines(const arguments *a, nd_plan_task tasks[MACHINES]) {
    static const double usual[MACHINES][2] = {{1, 2}, {1, 8}, {10, 16}};
    if (a->task.nodes > 0 || a->ranks_per_node > 0) {
        set_machine(a, &tasks[0], a->task.nodes > 0 ? a->task.nodes : 1,
                    a->ranks_per_node > 0 ? a->ranks_per_node : 1);
        return 1;
    }
    for (int i = 0; i < MACHINES; i++) {
        set_machine(a, &tasks[i], usual[i][0], usual[i][1]);
    }
    return MACHINES;
}

static nd_status plan_run(arguments *a) {
    nd_status st = ND_OK;
    nd_plan_rates rates = nd_plan_default_rates();
    nd_input_sample sample = {0};
    nd_plan_task tasks[MACHINES];
    nd_plan plans[MACHINES];
    const bool sampled = a->word_count > 0;
    if (a->coefficients != NULL) {
        ND_TRY(nd_plan_rates_read(a->coefficients, &rates));
    }
    if (sampled) {
        ND_TRY(look_at_inputs(a, &sample));
    }
    const size_t count = list_machines(a, tasks);
    for (size_t i = 0; i < count; i++) {
        plans[i] = nd_plan_make(&tasks[i], &rates);
    }
    if (a->json) {
        ND_TRY(nd_plan_print_json(sampled ? &sample : NULL, tasks, plans, count));
        goto out;
    }
    if (sampled) {
        nd_plan_print_sample(&sample);
    }
    if (count > 1) {
        nd_plan_print_machines(tasks, plans, count);
    } else {
        nd_plan_print(&tasks[0], &plans[0]);
    }
out:
    return st;
}

static int plan(int argc, char **argv) {
    arguments a;
    nd_status st = parse(argc, argv, &a);
    if (st == ND_OK && a.help) {
        print_help();
        return ND_EXIT_DONE;
    }
    st = st != ND_OK ? st : check_output(&a);
    if (st == ND_OK) {
        st = wants_curves(&a) ? nd_curves_print(&a.curves)
             : a.calibrate    ? calibrate(&a)
                              : plan_run(&a);
    }
    if (st == ND_ERR_USAGE) {
        return nd_usage_error("plan", "%s", nd_fail_text());
    }
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup plan: %s", nd_fail_text());
        return ND_EXIT_FAILED;
    }
    return ND_EXIT_DONE;
}

const nd_command nd_command_plan = {
    .name = "plan",
    .summary = "what a run will need, before it is made; curves of key settings",
    .run = plan,
};
