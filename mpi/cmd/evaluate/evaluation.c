#include "mpi/cmd/evaluate/evaluation.h"

#include "io/result/result_read.h"
#include "mpi/cmd/json_fields.h"
#include "mpi/job/job.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/synth/story.h"
#include "src/text/address.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== a result with labels */

/* Pages of the result read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

nd_status nd_truth_read(const nd_truth_files *files, nd_truth *truth) {
    nd_status st = ND_OK;
    nd_labels *labels = &truth->labels;
    uint64_t columns = 0;
    ND_TRY(nd_labels_columns(files->truth, &columns));
    truth->by_pairs = files->column == 0 && columns > ND_CLUSTER_COLUMN;
    if (files->bands && !truth->by_pairs) {
        return nd_fail(ND_ERR_USAGE, "--bands: %s lists clusters, not pairs", files->truth);
    }
    ND_TRY(truth->by_pairs
               ? nd_labels_read_pairs(labels, files->truth, files->bands)
               : nd_labels_read_clusters(labels, files->truth,
                                         files->column == 0 ? ND_CLUSTER_COLUMN : files->column));
    if (labels->ids.count == 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no labelled page in it%s%s", files->truth,
                     labels->bad_lines > 0 ? "; " : "", labels->first_bad);
        goto out;
    }
    if (files->loose != NULL) {
        ND_TRY(nd_labels_read_loose(labels, files->loose));
    }
    if (files->ambiguous != NULL && truth->by_pairs) {
        st = nd_fail(ND_ERR_USAGE, "--ambiguous %s: %s lists pairs, not clusters", files->ambiguous,
                     files->truth);
    } else if (files->ambiguous != NULL) {
        st = nd_labels_read_ambiguous(labels, files->ambiguous);
    }
out:
    return st;
}

void nd_truth_free(nd_truth *truth) {
    nd_labels_free(&truth->labels);
    *truth = (nd_truth){0};
}

static void match_page(const nd_truth *truth, const nd_page_rows *rows, uint64_t i,
                       nd_labelled_result *labelled) {
    uint8_t host[ND_SITE_HOST_SIZE];
    const nd_span id = nd_page_rows_id(rows, i);
    const nd_span url = nd_page_rows_url(rows, i);
    const uint64_t row = nd_name_table_find(&truth->labels.ids, id.size > 0 ? id : url);
    if (row == ND_NO_NAME) {
        return;
    }
    if (labelled->page[row] != ND_NO_PAGE) {
        labelled->repeated++;
        return;
    }
    labelled->set[row] = rows->set[i];
    labelled->page[row] = rows->begin + i;
    labelled->similarity[row] = rows->similarity[i];
    labelled->certainty[row] = rows->certainty[i];
    nd_span site = nd_site_host(url, host);
    site = site.size > 0 ? site : nd_site_host(id, host);
    labelled->site[row] = site.size > 0 ? nd_site_hash(site, 0) : ND_NO_SITE;
}

/* Find the labelled pages: reads the result's sets into memory, and its pages a block at a time. */
static nd_status match_pages(const nd_truth *truth, const nd_result *result,
                             nd_labelled_result *labelled) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t *representatives = NULL;
    const uint64_t pages = result->shape.pages;
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            match_page(truth, &rows, i, labelled);
        }
    }
    ND_TRY(nd_result_check_partition(result));
    ND_TRY(nd_result_representatives(result, &representatives));
    for (size_t row = 0; row < labelled->count; row++) {
        const nd_span id = nd_name_table_at(&truth->labels.ids, row);
        const uint64_t page = labelled->page[row];
        const bool missing = page == ND_NO_PAGE;
        const bool loose = nd_name_table_find(&truth->labels.loose, id) != ND_NO_NAME;
        labelled->representative[row] = !missing && representatives[labelled->set[row]] == page;
        labelled->left_out[row] = missing || loose;
        labelled->missing += missing;
        labelled->loose += loose && !missing;
    }
out:
    nd_page_rows_free(&rows);
    free(representatives);
    return st;
}

nd_status nd_labelled_result_open(const nd_truth *truth, const char *truth_path,
                                  const char *result_path, nd_labelled_result *labelled) {
    nd_status st = ND_OK;
    nd_result result;
    const size_t count = truth->labels.ids.count;
    *labelled = (nd_labelled_result){.count = count};
    ND_TRY(nd_result_open(&result, result_path));
    nd_new(&labelled->set, count, sizeof *labelled->set);
    nd_new(&labelled->page, count, sizeof *labelled->page);
    nd_new(&labelled->site, count, sizeof *labelled->site);
    nd_new(&labelled->similarity, count, sizeof *labelled->similarity);
    nd_new(&labelled->certainty, count, sizeof *labelled->certainty);
    nd_new(&labelled->representative, count, sizeof *labelled->representative);
    nd_new(&labelled->left_out, count, sizeof *labelled->left_out);
    for (size_t row = 0; row < count; row++) {
        labelled->set[row] = ND_NO_SET;
        labelled->page[row] = ND_NO_PAGE;
        labelled->site[row] = ND_NO_SITE;
    }
    ND_TRY(match_pages(truth, &result, labelled));
    if (labelled->missing == count) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: none of its %zu ids is the id (or URL, without an id) of a page of %s",
                     truth_path, count, result_path);
    }
out:
    (void)nd_result_close(&result);
    return st;
}

