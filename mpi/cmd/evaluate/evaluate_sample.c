#include "mpi/cmd/evaluate/evaluate_sample.h"

#include "src/base/parse.h"
#include "src/base/random.h"

#include <stdio.h>
#include <stdlib.h>

/* As the interval's ends are read, two more digits of them than 1,000 would decide. */
enum { DEFAULT_RESAMPLES = 2000 };

/* ---- options */

nd_sample_request nd_sample_request_default(void) {
    return (nd_sample_request){.resamples = DEFAULT_RESAMPLES};
}

void nd_sample_print_help(void) {
    (void)printf(
        "A sample of sets, as Huang, Wang and Li evaluated them (CIKM 2008):\n"
        "  --sample N        so many sets, or all if there are not more (the paper: 1000); each\n"
        "                    stands for the page with most truly similar pages in it, and this\n"
        "                    page's sets of all results are compared, once more on its site alone\n"
        "  --sample-from H5  sample sets of another result of the same pages (those of OUT.h5)\n"
        "  --singletons      sample sets of one page too\n"
        "  --baseline H5     a result of the same pages, to which recall is relative\n"
        "  --seed S          of the sample and of the intervals (0)\n"
        "  --resamples B     of the bootstrap that gives the 95 %% intervals (%d)\n\n",
        DEFAULT_RESAMPLES);
}

static nd_status parse_positive(const char *option, const char *value, uint64_t *number) {
    const nd_status st = nd_parse_number(option, value, number);
    return st != ND_OK || *number > 0
               ? st
               : nd_fail(ND_ERR_USAGE, "--%s %s: must be at least 1", option, value);
}

nd_status nd_sample_parse(nd_sample_request *request, int id, const char *value) {
    switch (id) {
    case ND_OPTION_SAMPLE:
        return parse_positive("sample", value, &request->sets);
    case ND_OPTION_SAMPLE_FROM:
        request->dependent = "sample-from";
        request->sample_from = value;
        return ND_OK;
    case ND_OPTION_SINGLETONS:
        request->dependent = "singletons";
        request->singletons = true;
        return ND_OK;
    case ND_OPTION_BASELINE:
        request->dependent = "baseline";
        request->baseline = value;
        return ND_OK;
    case ND_OPTION_SEED:
        request->dependent = "seed";
        return nd_parse_number("seed", value, &request->seed);
    case ND_OPTION_RESAMPLES:
        request->dependent = "resamples";
        return parse_positive("resamples", value, &request->resamples);
    default:
        return ND_END;
    }
}

nd_status nd_sample_check(const nd_sample_request *request) {
    return request->sets > 0 || request->dependent == NULL
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s: is of use only with --sample N", request->dependent);
}

/* ---- evaluating */

/* The other results' rows; one that is not given stays empty. */
typedef struct others {
    nd_labelled_result sampled, baseline;
    bool *left_out; /* by row: loose, or not in one of the results */
} others;

/* Leave out what another result lacks; the evaluated one's own are left out already. */
static void leave_out(const nd_labelled_result *other, others *o, uint64_t *missing) {
    for (size_t row = 0; row < other->count; row++) {
        *missing += other->left_out[row] && !o->left_out[row];
        o->left_out[row] = o->left_out[row] || other->left_out[row];
    }
}

static nd_status read_others(const nd_sample_request *request, const nd_sampled_truth *truth,
                             const nd_labelled_result *evaluated, others *o, uint64_t *missing) {
    nd_status st = ND_OK;
    if (request->sample_from != NULL) {
        ND_TRY(
            nd_labelled_result_open(truth->truth, truth->path, request->sample_from, &o->sampled));
    }
    if (request->baseline != NULL) {
        ND_TRY(nd_labelled_result_open(truth->truth, truth->path, request->baseline, &o->baseline));
    }
    ND_TRY(nd_new(&o->left_out, evaluated->count, sizeof *o->left_out));
    for (size_t row = 0; row < evaluated->count; row++) {
        o->left_out[row] = evaluated->left_out[row];
    }
    leave_out(&o->sampled, o, missing);
    leave_out(&o->baseline, o, missing);
out:
    return st;
}

static void add_up(nd_sample_evaluation *e) {
    for (size_t i = 0; i < e->sample.count; i++) {
        for (size_t scope = 0; scope < ND_SCOPE_COUNT; scope++) {
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
    /* not the numbers that drew the sample */
    const uint64_t seed = nd_mix64(~e->request.seed);
    for (nd_sample_scope scope = 0; scope < ND_SCOPE_COUNT; scope++) {
        for (nd_sample_measure m = 0; m < ND_SAMPLE_MEASURE_COUNT; m++) {
            if (nd_set_sample_has(&e->sample, m)) {
                ND_TRY(nd_set_sample_estimate(&e->sample, scope, m, e->request.resamples, seed,
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
    others o = {0};
    *evaluation = (nd_sample_evaluation){.request = *request};
    if (truth->truth->by_pairs) {
        return nd_fail(ND_ERR_USAGE, "--sample: %s lists pairs, not clusters", truth->path);
    }
    ND_TRY(read_others(request, truth, evaluated, &o, &evaluation->missing));
    const bool own = request->sample_from == NULL;
    nd_sampled_pages pages = {.labelled = nd_labelled_result_pages(truth->truth, evaluated),
                              .sampled = own ? evaluated->set : o.sampled.set,
                              .baseline = o.baseline.set,
                              .site = truth->site != NULL ? truth->site : evaluated->site};
    pages.labelled.loose = o.left_out;
    evaluation->request.sample_from = own ? evaluated_path : request->sample_from;
    ND_TRY(nd_set_sample_draw(&pages, request->sets, request->singletons, request->seed,
                              &evaluation->sample));
    add_up(evaluation);
    ND_TRY(estimate(evaluation));
out:
    nd_labelled_result_free(&o.sampled);
    nd_labelled_result_free(&o.baseline);
    free(o.left_out);
    return st;
}

void nd_sample_evaluation_free(nd_sample_evaluation *evaluation) {
    nd_set_sample_free(&evaluation->sample);
    *evaluation = (nd_sample_evaluation){0};
}
