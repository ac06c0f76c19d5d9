/* neardup evaluate OUT.h5 --truth FILE : how well a result agrees with labels. */
#include "mpi/cmd/evaluate/evaluation.h"

#include "io/result/result_read.h"
#include "mpi/cmd/command.h"
#include "mpi/cmd/run_pages.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/synth/story.h"
#include "src/text/address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ==== the labels, and what the result says of their pages */

enum {
    CLUSTER_COLUMN = 2, /* where none is given, and the least that can be */
    PAGES_AT_ONCE = 1 << 16
};

static nd_status read_truth(nd_evaluation *e) {
    nd_status st = ND_OK;
    nd_labels *labels = &e->truth;
    const nd_evaluate_request *r = e->request;
    uint64_t columns = 0;
    ND_TRY(nd_labels_columns(r->truth, &columns));
    e->by_pairs = r->column == 0 && columns > CLUSTER_COLUMN;
    if (r->bands && !e->by_pairs) {
        return nd_fail(ND_ERR_USAGE, "--bands: %s lists clusters, not pairs", r->truth);
    }
    ND_TRY(e->by_pairs ? nd_labels_read_pairs(labels, r->truth, r->bands)
                       : nd_labels_read_clusters(labels, r->truth,
                                                 r->column == 0 ? CLUSTER_COLUMN : r->column));
    if (labels->ids.count == 0) {
        return nd_fail(ND_ERR_FORMAT, "%s: no labelled page in it%s%s", r->truth,
                       labels->bad_lines > 0 ? "; " : "", labels->first_bad);
    }
    ND_TRY(r->loose != NULL ? nd_labels_read_loose(labels, r->loose) : ND_OK);
    const char *const of_clusters = r->ambiguous != NULL ? "ambiguous"
                                    : r->classes != NULL ? "classes"
                                                         : NULL;
    if (e->by_pairs && of_clusters != NULL) {
        return nd_fail(ND_ERR_USAGE, "--%s %s: %s lists pairs, not clusters", of_clusters,
                       r->ambiguous != NULL ? r->ambiguous : r->classes, r->truth);
    }
    ND_TRY(r->ambiguous != NULL ? nd_labels_read_ambiguous(labels, r->ambiguous) : ND_OK);
    ND_TRY(r->classes != NULL ? nd_class_labels_read(r->classes, labels, &e->classes) : ND_OK);
out:
    return st;
}

static void match_page(const nd_name_table *ids, const nd_page_rows *rows, uint64_t i,
                       nd_labelled_result *labelled) {
    uint8_t host[ND_SITE_HOST_SIZE];
    const nd_span id = nd_page_rows_id(rows, i);
    const nd_span url = nd_page_rows_url(rows, i);
    const uint64_t row = nd_name_table_find(ids, id.size > 0 ? id : url);
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

/* Find the labelled pages in a result: its sets are read into memory, and its pages a block at a
 * time. */
static nd_status read_labelled(const nd_labels *truth, const char *truth_path, const char *path,
                               nd_labelled_result *labelled) {
    nd_status st = ND_OK;
    nd_result result;
    nd_page_rows rows = {0};
    uint64_t *representatives = NULL;
    const size_t count = truth->ids.count;
    *labelled = (nd_labelled_result){.count = count};
    ND_TRY(nd_result_open(&result, path));
    nd_new(&labelled->set, count, sizeof *labelled->set);
    nd_new(&labelled->page, count, sizeof *labelled->page);
    nd_new(&labelled->site, count, sizeof *labelled->site);
    nd_new(&labelled->similarity, count, sizeof *labelled->similarity);
    nd_new(&labelled->certainty, count, sizeof *labelled->certainty);
    nd_new(&labelled->representative, count, sizeof *labelled->representative);
    nd_new(&labelled->left_out, count, sizeof *labelled->left_out);
    for (size_t row = 0; row < count; row++) {
        labelled->set[row] = UINT64_MAX;
        labelled->page[row] = ND_NO_PAGE;
        labelled->site[row] = ND_NO_SITE;
    }
    for (uint64_t begin = 0; begin < result.shape.pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(&result, begin, nd_min(result.shape.pages - begin, PAGES_AT_ONCE),
                                 &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            match_page(&truth->ids, &rows, i, labelled);
        }
    }
    ND_TRY(nd_result_check_partition(&result));
    ND_TRY(nd_result_representatives(&result, &representatives));
    for (size_t row = 0; row < count; row++) {
        const uint64_t page = labelled->page[row];
        const bool missing = page == ND_NO_PAGE;
        const bool loose =
            nd_name_table_find(&truth->loose, nd_name_table_at(&truth->ids, row)) != ND_NO_NAME;
        labelled->representative[row] = !missing && representatives[labelled->set[row]] == page;
        labelled->left_out[row] = missing || loose;
        labelled->missing += missing;
        labelled->loose += loose && !missing;
    }
    if (labelled->missing == count) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: none of its %zu ids is the id (or URL, without an id) of a page of %s",
                     truth_path, count, path);
    }
