/* A evaluated sample of sets as text and as JSON. */
#include "mpi/cmd/evaluate/evaluate_sample.h"
#include "mpi/cmd/json_fields.h"
#include "src/base/printable.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    const char *text;
    const char *json;
} measures[ND_SAMPLE_MEASURE_COUNT] = {
    [ND_SAMPLE_PRECISION] = {"precision", "precision"},
    [ND_SAMPLE_RELATIVE_RECALL] = {"relative recall", "relative_recall"},
    [ND_SAMPLE_RECALL] = {"recall", "recall"},
    [ND_SAMPLE_BASELINE_RECALL] = {"baseline recall", "baseline_recall"},
};

/* ---- text */

static void print_interval(nd_estimate e) {
    (void)printf("   %7.4f [%.4f, %.4f]", e.mean, e.lower, e.upper);
}

static void print_counts(const char *name, const uint64_t counts[ND_SCOPE_COUNT]) {
    (void)printf("%-17s %9" PRIu64 " %29" PRIu64 "\n", name, counts[ND_SCOPE_ALL],
                 counts[ND_SCOPE_SITE]);
}

static void print_totals(const nd_sample_evaluation *e) {
    const nd_sample_counts *all = &e->totals[ND_SCOPE_ALL];
    const nd_sample_counts *site = &e->totals[ND_SCOPE_SITE];
    print_counts("in their sets", (uint64_t[]){all->pages, site->pages});
    print_counts("of these similar", (uint64_t[]){all->similar, site->similar});
    if (e->sample.has_baseline) {
        print_counts("in the baseline", (uint64_t[]){all->baseline, site->baseline});
    }
    print_counts("similar anywhere", (uint64_t[]){all->anywhere, site->anywhere});
    print_counts("found alone", e->alone);
    if (e->sample.has_baseline) {
        print_counts("alone in baseline", e->baseline_alone);
    }
}

void nd_sample_print(const nd_sample_evaluation *e) {
    (void)printf("\nsample     %zu of the %zu sets%s of ", e->sample.count, e->sample.population,
                 e->request.singletons ? "" : " of two or more evaluated pages");
    nd_print_words(stdout, ND_PRINTABLE_MESSAGE, e->request.sample_from);
    (void)printf("; seed %" PRIu64 ", %" PRIu64 " resamples\n", e->request.seed,
                 e->request.resamples);
    if (e->request.baseline != NULL) {
        nd_print_line(stdout, "baseline   %s", e->request.baseline);
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
    print_totals(e);
}

/* ---- JSON */

/* A measure that cannot be had is null. */
static void add_measure(json_object *to, const nd_sample_evaluation *e, nd_sample_scope scope,
                        nd_sample_measure m) {
    if (e->sample.count == 0 || !nd_set_sample_has(&e->sample, m)) {
        (void)json_object_object_add(to, measures[m].json, NULL);
        return;
    }
    json_object *object = nd_json_add_object(to, measures[m].json);
    nd_json_add_share(object, "mean", e->estimates[scope][m].mean);
    nd_json_add_share(object, "lower", e->estimates[scope][m].lower);
    nd_json_add_share(object, "upper", e->estimates[scope][m].upper);
}

static void add_scope(json_object *to, const char *name, const nd_sample_evaluation *e,
                      nd_sample_scope scope) {
    const nd_sample_counts *total = &e->totals[scope];
    json_object *object = nd_json_add_object(to, name);
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        add_measure(object, e, scope, m);
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
    (void)json_object_object_add(sample, "baseline", NULL);
    if (e->request.baseline != NULL) {
        ND_TRY(nd_json_add_words(sample, "baseline", e->request.baseline));
    }
    nd_json_add_number(sample, "seed", e->request.seed);
    nd_json_add_number(sample, "resamples", e->request.resamples);
    (void)json_object_object_add(sample, "singletons",
                                 json_object_new_boolean(e->request.singletons));
    nd_json_add_number(sample, "population", e->sample.population);
    nd_json_add_number(sample, "sets", e->sample.count);
    nd_json_add_number(sample, "missing_pages", e->missing);
    add_scope(sample, "all", e, ND_SCOPE_ALL);
    add_scope(sample, "same_site", e, ND_SCOPE_SITE);
out:
    return st;
}
