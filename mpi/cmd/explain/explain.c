/* neardup explain : why two pages are, or are not, similar, by every measure. */
#include "mpi/cmd/command.h"

#include "mpi/cmd/explain/explanation.h"
#include "mpi/cmd/option_value.h"
#include "mpi/cmd/partition/partition_options.h"
#include "mpi/job/run_parameters.h"
#include "src/base/parse.h"
#include "src/base/printable.h"
#include "src/method/method_option.h"
#include "src/method/methods.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t DEFAULT_LINES = 40;

static void print_help(void) {
    (void)printf(
        "usage: neardup explain [options] OUT.h5 URL_A URL_B\n"
        "       neardup explain [options] FILE_A FILE_B\n\n"
        "Two pages by every measure and every method, sentence by sentence. Of a result, pages "
        "are\n"
        "named by URL or id (the same twice: the first two of that name), read again from the\n"
        "inputs, and compared with the options of the run; files are HTML or text by their "
        "content.\n"
        "What is compared is told by the page alone: templates of sites are not known here.\n"
        "  --method NAME        compare by this method (the run's; lcs)\n"
        "  --threshold T        similar from this score on (the run's; the method's)\n"
        "  --shingle-tokens K   of resemblance, sketch and supershingles (5, 5 and 8)\n"
        "  --minima P           of the sketch that estimates the resemblance (100)\n"
        "  --navigation drop|keep, --links drop|keep    of the content (the run's; drop)\n"
        "  --lines N            most sentences shown, many of one kind in a row are cut short;\n"
        "                       0: all (40)\n"
        "  --format text|json\n"
        "  --jsonl-id, --jsonl-url, --jsonl-text, --jsonl-html NAME    as in the run\n");
}

/* ---- the command line */

typedef struct request {
    const char *method, *threshold, *shingle_tokens, *minima, *navigation, *links, *lines, *format;
    const char *jsonl_id, *jsonl_url, *jsonl_text, *jsonl_html;
    bool json, help;
    char *const *words;
    int word_count;
} request;

typedef struct named_value {
    const char *name;
    size_t offset; /* in a request */
} named_value;

static const named_value values[] = {
    {"method", offsetof(request, method)},
    {"threshold", offsetof(request, threshold)},
    {"shingle-tokens", offsetof(request, shingle_tokens)},
    {"minima", offsetof(request, minima)},
    {"navigation", offsetof(request, navigation)},
    {"links", offsetof(request, links)},
    {"lines", offsetof(request, lines)},
    {"format", offsetof(request, format)},
    {"jsonl-id", offsetof(request, jsonl_id)},
    {"jsonl-url", offsetof(request, jsonl_url)},
    {"jsonl-text", offsetof(request, jsonl_text)},
    {"jsonl-html", offsetof(request, jsonl_html)},
};
enum { VALUES = sizeof values / sizeof values[0] };