out:
    nd_page_rows_free(&rows);
    free(representatives);
    (void)nd_result_close(&result);
    return st;
}

static void free_labelled(nd_labelled_result *labelled) {
    free(labelled->set);
    free(labelled->page);
    free(labelled->site);
    free(labelled->similarity);
    free(labelled->certainty);
    free(labelled->representative);
    free(labelled->left_out);
}

/* The pages as src/measure takes them; the truth has clusters. */
static nd_labelled_pages labelled_pages(const nd_evaluation *e) {
    return (nd_labelled_pages){.set = e->labelled.set,
                               .cluster = e->truth.cluster,
                               .loose = e->labelled.left_out,
                               .count = e->labelled.count,
                               .cluster_count = e->truth.clusters.count,
                               .ambiguous = e->truth.ambiguous,
                               .ambiguous_count = e->truth.ambiguous_count};
}

static bool is_one_site(const uint64_t *site, uint64_t a, uint64_t b) {
    return site[a] != ND_NO_SITE && site[a] == site[b];
}

/* ==== clusters */

static int by_name(const void *a, const void *b) {
    const nd_class_agreement *x = a;
    const nd_class_agreement *y = b;
    const int order = memcmp(x->name.data, y->name.data, nd_min(x->name.size, y->name.size));
    return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

/* What is known of pages only because it is known how they were made. */
static void count_by_class(const nd_labelled_pages *pages, const nd_same_site *same,
                           nd_evaluation *e) {
    const nd_class_labels *classes = &e->classes;
    const size_t count = classes->classes.count;
    const char *name = nd_page_class_get(ND_PAGE_ORIGINAL)->name;
    const uint64_t of_originals = nd_name_table_find(&classes->classes, nd_span_of(name));
    nd_group_agreement *all = NULL;
    nd_group_agreement *same_site = NULL;
    bool *original = NULL;
    uint64_t *decile = NULL;

    nd_new(&e->by_class, count, sizeof *e->by_class);
    nd_new(&all, count, sizeof *all);
    nd_new(&same_site, count, sizeof *same_site);
    nd_group_agreement_count(pages, classes->class, count, all);
    nd_group_agreement_count(&same->pages, classes->class, count, same_site);
    for (size_t c = 0; c < count; c++) {
        e->by_class[c] = (nd_class_agreement){nd_name_table_at(&classes->classes, c), all[c],
                                              same_site[c].pairs};
    }
    nd_sort(e->by_class, count, sizeof *e->by_class, by_name);

    nd_new(&original, pages->count, sizeof *original);
    nd_new(&decile, pages->count, sizeof *decile);
    for (size_t i = 0; i < pages->count; i++) {
        const bool known = classes->class[i] != ND_NO_CLASS;
        e->classless += !pages->loose[i] && !known;
        original[i] = known && classes->class[i] == of_originals;
        decile[i] = known ? nd_decile_of(classes->similarity[i]) : ND_NO_GROUP;
    }
    const nd_labelled_leaders leaders = {original, classes->site, decile, ND_DECILES};
    nd_leader_tally_clusters(pages, &leaders, e->originals);
    free(all);
    free(same_site);
    free(original);
    free(decile);
}

/* Pages and their representatives, by deciles of one of two numbers. */
static void tally_sets(const nd_evaluation *e, const nd_labelled_pages *pages, const float *by,
                       nd_leader_tally *tallies) {
    uint64_t *decile = NULL;
    nd_new(&decile, pages->count, sizeof *decile);
    for (size_t i = 0; i < pages->count; i++) {
        decile[i] = nd_decile_of((double)by[i]);
    }
    const nd_labelled_leaders leaders = {e->labelled.representative, e->site, decile, ND_DECILES};
    nd_leader_tally_sets(pages, &leaders, tallies);
    free(decile);
}

static void evaluate_clusters(nd_evaluation *e) {
    nd_same_site same = {0};
    nd_agreement of_site;
    const nd_labelled_pages pages = labelled_pages(e);
    nd_agreement_count(&pages, &e->agreement);
    nd_same_site_make(&pages, e->site, &same);
    nd_agreement_count(&same.pages, &of_site);
    e->pairs = nd_agreement_pairs(&e->agreement);
    e->same_site = nd_agreement_pairs(&of_site);
    tally_sets(e, &pages, e->labelled.similarity, e->representatives);
    tally_sets(e, &pages, e->labelled.certainty, e->certainties);
    if (e->request->classes != NULL) {
        count_by_class(&pages, &same, e);
    }
    nd_same_site_free(&same);
}

/* ==== listed pairs */

/* The labels of listed pairs, and which of them mean near-duplicate: those in the list of similar
 * ones, with commas between. */
static nd_status list_labels(nd_evaluation *e) {
    static const char unsure[] = "unsure";
    const char *similar = e->request->similar;
    const nd_name_table *labels = &e->truth.labels;
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
    const nd_span first = e->label_count > 0 ? e->labels[0].label : (nd_span){0};
    return any ? ND_OK
               : nd_fail(ND_ERR_USAGE,
                         "%s: no label in its column 3 (such as '%.*s') is one of %s; say by "
                         "--similar which mean near-duplicate, or by --column where the cluster is",
                         e->request->truth, (int)first.size, (const char *)first.data, similar);
}

static void add_pair(bool similar, bool together, nd_pair_counts *counts) {
    counts->true_pairs += similar;
    counts->predicted_pairs += together;
    counts->common_pairs += similar && together;
}

static nd_status evaluate_pairs(nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_labels *labels = &e->truth;
    const nd_labelled_result *labelled = &e->labelled;
    if (labels->bands.count > 0 && !e->request->judged) { /* of sets that people judged: names */
        nd_new(&e->band_counts, labels->bands.count, sizeof *e->band_counts);
        for (size_t i = 0; i < labels->bands.count; i++) {
            e->band_counts[i].pairs = labels->band_pairs[i];
        }
    }
    ND_TRY(list_labels(e));
    for (size_t i = 0; i < labels->pair_count; i++) {
        const nd_labelled_pair *pair = &labels->pairs[i];
        nd_label_count *label = &e->labels[pair->label];
        const bool left_out = labelled->left_out[pair->a] || labelled->left_out[pair->b];
        const bool together = labelled->set[pair->a] == labelled->set[pair->b];
        label->pairs += !left_out;
        label->together += !left_out && together;
        if (left_out || label->unsure) {
            e->skipped_pairs++;
            continue;
        }
        if (e->band_counts != NULL && together) {
            e->band_counts[pair->band].same += label->similar;
            e->band_counts[pair->band].different += !label->similar;
        }
        add_pair(label->similar, together, &e->pairs);
        if (is_one_site(e->site, pair->a, pair->b)) {
            add_pair(label->similar, together, &e->same_site);
        }
    }
    e->agreement = (nd_agreement){.pages = labelled->count - labelled->missing - labelled->loose,
                                  .true_pairs = e->pairs.true_pairs,
                                  .predicted_pairs = e->pairs.predicted_pairs,
                                  .common_pairs = e->pairs.common_pairs};
out:
    return st;
}

/* ==== the pairs that the result keeps */

/* What the pairs are labelled by. */
typedef struct comparison {
    nd_evaluation *e;
    nd_contingency_table table; /* for its ambiguous clusters */
    uint64_t *row;              /* of each page of the result; ND_NO_NAME: not labelled */
    uint32_t *partners;         /* likewise */
} comparison;

/* Correct if both pages are of one cluster, undecided if one of them is loose or their clusters are
 * ambiguous, incorrect otherwise. */
static void count_pair(comparison *j, const nd_pair_rows *rows, uint64_t i) {
    nd_pair_evaluation *verified = &j->e->verified;
    const uint64_t *cluster = j->e->truth.cluster;
    const bool *left_out = j->e->labelled.left_out;
    const uint64_t x = j->row[rows->a[i]];
    const uint64_t y = j->row[rows->b[i]];
    j->partners[rows->a[i]]++;
    j->partners[rows->b[i]]++;
    if (x == ND_NO_NAME || y == ND_NO_NAME) {
        verified->unlabelled++;
        return;
    }
    const bool same = cluster[x] == cluster[y];
    const bool undecided =
        left_out[x] || left_out[y] ||
        (!same && nd_contingency_table_is_ambiguous(&j->table, cluster[x], cluster[y]));
    nd_pair_precision_add(&verified->precision, (double)rows->similarity[i],
                          undecided ? ND_PAIR_UNDECIDED
                          : same    ? ND_PAIR_CORRECT
                                    : ND_PAIR_INCORRECT,
                          is_one_site(j->e->site, x, y));
}

/* Takes 12 bytes for each page of the result. */
static nd_status evaluate_verified(nd_evaluation *e) {
    nd_status st = ND_OK;
    nd_result result;
    nd_pair_rows rows = {0};
    comparison j = {.e = e};
    nd_job_options run = {0};
    ND_TRY(nd_result_open(&result, e->request->result));
    e->verified.kept = !e->by_pairs && nd_result_keeps_pairs(&result);
    if (!e->verified.kept) {
        goto out;
    }
    const nd_labelled_pages pages = labelled_pages(e);
    ND_TRY(nd_run_options_read(&result, &run));
    /* bins of similarity begin at the run's threshold */
    const double lowest = run.method_options.threshold;
    nd_pair_precision_open(&e->verified.precision, lowest < 1 ? lowest : 0);
    ND_TRY(nd_pair_rows_open(&rows, &result, &nd_verified_columns));
    e->verified.pairs = rows.total;
    nd_contingency_table_make(&pages, &j.table);

    nd_new(&j.row, rows.pages, sizeof *j.row);
    nd_new(&j.partners, rows.pages, sizeof *j.partners);
    for (uint64_t page = 0; page < rows.pages; page++) {
        j.row[page] = ND_NO_NAME;
    }
    for (size_t row = 0; row < e->labelled.count; row++) {
        if (e->labelled.page[row] != ND_NO_PAGE) {
            j.row[e->labelled.page[row]] = row;
        }
    }
    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            count_pair(&j, &rows, i);
        }
    } while (rows.count > 0);
    for (uint64_t page = 0; page < rows.pages; page++) {
        nd_power_law_add(&e->verified.partners, j.partners[page]);
    }
