/* neardup plan : what a run will need, before it is made; curves of keys. */
#include "io/input/input_survey.h"
#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/cmd/partition/partition.h"
#include "mpi/cmd/plan_print.h"
#include "src/base/status.h"
#include "src/base/util.h"
#include "src/plan/curve.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES = 3, CURVES_MOST = 12 };

typedef struct arguments {
    nd_plan_task task;  /* filled in from the next ones */
    nd_job_options job; /* how it finds pairs: by the next two */
    const char *preset, *method;
    uint64_t pages, tokens, nodes, ranks_per_node;
    uint64_t page_bytes, input_bytes, input_disk, disk, network;
    uint64_t memory; /* 0: the share of this machine's */
    bool force;      /* replace a file of another kind */
    bool contained;
    bool json;
    const char *specs[CURVES_MOST]; /* of curves, as written */
    size_t spec_count;
    bool proposes; /* bands and rows for a threshold are wanted */
    double threshold;
    uint32_t budget;          /* minima in all */
    const char *svg;          /* file; NULL: none */
    nd_reader_options reader; /* of the inputs */
    nd_words words;           /* inputs */
} arguments;

static arguments asked;

/* ==== neardup plan --curve, --propose: how likely pages are to meet by their similarity, for
 * settings of keys, as a table on stdout and as an SVG file. */

enum { ROWS = 20, COLUMN = 10, PROPOSED_SIZE = 64 };

/* All curves, the proposed one last. */
typedef struct curve_list {
    nd_curve_spec specs[CURVES_MOST + 1];
    size_t count;
    char proposed[PROPOSED_SIZE];
} curve_list;

/* What is met wrongly and what is missed count the same, as in datasketch. */
static nd_status propose(curve_list *c) {
    const nd_curve_weights weights = {.5, .5};
    if (!(asked.threshold > 0 && asked.threshold < 1)) {
        return nd_fail(ND_ERR_USAGE, "--propose %g: must lie between 0 and 1", asked.threshold);
    }
    if (asked.budget == 0 || asked.budget > 100000) {
        return nd_fail(ND_ERR_USAGE, "--budget %" PRIu32 ": must be from 1 to 100000 minima",
                       asked.budget);
    }
    const nd_curve curve = nd_curve_choose(asked.threshold, asked.budget, weights);
    (void)snprintf(c->proposed, sizeof c->proposed, "bands:%" PRIu32 "x%" PRIu32, curve.groups,
                   curve.rows);
    return nd_curve_spec_parse(c->proposed, &c->specs[c->count++]);
}

static int width_of(const nd_curve_spec *spec) {
    return (int)nd_max(strlen(spec->text), COLUMN);
}

static void print_table(const curve_list *c) {
    (void)printf("similarity");
    for (size_t i = 0; i < c->count; i++) {
        (void)printf("  %*s", width_of(&c->specs[i]), c->specs[i].text);
    }
    (void)puts("");
    for (int row = 0; row <= ROWS; row++) {
        const double similarity = (double)row / (double)ROWS;
        (void)printf("%10.2f", similarity);
        for (size_t i = 0; i < c->count; i++) {
            (void)printf("  %*.6f", width_of(&c->specs[i]),
                         nd_curve_spec_at(&c->specs[i], similarity));
        }
        (void)puts("");
    }
    (void)printf("half at   ");
    for (size_t i = 0; i < c->count; i++) {
        (void)printf("  %*.3f", width_of(&c->specs[i]), nd_curve_spec_half(&c->specs[i]));
    }
    (void)puts("");
}

static void print_json(const curve_list *c) {
    json_object *root = json_object_new_array();
    for (size_t i = 0; i < c->count; i++) {
        const nd_curve_spec *spec = &c->specs[i];
        json_object *curve = nd_json_add_object(root, NULL);
        ND_JSON_PUT(curve, {"curve", nd_json_words(spec->text)},
                    {"half", nd_json_decimal(nd_curve_spec_half(spec), 6)});
        json_object *points = nd_json_add_array(curve, "points");
        for (int row = 0; row <= ROWS; row++) {
            const double similarity = (double)row / (double)ROWS;
            json_object *point = nd_json_add_array(points, NULL);
            ND_JSON_PUT(point, {NULL, nd_json_decimal(similarity, 2)},
                        {NULL, nd_json_real(nd_curve_spec_at(spec, similarity), 9)});
        }
    }
    nd_json_print(stdout, &root);
}

