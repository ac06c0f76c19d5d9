/** \file mpi/cmd/explain/run_finding.h
 * What a run found of two pages, read out of its result: whether they share a set, the links that
 * join them in it, whether it kept them as a pair that is similar, and whether it found one to be
 * contained in the other. Nothing is compared here.
 */
#ifndef ND_CMD_EXPLAIN_RUN_FINDING_H
#define ND_CMD_EXPLAIN_RUN_FINDING_H

#include "io/result/result_read.h"

/** Two pages, one of which is the other's /pages/link. */
typedef struct nd_link_step {
    uint64_t from, to;
    float similarity;
} nd_link_step;

/** All zero is a valid start; owned. */
typedef struct nd_run_finding {
    bool one_set;
    nd_link_step *steps; /**< from the first page to the second, where they share a set */
    uint64_t step_count;
    bool keeps_pairs;      /**< the result has its pairs, so that it is known of these two: */
    bool pair_found;       /**< they are one */
    float pair_similarity; /**< of it */
    bool contained[2];     /**< the first page in the second, the second in the first */
    float share[2];        /**< of it that is */
} nd_run_finding;

/** Read it.
 * \param[in] pages     two pages, whose sets and links are asked
 * \param[in] compared  the pages that the run compared in their place
 * \return ND_OK; ND_ERR_FORMAT if links lead nowhere; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_run_finding_read(nd_run_finding *finding, const nd_result *result,
                              const uint64_t pages[2], const uint64_t compared[2]);

/** The similarity of the weakest step. */
float nd_run_finding_weakest(const nd_run_finding *finding);

void nd_run_finding_free(nd_run_finding *finding);

#endif
