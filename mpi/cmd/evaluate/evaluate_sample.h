/** \file mpi/cmd/evaluate/evaluate_sample.h
 * The part of `neardup evaluate` that evaluates a sample of sets, as Huang, Wang and Li did (CIKM
 * 2008): its options, the results it reads beside the evaluated one, and how it is printed. What is
 * measured is said and done in src/measure/precision.h.
 */
#ifndef ND_CMD_EVALUATE_EVALUATE_SAMPLE_H
#define ND_CMD_EVALUATE_EVALUATE_SAMPLE_H

#include "mpi/cmd/evaluate/labelled_result.h"
#include "src/base/option.h"
#include "src/measure/precision.h"

#include <json-c/json.h>

/** Its options, of a request. */
extern const nd_option nd_sample_option_table[];

/** Paths are borrowed. */
typedef struct nd_sample_request {
    uint64_t sets;           /**< at most so many; 0: no sample is asked for */
    const char *sample_from; /**< NULL: the evaluated result */
    const char *baseline;    /**< NULL: none */
    uint64_t seed;
    uint64_t resamples;
    bool singletons;
    bool judged;                  /**< people judged sets that neardup review drew */
    bool own_seed, own_resamples; /**< these were given */
} nd_sample_request;

/** A request with the defaults: no sample. */
nd_sample_request nd_sample_request_default(void);

/** Do the options fit together? \return ND_OK or ND_ERR_USAGE */
nd_status nd_sample_check(const nd_sample_request *request);

/** A sample and what it says. All zero is valid and empty. */
typedef struct nd_sample_evaluation {
    nd_sample_request request; /**< with the path of the sampled result filled in */
    nd_set_sample sample;
    uint64_t incomplete; /**< sets that people did not judge to the end, left out */
    uint64_t missing;    /**< pages left out of it because not all of the results have them, though
                              the evaluated one has */
    nd_estimate estimates[ND_SCOPE_COUNT][ND_SAMPLE_MEASURE_COUNT];
    nd_sample_counts totals[ND_SCOPE_COUNT]; /**< over the sampled sets */
    uint64_t alone[ND_SCOPE_COUNT]; /**< representatives alone in their set: precision is 1 there */
    uint64_t baseline_alone[ND_SCOPE_COUNT]; /**< those of which the baseline finds no
                                                  other similar page */
} nd_sample_evaluation;

/** What a sample is evaluated by; borrowed. */
typedef struct nd_sampled_truth {
    const nd_truth *truth;
    const char *path;     /**< of the truth, for error texts */
    const uint64_t *site; /**< by row of the truth; NULL: the hosts of URLs */
} nd_sampled_truth;

/** Sample and score.
 * \return ND_OK; ND_ERR_USAGE for a truth of pairs; ND_ERR_IO, ND_ERR_FORMAT,
 * ND_ERR_MEMORY. The evaluation is to be freed in any case. */
nd_status nd_sample_evaluate(const nd_sample_request *request, const nd_sampled_truth *truth,
                             const nd_labelled_result *evaluated, const char *evaluated_path,
                             nd_sample_evaluation *evaluation);

/** Score sets that people judged, as neardup review saves their answers: a truth of pairs, page and
 * representative, whose bands are the sets.
 * \param[in] similar, unsure  by label, what it means; a page of which they are unsure is left out
 * \return as above */
nd_status nd_sample_evaluate_judged(const nd_sample_request *request, const nd_sampled_truth *truth,
                                    const bool *similar, const bool *unsure,
                                    const nd_labelled_result *evaluated, const char *evaluated_path,
                                    nd_sample_evaluation *evaluation);

/** Print to stdout as text. */
void nd_sample_print(const nd_sample_evaluation *evaluation);

/** Add to a JSON object as its member "sample". \return ND_OK or ND_ERR_MEMORY */
nd_status nd_sample_add_json(const nd_sample_evaluation *evaluation, json_object *to);

void nd_sample_evaluation_free(nd_sample_evaluation *evaluation);

#endif
