/** \file mpi/cmd/evaluate/evaluation.h
 * A result held against labels, as numbers, and how `neardup evaluate` prints them: as text for
 * people or as one JSON object. Which page got which set is found in labelled_result.h; how
 * agreement is counted in src/measure; agreement in parts in breakdown.h; a
 * sample of sets in evaluate_sample.h.
 */
#ifndef ND_CMD_EVALUATE_EVALUATION_H
#define ND_CMD_EVALUATE_EVALUATION_H

#include "mpi/cmd/evaluate/breakdown.h"
#include "mpi/cmd/evaluate/evaluate_pairs.h"
#include "mpi/cmd/evaluate/evaluate_sample.h"
#include "src/measure/precision.h"

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

/** Print to stdout as one JSON object on one line. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_evaluation_print_json(const nd_evaluation *evaluation);

/** Free what it owns. */
void nd_evaluation_free(nd_evaluation *evaluation);

#endif
