#include "mpi/cmd/evaluate/evaluate_pairs.h"

#include "io/result/result_pairs.h"
#include "mpi/job/run_parameters.h"

#include <inttypes.h>
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

static nd_status find_rows(comparison *j, uint64_t pages) {
    nd_status st = ND_OK;
    ND_TRY(nd_new(&j->row, pages, sizeof *j->row));
    ND_TRY(nd_new(&j->partners, pages, sizeof *j->partners));
    for (uint64_t page = 0; page < pages; page++) {
        j->row[page] = ND_NO_NAME;
    }
    for (size_t row = 0; row < j->labelled->count; row++) {
        if (j->labelled->page[row] != ND_NO_PAGE) {
            j->row[j->labelled->page[row]] = row;
        }
    }
out:
    return st;
}

static nd_pair_label label_of(const comparison *j, uint64_t x, uint64_t y) {
    const uint64_t *cluster = j->truth->labels.cluster;
    if (j->labelled->left_out[x] || j->labelled->left_out[y] ||
        (cluster[x] != cluster[y] &&
         nd_contingency_table_is_ambiguous(&j->table, cluster[x], cluster[y]))) {
        return ND_PAIR_UNDECIDED;
    }
    return cluster[x] == cluster[y] ? ND_PAIR_CORRECT : ND_PAIR_INCORRECT;
}

static void count_pair(comparison *j, const nd_pair_rows *rows, uint64_t i, nd_pair_evaluation *e) {
    const uint64_t x = j->row[rows->a[i]];
    const uint64_t y = j->row[rows->b[i]];
    j->partners[rows->a[i]]++;
    j->partners[rows->b[i]]++;
    if (x == ND_NO_NAME || y == ND_NO_NAME) {
        e->unlabelled++;
        return;
    }
    const bool same_site = j->site[x] != ND_NO_SITE && j->site[x] == j->site[y];
    nd_pair_precision_add(&e->precision, (double)rows->similarity[i], label_of(j, x, y), same_site);
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

static nd_status count_all(comparison *j, nd_pair_rows *rows, nd_pair_evaluation *e) {
    nd_status st = ND_OK;
    e->pairs = rows->total;
    do {
        ND_TRY(nd_pair_rows_next(rows));
        for (uint64_t i = 0; i < rows->count; i++) {
            count_pair(j, rows, i, e);
        }
    } while (rows->count > 0);
    for (uint64_t page = 0; page < rows->pages; page++) {
        nd_power_law_add(&e->partners, j->partners[page]);
    }
out:
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
    evaluation->kept = !truth->by_pairs && nd_result_keeps_pairs(&result);
    if (evaluation->kept) {
        const nd_labelled_pages pages = nd_labelled_result_pages(truth, labelled);
        ND_TRY(read_lowest(&result, &lowest));
        nd_pair_precision_open(&evaluation->precision, lowest);
        ND_TRY(nd_pair_rows_open(&rows, &result));
        ND_TRY(nd_contingency_table_make(&pages, &j.table));
        ND_TRY(find_rows(&j, rows.pages));
        ND_TRY(count_all(&j, &rows, evaluation));
    }
out:
    nd_pair_rows_free(&rows);
    nd_contingency_table_free(&j.table);
    (void)nd_result_close(&result);
    free(j.row);
    free(j.partners);
    return st;
}