nd_labelled_pages nd_labelled_result_pages(const nd_truth *truth,
                                           const nd_labelled_result *labelled) {
    return (nd_labelled_pages){.set = labelled->set,
                               .cluster = truth->labels.cluster,
                               .loose = labelled->left_out,
                               .count = labelled->count,
                               .cluster_count = truth->labels.clusters.count,
                               .ambiguous = truth->labels.ambiguous,
                               .ambiguous_count = truth->labels.ambiguous_count};
}

void nd_labelled_result_free(nd_labelled_result *labelled) {
    free(labelled->set);
    free(labelled->page);
    free(labelled->site);
    free(labelled->similarity);
    free(labelled->certainty);
    free(labelled->representative);
    free(labelled->left_out);
    *labelled = (nd_labelled_result){0};
}

/* ==== by class and decile */

static void count_siteless(const nd_labelled_result *labelled, const uint64_t *site,
                           nd_breakdown *b) {
    for (size_t i = 0; i < labelled->count; i++) {
        b->pages += !labelled->left_out[i];
        b->siteless += !labelled->left_out[i] && site[i] == ND_NO_SITE;
    }
}

void nd_breakdown_of_pairs(const nd_labelled_result *labelled, nd_breakdown *breakdown) {
    breakdown->by_pairs = true;
    count_siteless(labelled, labelled->site, breakdown);
}

static int by_name(const void *a, const void *b) {
    const nd_class_agreement *x = a;
    const nd_class_agreement *y = b;
    const int order = memcmp(x->name.data, y->name.data, nd_min(x->name.size, y->name.size));
    return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

/* What is known of pages only because it is known how they were made. */
static void count_by_class(const nd_labelled_pages *pages, const nd_same_site *same,
                           const nd_class_labels *classes, nd_breakdown *b) {
    const size_t count = classes->classes.count;
    const char *name = nd_page_class_get(ND_PAGE_ORIGINAL)->name;
    const uint64_t of_originals =
        nd_name_table_find(&classes->classes, (nd_span){(const uint8_t *)name, strlen(name)});
    nd_group_agreement *all = NULL;
    nd_group_agreement *same_site = NULL;
    bool *original = NULL;
    uint64_t *decile = NULL;

    nd_new(&b->classes, count, sizeof *b->classes);
    nd_new(&all, count, sizeof *all);
    nd_new(&same_site, count, sizeof *same_site);
    nd_group_agreement_count(pages, classes->class, count, all);
    nd_group_agreement_count(&same->pages, classes->class, count, same_site);
    for (size_t c = 0; c < count; c++) {
        b->classes[c] = (nd_class_agreement){nd_name_table_at(&classes->classes, c), all[c],
                                             same_site[c].pairs};
    }
    b->class_count = count;
    nd_sort(b->classes, count, sizeof *b->classes, by_name);

    nd_new(&original, pages->count, sizeof *original);
    nd_new(&decile, pages->count, sizeof *decile);
    for (size_t i = 0; i < pages->count; i++) {
        const bool known = classes->class[i] != ND_NO_CLASS;
        b->classless += !pages->loose[i] && !known;
        original[i] = known && classes->class[i] == of_originals;
        decile[i] = known ? nd_decile_of(classes->similarity[i]) : ND_NO_GROUP;
    }
    const nd_leaders leaders = {original, classes->site, decile, ND_DECILES};
    nd_leader_tally_clusters(pages, &leaders, b->originals);
    free(all);
    free(same_site);
    free(original);
    free(decile);
}

void nd_breakdown_count(const nd_truth *truth, const nd_labelled_result *labelled,
                        const nd_agreement *agreement, const nd_class_labels *classes,
                        nd_breakdown *breakdown) {
    nd_same_site same = {0};
    nd_agreement of_site;
    uint64_t *decile = NULL;
    const nd_labelled_pages pages = nd_labelled_result_pages(truth, labelled);
    const uint64_t *site = classes != NULL ? classes->site : labelled->site;
    *breakdown =
        (nd_breakdown){.pairs = nd_agreement_pairs(agreement), .by_class = classes != NULL};
    nd_same_site_make(&pages, site, &same);
    count_siteless(labelled, site, breakdown);
    nd_agreement_count(&same.pages, &of_site);
    breakdown->same_site = nd_agreement_pairs(&of_site);

    nd_new(&decile, pages.count, sizeof *decile);
    for (size_t i = 0; i < pages.count; i++) {
        decile[i] = nd_decile_of((double)labelled->similarity[i]);
    }
    const nd_leaders leaders = {labelled->representative, site, decile, ND_DECILES};
    nd_leader_tally_sets(&pages, &leaders, breakdown->representatives);
    for (size_t i = 0; i < pages.count; i++) {
        decile[i] = nd_decile_of((double)labelled->certainty[i]);
    }
    nd_leader_tally_sets(&pages, &leaders, breakdown->certainties);
    if (classes != NULL) {
        count_by_class(&pages, &same, classes, breakdown);
    }
    nd_same_site_free(&same);
    free(decile);
}

void nd_breakdown_free(nd_breakdown *breakdown) {
    free(breakdown->classes);
    *breakdown = (nd_breakdown){0};
}

/* ---- as tables */

/* A share; nothing to take one of shows as a dash, not as the 1 that it is by definition. */
static void print_share(uint64_t part, uint64_t whole) {
    if (whole == 0) {
        (void)printf(" %9s", "-");
    } else {
        (void)printf(" %9.4f", (double)part / (double)whole);
    }
}

static void print_precision_and_recall(nd_pair_counts p) {
    print_share(p.common_pairs, p.predicted_pairs);
    print_share(p.common_pairs, p.true_pairs);
}

static void print_site_pairs(const char *name, nd_pair_counts p) {
    (void)printf("%-15s", name);
    print_precision_and_recall(p);
    (void)printf(" %9.4f %11" PRIu64 " %11" PRIu64 " %11" PRIu64 "\n",
                 nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs).f1, p.true_pairs,
                 p.predicted_pairs, p.common_pairs);
}

