/* A judged sample of sets as text and as JSON. */
#include "mpi/cmd/evaluate_sample.h"
#include "mpi/cmd/json_fields.h"

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
    print_counts("pages", (uint64_t[]){all->pages, site->pages});
    print_counts("similar", (uint64_t[]){all->similar, site->similar});
    if (e->sample.has_baseline) {
        print_counts("in baseline", (uint64_t[]){all->baseline, site->baseline});
    }
    print_counts("anywhere", (uint64_t[]){all->anywhere, site->anywhere});
    print_counts("alone", e->alone);
    if (e->sample.has_baseline) {
        print_counts("alone in baseline", e->baseline_alone);
    }
}

void nd_sample_print(const nd_sample_evaluation *e) {
    (void)printf("sample     %zu of the %zu sets%s of %s; seed %" PRIu64 ", %" PRIu64
                 " resamples\n",
                 e->sample.count, e->sample.population,
                 e->request.singletons ? "" : " of two or more judged pages",
                 e->request.sample_from, e->request.seed, e->request.resamples);
    if (e->request.baseline != NULL) {
        (void)printf("baseline   %s\n", e->request.baseline);
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
    print_totals(e);
}

/* ---- JSON */

/* A measure that cannot be had is null. */
static void add_measure(json_object *to, const nd_sample_evaluation *e, nd_sample_scope scope,
                        nd_sample_measure m) {
    json_object *object = NULL;
    if (e->sample.count > 0 && nd_set_sample_has(&e->sample, m)) {
        const nd_estimate *estimate = &e->estimates[scope][m];
        object = json_object_new_object();
        nd_json_add_real(object, "mean", estimate->mean);
        nd_json_add_real(object, "lower", estimate->lower);
        nd_json_add_real(object, "upper", estimate->upper);
    }
    (void)json_object_object_add(to, measures[m].json, object);
}

static json_object *scope_json(const nd_sample_evaluation *e, nd_sample_scope scope) {
    const nd_sample_counts *total = &e->totals[scope];
    json_object *object = json_object_new_object();
    for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
        add_measure(object, e, scope, m);
    }
    nd_json_add_number(object, "pages", total->pages);
    nd_json_add_number(object, "similar_pages", total->similar);
    nd_json_add_number(object, "baseline_similar_pages", total->baseline);
    nd_json_add_number(object, "similar_pages_anywhere", total->anywhere);
    nd_json_add_number(object, "alone", e->alone[scope]);
    nd_json_add_number(object, "baseline_alone", e->baseline_alone[scope]);
    return object;
}

nd_status nd_sample_json(const nd_sample_evaluation *e, json_object **json) {
    nd_status st = ND_OK;
    json_object *root = json_object_new_object();
    ND_TRY(nd_json_add_words(root, "sampled_from", e->request.sample_from));
    (void)json_object_object_add(root, "baseline", NULL);
    if (e->request.baseline != NULL) {
        ND_TRY(nd_json_add_words(root, "baseline", e->request.baseline));
    }
    nd_json_add_number(root, "seed", e->request.seed);
    nd_json_add_number(root, "resamples", e->request.resamples);
    (void)json_object_object_add(root, "singletons",
                                 json_object_new_boolean(e->request.singletons));
    nd_json_add_number(root, "population", e->sample.population);
    nd_json_add_number(root, "sets", e->sample.count);
    nd_json_add_number(root, "missing_pages", e->missing);
    (void)json_object_object_add(root, "all", scope_json(e, ND_SCOPE_ALL));
    (void)json_object_object_add(root, "same_site", scope_json(e, ND_SCOPE_SITE));
out:
    if (st != ND_OK) {
        (void)json_object_put(root);
        root = NULL;
    }
    *json = root;
    return st;
}
