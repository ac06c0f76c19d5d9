/** \file src/measure/ambiguous_clusters.h
 * Which clusters are ambiguous with a cluster: the listed pairs of clusters both ways round and
 * without repeats, found by cluster. What that means for a measure is said there.
 */
#ifndef ND_MEASURE_AMBIGUOUS_CLUSTERS_H
#define ND_MEASURE_AMBIGUOUS_CLUSTERS_H

#include "src/base/radix_sort.h"
#include "src/measure/contingency.h"

/** All zero is valid to free. Those of cluster t are the values of pairs [first[t], first[t + 1]),
 * ascending, whose keys are t. */
typedef struct nd_ambiguous_clusters {
    nd_key_value *pairs; /**< owned */
    size_t *first;       /**< by cluster, and one more; owned */
} nd_ambiguous_clusters;

/** From the pairs of clusters of `pages`. \return ND_OK or ND_ERR_MEMORY; to be freed in any case
 */
nd_status nd_ambiguous_clusters_make(const nd_labelled_pages *pages,
                                     nd_ambiguous_clusters *ambiguous);

void nd_ambiguous_clusters_free(nd_ambiguous_clusters *ambiguous);

#endif
