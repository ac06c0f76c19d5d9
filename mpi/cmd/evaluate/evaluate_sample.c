#include "mpi/cmd/evaluate/evaluate_sample.h"

#include "src/base/random.h"

#include <stdio.h>
#include <stdlib.h>

/* As the interval's ends are read, two more digits of them than 1,000 would decide. */
enum { DEFAULT_RESAMPLES = 2000 };

/* ---- options */

nd_sample_request nd_sample_request_default(void) {
    return (nd_sample_request){.resamples = DEFAULT_RESAMPLES};
}

#define AT(field) offsetof(nd_sample_request, field)

const nd_option nd_sample_option_table[] = {
    {.help = "A sample of sets, as Huang, Wang and Li evaluated them (CIKM 2008)"},
    {"sample", "N", ND_OPTION_NUMBER, AT(sets),
     .help = "so many sets, or all if there are not more (the paper: 1000); each stands for the "
             "page with "
             "most truly similar pages in it, and this page's sets of all results are compared, "
             "once more "
             "on its site alone",
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
    const char *dependent = r->sample_from != NULL ? "sample-from"
                            : r->singletons        ? "singletons"
                            : r->baseline != NULL  ? "baseline"
                            : r->own_seed          ? "seed"
                            : r->own_resamples     ? "resamples"
                                                   : NULL;
    return r->sets > 0 || dependent == NULL
               ? ND_OK
               : nd_fail(ND_ERR_USAGE, "--%s: is of use only with --sample N", dependent);
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
