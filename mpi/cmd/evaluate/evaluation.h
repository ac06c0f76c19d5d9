/** \file mpi/cmd/evaluate/evaluation.h
 * What `evaluate` finds out: a result with labels beside it, how well its sets agree with these,
 * as a whole and by class and decile, and on samples of sets and pairs. Internal to
 * mpi/cmd/evaluate.
 */
#ifndef ND_CMD_EVALUATE_EVALUATION_H
#define ND_CMD_EVALUATE_EVALUATION_H

#include "io/result/labels.h"
#include "io/result/result_read.h"
#include "src/base/option.h"
#include "src/measure/agreement.h"
#include "src/measure/precision.h"

#include <json-c/json.h>

/* ---- a result with labels */

/** Set and page of a labelled page that a result does not have. */
#define ND_NO_SET  UINT64_MAX
#define ND_NO_PAGE UINT64_MAX

/** Where a truth is read from; borrowed. */
typedef struct nd_truth_files {
    const char *truth;
    const char *loose;     /**< NULL: none */
    const char *ambiguous; /**< NULL: none */
    uint64_t column; /**< of the cluster; 0: 2, or a truth of pairs where the file has 3 columns */
    bool bands;      /**< listed pairs were drawn from bands, which they name */
} nd_truth_files;

/** The column of the cluster where none is given, and the least that can be. */
enum { ND_CLUSTER_COLUMN = 2 };

/** All zero is valid and empty. */
typedef struct nd_truth {
    nd_labels labels; /**< owned */
    bool by_pairs;    /**< pairs of pages are listed, not clusters */
} nd_truth;

/** Read a truth. \return ND_OK; ND_ERR_FORMAT if there is no labelled page in it; ND_ERR_USAGE for
 * ambiguous clusters of a truth of pairs; ND_ERR_IO, ND_ERR_MEMORY. The truth is to be freed in any
 * case. */
nd_status nd_truth_read(const nd_truth_files *files, nd_truth *truth);

void nd_truth_free(nd_truth *truth);

/** What one result says, by row of nd_truth.labels.ids; all arrays owned. All zero is valid and
 * empty. */
