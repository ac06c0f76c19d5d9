#include "mpi/cmd/evaluate/evaluate_pairs.h"

#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/job/run_parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What the pairs are labelled by. */
typedef struct comparison {
    const nd_truth *truth;
    const nd_labelled_result *labelled;
    const uint64_t *site;
    nd_contingency_table table; /* for its ambiguous clusters */
    uint64_t *row;              /* of each page of the result; ND_NO_NAME: not labelled */
    uint32_t *partners;         /* likewise */
} comparison;

static void count_pair(comparison *j, const nd_pair_rows *rows, uint64_t i, nd_pair_evaluation *e) {
    const uint64_t *cluster = j->truth->labels.cluster;
    const uint64_t x = j->row[rows->a[i]];
    const uint64_t y = j->row[rows->b[i]];
    j->partners[rows->a[i]]++;
    j->partners[rows->b[i]]++;
    if (x == ND_NO_NAME || y == ND_NO_NAME) {
        e->unlabelled++;
        return;
    }
    const bool same = cluster[x] == cluster[y];
    const bool undecided =
        j->labelled->left_out[x] || j->labelled->left_out[y] ||
        (!same && nd_contingency_table_is_ambiguous(&j->table, cluster[x], cluster[y]));
    nd_pair_precision_add(&e->precision, (double)rows->similarity[i],
                          undecided ? ND_PAIR_UNDECIDED
                          : same    ? ND_PAIR_CORRECT
                                    : ND_PAIR_INCORRECT,
                          j->site[x] != ND_NO_SITE && j->site[x] == j->site[y]);
}

/* Where bins of similarity begin: at the run's threshold. */
static nd_status read_lowest(const nd_result *result, double *lowest) {
    nd_status st = ND_OK;
    char *text = NULL;
    nd_job_options options = {0};
    ND_TRY(nd_result_get_text(result, "parameters", &text));
    ND_TRY(nd_read_parameters(result->path, text, &options));
    *lowest = options.method_options.threshold < 1 ? options.method_options.threshold : 0;
out:
    free(text);
    return st;
}

nd_status nd_pair_evaluation_make(const char *path, const nd_truth *truth,
                                  const nd_labelled_result *labelled, const uint64_t *site,
                                  nd_pair_evaluation *evaluation) {
    nd_status st = ND_OK;
    nd_result result;
    nd_pair_rows rows = {0};
    comparison j = {.truth = truth, .labelled = labelled, .site = site};
    double lowest = 0;
    *evaluation = (nd_pair_evaluation){0};
    ND_TRY(nd_result_open(&result, path));
    if (truth->by_pairs || !nd_result_keeps_pairs(&result)) {
        goto out;
    }
    const nd_labelled_pages pages = nd_labelled_result_pages(truth, labelled);
    evaluation->kept = true;
    ND_TRY(read_lowest(&result, &lowest));
    nd_pair_precision_open(&evaluation->precision, lowest);
    ND_TRY(nd_pair_rows_open(&rows, &result, &nd_verified_columns));
    evaluation->pairs = rows.total;
    ND_TRY(nd_contingency_table_make(&pages, &j.table));

    nd_new(&j.row, rows.pages, sizeof *j.row);
    nd_new(&j.partners, rows.pages, sizeof *j.partners);
    for (uint64_t page = 0; page < rows.pages; page++) {
        j.row[page] = ND_NO_NAME;
    }
    for (size_t row = 0; row < labelled->count; row++) {
        if (labelled->page[row] != ND_NO_PAGE) {
            j.row[labelled->page[row]] = row;
        }
    }

    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            count_pair(&j, &rows, i, evaluation);
        }
    } while (rows.count > 0);
    for (uint64_t page = 0; page < rows.pages; page++) {
        nd_power_law_add(&evaluation->partners, j.partners[page]);
    }
out:
    nd_pair_rows_free(&rows);
    nd_contingency_table_free(&j.table);
    (void)nd_result_close(&result);
    free(j.row);
    free(j.partners);
    return st;
}

static int last_bin(const nd_power_law *law) {
    int last = ND_POWERS_OF_TWO - 1;
    while (last >= 0 && law->bins[last] == 0) {
        last--;
    }
    return last;
}

/* ---- as tables */

static void print_number(double number) {
    if (isnan(number)) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.4f", number);
    }
}

static void print_labels(const char *name, nd_label_counts c) {
    (void)printf("%-15s %11" PRIu64 " %11" PRIu64 " %11" PRIu64, name, c.pairs[ND_PAIR_CORRECT],
                 c.pairs[ND_PAIR_INCORRECT], c.pairs[ND_PAIR_UNDECIDED]);
    print_number(nd_label_precision(&c));
    print_number(nd_label_decided_precision(&c));
}

