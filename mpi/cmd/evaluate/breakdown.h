/** \file mpi/cmd/evaluate/breakdown.h
 * The agreement of a result with labels in parts: pairs of one site and of different sites; by the
 * similarity of a page to its representative; and, where it is known how the pages were made, by
 * their class and by their similarity to their original. Counted here from what src/measure offers,
 * and printed as tables or as members of a JSON object.
 */
#ifndef ND_CMD_EVALUATE_BREAKDOWN_H
#define ND_CMD_EVALUATE_BREAKDOWN_H

#include "io/result/labels.h"
#include "mpi/cmd/evaluate/labelled_result.h"
#include "src/measure/agreement.h"

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
 * \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
nd_status nd_breakdown_count(const nd_truth *truth, const nd_labelled_result *labelled,
                             const nd_agreement *agreement, const nd_class_labels *classes,
                             nd_breakdown *breakdown);

/** Complete what listed pairs say: `pairs` and `same_site` are counted already. */
void nd_breakdown_of_pairs(const nd_labelled_result *labelled, nd_breakdown *breakdown);

/** Print to stdout as tables. */
void nd_breakdown_print(const nd_breakdown *breakdown);

/** Add to a JSON object. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_breakdown_add_json(const nd_breakdown *breakdown, struct json_object *to);

void nd_breakdown_free(nd_breakdown *breakdown);

#endif
