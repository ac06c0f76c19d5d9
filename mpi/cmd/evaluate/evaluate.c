/* neardup evaluate OUT.h5 --truth FILE : how well a result agrees with labels. */
#include "mpi/cmd/command.h"
#include "mpi/cmd/evaluate/evaluation.h"
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

/* The labels of listed pairs, and which of them mean near-duplicate: those in `similar`, a list
 * with commas between. */
static nd_status list_labels(const nd_name_table *labels, const char *similar, nd_evaluation *e) {
    static const char unsure[] = "unsure";
    nd_status st = ND_OK;
    bool any = e->band_counts != NULL; /* all that were looked at may be different */
    nd_new(&e->labels, labels->count, sizeof *e->labels);
    for (size_t i = 0; i < labels->count; i++) {
        const nd_span label = nd_name_table_at(labels, i);
        const char *at = similar;
        size_t size = strcspn(at, ",");
        while ((size != label.size || memcmp(at, label.data, size) != 0) && at[size] != '\0') {
            at += size + 1;
            size = strcspn(at, ",");
        }
        const bool listed = size == label.size && memcmp(at, label.data, size) == 0;
        e->labels[e->label_count++] =
            (nd_label_count){.label = label,
                             .similar = listed,
                             .unsure = !listed && label.size == strlen(unsure) &&
                                       memcmp(label.data, unsure, label.size) == 0};
        any = any || listed;
    }
    if (!any) {
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

static nd_status evaluate_pairs(const nd_labels *labels, const nd_labelled_result *labelled,
                                const char *similar, bool judged, nd_evaluation *e) {
    nd_status st = ND_OK;
    if (labels->bands.count > 0 && !judged) { /* of sets that people judged they are names */
        e->bands = &labels->bands;
        nd_new(&e->band_counts, labels->bands.count, sizeof *e->band_counts);
        for (size_t i = 0; i < labels->bands.count; i++) {
            e->band_counts[i].pairs = labels->band_pairs[i];
        }
    }
    ND_TRY(list_labels(&labels->labels, similar, e));
    e->truth_pairs = labels->pair_count;
    for (size_t i = 0; i < labels->pair_count; i++) {
        const nd_labelled_pair *pair = &labels->pairs[i];
        nd_label_count *label = &e->labels[pair->label];
        if (labelled->left_out[pair->a] || labelled->left_out[pair->b]) {
            e->skipped_pairs++;
            continue;
        }
        const bool together = labelled->set[pair->a] == labelled->set[pair->b];
        label->pairs++;
        label->together += together;
        if (label->unsure) {
            e->skipped_pairs++;
            continue;
        }
        if (e->band_counts != NULL && together) {
            e->band_counts[pair->band].same += label->similar;
            e->band_counts[pair->band].different += !label->similar;
        }
        add_pair(label->similar, together, &e->breakdown.pairs);
        if (labelled->site[pair->a] != ND_NO_SITE &&
            labelled->site[pair->a] == labelled->site[pair->b]) {
            add_pair(label->similar, together, &e->breakdown.same_site);
        }
    }
    e->agreement = (nd_agreement){.pages = e->truth_pages - e->missing - e->loose,
                                  .true_pairs = e->breakdown.pairs.true_pairs,
                                  .predicted_pairs = e->breakdown.pairs.predicted_pairs,
                                  .common_pairs = e->breakdown.pairs.common_pairs};
    nd_breakdown_of_pairs(labelled, &e->breakdown);
out:
    return st;
}

static void warn_of_bad_lines(uint64_t bad_lines, const char *first) {
    if (bad_lines > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " lines could not be used; the first: %s",
                      bad_lines, first);
    }
}

static nd_status evaluate_judged(const request *r, const nd_truth *truth,
                                 const nd_labelled_result *labelled, nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_sampled_truth sampled = {truth, r->files.truth, NULL};
    bool *similar = NULL;
    bool *unsure = NULL;
    nd_new(&similar, e->label_count, sizeof *similar);
    nd_new(&unsure, e->label_count, sizeof *unsure);
    for (size_t i = 0; i < e->label_count; i++) {
        similar[i] = e->labels[i].similar;
        unsure[i] = e->labels[i].unsure;
    }
    ND_TRY(nd_sample_evaluate_judged(&r->sample, &sampled, similar, unsure, labelled, r->result,
                                     &e->sample));
out:
    free(similar);
    free(unsure);
    return st;
}

static nd_status evaluate(const request *r) {
    nd_status st = ND_OK;
    nd_truth truth = {0};
    nd_class_labels classes = {0};
    nd_labelled_result labelled = {0};
    nd_evaluation e = {.result_path = r->result, .truth_path = r->files.truth};
    ND_TRY(nd_truth_read(&r->files, &truth));
    if (r->classes != NULL && truth.by_pairs) {
        st = nd_fail(ND_ERR_USAGE, "--classes %s: %s lists pairs, not clusters", r->classes,
                     r->files.truth);
        goto out;
    }
    if (r->classes != NULL) {
        ND_TRY(nd_class_labels_read(r->classes, &truth.labels, &classes));
    }
    ND_TRY(nd_labelled_result_open(&truth, r->files.truth, r->result, &labelled));
    e.by_pairs = truth.by_pairs;
    e.truth_pages = labelled.count;
    e.missing = labelled.missing;
    e.loose = labelled.loose;
    e.bad_lines = truth.labels.bad_lines;
    e.ambiguous_clusters = truth.labels.ambiguous_count;
    if (e.by_pairs) {
        ND_TRY(evaluate_pairs(&truth.labels, &labelled, r->similar, r->sample.judged, &e));
    } else {
        const nd_labelled_pages pages = nd_labelled_result_pages(&truth, &labelled);
        nd_agreement_count(&pages, &e.agreement);
        nd_breakdown_count(&truth, &labelled, &e.agreement, r->classes != NULL ? &classes : NULL,
                           &e.breakdown);
    }
    ND_TRY(nd_pair_evaluation_make(r->result, &truth, &labelled,
                                   r->classes != NULL ? classes.site : labelled.site, &e.verified));
    if (r->sample.judged) {
        ND_TRY(evaluate_judged(r, &truth, &labelled, &e));
    }
    if (r->sample.sets > 0) {
        const nd_sampled_truth sampled = {&truth, r->files.truth,
                                          r->classes != NULL ? classes.site : NULL};
        ND_TRY(nd_sample_evaluate(&r->sample, &sampled, &labelled, r->result, &e.sample));
    }

    if (e.missing > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " of the %" PRIu64
                      " pages of %s are not in the result and are left out",
                      e.missing, e.truth_pages, e.truth_path);
    }
    if (labelled.repeated > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " pages of %s repeat an id of the truth; the "
                      "first page of an id is evaluated",
                      labelled.repeated, e.result_path);
    }
    warn_of_bad_lines(e.bad_lines, truth.labels.first_bad);
    warn_of_bad_lines(classes.bad_lines, classes.first_bad);
    if (r->json) {
        nd_evaluation_print_json(&e);
    } else {
        nd_evaluation_print(&e);
    }
    ND_TRY(nd_flush_stdout());