static nd_status print_curves(void) {
    nd_status st = ND_OK;
    nd_buffer svg = {0};
    curve_list c = {.count = 0};
    for (size_t i = 0; i < asked.spec_count; i++) {
        ND_TRY(nd_curve_spec_parse(asked.specs[i], &c.specs[c.count++]));
    }
    ND_TRY(asked.proposes ? propose(&c) : ND_OK);
    if (asked.svg != NULL) {
        nd_curve_plot(c.specs, c.count, asked.proposes ? asked.threshold : 0, &svg);
        ND_TRY(nd_own_file_save(asked.svg, svg.data, svg.size));
    }
    if (asked.json) {
        print_json(&c);
        goto out;
    }
    if (asked.proposes) {
        const nd_curve_spec *proposed = &c.specs[c.count - 1];
        (void)printf("proposed for threshold %g and %" PRIu32 " minima: %s (%" PRIu32
                     " minima; wrong meetings and misses count the same)\n\n",
                     asked.threshold, asked.budget, c.proposed,
                     proposed->groups.groups * proposed->groups.rows);
    }
    print_table(&c);
out:
    nd_buffer_free(&svg);
    return st;
}

/* ==== the command */

/* ---- the command line */

static nd_status add_curve(void *options, const char *text) {
    arguments *a = options;
    if (a->spec_count == CURVES_MOST) {
        return nd_fail(ND_ERR_USAGE, "--curve %s: more than %d are too many", text,
                       (int)CURVES_MOST);
    }
    a->specs[a->spec_count++] = text;
    return ND_OK;
}

#define AT(field) offsetof(arguments, field)

static const nd_option options[] = {
    {.help = "The pages"},
    {"pages", "N", ND_OPTION_NUMBER, AT(pages), .help = "how many", .bounded = true, .least = 1},
    {"page-bytes", "SIZE", ND_OPTION_SIZE, AT(page_bytes),
     .help = "mean HTML bytes for a page (from the sample, or 22500)", .rare = true},
    {"input-bytes", "SIZE", ND_OPTION_SIZE, AT(input_bytes),
     .help = "compressed input bytes for a page", .rare = true},
    {"tokens", "N", ND_OPTION_NUMBER, AT(tokens), .help = "tokens in a page", .rare = true,
     .bounded = true, .least = 1},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_text),
     .help = "field with the text in JSONL INPUT, as for partition", .rare = true},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, AT(reader.jsonl_html), .help = "field with the HTML",
     .rare = true},

    {.help = "The job"},
    {"preset", "default|safe|pku", ND_OPTION_TEXT, AT(preset),
     .help = "as for partition (default); more of its options: partition --dry-run"},
    {"method", "NAME", ND_OPTION_TEXT, AT(method), .help = "as for partition (lcs)",
     .word = nd_partition_method_word},

    {.help = "The machine"},
    {"nodes", "N", ND_OPTION_NUMBER, AT(nodes), .help = "how many", .bounded = true, .least = 1},
    {"ranks-per-node", "N", ND_OPTION_NUMBER, AT(ranks_per_node), .help = "on each",
     .bounded = true, .least = 1},
    {"memory", "SIZE", ND_OPTION_SIZE, AT(memory),
     .help = "for a rank (its share in this machine's, as for partition)", .rare = true},
    {"checkpoints", "yes|no", ND_OPTION_SWITCH, AT(task.checkpoints),
     .help = "with a work folder, --work", .rare = true},
    {"local-tmp", "yes|no", ND_OPTION_SWITCH, AT(task.local_tmp),
     .help = "with --local-tmp, a disk of each node for what no checkpoint keeps (no)",
     .rare = true},
    {"contained", "yes|no", ND_OPTION_SWITCH, AT(contained),
     .help = "with --contained for all pages (no)", .rare = true},
    {"speed", "X", ND_OPTION_REAL, AT(task.speed),
     .help = "core speed, relative to the machine that the estimates come from", .rare = true},
    {"input-disk", "SIZE", ND_OPTION_SIZE, AT(input_disk),
     .help = "bytes a second that a node reads from inputs (500 MB)", .rare = true},
    {"disk", "SIZE", ND_OPTION_SIZE, AT(disk),
     .help = "bytes a second to and from the work folder (500 MB)", .rare = true},
    {"network", "SIZE", ND_OPTION_SIZE, AT(network),
     .help = "bytes a second that a node sends (1.25 GB)", .rare = true},

    {.help = "Curves: the probability that two pages meet, by their similarity"},
    {"curve", "SETTING", ND_OPTION_OWN, 0,
     .help = "bands:25x5, sketch:90/100, supershingles:6x14:2, buckets:14x2, pieces:12x32:384; may "
             "be given up to 12 times",
     .set = add_curve},
    {"propose", "T", ND_OPTION_REAL, AT(threshold), .help = "bands and rows for threshold T",
     .rare = true, .given = AT(proposes)},
    {"budget", "P", ND_OPTION_COUNT, AT(budget), .help = "minima for that proposal", .rare = true},
    {"svg", "FILE", ND_OPTION_TEXT, AT(svg), .help = "plot them too", .rare = true},

    {.help = "Output"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "print text, or JSON"},
    {"force", NULL, ND_OPTION_FLAG, AT(force),
     .help = "replace any file named by --svg (only a plot)", .rare = true},
    {0},
};

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (arguments){.task = nd_plan_usual_machine(), .budget = 128};
    asked.task.checkpoints = true;
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static bool wants_curves(const arguments *a) {
    return a->spec_count > 0 || a->proposes;
}

