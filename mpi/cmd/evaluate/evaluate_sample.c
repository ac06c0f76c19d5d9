#include "mpi/cmd/evaluate/evaluate_sample.h"

#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static nd_status estimate(nd_sample_evaluation *e) {
    nd_status st = ND_OK;
    const nd_sample_request *request = &e->request;
    const uint64_t seed = nd_mix64(~request->seed); /* not the numbers that drew the sample */
    for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
        for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
            if (nd_set_sample_has(&e->sample, m)) {
                ND_TRY(nd_set_sample_estimate(&e->sample, scope, m, request->resamples, seed,
                                              &e->estimates[scope][m]));
            }
        }
    }
out:
    return st;
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
    ND_TRY(nd_set_sample_draw(&pages, request->sets, request->singletons, request->seed, sample));
    add_up(evaluation);
    ND_TRY(estimate(evaluation));
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
    ND_TRY(estimate(evaluation));
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

nd_status nd_sample_add_json(const nd_sample_evaluation *e, json_object *to) {
    nd_status st = ND_OK;
    json_object *sample = nd_json_add_object(to, "sample");
    ND_TRY(nd_json_add_words(sample, "sampled_from", e->request.sample_from));
    if (e->request.baseline != NULL) {
        ND_TRY(nd_json_add_words(sample, "baseline", e->request.baseline));
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
out:
    return st;
}
