/* neardup evaluate OUT.h5 --truth FILE : how well a result agrees with labels. */
#include "io/labels.h"
#include "io/result_pages.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/evaluation.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages of the result read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;
/* Set of a labelled page that the result does not have. */
static const uint64_t NO_SET = UINT64_MAX;
/* The column of clusters.tsv that holds the cluster. */
static const uint64_t CLUSTER_COLUMN = 2;

typedef struct request {
    const char *result, *truth, *loose, *ambiguous;
    const char *similar; /* labels of similar pairs, separated by commas */
    uint64_t column;     /* 0: not given */
    bool json;
} request;

/* The labels and what the result says of their pages. */
typedef struct matching {
    nd_labels labels;
    uint64_t *set;     /* of each labelled page; NO_SET */
    bool *loose;       /* of each labelled page in the result */
    uint64_t repeated; /* pages of the result whose id an earlier page has */
} matching;

static void print_help(void) {
    (void)printf(
        "usage: neardup evaluate OUT.h5 --truth FILE [options]\n\n"
        "Holds a result against labels: precision, recall and F1 over pairs of pages, and "
        "B-cubed.\n"
        "Labels are tab-separated, without a header, plain, .gz or .zst. A page of the result is\n"
        "known by its id, or by its URL if it has no id.\n\n"
        "  --truth FILE      id TAB cluster: pages are near-duplicates of those of their cluster;\n"
        "                    or, if its first line has three columns or more and no --column is\n"
        "                    given, id TAB id TAB label: only the listed pairs are judged\n"
        "  --column N        the cluster is in column N (2); more columns may follow\n"
        "  --loose FILE      ids in column 1: no pair with one of these pages is judged, and\n"
        "                    B-cubed is counted as if they were not there\n"
        "  --ambiguous FILE  cluster TAB cluster: no pair of pages between two such clusters is\n"
        "                    judged; B-cubed precision of a page leaves such neighbours out\n"
        "  --similar LABELS  labels of listed pairs that mean near-duplicate, with commas between\n"
        "                    (clone,near,cut); all others mean different\n"
        "  --format F        text or json (text)\n\n"
        "Pages of the truth that the result lacks are left out and told. Precision without any\n"
        "predicted pair is 1 by definition, and told. Exit codes: 0 done, 1 failed, 2 wrong "
        "usage.\n");
}

/* ---- reading */

static nd_status read_truth(const request *r, nd_labels *labels, bool *by_pairs) {
    nd_status st = ND_OK;
    uint64_t columns = 0;
    ND_TRY(nd_labels_columns(r->truth, &columns));
    *by_pairs = r->column == 0 && columns > CLUSTER_COLUMN;
    if (*by_pairs) {
        ND_TRY(nd_labels_read_pairs(labels, r->truth));
    } else {
        ND_TRY(
            nd_labels_read_clusters(labels, r->truth, r->column == 0 ? CLUSTER_COLUMN : r->column));
    }
    if (labels->ids.count == 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no labelled page in it%s%s", r->truth,
                     labels->bad_lines > 0 ? "; " : "", labels->first_bad);
        goto out;
    }
    if (r->loose != NULL) {
        ND_TRY(nd_labels_read_loose(labels, r->loose));
    }
    if (r->ambiguous != NULL && *by_pairs) {
        st = nd_fail(ND_ERR_USAGE, "--ambiguous %s: %s lists pairs, not clusters", r->ambiguous,
                     r->truth);
    } else if (r->ambiguous != NULL) {
        st = nd_labels_read_ambiguous(labels, r->ambiguous);
    }
out:
    return st;
}

static void match_page(matching *m, const nd_page_rows *rows, uint64_t i) {
    const nd_span id = nd_page_rows_id(rows, i);
    const uint64_t row =
        nd_name_table_find(&m->labels.ids, id.size > 0 ? id : nd_page_rows_url(rows, i));
    if (row == ND_NO_NAME) {
        return;
    }
    if (m->set[row] == NO_SET) {
        m->set[row] = rows->set[i];
    } else {
        m->repeated++;
    }
}