out:
    nd_pair_rows_free(&rows);
    nd_contingency_table_free(&j.table);
    (void)nd_result_close(&result);
    free(j.row);
    free(j.partners);
    return st;
}

/* ==== samples of sets */

/* Do the options fit together? */
static nd_status check_sample(const nd_evaluate_request *r) {
    const char *given = r->judged && r->sets > 0 ? "sample"
                        : r->sample_from != NULL ? "sample-from"
                        : r->singletons          ? "singletons"
                        : r->judged              ? NULL
                        : r->baseline != NULL    ? "baseline"
                        : r->own_seed            ? "seed"
                        : r->own_resamples       ? "resamples"
                                                 : NULL;
    return given == NULL || (!r->judged && r->sets > 0) ? ND_OK
           : r->judged                                  ? nd_fail(ND_ERR_USAGE,
                                                                  "--%s: neardup review drew the sets of --protocol pku", given)
                                                        : nd_fail(ND_ERR_USAGE,
                                                                  "--%s: is of use only with --sample N or --protocol pku", given);
}

static void add_up(nd_sample_evaluation *s) {
    for (size_t i = 0; i < s->sample.count; i++) {
        for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
            const nd_sample_counts *c = &s->sample.sets[i].counts[scope];
            nd_sample_counts *total = &s->totals[scope];
            total->pages += c->pages;
            total->similar += c->similar;
            total->baseline += c->baseline;
            total->anywhere += c->anywhere;
            s->alone[scope] += c->pages == 1;
            s->baseline_alone[scope] += c->baseline == 1;
        }
    }
}