static void print_classes(const nd_breakdown *b) {
    (void)printf("\npairs with a page of the class; mixed: pages in a set with another cluster's; "
                 "by page: mean recall\n%-6s %9s %9s %11s %11s %11s %9s %9s %9s\n",
                 "class", "pages", "mixed", "true", "predicted", "false", "precision", "recall",
                 "by page");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_group_agreement *all = &b->classes[i].all;
        const nd_pair_counts *p = &all->pairs;
        nd_print_padded(stdout, b->classes[i].name, 6);
        (void)printf(" %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64,
                     all->pages, all->mixed_pages, p->true_pairs, p->predicted_pairs,
                     p->predicted_pairs - p->common_pairs);
        print_precision_and_recall(*p);
        if (all->partnered_pages == 0) {
            (void)printf(" %9s\n", "-");
        } else {
            (void)printf(" %9.4f\n", all->page_recall);
        }
    }
    (void)printf("\n%-6s %31s %31s\n%-6s %11s %9s %9s %11s %9s %9s\n", "", "same site",
                 "different sites", "class", "false", "precision", "recall", "false", "precision",
                 "recall");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_class_agreement *c = &b->classes[i];
        const nd_pair_counts by_site[2] = {c->same_site,
                                           nd_pair_counts_without(c->all.pairs, c->same_site)};
        nd_print_padded(stdout, c->name, 6);
        for (int k = 0; k < 2; k++) {
            (void)printf(" %11" PRIu64, by_site[k].predicted_pairs - by_site[k].common_pairs);
            print_precision_and_recall(by_site[k]);
        }
        (void)puts("");
    }
    if (b->classless > 0) {
        (void)printf("%" PRIu64 " pages are of no known class\n", b->classless);
    }
}

static void print_deciles(const char *what, const char *by, const char *agreeing, const char *share,
                          const nd_leader_tally *tallies) {
    (void)printf("\nby the %s\n%-10s %11s %11s %9s %9s %9s\n", what, by, "pages", agreeing, share,
                 "same site", "different");
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        const nd_leader_pairs elsewhere = nd_leader_tally_elsewhere(t);
        if (t->all.pairs == 0) {
            continue;
        }
        if (i < 10) {
            (void)printf("%.1f to %.1f ", i / 10., (i + 1) / 10.);
        } else {
            (void)printf("%-10s ", "1");
        }
        (void)printf("%11" PRIu64 " %11" PRIu64, t->all.pairs, t->all.agreeing);
        print_share(t->all.agreeing, t->all.pairs);
        print_share(t->same_site.agreeing, t->same_site.pairs);
        print_share(elsewhere.agreeing, elsewhere.pairs);
        (void)puts("");
    }
}

void nd_breakdown_print(const nd_breakdown *b) {
    if (b->siteless < b->pages) {
        (void)printf("\n%-15s %9s %9s %9s %11s %11s %11s\n", "pairs", "precision", "recall", "F1",
                     "true", "predicted", "both");
        print_site_pairs("same site", b->same_site);
        print_site_pairs("different sites", nd_pair_counts_without(b->pairs, b->same_site));
        if (b->siteless > 0) {
            (void)printf("%" PRIu64 " pages are of no known site\n", b->siteless);
        }
    }
    if (!b->by_pairs) {
        print_deciles("similarity of pages to their representatives", "similarity", "correct",
                      "precision", b->representatives);
        print_deciles("certainty of pages, as predicted against as found", "certainty", "correct",
                      "found", b->certainties);
    }
    if (b->by_class) {
        print_deciles("similarity of pages to their originals, by construction", "similarity",
                      "found", "recall", b->originals);
        print_classes(b);
    }
}

/* ---- as JSON */

static void add_pairs(json_object *to, const char *name, nd_pair_counts p) {
    json_object *object = nd_json_add_object(to, name);
    const nd_measure m = nd_measure_pairs(p.common_pairs, p.predicted_pairs, p.true_pairs);
    nd_json_add_number(object, "true_pairs", p.true_pairs);
    nd_json_add_number(object, "predicted_pairs", p.predicted_pairs);
    nd_json_add_number(object, "common_pairs", p.common_pairs);
    nd_json_add_number(object, "skipped_pairs", p.skipped_pairs);
    nd_json_add_share(object, "precision", m.precision);
    nd_json_add_share(object, "recall", m.recall);
    nd_json_add_share(object, "f1", m.f1);
}

static void add_sites(json_object *to, nd_pair_counts all, nd_pair_counts same_site) {
    add_pairs(to, "same_site", same_site);
    add_pairs(to, "different_sites", nd_pair_counts_without(all, same_site));
}

