/** \file mpi/cmd/overlap/overlap_findings.h
 * All that neardup overlap finds out about the collections of a result: what they share, exactly;
 * how large they are by samples alone; and what strong queries make of it. It is printed by
 * overlap_text.h, overlap_json.h and overlap_picture.h.
 */
#ifndef ND_CMD_OVERLAP_OVERLAP_FINDINGS_H
#define ND_CMD_OVERLAP_OVERLAP_FINDINGS_H

#include "mpi/cmd/overlap/strong_query.h"

/** What is asked for. */
typedef struct nd_overlap_wish {
    const char *collections; /**< NULL: all */
    const char *fixed;       /**< the collection whose size is 1; NULL: the first */
    uint64_t sample;         /**< pages drawn from each; 0: no samples */
    uint64_t queries;        /**< of them asked for by strong queries */
    uint64_t resamples, seed;
    uint64_t memory; /**< bytes for sorting */
} nd_overlap_wish;

/** All zero may only be freed. */
typedef struct nd_overlap_findings {
    const nd_result *result; /**< borrowed */
    const nd_overlap_wish *wish;
    nd_chosen_collections chosen;
    size_t fixed;
    nd_overlap_counts counts[ND_THINGS];
    uint64_t without_url;      /**< pages */
    nd_overlap_sample by_set;  /**< of each collection's sets, each as likely as another */
    nd_overlap_sample by_page; /**< of its pages: a set of many is drawn more often */
    nd_size_estimates set_sizes, page_sizes;
    nd_strong_queries queries;
    nd_size_estimates own_sizes, any_sizes; /**< by what queries found */
} nd_overlap_findings;

/** Find out. \param[in,out] run  of the result; only queries need it
 * \return ND_OK; ND_ERR_USAGE where there is nothing to compare; as nd_chosen_collections_read(),
 *         nd_things_walk(), nd_strong_queries_ask(); to be freed in any case */
nd_status nd_overlap_find(nd_overlap_findings *findings, nd_shown_run *run,
                          const nd_overlap_wish *wish);

/** Name of a collection, borrowed; "(no name)" for the one of inputs without a name. */
nd_span nd_overlap_name(const nd_overlap_findings *findings, size_t x);

void nd_overlap_findings_free(nd_overlap_findings *findings);

#endif