static void estimate(const nd_evaluate_request *r, nd_sample_evaluation *s) {
    const uint64_t seed = nd_mix64(~r->seed); /* not the numbers that drew the sample */
    for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
        for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
            if (nd_set_sample_has(&s->sample, m)) {
                nd_set_sample_estimate(&s->sample, scope, m, r->resamples, seed,
                                       &s->estimates[scope][m]);
            }
        }
    }
}

/* Leave out what another result lacks; what the evaluated one lacks is left out already. */
static void leave_out(const nd_labelled_result *other, bool *left_out, uint64_t *missing) {
    for (size_t row = 0; row < other->count; row++) {
        *missing += other->left_out[row] && !left_out[row];
        left_out[row] = left_out[row] || other->left_out[row];
    }
}

static void draw_sample(nd_evaluation *e, const nd_labelled_result *from,
                        const nd_labelled_result *baseline) {
    const nd_evaluate_request *r = e->request;
    bool *left_out = NULL; /* loose or not in one of the results, by row */
    nd_new(&left_out, e->labelled.count, sizeof *left_out);
    for (size_t row = 0; row < e->labelled.count; row++) {
        left_out[row] = e->labelled.left_out[row];
    }
    leave_out(from, left_out, &e->sample.missing);
    leave_out(baseline, left_out, &e->sample.missing);

    nd_sampled_pages pages = {.labelled = labelled_pages(e),
                              .sampled = r->sample_from != NULL ? from->set : e->labelled.set,
                              .baseline = baseline->set,
                              .site = e->site};
    pages.labelled.loose = left_out;
    nd_set_sample_draw(&pages, r->sets, r->singletons, r->seed, &e->sample.sample);
    free(left_out);
}