/* The names under which pairs with a leader that agree stand, as a number and as a share. */
typedef struct names {
    const char *agreeing, *share;
} names;

static void add_leader_pairs(json_object *to, const names *n, nd_leader_pairs p) {
    nd_json_add_number(to, "pairs", p.pairs);
    nd_json_add_number(to, n->agreeing, p.agreeing);
    nd_json_add_share(to, n->share, p.pairs == 0 ? 1 : (double)p.agreeing / (double)p.pairs);
}

static void add_deciles(json_object *to, const char *name, const names *n,
                        const nd_leader_tally *tallies) {
    json_object *list = nd_json_add_array(to, name);
    for (int i = 0; i < ND_DECILES; i++) {
        const nd_leader_tally *t = &tallies[i];
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_share(row, "from", i / 10.);
        nd_json_add_share(row, "to", i < 10 ? (i + 1) / 10. : 1);
        add_leader_pairs(row, n, t->all);
        add_leader_pairs(nd_json_add_object(row, "same_site"), n, t->same_site);
        add_leader_pairs(nd_json_add_object(row, "different_sites"), n,
                         nd_leader_tally_elsewhere(t));
    }
}

void nd_breakdown_add_json(const nd_breakdown *b, json_object *to) {
    static const names precision = {"correct", "precision"};
    static const names recall = {"found", "recall"};
    nd_json_add_number(to, "pages_without_site", b->siteless);
    add_sites(to, b->pairs, b->same_site);
    if (!b->by_pairs) {
        add_deciles(to, "representative_deciles", &precision, b->representatives);
        add_deciles(to, "certainty_deciles", &precision, b->certainties);
    }
    if (!b->by_class) {
        return;
    }
    nd_json_add_number(to, "pages_without_class", b->classless);
    add_deciles(to, "original_deciles", &recall, b->originals);
    json_object *list = nd_json_add_array(to, "classes");
    for (size_t i = 0; i < b->class_count; i++) {
        const nd_class_agreement *c = &b->classes[i];
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_text(row, "class", c->name);
        nd_json_add_number(row, "pages", c->all.pages);
        nd_json_add_number(row, "mixed_pages", c->all.mixed_pages);
        nd_json_add_number(row, "partnered_pages", c->all.partnered_pages);
        nd_json_add_share(row, "page_recall", c->all.page_recall);
        add_pairs(row, "pairs", c->all.pairs);
        add_sites(row, c->all.pairs, c->same_site);
    }
}

/* ==== pairs */

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
    nd_contingency_table_make(&pages, &j.table);

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

static void add_precision_by_site(json_object *to, const nd_pairs_by_site *pairs) {
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
    add_precision_by_site(pairs, &e->precision.all);
    const size_t count = nd_pair_precision_rows(&e->precision, rows);
    json_object *list = nd_json_add_array(pairs, "by_similarity");
    for (size_t i = 0; i < count; i++) {
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_share(row, "from", rows[i].from);
        nd_json_add_share(row, "to", rows[i].to);
        add_precision_by_site(row, &rows[i].pairs);
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

/* ==== samples */

/* As the interval's ends are read, two more digits of them than 1,000 would decide. */
enum { DEFAULT_RESAMPLES = 2000 };

/* ---- options */

nd_sample_request nd_sample_request_default(void) {
    return (nd_sample_request){.resamples = DEFAULT_RESAMPLES};
}

#define AT(field) offsetof(nd_sample_request, field)

const nd_option nd_sample_option_table[] = {
    {.help = "A sample of sets, as Huang, Wang and Li evaluated them (CIKM 2008)"},
    {"protocol", "pku|pairs", ND_OPTION_SWITCH, AT(judged),
     .help =
         "pku: --truth has the answers to a page of neardup review --protocol pku: its sets are "
         "the sample",
     .rare = true},
    {"sample", "N", ND_OPTION_NUMBER, AT(sets),
     .help = "draw N sets, or all if there are fewer (the paper: 1000). The page with most truly "
             "similar pages stands for its set; its sets in all results are compared, and again "
             "within its site",
     .rare = true, .bounded = true, .least = 1},
    {"sample-from", "H5", ND_OPTION_TEXT, AT(sample_from),
     .help = "sample sets of another result of the same pages (those of OUT.h5)", .rare = true},
    {"singletons", NULL, ND_OPTION_FLAG, AT(singletons), .help = "sample sets of one page too",
     .rare = true},
    {"baseline", "H5", ND_OPTION_TEXT, AT(baseline),
     .help = "a result of the same pages, to which recall is relative", .rare = true},
    {"seed", "S", ND_OPTION_NUMBER, AT(seed), .help = "of the sample and of the intervals",
     .rare = true, .given = AT(own_seed)},
    {"resamples", "B", ND_OPTION_NUMBER, AT(resamples),
     .help = "of the bootstrap that gives the 95 % intervals", .rare = true, .bounded = true,
     .least = 1, .given = AT(own_resamples)},
    {0},
};

nd_status nd_sample_check(const nd_sample_request *r) {
    if (r->judged) {
        const char *drawn = r->sets > 0              ? "sample"
                            : r->sample_from != NULL ? "sample-from"
                            : r->singletons          ? "singletons"
                                                     : NULL;
        return drawn == NULL
                   ? ND_OK
                   : nd_fail(ND_ERR_USAGE, "--%s: neardup review drew the sets of --protocol pku",
                             drawn);
    }
    const char *dependent = r->sample_from != NULL ? "sample-from"
                            : r->singletons        ? "singletons"
                            : r->baseline != NULL  ? "baseline"
                            : r->own_seed          ? "seed"
                            : r->own_resamples     ? "resamples"
                                                   : NULL;
    return r->sets > 0 || dependent == NULL
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s: is of use only with --sample N or --protocol pku",
                         dependent);
}

/* ---- evaluating */

/* Leave out what another result lacks; what the evaluated one lacks is left out already. */
static void leave_out(const nd_labelled_result *other, bool *left_out, uint64_t *missing) {
    for (size_t row = 0; row < other->count; row++) {
        *missing += other->left_out[row] && !left_out[row];
        left_out[row] = left_out[row] || other->left_out[row];
    }
}

static void add_up(nd_sample_evaluation *e) {
    for (size_t i = 0; i < e->sample.count; i++) {
        for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
            const nd_sample_counts *c = &e->sample.sets[i].counts[scope];
            nd_sample_counts *total = &e->totals[scope];
            total->pages += c->pages;
            total->similar += c->similar;
            total->baseline += c->baseline;
            total->anywhere += c->anywhere;
            e->alone[scope] += c->pages == 1;
            e->baseline_alone[scope] += c->baseline == 1;
        }
    }
}

