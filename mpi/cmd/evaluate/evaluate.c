/* neardup evaluate OUT.h5 --truth FILE : how well a result agrees with labels. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/command_line.h"
#include "mpi/cmd/evaluate/evaluation.h"
#include "mpi/cmd/evaluate/labelled_result.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *result;
    nd_truth_files files;
    const char *classes; /* NULL: not known how the pages were made */
    const char *similar; /* labels of similar pairs, separated by commas */
    bool json;
    nd_sample_request sample;
} request;

/* What a result is held against, and what it says. */
typedef struct evidence {
    nd_truth truth;
    nd_class_labels classes;
    nd_labelled_result labelled;
} evidence;

/* ---- counting */

static nd_status evaluate_clusters(const evidence *v, bool by_class, nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_labelled_pages pages = nd_labelled_result_pages(&v->truth, &v->labelled);
    e->ambiguous_clusters = v->truth.labels.ambiguous_count;
    ND_TRY(nd_agreement_count(&pages, &e->agreement));
    ND_TRY(nd_breakdown_count(&v->truth, &v->labelled, &e->agreement, by_class ? &v->classes : NULL,
                              &e->breakdown));
out:
    return st;
}

/* Whether a label is one of those in the list, which has commas between them. */
static bool is_listed(const char *list, nd_span label) {
    for (const char *at = list;; at++) {
        const size_t size = strcspn(at, ",");
        if (size == label.size && memcmp(at, label.data, size) == 0) {
            return true;
        }
        at += size;
        if (*at == '\0') {
            return false;
        }
    }
}

static nd_status list_labels(const nd_name_table *labels, const char *similar, nd_evaluation *e) {
    bool any = false;
    nd_status st = nd_new(&e->labels, labels->count, sizeof *e->labels);
    for (size_t i = 0; st == ND_OK && i < labels->count; i++) {
        const nd_span label = nd_name_table_at(labels, i);
        e->labels[i] = (nd_label_count){.label = label, .similar = is_listed(similar, label)};
        e->label_count++;
        any = any || e->labels[i].similar;
    }
    if (st == ND_OK && !any) {
        const nd_span first = e->label_count > 0 ? e->labels[0].label : (nd_span){0};
        st = nd_fail(ND_ERR_USAGE,
                     "%s: no label in its column 3 (such as '%.*s') is one of %s; say by --similar "
                     "which mean near-duplicate, or by --column where the cluster is",
                     e->truth_path, (int)first.size, (const char *)first.data, similar);
    }
    return st;
}

static void add_pair(bool similar, bool together, nd_pair_counts *counts) {
    counts->true_pairs += similar;
    counts->predicted_pairs += together;
    counts->common_pairs += similar && together;
}

static void count_pair(const nd_labelled_result *labelled, const nd_labelled_pair *pair,
                       nd_evaluation *e) {
    nd_label_count *label = &e->labels[pair->label];
    if (labelled->left_out[pair->a] || labelled->left_out[pair->b]) {
        e->skipped_pairs++;
        return;
    }
    const bool together = labelled->set[pair->a] == labelled->set[pair->b];
    label->pairs++;
    label->together += together;
    add_pair(label->similar, together, &e->breakdown.pairs);
    if (labelled->site[pair->a] != ND_NO_SITE &&
        labelled->site[pair->a] == labelled->site[pair->b]) {
        add_pair(label->similar, together, &e->breakdown.same_site);
    }
}

static nd_status evaluate_pairs(const evidence *v, const char *similar, nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_labels *labels = &v->truth.labels;
    ND_TRY(list_labels(&labels->labels, similar, e));
    e->truth_pairs = labels->pair_count;
    for (size_t i = 0; i < labels->pair_count; i++) {
        count_pair(&v->labelled, &labels->pairs[i], e);
    }
    e->agreement = (nd_agreement){.pages = e->truth_pages - e->missing - e->loose,
                                  .true_pairs = e->breakdown.pairs.true_pairs,
                                  .predicted_pairs = e->breakdown.pairs.predicted_pairs,
                                  .common_pairs = e->breakdown.pairs.common_pairs};
    nd_breakdown_of_pairs(&v->labelled, &e->breakdown);
out:
    return st;
}

/* ---- the command */

static void warn_of_bad_lines(uint64_t bad_lines, const char *first) {
    if (bad_lines > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " lines could not be used; the first: %s",
                      bad_lines, first);
    }
}

static void warn(const evidence *v, const nd_evaluation *e) {
    if (e->missing > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " of the %" PRIu64
                      " pages of %s are not in the result and are left out",
                      e->missing, e->truth_pages, e->truth_path);
    }
    if (v->labelled.repeated > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " pages of %s repeat an id of the truth; the "
                      "first page of an id is evaluated",
                      v->labelled.repeated, e->result_path);
    }
    warn_of_bad_lines(e->bad_lines, v->truth.labels.first_bad);
    warn_of_bad_lines(v->classes.bad_lines, v->classes.first_bad);
}

static nd_status print_evaluation(const nd_evaluation *e, bool json) {
    nd_status st = ND_OK;
    if (json) {
        ND_TRY(nd_evaluation_print_json(e));
    } else {
        nd_evaluation_print(e);
    }
    ND_TRY(nd_flush_stdout());
out:
    return st;
}

static nd_status read_evidence(const request *r, evidence *v) {
    nd_status st = ND_OK;
    ND_TRY(nd_truth_read(&r->files, &v->truth));
    if (r->classes != NULL && v->truth.by_pairs) {
        st = nd_fail(ND_ERR_USAGE, "--classes %s: %s lists pairs, not clusters", r->classes,
                     r->files.truth);
        goto out;
    }
    if (r->classes != NULL) {
        ND_TRY(nd_class_labels_read(r->classes, &v->truth.labels, &v->classes));
    }
    ND_TRY(nd_labelled_result_open(&v->truth, r->files.truth, r->result, &v->labelled));
out:
    return st;
}