/* ---- what people judged, as neardup review saves their answers: a truth of pairs, page and
 * representative, whose bands are the sets */

static int by_band(const void *a, const void *b) {
    const nd_labelled_pair *x = a;
    const nd_labelled_pair *y = b;
    return x->band != y->band ? (x->band > y->band) - (x->band < y->band)
                              : (x->a > y->a) - (x->a < y->a);
}

/* The answers of the sets that were judged to the end; pages that are not in both results, and
 * those of which people are unsure, are left out. */
static nd_status take_answers(nd_evaluation *e, const nd_labelled_result *baseline) {
    nd_status st = ND_OK;
    const nd_labels *labels = &e->truth;
    const nd_labelled_result *own = &e->labelled;
    const bool based = baseline->count > 0;
    size_t count = 0;
    size_t end = 0;
    nd_answer *answers = NULL;
    nd_labelled_pair *pairs = NULL;
    nd_new(&answers, labels->pair_count, sizeof *answers);
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
            e->sample.incomplete++;
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            const nd_labelled_pair *p = &pairs[i];
            const nd_label_count *label = &e->labels[p->label];
            if (own->left_out[p->a] || own->left_out[p->b] ||
                (based && (baseline->left_out[p->a] || baseline->left_out[p->b]))) {
                e->sample.missing++;
            } else if (!label->unsure) {
                answers[count++] =
                    (nd_answer){.set = set,
                                .own = own->set[p->a] == own->set[p->b],
                                .baseline = based && baseline->set[p->a] == baseline->set[p->b],
                                .site = is_one_site(own->site, p->a, p->b),
                                .similar = label->similar};
            }
        }
    }
    nd_set_sample_judged(answers, count, based, &e->sample.sample);
out:
    free(answers);
    free(pairs);
    return st;
}

static nd_status evaluate_sample(nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_evaluate_request *r = e->request;
    const char *const paths[] = {r->sample_from, r->baseline};
    nd_labelled_result others[2] = {{0}}; /* one that is not given stays empty */
    if (e->by_pairs && !r->judged) {
        return nd_fail(ND_ERR_USAGE, "--sample: %s lists pairs, not clusters", r->truth);
    }
    for (int i = 0; i < 2; i++) {
        ND_TRY(paths[i] != NULL ? read_labelled(&e->truth, r->truth, paths[i], &others[i]) : ND_OK);
    }
    if (r->judged) {
        ND_TRY(take_answers(e, &others[1]));
    } else {
        draw_sample(e, &others[0], &others[1]);
    }
    add_up(&e->sample);
    estimate(r, &e->sample);
out:
    free_labelled(&others[0]);
    free_labelled(&others[1]);
    return st;
}

/* ==== the command */