void nd_pair_evaluation_print(const nd_pair_evaluation *e) {
    const nd_pairs_by_site *all = &e->precision.all;
    const nd_power_law *law = &e->partners;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    if (!e->kept) {
        return;
    }
    (void)printf("\nverified pairs: %" PRIu64 ", %" PRIu64 " of them with a page that is not in "
                 "the truth\n%-15s %11s %11s %11s %9s %9s\n",
                 e->pairs, e->unlabelled, "", "correct", "incorrect", "undecided", "precision",
                 "decided");
    print_labels("all", nd_pairs_by_site_sum(all));
    (void)puts("");
    print_labels("same site", all->same_site);
    (void)puts("");
    print_labels("different sites", all->different_sites);
    (void)printf("\n%-15s %11s %11s %11s %9s %9s %9s %9s\n", "similarity", "correct", "incorrect",
                 "undecided", "precision", "decided", "same site", "different");
    const size_t count = nd_pair_precision_rows(&e->precision, rows);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        const int size = snprintf(name, sizeof name, "%.4f", rows[i].from);
        if (rows[i].from < rows[i].to) {
            (void)snprintf(name + size, sizeof name - (size_t)size, "-%.4f", rows[i].to);
        }
        print_labels(name, nd_pairs_by_site_sum(&rows[i].pairs));
        print_number(nd_label_precision(&rows[i].pairs.same_site));
        print_number(nd_label_precision(&rows[i].pairs.different_sites));
        (void)puts("");
    }
    (void)printf("\npartners of a page, of %" PRIu64 " pages with any; slope on log-log axes by "
                 "least squares:",
                 law->values);
    print_number(nd_power_law_slope_by_squares(law));
    (void)printf(", by maximum likelihood:");
    print_number(nd_power_law_slope_by_likelihood(law));
    (void)puts("");
    for (int i = 0; i <= last_bin(law); i++) {
        const uint64_t from = UINT64_C(1) << i;
        (void)printf("%11" PRIu64 " - %-11" PRIu64 " %11" PRIu64 "\n", from, from + (from - 1),
                     law->bins[i]);
    }
}

/* ---- as JSON */

/* What is not defined is null. */
static void add_defined(json_object *to, const char *name, double number) {
    if (isnan(number)) {
        nd_json_add_null(to, name);
    } else {
        nd_json_add_share(to, name, number);
    }
}

static void add_labels(json_object *to, const char *name, nd_label_counts c) {
    json_object *object = nd_json_add_object(to, name);
    nd_json_add_number(object, "correct", c.pairs[ND_PAIR_CORRECT]);
    nd_json_add_number(object, "incorrect", c.pairs[ND_PAIR_INCORRECT]);
    nd_json_add_number(object, "undecided", c.pairs[ND_PAIR_UNDECIDED]);
    add_defined(object, "precision", nd_label_precision(&c));
    add_defined(object, "decided_precision", nd_label_decided_precision(&c));
}

static void add_sites(json_object *to, const nd_pairs_by_site *pairs) {
    add_labels(to, "all", nd_pairs_by_site_sum(pairs));
    add_labels(to, "same_site", pairs->same_site);
    add_labels(to, "different_sites", pairs->different_sites);
}

void nd_pair_evaluation_add_json(const nd_pair_evaluation *e, json_object *to) {
    const nd_power_law *law = &e->partners;
    nd_similarity_row rows[ND_SIMILARITY_VALUES];
    if (!e->kept) {
        return;
    }
    json_object *pairs = nd_json_add_object(to, "pairs");
    nd_json_add_number(pairs, "listed", e->pairs);
    nd_json_add_number(pairs, "unlabelled", e->unlabelled);
    add_sites(pairs, &e->precision.all);
    const size_t count = nd_pair_precision_rows(&e->precision, rows);
    json_object *list = nd_json_add_array(pairs, "by_similarity");
    for (size_t i = 0; i < count; i++) {
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_share(row, "from", rows[i].from);
        nd_json_add_share(row, "to", rows[i].to);
        add_sites(row, &rows[i].pairs);
    }
    json_object *partners = nd_json_add_object(pairs, "partners");
    nd_json_add_number(partners, "pages", law->values);
    nd_json_add_number(partners, "most", law->most);
    add_defined(partners, "slope_by_least_squares", nd_power_law_slope_by_squares(law));
    add_defined(partners, "slope_by_likelihood", nd_power_law_slope_by_likelihood(law));
    list = nd_json_add_array(partners, "histogram");
    for (int i = 0; i <= last_bin(law); i++) {
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_number(row, "from", UINT64_C(1) << i);
        nd_json_add_number(row, "pages", law->bins[i]);
    }
}