out:
    nd_evaluation_free(&e);
    nd_truth_free(&truth);
    nd_class_labels_free(&classes);
    nd_labelled_result_free(&labelled);
    return st;
}

#define AT(field) offsetof(request, field)

static const nd_option options[] = {
    {.help = "The truth: tab-separated, without a header, plain, .gz or .zst"},
    {"truth", "FILE", ND_OPTION_TEXT, AT(files.truth),
     .help =
         "id TAB cluster: pages in one cluster are near-duplicates. A first line with three "
         "columns or more, without --column, means id TAB id TAB label: only listed pairs count"},
    {"column", "N", ND_OPTION_NUMBER, AT(files.column),
     .help = "the cluster is in column N (2); more columns may follow", .rare = true,
     .bounded = true, .least = ND_CLUSTER_COLUMN},
    {"loose", "FILE", ND_OPTION_TEXT, AT(files.loose),
     .help = "ids in column 1: pairs with these pages do not count, and B-cubed ignores the pages"},
    {"ambiguous", "FILE", ND_OPTION_TEXT, AT(files.ambiguous),
     .help = "cluster TAB cluster: pairs between two such clusters do not count, and B-cubed "
             "precision ignores such neighbours",
     .rare = true},
    {"similar", "LABELS", ND_OPTION_TEXT, AT(similar),
     .help = "labels that mean near-duplicate, with commas; all other labels mean different, but "
             "pairs labelled unsure do not count",
     .rare = true},
    {"bands", NULL, ND_OPTION_FLAG, AT(files.bands),
     .help = "columns 4 and 5 name the similarity band that a pair was drawn from, and how many "
             "pairs the result has there, as neardup review saves them. Adds precision by band, "
             "and over all with its interval",
     .rare = true},
    {"classes", "FILE", ND_OPTION_TEXT, AT(classes),
     .help = "how pages were made, as neardup synthesize writes it: id, cluster, class, story, "
             "site, similarity to the original. Adds figures by class and by that similarity; "
             "without this file the URL's host is the site",
     .rare = true},
    {"format", "json|text", ND_OPTION_SWITCH, AT(json), .help = "print text, or one JSON object"},
    {0},
};

static request asked;

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (request){.similar = "clone,near,cut", .sample = nd_sample_request_default()};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
    sets[1] = (nd_command_table){.table = nd_sample_option_table, .options = &asked.sample};
}

static nd_status evaluate_command(nd_command_call *call) {
    nd_status st = ND_OK;
    ND_TRY(nd_command_line_result(call, &asked.result));
    if (asked.files.truth == NULL) {
        st = nd_fail(ND_ERR_USAGE, "no --truth FILE: what should the result be held against?");
        goto out;
    }
    ND_TRY(nd_sample_check(&asked.sample));
    asked.files.bands = asked.files.bands || asked.sample.judged;
    ND_TRY(evaluate(&asked));
out:
    return st;
}

const nd_command nd_command_evaluate = {
    .name = "evaluate",
    .summary = "measure precision and recall against labelled pages",
    .usage = "OUT.h5 --truth FILE [options]",
    .about = "Compares a result with labels. Prints precision, recall and F1 over page pairs (also "
             "within one site and across sites), B-cubed, and what deleting all but one page from "
             "each set would do. Adds the adjusted Rand index, and precision by similarity to the "
             "representative. A page is known by its id, or by its URL if it has no id.",
    .examples = "neardup evaluate out.h5 --truth clusters.tsv\n"
                "neardup evaluate out.h5 --truth clusters.tsv --loose loose.tsv --format json\n"
                "neardup evaluate a.h5 --truth clusters.tsv --sample 1000 --baseline b.h5",
    .notes = "After partition --pairs keep, with clusters as truth, it also counts the result's "
             "pairs: correct, incorrect and undecided (a loose page, or ambiguous clusters), by "
             "site and by similarity. It also says how many partners a page has. Equal pages are "
             "one page here.\n\nTruth pages that the result lacks are left out and counted. "
             "Precision without any predicted pair is 1 by definition, and the output says so.",
    .open = open_options,
    .run = evaluate_command,
};
