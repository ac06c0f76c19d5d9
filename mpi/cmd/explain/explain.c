/* neardup explain : why two pages are, or are not, similar, by every measure. */
#include "mpi/cmd/command.h"

#include "mpi/cmd/command_line.h"
#include "mpi/cmd/explain/explanation.h"
#include "mpi/cmd/page/page_name.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/job/run_parameters.h"
#include "src/method/method_option.h"
#include "src/method/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t DEFAULT_LINES = 40;

typedef struct request {
    nd_job_options job;   /* the run's, or the default's, as changed by options */
    nd_pair_options pair; /* of the measures that no run has */
    uint64_t lines;
    bool json;
    bool own_threshold, own_shingle_tokens; /* these were given */
} request;

static request asked;

/* A method other than the run's brings its own options. */
static nd_status set_method(void *options, const char *text) {
    nd_job_options *job = &((request *)options)->job;
    const nd_method *method = nd_method_find(text);
    if (method == NULL) {
        return nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", text);
    }
    if (method == job->method) {
        return ND_OK;
    }
    job->method = method;
    return nd_method_own_options(method, &job->method_options);
}

#define AT(field) offsetof(request, field)

/* What the result's parameters say comes before these. */
static const nd_option options[] = {
    {"method", "NAME", ND_OPTION_OWN, 0, .help = "compare by this method (the run's; lcs)",
     .turn = 1, .set = set_method},
    {"threshold", "T", ND_OPTION_REAL, AT(job.method_options.threshold),
     .help = "similar from this score on (the run's; the method's)", .given = AT(own_threshold)},
    {"shingle-tokens", "K", ND_OPTION_COUNT, AT(pair.shingle_tokens),
     .help = "tokens in a shingle, for resemblance, sketch and supershingles (5, 5 and 8)",
     .given = AT(own_shingle_tokens)},
    {"minima", "P", ND_OPTION_COUNT, AT(pair.minima),
     .help = "minima in the sketch that estimates the resemblance"},
    {"navigation", "drop|keep", ND_OPTION_SWITCH, AT(job.content.navigation),
     .help = "drop navigation before comparing, or keep it (as the run did)"},
    {"links", "drop|keep", ND_OPTION_SWITCH, AT(job.content.links),
     .help = "drop blocks that are mostly links, or keep them (as the run did)"},
    {"lines", "N", ND_OPTION_NUMBER, AT(lines),
     .help = "most sentences shown, many alike in a row are cut short; 0: all"},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "print text, or one JSON object"},
    {0},
};

static nd_status allow(const nd_option *option, const char *text) {
    const bool threshold = strcmp(option->name, "threshold") == 0;
    return !threshold || nd_method_uses(asked.job.method,
                                        nd_option_find(nd_method_option_table, "threshold"))
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--threshold %s: the method %s does not use it", text,
                         asked.job.method->name);
}

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.pair = ND_PAIR_DEFAULTS, .lines = DEFAULT_LINES};
    nd_partition_defaults(&asked.job);
    sets[0] = (nd_command_table){.table = options, .options = &asked, .allow = allow};
    sets[1] = (nd_command_table){.table = nd_shown_run_option_table, .options = &asked.job.reader};
}

/* The pages that two names mean: of one name twice, its first two. */
static nd_status read_pages(nd_explanation *e, nd_shown_run *run) {
    nd_status st = ND_OK;
    nd_named_pages named[2];
    const bool twins = strcmp(e->names[0], e->names[1]) == 0;
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_page_name_find(run->result, e->names[side], &named[side]));
        if (!twins) {
            ND_TRY(nd_page_name_warn(run->result, e->names[side], &named[side]));
        } else if (named[side].count == 1) {
            st = nd_fail(ND_ERR_USAGE, "%s: only one page has the %s %s: name two pages",
                         run->result->path, named[side].as, e->names[side]);
            goto out;
        }
        ND_TRY(
            nd_shown_page_read_compared(&e->pages[side], run, named[side].pages[twins ? side : 0]));
        e->pages[side].place.namesakes = named[side].count;
    }
out:
    return st;
}