static nd_status parse(int argc, char **argv, request *r) {
    struct option options[VALUES + 2];
    int id = 0;
    for (int i = 0; i < VALUES; i++) {
        options[i] = (struct option){values[i].name, required_argument, NULL, i};
    }
    options[VALUES] = (struct option){"help", no_argument, NULL, 'h'};
    options[VALUES + 1] = (struct option){NULL, 0, NULL, 0};
    opterr = 0;
    while ((id = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (id == '?') {
            return nd_wrong_option(argv[optind - 1], options);
        }
        if (id == 'h') {
            r->help = true;
        } else {
            memcpy((char *)r + values[id].offset, &optarg, sizeof optarg);
        }
    }
    r->words = argv + optind;
    r->word_count = argc - optind;
    if (!r->help && r->word_count != 2 && r->word_count != 3) {
        return nd_fail(ND_ERR_USAGE, "needs OUT.h5 URL_A URL_B, or FILE_A FILE_B, got %d words",
                       r->word_count);
    }
    return r->format == NULL ? ND_OK
                             : nd_parse_choice("format", r->format, "json", "text", &r->json);
}

/* ---- options of the comparison */

static nd_status apply_method(const request *r, nd_job_options *job) {
    if (r->method == NULL) {
        return ND_OK;
    }
    const nd_method *method = nd_method_find(r->method);
    if (method == NULL) {
        return nd_fail(ND_ERR_USAGE, "--method %s: there is no such method", r->method);
    }
    if (method != job->method) {
        job->method = method;
        return nd_method_own_options(method, &job->method_options);
    }
    return ND_OK;
}

static nd_status apply_threshold(const request *r, nd_job_options *job) {
    const nd_method_option *option = NULL;
    nd_status st = ND_OK;
    for (size_t i = 0; r->threshold != NULL && (option = nd_method_option_row(i)) != NULL; i++) {
        if (strcmp(option->name, "threshold") == 0 && !nd_method_uses(job->method, option)) {
            return nd_fail(ND_ERR_USAGE, "--threshold %s: the method %s does not use it",
                           r->threshold, job->method->name);
        }
    }
    if (r->threshold != NULL) {
        ND_TRY(nd_parse_real("threshold", r->threshold, &job->method_options.threshold));
        ND_TRY(nd_method_derive(job->method, &job->method_options));
    }
out:
    return st;
}

static nd_status apply_content(const request *r, nd_content_choice *content) {
    nd_status st = ND_OK;
    if (r->navigation != NULL) {
        ND_TRY(nd_parse_choice("navigation", r->navigation, "drop", "keep", &content->navigation));
    }
    if (r->links != NULL) {
        ND_TRY(nd_parse_choice("links", r->links, "drop", "keep", &content->links));
    }
out:
    return st;
}

static nd_status apply_pair(const request *r, nd_explanation *e) {
    nd_status st = ND_OK;
    e->pair = ND_PAIR_DEFAULTS;
    e->pair.seed = e->options.method_options.seed;
    e->lines = DEFAULT_LINES;
    if (r->shingle_tokens != NULL) {
        ND_TRY(nd_parse_small("shingle-tokens", r->shingle_tokens, &e->pair.shingle_tokens));
        e->pair.supershingle_tokens = e->pair.shingle_tokens;
    }
    if (r->minima != NULL) {
        ND_TRY(nd_parse_small("minima", r->minima, &e->pair.minima));
    }
    if (r->lines != NULL) {
        ND_TRY(nd_parse_number("lines", r->lines, &e->lines));
    }
out:
    return st;
}

/* The run's options, if there is a run, and what the user wants otherwise. */
static nd_status derive(const request *r, const nd_result *result, nd_explanation *e) {
    nd_status st = ND_OK;
    char *parameters = NULL;
    nd_partition_defaults(&e->options);
    e->options.reader = (nd_reader_options){.jsonl_id = r->jsonl_id,
                                            .jsonl_url = r->jsonl_url,
                                            .jsonl_text = r->jsonl_text,
                                            .jsonl_html = r->jsonl_html};
    if (result != NULL) {
        ND_TRY(nd_result_get_text(result, "parameters", &parameters));
        ND_TRY(nd_read_parameters(result->path, parameters, &e->options));
    }
    ND_TRY(apply_method(r, &e->options));
    ND_TRY(apply_threshold(r, &e->options));
    ND_TRY(apply_content(r, &e->options.content));
    ND_TRY(apply_pair(r, e));
out:
    free(parameters);
    return st;
}

/* ---- the command */

static nd_status read_files(const request *r, nd_explanation *e) {
    nd_status st = ND_OK;
    ND_TRY(derive(r, NULL, e));
    for (int side = 0; side < 2; side++) {
        ND_TRY(nd_explained_page_read_file(&e->pages[side], e->names[side], &e->options));
    }
out:
    return st;
}

static nd_status read_result(const request *r, nd_explanation *e) {
    nd_result result;
    nd_status st = ND_OK;
    e->result = r->words[0];
    ND_TRY(nd_result_open(&result, e->result));
    ND_TRY(derive(r, &result, e));
    ND_TRY(nd_explained_pages_read(e->pages, &result, r->words + 1, &e->options));
out:
    (void)nd_result_close(&result);
    return st;
}

static nd_status explain_pair(const request *r) {
    nd_explanation e = {.names = {r->words[r->word_count - 2], r->words[r->word_count - 1]}};
    nd_status st = ND_OK;
    ND_TRY(r->word_count == 3 ? read_result(r, &e) : read_files(r, &e));
    ND_TRY(nd_explain_pages(&e));
    ND_TRY(r->json ? nd_explanation_json(&e) : nd_explanation_text(&e));
    ND_TRY(nd_flush_stdout());
out:
    nd_explanation_free(&e);
    return st;
}

static int explain(int argc, char **argv) {
    request r = {0};
    nd_status st = parse(argc, argv, &r);
    if (st != ND_OK) {
        return nd_usage_error("explain", "%s", nd_fail_text());
    }
    if (r.help) {
        print_help();
        return ND_EXIT_DONE;
    }
    st = explain_pair(&r);
    if (st != ND_OK) {
        nd_print_line(stderr, "neardup explain: %s", nd_fail_text());
    }
    return st == ND_OK ? ND_EXIT_DONE : st == ND_ERR_USAGE ? ND_EXIT_USAGE : ND_EXIT_FAILED;
}

const nd_command nd_command_explain = {
    .name = "explain",
    .summary = "why two pages are, or are not, similar: by every measure and method",
    .run = explain,
};