typedef struct nd_labelled_result {
    size_t count;   /**< rows: labelled pages */
    uint64_t *set;  /**< ND_NO_SET: the result lacks the page */
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

/** Find the labelled pages in a result file. Takes the result's sets in memory, 8 bytes each, and
 * its pages a block at a time.
 * \param[in] truth_path  for the text of a failure
 * \return ND_OK; ND_ERR_FORMAT also for a result with none of the pages; ND_ERR_IO, ND_ERR_MEMORY.
 * The labelled result is to be freed in any case. */
nd_status nd_labelled_result_open(const nd_truth *truth, const char *truth_path,
                                  const char *result_path, nd_labelled_result *labelled);

/** The pages as src/measure takes them, borrowed from both; the truth has clusters. */
nd_labelled_pages nd_labelled_result_pages(const nd_truth *truth,
                                           const nd_labelled_result *labelled);

void nd_labelled_result_free(nd_labelled_result *labelled);

/* ---- The agreement of a result with labels in parts: pairs of one site and of different sites; by
 * the similarity of a page to its representative; and, where it is known how the pages were made,
 * by their class and by their similarity to their original. Counted here from what src/measure
 * offers, and printed as tables or as members of a JSON object. */

struct json_object;

/** The pages of one class. */
typedef struct nd_class_agreement {
    nd_span name; /**< borrowed from the class labels */
    nd_group_agreement all;
    nd_pair_counts same_site; /**< of all.pairs, those of one site */
} nd_class_agreement;

/** All zero is valid and says nothing. Pairs of different sites are all others. */
typedef struct nd_breakdown {
    bool by_pairs;     /**< listed pairs: there is nothing but `pairs` and `same_site` */
    uint64_t pages;    /**< evaluated */
    uint64_t siteless; /**< of them of no known site: on no site with another page */
    nd_pair_counts pairs;
    nd_pair_counts same_site;
    nd_leader_tally representatives[ND_DECILES]; /**< pages and their representatives, by their
                                                      similarity; those of one cluster agree */
    nd_leader_tally certainties[ND_DECILES];     /**< the same pages by their certainty: what was
                                                      predicted against what is found */
    bool by_class;                               /**< what follows is there */
    uint64_t classless;                          /**< evaluated pages without a class */
    nd_class_agreement *classes;                 /**< by name; owned */
    size_t class_count;
    nd_leader_tally originals[ND_DECILES]; /**< pages and the originals in their clusters, by their
                                                similarity; those of one set agree */
} nd_breakdown;

/** Count a truth of clusters in parts. \param[in] classes  NULL: not known; the sites are then the
 * hosts of the URLs. To be kept as long as the breakdown
 * To be freed in any case. */
void nd_breakdown_count(const nd_truth *truth, const nd_labelled_result *labelled,
                        const nd_agreement *agreement, const nd_class_labels *classes,
                        nd_breakdown *breakdown);

/** Complete what listed pairs say: `pairs` and `same_site` are counted already. */
void nd_breakdown_of_pairs(const nd_labelled_result *labelled, nd_breakdown *breakdown);

/** Print to stdout as tables. */
void nd_breakdown_print(const nd_breakdown *breakdown);

/** Add to a JSON object. */
void nd_breakdown_add_json(const nd_breakdown *breakdown, struct json_object *to);

void nd_breakdown_free(nd_breakdown *breakdown);

/* ---- The verified pairs of a result held against labels, as Henzinger (SIGIR 2006) compares
 * methods: by pairs, not by sets. Counted here from what src/measure offers, and printed as tables
 * or as a member of a JSON object. */

/** Plain value. All zero says nothing and prints nothing. */
typedef struct nd_pair_evaluation {
    bool kept;           /**< the result has pairs, and the truth has clusters */
    uint64_t pairs;      /**< of the result */
    uint64_t unlabelled; /**< of them with a page that the truth does not know: not labelled */
    nd_pair_precision precision;
    nd_power_law partners; /**< of the pages that have any, labelled or not */
} nd_pair_evaluation;

/** Classify the pairs of a result: correct if both pages are of one cluster, undecided if one of
 * them is loose or their clusters are ambiguous, incorrect otherwise. A result without pairs, or a
 * truth of pairs, leaves `evaluation` all zero. Takes 12 bytes for each page of the result.
 * \param[in] site  of each labelled page; ND_NO_SITE: on no site with another page
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT or ND_ERR_MEMORY */
nd_status nd_pair_evaluation_make(const char *path, const nd_truth *truth,
                                  const nd_labelled_result *labelled, const uint64_t *site,
                                  nd_pair_evaluation *evaluation);

/** Print to stdout. */
void nd_pair_evaluation_print(const nd_pair_evaluation *evaluation);

/** Add the member "pairs". */
void nd_pair_evaluation_add_json(const nd_pair_evaluation *evaluation, json_object *to);

/* ---- The part of `neardup evaluate` that evaluates a sample of sets, as Huang, Wang and Li did
 * (CIKM 2008): its options, the results it reads beside the evaluated one, and how it is printed.
 * What is measured is said and done in src/measure/precision.h. */

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

/** Add to a JSON object as its member "sample". */
void nd_sample_add_json(const nd_sample_evaluation *evaluation, json_object *to);

void nd_sample_evaluation_free(nd_sample_evaluation *evaluation);

/* ---- A result held against labels, as numbers, and how `neardup evaluate` prints them: as text
 * for people or as one JSON object. Which page got which set is found in evaluation.h; how
 * agreement is counted in src/measure; agreement in parts in evaluation.h; a
 * sample of sets in evaluation.h. */

/** Listed pairs of one label. */
typedef struct nd_label_count {
    nd_span label; /**< borrowed */
    bool similar;  /**< whether the label says that the pages are near-duplicates */
    bool unsure;   /**< whether it says nothing: such pairs are not evaluated */
    uint64_t pairs;
    uint64_t together; /**< of them in one set */
} nd_label_count;

typedef struct nd_evaluation {
    const char *result_path;
    const char *truth_path;
    uint64_t truth_pages;        /**< ids in the truth */
    uint64_t missing;            /**< of them not in the result */
    uint64_t loose;              /**< of the others, loose */
    uint64_t ambiguous_clusters; /**< pairs of clusters that are not evaluated, as listed */
    uint64_t bad_lines;
    uint64_t truth_pairs;        /**< listed; truths of pairs only */
    uint64_t skipped_pairs;      /**< of them with a loose or a missing page, or unsure */
    bool by_pairs;               /**< the truth lists pairs, not clusters */
    nd_agreement agreement;      /**< pages evaluated; pairs as counted or as listed */
    nd_breakdown breakdown;      /**< owned */
    nd_pair_evaluation verified; /**< the pairs that the result keeps */
    nd_sample_evaluation sample; /**< empty if none was asked for; owned */
    nd_label_count *labels;      /**< truths of pairs only; owned */
    size_t label_count;
    const nd_name_table *bands; /**< names of those that listed pairs were drawn from; borrowed */
    nd_band_count *band_counts; /**< of those in one set; owned; NULL: bands were not asked for */
} nd_evaluation;

/** Print to stdout. */
void nd_evaluation_print(const nd_evaluation *evaluation);

/** Print to stdout as one JSON object on one line. */
void nd_evaluation_print_json(const nd_evaluation *evaluation);

/** Free what it owns. */
void nd_evaluation_free(nd_evaluation *evaluation);

#endif