static void estimate(nd_sample_evaluation *e) {
    const nd_sample_request *request = &e->request;
    const uint64_t seed = nd_mix64(~request->seed); /* not the numbers that drew the sample */
    for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
        for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
            if (nd_set_sample_has(&e->sample, m)) {
                nd_set_sample_estimate(&e->sample, scope, m, request->resamples, seed,
                                       &e->estimates[scope][m]);
            }
        }
    }
}

nd_status nd_sample_evaluate(const nd_sample_request *request, const nd_sampled_truth *truth,
                             const nd_labelled_result *evaluated, const char *evaluated_path,
                             nd_sample_evaluation *evaluation) {
    nd_status st = ND_OK;
    /* the other results, and what is loose or not in one of them, by row; one that is not given
     * stays empty */
    nd_labelled_result from = {0};
    nd_labelled_result baseline = {0};
    bool *left_out = NULL;
    const bool own = request->sample_from == NULL;
    *evaluation = (nd_sample_evaluation){.request = *request};
    if (truth->truth->by_pairs) {
        return nd_fail(ND_ERR_USAGE, "--sample: %s lists pairs, not clusters", truth->path);
    }
    if (!own) {
        ND_TRY(nd_labelled_result_open(truth->truth, truth->path, request->sample_from, &from));
    }
    if (request->baseline != NULL) {
        ND_TRY(nd_labelled_result_open(truth->truth, truth->path, request->baseline, &baseline));
    }
    nd_new(&left_out, evaluated->count, sizeof *left_out);
    for (size_t row = 0; row < evaluated->count; row++) {
        left_out[row] = evaluated->left_out[row];
    }
    leave_out(&from, left_out, &evaluation->missing);
    leave_out(&baseline, left_out, &evaluation->missing);

    nd_sampled_pages pages = {.labelled = nd_labelled_result_pages(truth->truth, evaluated),
                              .sampled = own ? evaluated->set : from.set,
                              .baseline = baseline.set,
                              .site = truth->site != NULL ? truth->site : evaluated->site};
    pages.labelled.loose = left_out;
    evaluation->request.sample_from = own ? evaluated_path : request->sample_from;
    nd_set_sample *sample = &evaluation->sample;
    nd_set_sample_draw(&pages, request->sets, request->singletons, request->seed, sample);
    add_up(evaluation);
    estimate(evaluation);
out:
    nd_labelled_result_free(&from);
    nd_labelled_result_free(&baseline);
    free(left_out);
    return st;
}

/* ---- what people judged */

static int by_band(const void *a, const void *b) {
    const nd_labelled_pair *x = a;
    const nd_labelled_pair *y = b;
    return x->band != y->band ? (x->band > y->band) - (x->band < y->band)
                              : (x->a > y->a) - (x->a < y->a);
}

/* The answers of the sets that were judged to the end; pages that are not in both results, and
 * those of which people are unsure, are left out. */
static nd_status take_answers(const nd_labels *labels, const bool *similar, const bool *unsure,
                              const nd_labelled_result *own, const nd_labelled_result *baseline,
                              nd_sample_evaluation *e, nd_answer *answers, size_t *count) {
    nd_status st = ND_OK;
    size_t end = 0;
    nd_labelled_pair *pairs = NULL;
    nd_new(&pairs, labels->pair_count, sizeof *pairs);
    memcpy(pairs, labels->pairs, labels->pair_count * sizeof *pairs);
    qsort(pairs, labels->pair_count, sizeof *pairs, by_band);
    for (size_t begin = 0; begin < labels->pair_count; begin = end) {
        const uint64_t set = pairs[begin].band;
        while (end < labels->pair_count && pairs[end].band == set) {
            if (pairs[end].b != pairs[begin].b ||
                (end > begin && pairs[end].a == pairs[end - 1].a)) {
                const nd_span name = nd_name_table_at(&labels->bands, set);
                st = nd_fail(ND_ERR_USAGE,
                             "--protocol pku: set %.*s has two representatives, or a page twice: "
                             "these are no answers of neardup review --protocol pku",
                             (int)nd_min(name.size, 64), (const char *)name.data);
                goto out;
            }
            end++;
        }
        if (end - begin < labels->band_pairs[set]) {
            e->incomplete++;
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            const nd_labelled_pair *p = &pairs[i];
            const bool based = baseline->count > 0;
            if (own->left_out[p->a] || own->left_out[p->b] ||
                (based && (baseline->left_out[p->a] || baseline->left_out[p->b]))) {
                e->missing++;
            } else if (!unsure[p->label]) {
                answers[(*count)++] = (nd_answer){
                    .set = set,
                    .own = own->set[p->a] == own->set[p->b],
                    .baseline = based && baseline->set[p->a] == baseline->set[p->b],
                    .site = own->site[p->a] != ND_NO_SITE && own->site[p->a] == own->site[p->b],
                    .similar = similar[p->label]};
            }
        }
    }
out:
    free(pairs);
    return st;
}