/* Two files are hashed with a seed of their bytes, as a run over both. */
static nd_status read_files(nd_explanation *e) {
    nd_status st = ND_OK;
    nd_buffer scratch = {0};
    uint64_t seed = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t number = 0;
        ND_TRY(nd_input_number(e->names[side], &scratch, &number));
        seed += number;
    }
    e->options.hash_seed = nd_input_seed(seed);
    ND_TRY(nd_shown_page_read_file(&e->pages[0], e->names[0], &e->options));
    ND_TRY(nd_shown_page_read_file(&e->pages[1], e->names[1], &e->options));
out:
    nd_buffer_free(&scratch);
    return st;
}

/* Options in their turns, those of the run between; then both pages.
 * \param[out] e  to be freed in any case */
static nd_status explain_pair(int argc, char **argv, nd_explanation *e) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    nd_words words;
    char used[ND_PARAMETERS_SIZE], changed[ND_PARAMETERS_SIZE];
    nd_result result = {.file = H5I_INVALID_HID};
    nd_shown_run run = {.result = NULL};
    open_options(sets);
    ND_TRY(nd_command_line_read(sets, argc, argv, 2, &words));
    if (words.count != 2 && words.count != 3) {
        st = nd_fail(ND_ERR_USAGE, "needs OUT.h5 PAGE_A PAGE_B, or FILE_A FILE_B, got %zu words",
                     words.count);
        goto out;
    }
    e->names[0] = words.words[words.count - 2];
    e->names[1] = words.words[words.count - 1];
    run.options = asked.job;
    if (words.count == 3) {
        e->result = words.words[0];
        ND_TRY(nd_result_open(&result, e->result));
        ND_TRY(nd_shown_run_know(&run, &result));
        asked.job = run.options;
    }
    nd_print_parameters(&asked.job, used, sizeof used);
    ND_TRY(nd_command_line_read(sets, argc, argv, 1, NULL));
    asked.pair.seed = asked.job.method_options.seed;
    ND_TRY(nd_command_line_read(sets, argc, argv, 0, NULL));
    if (asked.own_threshold) {
        ND_TRY(nd_method_derive(asked.job.method, &asked.job.method_options));
    }
    if (asked.own_shingle_tokens) {
        asked.pair.supershingle_tokens = asked.pair.shingle_tokens;
    }
    e->options = run.options = asked.job;
    e->pair = asked.pair;
    e->lines = asked.lines;
    if (words.count == 3) {
        ND_TRY(nd_shown_run_begin(&run));
        nd_print_parameters(&asked.job, changed, sizeof changed);
        e->as_run =
            strcmp(used, changed) == 0 && (run.knows_sites || asked.job.content.sample == 0);
        ND_TRY(read_pages(e, &run));
    } else {
        ND_TRY(read_files(e));
    }
    ND_TRY(nd_explain_pages(e));
    if (words.count == 3) {
        ND_TRY(nd_explain_run(e, &run));
    }
    if (asked.json) {
        ND_TRY(nd_explanation_json(e));
    } else {
        nd_explanation_text(e);
    }
    ND_TRY(nd_flush_stdout());
out:
    nd_shown_run_close(&run);
    (void)nd_result_close(&result);
    return st;
}

static int explain(int argc, char **argv) {
    nd_explanation e = {0};
    const nd_status st = explain_pair(argc, argv, &e);
    nd_explanation_free(&e);
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_explain, st);
}

const nd_command nd_command_explain = {
    .name = "explain",
    .summary = "why two pages are, or are not, similar: by every measure and method",
    .usage = "[options] OUT.h5 PAGE_A PAGE_B\n[options] FILE_A FILE_B",
    .about = "Compares two pages by every measure and every method, sentence by sentence. In a "
             "result, a page is named by number, id or URL, in this order; page:N, id:ID and "
             "url:URL say which. The same name twice means the first two pages with that name. "
             "Pages are read again from the inputs and compared with the run's options and site "
             "templates, so the answer is the run's decision. Other options show what those would "
             "decide. Files are HTML or text by their content, and are compared by the page alone.",
    .examples = "neardup explain out.h5 http://a.example/1 http://b.example/1\n"
                "neardup explain old.html new.html --method simhash\n"
                "neardup explain out.h5 id-1 id-2 --format json --lines 0",
    .open = open_options,
    .run = explain,
};