static void warn_of_bad_lines(uint64_t bad_lines, const char *first) {
    if (bad_lines > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " lines could not be used; the first: %s",
                      bad_lines, first);
    }
}

static nd_status evaluate(nd_evaluation *e) {
    nd_status st = ND_OK;
    const nd_evaluate_request *r = e->request;
    const nd_labelled_result *labelled = &e->labelled;
    ND_TRY(read_truth(e));
    ND_TRY(read_labelled(&e->truth, r->truth, r->result, &e->labelled));
    e->site = r->classes != NULL ? e->classes.site : labelled->site;
    for (size_t i = 0; i < labelled->count; i++) {
        e->siteless += !labelled->left_out[i] && e->site[i] == ND_NO_SITE;
    }
    if (e->by_pairs) {
        ND_TRY(evaluate_pairs(e));
    } else {
        evaluate_clusters(e);
    }
    ND_TRY(evaluate_verified(e));
    ND_TRY(r->judged || r->sets > 0 ? evaluate_sample(e) : ND_OK);
    if (labelled->missing > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " of the %zu pages of %s are not in the result "
                      "and are left out",
                      labelled->missing, labelled->count, r->truth);
    }
    if (labelled->repeated > 0) {
        nd_print_line(stderr,
                      "neardup evaluate: %" PRIu64 " pages of %s repeat an id of the truth; the "
                      "first page of an id is evaluated",
                      labelled->repeated, r->result);
    }
    warn_of_bad_lines(e->truth.bad_lines, e->truth.first_bad);
    warn_of_bad_lines(e->classes.bad_lines, e->classes.first_bad);
    if (r->json) {
        nd_evaluation_print_json(e);
    } else {
        nd_evaluation_print(e);
    }
out:
    return st;
}

#define AT(field) offsetof(nd_evaluate_request, field)

static const nd_option options[] = {
    {.help = "The truth: tab-separated, without a header, plain, .gz or .zst"},
    {"truth", "FILE", ND_OPTION_TEXT, AT(truth),
     .help =
         "id TAB cluster: pages in one cluster are near-duplicates. A first line with three "
         "columns or more, without --column, means id TAB id TAB label: only listed pairs count"},
    {"column", "N", ND_OPTION_NUMBER, AT(column),
     .help = "the cluster is in column N (2); more columns may follow", .rare = true,
     .bounded = true, .least = CLUSTER_COLUMN},
    {"loose", "FILE", ND_OPTION_TEXT, AT(loose),
     .help = "ids in column 1: pairs with these pages do not count, and B-cubed ignores the pages"},
    {"ambiguous", "FILE", ND_OPTION_TEXT, AT(ambiguous),
     .help = "cluster TAB cluster: pairs between two such clusters do not count, and B-cubed "
             "precision ignores such neighbours",
     .rare = true},
    {"similar", "LABELS", ND_OPTION_TEXT, AT(similar),
     .help = "labels that mean near-duplicate, with commas; all other labels mean different, but "
             "pairs labelled unsure do not count",
     .rare = true},
    {"bands", NULL, ND_OPTION_FLAG, AT(bands),
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

/* As the interval's ends are read, two more digits of them than 1,000 would decide. */
enum { DEFAULT_RESAMPLES = 2000 };

static nd_evaluate_request asked;

static void open_options(nd_command_table sets[ND_COMMAND_TABLES]) {
    asked = (nd_evaluate_request){.similar = "clone,near,cut", .resamples = DEFAULT_RESAMPLES};
    sets[0] = (nd_command_table){.table = options, .options = &asked};
}

static nd_status evaluate_command(nd_command_call *call) {
    nd_status st = ND_OK;
    nd_evaluation e = {.request = &asked};
    ND_TRY(nd_command_line_result(call, &asked.result));
    if (asked.truth == NULL) {
        st = nd_fail(ND_ERR_USAGE, "no --truth FILE: what should the result be held against?");
        goto out;
    }
    ND_TRY(check_sample(&asked));
    asked.bands = asked.bands || asked.judged;
    ND_TRY(evaluate(&e));
out:
    nd_labels_free(&e.truth);
    nd_class_labels_free(&e.classes);
    free_labelled(&e.labelled);
    free(e.labels);
    free(e.band_counts);
    free(e.by_class);
    nd_set_sample_free(&e.sample.sample);
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