static nd_status evaluate_sample(const request *r, const evidence *v, nd_sample_evaluation *e) {
    const nd_sampled_truth sampled = {.truth = &v->truth,
                                      .path = r->files.truth,
                                      .site = r->classes != NULL ? v->classes.site : NULL};
    return nd_sample_evaluate(&r->sample, &sampled, &v->labelled, r->result, e);
}

static nd_status evaluate(const request *r) {
    nd_status st = ND_OK;
    evidence v = {0};
    nd_evaluation e = {.result_path = r->result, .truth_path = r->files.truth};
    ND_TRY(read_evidence(r, &v));
    e.by_pairs = v.truth.by_pairs;
    e.truth_pages = v.labelled.count;
    e.missing = v.labelled.missing;
    e.loose = v.labelled.loose;
    e.bad_lines = v.truth.labels.bad_lines;
    ND_TRY(e.by_pairs ? evaluate_pairs(&v, r->similar, &e)
                      : evaluate_clusters(&v, r->classes != NULL, &e));
    ND_TRY(nd_pair_evaluation_make(r->result, &v.truth, &v.labelled,
                                   r->classes != NULL ? v.classes.site : v.labelled.site,
                                   &e.verified));
    if (r->sample.sets > 0) {
        ND_TRY(evaluate_sample(r, &v, &e.sample));
    }
    warn(&v, &e);
    ND_TRY(print_evaluation(&e, r->json));
out:
    nd_evaluation_free(&e);
    nd_truth_free(&v.truth);
    nd_class_labels_free(&v.classes);
    nd_labelled_result_free(&v.labelled);
    return st;
}

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {.help = "The truth: tab-separated, without a header, plain, .gz or .zst"},
    {"truth", "FILE", ND_OPTION_TEXT, AT(files.truth),
     .help =
         "id TAB cluster: pages are near-duplicates of those of their cluster; or, if its first "
         "line "
         "has three columns or more and no --column is given, id TAB id TAB label: only the listed "
         "pairs are evaluated"},
    {"column", "N", ND_OPTION_NUMBER, AT(files.column),
     .help = "the cluster is in column N (2); more columns may follow", .rare = true,
     .bounded = true, .least = ND_CLUSTER_COLUMN},
    {"loose", "FILE", ND_OPTION_TEXT, AT(files.loose),
     .help = "ids in column 1: no pair with one of these pages is evaluated, and B-cubed is "
             "counted as if "
             "they were not there"},
    {"ambiguous", "FILE", ND_OPTION_TEXT, AT(files.ambiguous),
     .help =
         "cluster TAB cluster: no pair of pages between two such clusters is evaluated; B-cubed "
         "precision of a page leaves such neighbours out",
     .rare = true},
    {"similar", "LABELS", ND_OPTION_TEXT, AT(similar),
     .help =
         "labels of listed pairs that mean near-duplicate, with commas between; all others mean "
         "different",
     .rare = true},
    {"classes", "FILE", ND_OPTION_TEXT, AT(classes),
     .help = "how the pages were made, as neardup synthesize writes it: id, cluster, class, story, "
             "site, "
             "similarity to the original; then also by class and by that similarity; the site of a "
             "page is "
             "its URL's host without it",
     .rare = true},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "of what is printed"},
    {0},
};

static request asked;

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.similar = "clone,near,cut", .sample = nd_sample_request_default()};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_sample_option_table, .options = &asked.sample};
}

static int evaluate_command(int argc, char **argv) {
    nd_status st = ND_OK;
    nd_command_table sets[ND_COMMAND_TABLES] = {{0}};
    open_options(sets);
    ND_TRY(nd_command_line_result(sets, argc, argv, &asked.result));
    if (asked.files.truth == NULL) {
        st = nd_fail(ND_ERR_USAGE, "no --truth FILE: what should the result be held against?");
        goto out;
    }
    ND_TRY(nd_sample_check(&asked.sample));
    ND_TRY(evaluate(&asked));
out:
    return st == ND_OK ? ND_EXIT_DONE : nd_command_failed(&nd_command_evaluate, st);
}

const nd_command nd_command_evaluate = {
    .name = "evaluate",
    .summary = "precision and recall of a result against labelled pages",
    .usage = "OUT.h5 --truth FILE [options]",
    .about =
        "Holds a result against labels: precision, recall and F1 over pairs of pages (also those "
        "of one site and of different sites), B-cubed, and of a deletion of all pages of each set "
        "but one; the adjusted Rand index; precision by the similarity of pages to their "
        "representatives. A page of the result is known by its id, or by its URL if it has no id.",
    .examples = "neardup evaluate out.h5 --truth clusters.tsv\n"
                "neardup evaluate out.h5 --truth clusters.tsv --loose loose.tsv --format json\n"
                "neardup evaluate a.h5 --truth clusters.tsv --sample 1000 --baseline b.h5",
    .notes =
        "Of a result of partition --pairs keep also, where the truth has clusters: its pairs that "
        "are correct, incorrect and undecided (with a loose page, or of ambiguous clusters), by "
        "site and by similarity, and how many partners a page has. Pages of equal contents are one "
        "page here.\n\n"
        "Pages of the truth that the result lacks are left out, and their number is printed. "
        "Precision without any predicted pair is 1 by definition, and that is said.",
    .open = open_options,
    .run = evaluate_command,
};
