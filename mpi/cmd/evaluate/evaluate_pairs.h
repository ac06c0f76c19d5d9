/** \file mpi/cmd/evaluate/evaluate_pairs.h
 * The verified pairs of a result held against labels, as Henzinger (SIGIR 2006) compares methods:
 * by pairs, not by sets. Counted here from what src/measure offers, and printed as tables or as a
 * member of a JSON object.
 */
#ifndef ND_CMD_EVALUATE_EVALUATE_PAIRS_H
#define ND_CMD_EVALUATE_EVALUATE_PAIRS_H

#include "mpi/cmd/evaluate/labelled_result.h"
#include "src/measure/precision.h"

#include <json-c/json.h>

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

#endif