nd_status nd_sample_evaluate_judged(const nd_sample_request *request, const nd_sampled_truth *truth,
                                    const bool *similar, const bool *unsure,
                                    const nd_labelled_result *evaluated, const char *evaluated_path,
                                    nd_sample_evaluation *evaluation) {
    nd_status st = ND_OK;
    nd_labelled_result baseline = {0};
    nd_answer *answers = NULL;
    size_t count = 0;
    *evaluation = (nd_sample_evaluation){.request = *request};
    evaluation->request.sample_from = evaluated_path;
    if (request->baseline != NULL) {
        ND_TRY(nd_labelled_result_open(truth->truth, truth->path, request->baseline, &baseline));
    }
    const nd_labels *labels = &truth->truth->labels;
    nd_new(&answers, labels->pair_count, sizeof *answers);
    ND_TRY(
        take_answers(labels, similar, unsure, evaluated, &baseline, evaluation, answers, &count));
    nd_set_sample_judged(answers, count, request->baseline != NULL, &evaluation->sample);
    add_up(evaluation);
    estimate(evaluation);
out:
    nd_labelled_result_free(&baseline);
    free(answers);
    return st;
}

void nd_sample_evaluation_free(nd_sample_evaluation *evaluation) {
    nd_set_sample_free(&evaluation->sample);
    *evaluation = (nd_sample_evaluation){0};
}

/* ---- as text */

static const struct {
    const char *text;
    const char *json;
} measures[ND_SAMPLE_MEASURE_COUNT] = {
    [ND_SAMPLE_PRECISION] = {"precision", "precision"},
    [ND_SAMPLE_RELATIVE_RECALL] = {"relative recall", "relative_recall"},
    [ND_SAMPLE_RECALL] = {"recall", "recall"},
    [ND_SAMPLE_BASELINE_RECALL] = {"baseline recall", "baseline_recall"},
};

static void print_interval(nd_estimate e) {
    (void)printf("   %7.4f [%.4f, %.4f]", e.mean, e.lower, e.upper);
}

static void print_counts(const char *name, const uint64_t counts[ND_SCOPE_COUNT]) {
    (void)printf("%-17s %9" PRIu64 " %29" PRIu64 "\n", name, counts[ND_SCOPE_ALL],
                 counts[ND_SCOPE_SITE]);
}

void nd_sample_print(const nd_sample_evaluation *e) {
    if (e->request.judged) {
        (void)printf("\nsample     %zu sets as people judged them, of ", e->sample.count);
    } else {
        (void)printf("\nsample     %zu of the %zu sets%s of ", e->sample.count,
                     e->sample.population,
                     e->request.singletons ? "" : " of two or more evaluated pages");
    }
    nd_print_words(stdout, ND_PRINTABLE_MESSAGE, e->request.sample_from);
    (void)printf("; seed %" PRIu64 ", %" PRIu64 " resamples\n", e->request.seed,
                 e->request.resamples);
    if (e->request.baseline != NULL) {
        nd_print_line(stdout, "baseline   %s", e->request.baseline);
    }
    if (e->incomplete > 0) {
        (void)printf("left out   %" PRIu64 " sets that were not judged to the end\n",
                     e->incomplete);
    }
    if (e->missing > 0) {
        (void)printf("left out   %" PRIu64 " more pages that not all of these results have\n",
                     e->missing);
    }
    if (e->sample.count == 0) {
        (void)puts("no set can be sampled");
        return;
    }
    (void)printf("%-17s %28s %29s\n", "", "all pages, 95 % interval", "same site, 95 % interval");
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        if (nd_set_sample_has(&e->sample, m)) {
            (void)printf("%-15s", measures[m].text);
            print_interval(e->estimates[ND_SCOPE_ALL][m]);
            print_interval(e->estimates[ND_SCOPE_SITE][m]);
            (void)puts("");
        }
    }
    (void)puts("over all sampled sets, their representatives among the pages");
    const nd_sample_counts *all = &e->totals[ND_SCOPE_ALL];
    const nd_sample_counts *site = &e->totals[ND_SCOPE_SITE];
    print_counts("in their sets", (uint64_t[]){all->pages, site->pages});
    print_counts("of these similar", (uint64_t[]){all->similar, site->similar});
    if (e->sample.has_baseline) {
        print_counts("in the baseline", (uint64_t[]){all->baseline, site->baseline});
    }
    print_counts(e->request.judged ? "similar in either" : "similar anywhere",
                 (uint64_t[]){all->anywhere, site->anywhere});
    print_counts("found alone", e->alone);
    if (e->sample.has_baseline) {
        print_counts("alone in baseline", e->baseline_alone);
    }
}