/* Read it, and check that it asks for one thing: curves, or a plan. */
static nd_status parse(nd_command_call *call, arguments *a) {
    nd_status st = ND_OK;
    ND_TRY(nd_command_line_read(call, 0, &a->words));
    if (!(a->task.speed > 0)) {
        return nd_fail(ND_ERR_USAGE, "--speed %g: must be above 0", a->task.speed);
    }
    const struct {
        uint64_t given;
        double *field;
    } numbers[] = {{a->pages, &a->task.pages},
                   {a->tokens, &a->task.tokens},
                   {a->nodes, &a->task.nodes},
                   {a->page_bytes, &a->task.page_bytes},
                   {a->input_bytes, &a->task.input_bytes},
                   {a->input_disk, &a->task.input_disk},
                   {a->disk, &a->task.disk},
                   {a->network, &a->task.network}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i].field = numbers[i].given > 0 ? (double)numbers[i].given : *numbers[i].field;
    }
    nd_partition_defaults(&a->job);
    ND_TRY(a->preset != NULL ? nd_partition_take_preset(&a->job, a->preset) : ND_OK);
    ND_TRY(nd_partition_take_method(&a->job, a->method));
    ND_TRY(nd_method_derive(a->job.method, &a->job.method_options));
    nd_plan_take_method(&a->task, &a->job);
    a->task.asking = a->contained ? 1 : 0;
    const bool curves = wants_curves(a);
    const bool inputs = a->words.count > 0;
    if (a->svg != NULL && !curves) {
        st = nd_fail(ND_ERR_USAGE, "--svg %s: of what? give --curve or --propose", a->svg);
    } else if (curves && inputs) {
        st = nd_fail(ND_ERR_USAGE, "%s: curves are of no input", a->words.words[0]);
    } else if (!curves && (a->task.pages > 0) == inputs) {
        st = nd_fail(ND_ERR_USAGE, "either --pages N or INPUT: what should be planned?");
    }
out:
    return st;
}

static bool is_plot(const char *path) {
    return nd_foreign_file_begins(path, "<svg");
}

/* ---- plans */