/* Find the set of every labelled page. */
static nd_status match_pages(matching *m, const nd_result *result) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t pages = 0;
    ND_TRY(nd_new(&m->set, m->labels.ids.count, sizeof *m->set));
    ND_TRY(nd_new(&m->loose, m->labels.ids.count, sizeof *m->loose));
    for (size_t row = 0; row < m->labels.ids.count; row++) {
        m->set[row] = NO_SET;
    }
    ND_TRY(nd_result_get_number(result, "pages", &pages));
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        const uint64_t left = pages - begin;
        ND_TRY(
            nd_page_rows_read(result, begin, left < PAGES_AT_ONCE ? left : PAGES_AT_ONCE, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            match_page(m, &rows, i);
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

static nd_status count_missing(matching *m, nd_evaluation *e) {
    e->truth_pages = m->labels.ids.count;
    e->bad_lines = m->labels.bad_lines;
    for (size_t row = 0; row < m->labels.ids.count; row++) {
        const nd_span id = nd_name_table_at(&m->labels.ids, row);
        const bool missing = m->set[row] == NO_SET;
        m->loose[row] = !missing && nd_name_table_find(&m->labels.loose, id) != ND_NO_NAME;
        e->missing += missing;
        e->loose += m->loose[row];
    }
    return e->missing < e->truth_pages
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT,
                         "%s: none of its %" PRIu64 " ids is the id (or URL, without an id) of a "
                         "page of %s",
                         e->truth_path, e->truth_pages, e->result_path);
}

/* ---- counting */

static nd_status evaluate_clusters(const matching *m, nd_evaluation *e) {
    nd_status st = ND_OK;
    uint64_t *set = NULL;
    uint64_t *cluster = NULL;
    bool *loose = NULL;
    size_t found = 0;
    ND_TRY(nd_new(&set, m->labels.ids.count, sizeof *set));
    ND_TRY(nd_new(&cluster, m->labels.ids.count, sizeof *cluster));
    ND_TRY(nd_new(&loose, m->labels.ids.count, sizeof *loose));
    for (size_t row = 0; row < m->labels.ids.count; row++) {
        if (m->set[row] != NO_SET) {
            set[found] = m->set[row];
            cluster[found] = m->labels.cluster[row];
            loose[found++] = m->loose[row];
        }
    }
    const nd_labelled_pages pages = {.set = set,
                                     .cluster = cluster,
                                     .loose = loose,
                                     .count = found,
                                     .cluster_count = m->labels.clusters.count,
                                     .ambiguous = m->labels.ambiguous,
                                     .ambiguous_count = m->labels.ambiguous_count};
    e->ambiguous_clusters = m->labels.ambiguous_count;
    ND_TRY(nd_agreement_count(&pages, &e->agreement));
out:
    free(set);
    free(cluster);
    free(loose);
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

static nd_status list_labels(const matching *m, const char *similar, nd_evaluation *e) {
    bool any = false;
    nd_status st = nd_new(&e->labels, m->labels.labels.count, sizeof *e->labels);
    for (size_t i = 0; st == ND_OK && i < m->labels.labels.count; i++) {
        const nd_span label = nd_name_table_at(&m->labels.labels, i);
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

static void judge_pair(const matching *m, const nd_labelled_pair *pair, nd_evaluation *e) {
    nd_agreement *a = &e->agreement;
    nd_label_count *label = &e->labels[pair->label];
    const bool missing = m->set[pair->a] == NO_SET || m->set[pair->b] == NO_SET;
    if (missing || m->loose[pair->a] || m->loose[pair->b]) {
        e->skipped_pairs++;
        return;
    }
    const bool together = m->set[pair->a] == m->set[pair->b];
    label->pairs++;
    label->together += together;
    a->predicted_pairs += together;
    a->true_pairs += label->similar;
    a->common_pairs += together && label->similar;
}

static nd_status evaluate_pairs(const matching *m, const char *similar, nd_evaluation *e) {
    nd_status st = ND_OK;
    ND_TRY(list_labels(m, similar, e));
    e->truth_pairs = m->labels.pair_count;
    e->agreement.pages = e->truth_pages - e->missing - e->loose;
    for (size_t i = 0; i < m->labels.pair_count; i++) {
        judge_pair(m, &m->labels.pairs[i], e);
    }
out:
    return st;
}

/* ---- the command */

static void warn(const matching *m, const nd_evaluation *e) {
    if (e->missing > 0) {
        (void)fprintf(stderr,
                      "neardup evaluate: %" PRIu64 " of the %" PRIu64
                      " pages of %s are not in the result and are left out\n",
                      e->missing, e->truth_pages, e->truth_path);
    }
    if (m->repeated > 0) {
        (void)fprintf(stderr,
                      "neardup evaluate: %" PRIu64 " pages of %s repeat an id of the truth; the "
                      "first page of an id is judged\n",
                      m->repeated, e->result_path);
    }
    if (e->bad_lines > 0) {
        (void)fprintf(stderr,
                      "neardup evaluate: %" PRIu64 " lines could not be used; the first: %s\n",
                      e->bad_lines, m->labels.first_bad);
    }
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

static nd_status evaluate(const nd_result *result, const request *r) {
    nd_status st = ND_OK;
    matching m = {0};
    nd_evaluation e = {.result_path = r->result, .truth_path = r->truth};
    ND_TRY(read_truth(r, &m.labels, &e.by_pairs));
    ND_TRY(match_pages(&m, result));
    ND_TRY(count_missing(&m, &e));
    ND_TRY(e.by_pairs ? evaluate_pairs(&m, r->similar, &e) : evaluate_clusters(&m, &e));
    warn(&m, &e);
    ND_TRY(print_evaluation(&e, r->json));
out:
    nd_labels_free(&m.labels);
    free(m.set);
    free(m.loose);
    free(e.labels);
    return st;
}

static int evaluate_file(const request *r) {
    nd_result result;
    nd_status st = nd_result_open(&result, r->result);
    st = st != ND_OK ? st : evaluate(&result, r);
    (void)nd_result_close(&result);
    if (st != ND_OK) {
        (void)fprintf(stderr, "neardup evaluate: %s\n", nd_fail_text());
    }
    return st == ND_OK ? ND_EXIT_DONE : st == ND_ERR_USAGE ? ND_EXIT_USAGE : ND_EXIT_FAILED;
}

static bool parse_column(const char *text, uint64_t *column) {
    char *end = NULL;
    errno = 0;
    *column = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *column >= CLUSTER_COLUMN;
}

static int parse_option(request *r, int id, const char *word) {
    switch (id) {
    case 't':
        r->truth = optarg;
        return ND_EXIT_DONE;
    case 'l':
        r->loose = optarg;
        return ND_EXIT_DONE;
    case 'a':
        r->ambiguous = optarg;
        return ND_EXIT_DONE;
    case 's':
        r->similar = optarg;
        return ND_EXIT_DONE;
    case 'c':
        return parse_column(optarg, &r->column)
                   ? ND_EXIT_DONE
                   : nd_usage_error("evaluate", "--column %s: must be a whole number, at least 2",
                                    optarg);
    case 'f':
        r->json = strcmp(optarg, "json") == 0;
        return r->json || strcmp(optarg, "text") == 0
                   ? ND_EXIT_DONE
                   : nd_usage_error("evaluate", "--format %s: must be text or json", optarg);
    default:
        return nd_usage_error("evaluate", "%s: unknown option or missing value", word);
    }
}

static int evaluate_command(int argc, char **argv) {
    static const struct option options[] = {
        {"truth", required_argument, NULL, 't'},   {"loose", required_argument, NULL, 'l'},
        {"column", required_argument, NULL, 'c'},  {"ambiguous", required_argument, NULL, 'a'},
        {"similar", required_argument, NULL, 's'}, {"format", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    request r = {.similar = "clone,near,cut"};
    int id = 0;
    opterr = 0;
    while ((id = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (id == 'h') {
            print_help();
            return ND_EXIT_DONE;
        }
        if (parse_option(&r, id, argv[optind - 1]) != ND_EXIT_DONE) {
            return ND_EXIT_USAGE;
        }
    }
    if (argc - optind != 1) {
        return nd_usage_error("evaluate", "needs one result file, got %d", argc - optind);
    }
    if (r.truth == NULL) {
        return nd_usage_error("evaluate",
                              "no --truth FILE: what should the result be held against?");
    }
    r.result = argv[optind];
    return evaluate_file(&r);
}

const nd_command nd_command_evaluate = {
    .name = "evaluate",
    .summary = "precision and recall of a result against labelled pages",
    .run = evaluate_command,
};