/* ---- as JSON */

static void add_scope(json_object *to, const char *name, const nd_sample_evaluation *e,
                      nd_sample_scope scope) {
    const nd_sample_counts *total = &e->totals[scope];
    json_object *object = nd_json_add_object(to, name);
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        const nd_estimate *estimate = &e->estimates[scope][m];
        if (e->sample.count == 0 || !nd_set_sample_has(&e->sample, m)) {
            nd_json_add_null(object, measures[m].json);
            continue;
        }
        json_object *measure = nd_json_add_object(object, measures[m].json);
        nd_json_add_share(measure, "mean", estimate->mean);
        nd_json_add_share(measure, "lower", estimate->lower);
        nd_json_add_share(measure, "upper", estimate->upper);
    }
    nd_json_add_number(object, "pages", total->pages);
    nd_json_add_number(object, "similar_pages", total->similar);
    nd_json_add_number(object, "baseline_similar_pages", total->baseline);
    nd_json_add_number(object, "similar_pages_anywhere", total->anywhere);
    nd_json_add_number(object, "alone", e->alone[scope]);
    nd_json_add_number(object, "baseline_alone", e->baseline_alone[scope]);
}

void nd_sample_add_json(const nd_sample_evaluation *e, json_object *to) {
    json_object *sample = nd_json_add_object(to, "sample");
    nd_json_add_words(sample, "sampled_from", e->request.sample_from);
    if (e->request.baseline != NULL) {
        nd_json_add_words(sample, "baseline", e->request.baseline);
    } else {
        nd_json_add_null(sample, "baseline");
    }
    nd_json_add_number(sample, "seed", e->request.seed);
    nd_json_add_number(sample, "resamples", e->request.resamples);
    nd_json_add_flag(sample, "singletons", e->request.singletons);
    nd_json_add_flag(sample, "judged", e->request.judged);
    nd_json_add_number(sample, "incomplete_sets", e->incomplete);
    nd_json_add_number(sample, "population", e->sample.population);
    nd_json_add_number(sample, "sets", e->sample.count);
    nd_json_add_number(sample, "missing_pages", e->missing);
    add_scope(sample, "all", e, ND_SCOPE_ALL);
    add_scope(sample, "same_site", e, ND_SCOPE_SITE);
}

/* ==== the whole */

static nd_measure pairwise(const nd_evaluation *e) {
    return nd_measure_pairs(e->agreement.common_pairs, e->agreement.predicted_pairs,
                            e->agreement.true_pairs);
}

static void print_measure(const char *name, nd_measure m) {
    (void)printf("%-10s %9.4f %9.4f %9.4f\n", name, m.precision, m.recall, m.f1);
}

/* ---- bands that pairs were drawn from */

static void print_estimate(nd_estimate estimate) {
    (void)printf("  %9.4f  %.4f to %.4f\n", estimate.mean, estimate.lower, estimate.upper);
}

static void print_bands(const nd_evaluation *e) {
    nd_estimate all;
    double known = 0;
    (void)puts("of pairs in one set, by the band that they were drawn from\n"
               "band            pairs   same    not  precision  95 %");
    for (size_t i = 0; i < e->bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        nd_print_padded(stdout, nd_name_table_at(e->bands, i), 10);
        (void)printf(" %10" PRIu64 " %6" PRIu64 " %6" PRIu64, c->pairs, c->same, c->different);
        if (c->same + c->different > 0) {
            print_estimate(nd_wilson(c->same, c->same + c->different));
        } else {
            (void)puts("          -");
        }
    }
    if (nd_band_precision(e->band_counts, e->bands->count, &all, &known)) {
        (void)printf("all, each band by its pairs        ");
        print_estimate(all);
        if (known < 1) {
            (void)printf("of %.1f %% of the pairs: the other bands have no label\n", 100 * known);
        }
    }
}

static void add_estimate(json_object *to, nd_estimate estimate) {
    nd_json_add_share(to, "precision", estimate.mean);
    nd_json_add_share(to, "lower", estimate.lower);
    nd_json_add_share(to, "upper", estimate.upper);
}

static void add_bands(json_object *root, const nd_evaluation *e) {
    nd_estimate all;
    double known = 0;
    json_object *list = nd_json_add_array(root, "bands");
    for (size_t i = 0; i < e->bands->count; i++) {
        const nd_band_count *c = &e->band_counts[i];
        json_object *row = nd_json_add_object(list, NULL);
        nd_json_add_text(row, "band", nd_name_table_at(e->bands, i));
        nd_json_add_number(row, "pairs", c->pairs);
        nd_json_add_number(row, "same", c->same);
        nd_json_add_number(row, "different", c->different);
        if (c->same + c->different > 0) {
            add_estimate(row, nd_wilson(c->same, c->same + c->different));
        }
    }
    if (nd_band_precision(e->band_counts, e->bands->count, &all, &known)) {
        json_object *sum = nd_json_add_object(root, "all_bands");
        add_estimate(sum, all);
        nd_json_add_share(sum, "share_of_pairs", known);
    }
}

