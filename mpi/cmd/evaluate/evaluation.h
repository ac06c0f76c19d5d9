/** \file mpi/cmd/evaluate/evaluation.h
 * What `neardup evaluate` finds out of a result held against labels: how well its sets agree with
 * these, as a whole and by class and decile, and on samples of sets and pairs. Found in evaluate.c
 * from what src/measure counts; printed in evaluation_print.c.
 */
#ifndef ND_CMD_EVALUATE_EVALUATION_H
#define ND_CMD_EVALUATE_EVALUATION_H

#include "io/result/labels.h"
#include "src/measure/agreement.h"
#include "src/measure/precision.h"

/** What is asked for; texts are borrowed. */
typedef struct nd_evaluate_request {
    const char *result, *truth;
    const char *loose, *ambiguous; /**< NULL: none */
    const char *classes;           /**< NULL: not known how the pages were made */
    const char *similar;           /**< labels of similar pairs, separated by commas */
    uint64_t column; /**< of the cluster; 0: 2, or a truth of pairs where the file has 3 columns */
    bool bands;      /**< listed pairs were drawn from bands, which they name */
    bool json;
    uint64_t sets;           /**< of the sample, at most so many; 0: none is asked for */
    const char *sample_from; /**< NULL: the evaluated result */
    const char *baseline;    /**< NULL: none */
    uint64_t seed, resamples;
    bool singletons;
    bool judged;                  /**< people judged sets that neardup review drew */
    bool own_seed, own_resamples; /**< these were given */
} nd_evaluate_request;

/** What one result says, by row of the labels' ids; all arrays owned. All zero is valid and empty.
 */
typedef struct nd_labelled_result {
    size_t count;   /**< rows: labelled pages */
    uint64_t *set;  /**< UINT64_MAX: the result lacks the page */
    uint64_t *page; /**< the page's number in the result; ND_NO_PAGE */
    uint64_t *site; /**< hash of the host of its URL (or of its id, if that is one); ND_NO_SITE */
    float *similarity;    /**< to the representative of its set */
    float *certainty;     /**< that it is a near-duplicate of it; 0 where the result has none */
    bool *representative; /**< of its set, among all pages of the result */
    bool *left_out;       /**< loose, or not in the result: no pair with the page is evaluated */
    uint64_t missing;     /**< labelled pages that are not in the result */
    uint64_t loose;       /**< of the others, loose */
    uint64_t repeated;    /**< pages of the result whose id an earlier page has: the first counts */
} nd_labelled_result;

/** Listed pairs of one label. */
typedef struct nd_label_count {
    nd_span label; /**< borrowed */
    bool similar;  /**< whether the label says that the pages are near-duplicates */
    bool unsure;   /**< whether it says nothing: such pairs are not evaluated */
    uint64_t pairs;
    uint64_t together; /**< of them in one set */
} nd_label_count;

/** The pages of one class. */
typedef struct nd_class_agreement {
    nd_span name; /**< borrowed from the class labels */
    nd_group_agreement all;
    nd_pair_counts same_site; /**< of all.pairs, those of one site */
} nd_class_agreement;

/** The verified pairs of a result held against labels, as Henzinger (SIGIR 2006) compares methods:
 * by pairs, not by sets. */
typedef struct nd_pair_evaluation {
    bool kept;           /**< the result has pairs, and the truth has clusters; else all is zero */
    uint64_t pairs;      /**< of the result */
    uint64_t unlabelled; /**< of them with a page that the truth does not know: not labelled */
    nd_pair_precision precision;
    nd_power_law partners; /**< of the pages that have any, labelled or not */
} nd_pair_evaluation;

/** A sample of sets, as Huang, Wang and Li evaluated them (CIKM 2008; src/measure/precision.h). */
typedef struct nd_sample_evaluation {
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

/** All zero is valid; everything is owned but the request. */
typedef struct nd_evaluation {
    const nd_evaluate_request *request;
    nd_labels truth;
    bool by_pairs;           /**< the truth lists pairs, not clusters */
    nd_class_labels classes; /**< where they are asked for */
    nd_labelled_result labelled;
    const uint64_t *site;   /**< of each labelled page, as the classes or the result says */
    nd_agreement agreement; /**< pages evaluated; pairs as counted or as listed */

    /* truths of pairs only */
    uint64_t skipped_pairs; /**< of those listed with a loose or a missing page, or unsure */
    nd_label_count *labels;
    size_t label_count;
    nd_band_count *band_counts; /**< of those in one set; NULL: bands were not asked for */

    /* in parts: pairs of different sites are all others */
    uint64_t siteless; /**< evaluated pages of no known site: on no site with another page */
    nd_pair_counts pairs, same_site;
    nd_leader_tally representatives[ND_DECILES]; /**< pages and their representatives, by their
                                                      similarity; those of one cluster agree */
    nd_leader_tally certainties[ND_DECILES];     /**< the same pages by their certainty: what was
                                                      predicted against what is found */
    /* of classes */
    uint64_t classless;                    /**< evaluated pages without a class */
    nd_class_agreement *by_class;          /**< by name */
    nd_leader_tally originals[ND_DECILES]; /**< pages and the originals in their clusters, by their
                                                similarity; those of one set agree */

    nd_pair_evaluation verified; /**< the pairs that the result keeps */
    nd_sample_evaluation sample; /**< if one is asked for */
} nd_evaluation;

/** Print to stdout: as text for people, or as one JSON object on one line. */
void nd_evaluation_print(const nd_evaluation *evaluation);
void nd_evaluation_print_json(const nd_evaluation *evaluation);

#endif