static nd_status look_at_inputs(arguments *a, nd_input_sample *sample) {
    nd_status st = ND_OK;
    nd_input_list inputs = {0};
    const nd_plan_task given = a->task;
    ND_TRY(nd_input_list_resolve(&inputs, (const char *const *)a->words.words, a->words.count));
    ND_TRY(nd_input_sample_take(&inputs, &a->reader, a->task.whole, sample));
    ND_TRY(sample->sampled > 0 ? ND_OK : nd_unused_inputs_refuse(&inputs, &a->reader));
    nd_plan_take_sample(&a->task, sample);
    if (given.page_bytes > 0 || given.input_bytes > 0 || given.tokens > 0) {
        st = nd_fail(ND_ERR_USAGE, "--page-bytes, --input-bytes, --tokens: known from the INPUT");
    }
out:
    nd_input_list_free(&inputs);
    return st;
}

/* Of the machine that is named, or of some usual ones. */
static nd_status plan_run(arguments *a) {
    static const double usual[MACHINES][2] = {{1, 2}, {1, 8}, {10, 16}};
    const bool named = a->task.nodes > 0 || a->ranks_per_node > 0;
    const size_t count = named ? 1 : MACHINES;
    const bool sampled = a->words.count > 0;
    nd_status st = ND_OK;
    const nd_plan_rates rates = nd_plan_rates_of(a->task.kind, a->task.whole);
    nd_input_sample sample = {0};
    nd_plan_task tasks[MACHINES];
    nd_plan plans[MACHINES];
    if (sampled) {
        ND_TRY(look_at_inputs(a, &sample));
    }
    for (size_t i = 0; i < count; i++) {
        const double on_node = named ? (double)nd_max(a->ranks_per_node, 1) : usual[i][1];
        tasks[i] = a->task;
        tasks[i].nodes = !named ? usual[i][0] : a->task.nodes > 0 ? a->task.nodes : 1;
        tasks[i].ranks = tasks[i].nodes * on_node;
        tasks[i].memory =
            nd_plan_memory_shares(a->memory > 0 ? a->memory : nd_memory_default((int)on_node));
        plans[i] = nd_plan_make(&tasks[i], &rates);
    }
    if (a->json) {
        nd_plan_print_json(sampled ? &sample : NULL, tasks, plans, count);
        goto out;
    }
    if (sampled) {
        nd_plan_print_sample(&sample);
    }
    if (named) {
        nd_plan_print(&tasks[0], &plans[0], a->memory > 0);
    } else {
        nd_plan_print_machines(tasks, plans, count, a->memory > 0);
    }
out:
    return st;
}

static nd_status plan(nd_command_call *call) {
    nd_status st = ND_OK;
    ND_TRY(parse(call, &asked));
    const nd_output output = {.option = "--svg",
                              .path = asked.svg,
                              .force = asked.force,
                              .replaces = is_plot,
                              .what = "a plot (SVG)"};
    ND_TRY(output.path != NULL ? nd_output_check(&output) : ND_OK);
    ND_TRY(wants_curves(&asked) ? print_curves() : plan_run(&asked));
out:
    return st;
}

const nd_command nd_command_plan = {
    .name = "plan",
    .summary = "estimate what a run will need, before it is made; curves for key settings",
    .usage = "--pages N [options]\n"
             "INPUT... [options]\n"
             "--curve SETTING... [--propose T --budget P] [--svg FILE]",
    .about = "Estimates what neardup partition will need: time, exchange, disk and memory for each "
             "stage, and whether the run will go. Estimates come from measured runs. For INPUT a "
             "small sample is read. Memory is this machine's, unless --memory says otherwise. "
             "Without --nodes and --ranks-per-node three machines are compared: 1 node with 2 "
             "ranks, 1 with 8, and 10 with 16 each.",
    .examples = "neardup plan --pages 430M --preset pku --nodes 10 --ranks-per-node 16\n"
                "neardup plan crawl/*.warc.gz --nodes 10 --ranks-per-node 16\n"
                "neardup plan --curve bands:25x5 --curve buckets:14x2 --svg curves.svg",
    .open = open_options,
    .run = plan,
};