void nd_evaluation_print(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    (void)printf("pages      %" PRIu64 " evaluated of %" PRIu64 " in the truth; %" PRIu64
                 " not in the result, %" PRIu64 " loose\n",
                 a->pages, e->truth_pages, e->missing, e->loose);
    if (e->by_pairs) {
        (void)printf("listed     %" PRIu64 " pairs, %" PRIu64 " not evaluated\n", e->truth_pairs,
                     e->skipped_pairs);
    } else {
        (void)printf("partition  %" PRIu64 " clusters, %" PRIu64 " sets\n", a->clusters, a->sets);
    }
    (void)printf("pairs      %" PRIu64 " true, %" PRIu64 " predicted, %" PRIu64 " both",
                 a->true_pairs, a->predicted_pairs, a->common_pairs);
    if (e->ambiguous_clusters > 0) {
        (void)printf("; %" PRIu64 " predicted ones of ambiguous clusters not evaluated",
                     a->skipped_pairs);
    }
    (void)puts("");
    if (e->by_pairs) {
        (void)printf("label      similar     pairs  together\n");
    }
    for (size_t i = 0; i < e->label_count; i++) {
        const nd_label_count *l = &e->labels[i];
        nd_print_padded(stdout, l->label, 10);
        (void)printf(" %7s %9" PRIu64 " %9" PRIu64 "\n",
                     l->similar  ? "yes"
                     : l->unsure ? "unsure"
                                 : "no",
                     l->pairs, l->together);
    }
    (void)printf("           precision    recall        F1\n");
    print_measure("pairwise", pairwise(e));
    if (!e->by_pairs) {
        print_measure("b-cubed", nd_measure_cubed(&e->agreement));
        print_measure("removal", nd_measure_removal(&e->agreement));
        (void)printf("adjusted Rand index %.4f\n", nd_adjusted_rand_index(&e->agreement));
    }
    if (e->agreement.predicted_pairs == 0) {
        (void)puts("no pair is predicted: pairwise precision is 1 by definition");
    }
    if (e->agreement.true_pairs == 0) {
        (void)puts("no pair is true: pairwise recall is 1 by definition");
    }
    if (e->band_counts != NULL) {
        print_bands(e);
    }
    nd_breakdown_print(&e->breakdown);
    nd_pair_evaluation_print(&e->verified);
    if (e->sample.request.sets > 0 || e->sample.request.judged) {
        nd_sample_print(&e->sample);
    }
}

void nd_evaluation_print_json(const nd_evaluation *e) {
    const nd_agreement *a = &e->agreement;
    json_object *root = nd_json_new();
    nd_json_add_words(root, "result", e->result_path);
    nd_json_add_words(root, "truth", e->truth_path);
    nd_json_add_number(root, "truth_pages", e->truth_pages);
    nd_json_add_number(root, "missing_pages", e->missing);
    nd_json_add_number(root, "loose_pages", e->loose);
    nd_json_add_number(root, "bad_lines", e->bad_lines);
    nd_json_add_number(root, "pages", a->pages);
    nd_json_add_number(root, "true_pairs", a->true_pairs);
    nd_json_add_number(root, "predicted_pairs", a->predicted_pairs);
    nd_json_add_number(root, "common_pairs", a->common_pairs);
    if (e->by_pairs) {
        nd_json_add_number(root, "truth_pairs", e->truth_pairs);
        nd_json_add_number(root, "skipped_pairs", e->skipped_pairs);
    } else {
        nd_json_add_number(root, "clusters", a->clusters);
        nd_json_add_number(root, "sets", a->sets);
        nd_json_add_number(root, "skipped_pairs", a->skipped_pairs);
        nd_json_add_number(root, "judged_pairs", a->evaluated_pairs);
    }
    nd_json_add_measure(root, "pairwise", pairwise(e));
    nd_json_add_flag(root, "precision_by_definition", a->predicted_pairs == 0);
    nd_json_add_flag(root, "recall_by_definition", a->true_pairs == 0);
    if (e->by_pairs) {
        json_object *list = nd_json_add_array(root, "labels");
        for (size_t i = 0; i < e->label_count; i++) {
            const nd_label_count *l = &e->labels[i];
            json_object *row = nd_json_add_object(list, NULL);
            nd_json_add_text(row, "label", l->label);
            nd_json_add_flag(row, "similar", l->similar);
            nd_json_add_flag(row, "unsure", l->unsure);
            nd_json_add_number(row, "pairs", l->pairs);
            nd_json_add_number(row, "together", l->together);
        }
    } else {
        nd_json_add_measure(root, "b_cubed", nd_measure_cubed(a));
        nd_json_add_measure(root, "removal", nd_measure_removal(a));
        nd_json_add_share(root, "adjusted_rand_index", nd_adjusted_rand_index(a));
    }
    if (e->band_counts != NULL) {
        add_bands(root, e);
    }
    nd_breakdown_add_json(&e->breakdown, root);
    nd_pair_evaluation_add_json(&e->verified, root);
    if (e->sample.request.sets > 0 || e->sample.request.judged) {
        nd_sample_add_json(&e->sample, root);
    }
    nd_json_print(stdout, &root);
}

void nd_evaluation_free(nd_evaluation *e) {
    nd_breakdown_free(&e->breakdown);
    nd_sample_evaluation_free(&e->sample);
    free(e->labels);
    free(e->band_counts);
    *e = (nd_evaluation){0};
}
