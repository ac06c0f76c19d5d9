/** \file src/measure/group_agreement.h
 * How well a partition agrees with clusters for groups of pages apart, such as those edited in one
 * way: the pairs with at least one page of the group, and means over its pages. Counted from the
 * contingency table, never by listing pairs; all groups together take one pass over the pages.
 * Loose pages and ambiguous clusters are treated as contingency.h says.
 */
#ifndef ND_MEASURE_GROUP_AGREEMENT_H
#define ND_MEASURE_GROUP_AGREEMENT_H

#include "src/measure/contingency.h"

/** Group of a page that is in none. */
#define ND_NO_GROUP UINT64_MAX

/** Pairs of pages; as in nd_agreement. */
typedef struct nd_pair_counts {
    uint64_t true_pairs;
    uint64_t predicted_pairs;
    uint64_t common_pairs;
    uint64_t skipped_pairs;
} nd_pair_counts;

/** The pairs of an agreement. */
nd_pair_counts nd_agreement_pairs(const nd_agreement *agreement);

/** Those of `all` that are not among `some`. */
nd_pair_counts nd_pair_counts_without(nd_pair_counts all, nd_pair_counts some);

typedef struct nd_group_agreement {
    uint64_t pages;           /**< of the group, not loose */
    nd_pair_counts pairs;     /**< with at least one page of the group */
    uint64_t partnered_pages; /**< pages of the group whose cluster has another page */
    double page_recall;       /**< mean over these of the share of the other pages of the cluster
                                   that are in the page's set; 1 if there are none */
    uint64_t mixed_pages;     /**< pages of the group in a set with a page of another cluster that
                                   is not ambiguous with theirs */
} nd_group_agreement;

/** Count. \param[in] group  of each page, below group_count or ND_NO_GROUP
 * \param[out] groups  group_count of them; unspecified on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_group_agreement_count(const nd_labelled_pages *pages, const uint64_t *group,
                                   size_t group_count, nd_group_agreement *groups);

#endif
