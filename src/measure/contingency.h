/** \file src/measure/contingency.h
 * How well a partition into sets agrees with one into labelled clusters: pairwise counts and the
 * B-cubed measure (Bagga and Baldwin, 1998). Both come from the contingency table, whose cell n_pt
 * counts the pages of set p and cluster t: sums of n (n - 1) / 2 and of squares; pairs are never
 * listed, so a cluster of a million pages costs a cell. Only numbers here: no names, no files.
 *
 * Some pairs are not judged. A loose page is out altogether: no pair with it counts, B-cubed takes
 * no mean over it and does not see it in the sets and clusters of others. A pair of pages of two
 * clusters that are ambiguous with each other counts neither as found nor as missed; in B-cubed,
 * the precision of a page is taken over those pages of its set that it is judged with (itself
 * included), so a page of an ambiguous cluster in the same set neither helps nor harms. Recall
 * looks only inside clusters, so ambiguous clusters do not touch it.
 */
#ifndef ND_MEASURE_CONTINGENCY_H
#define ND_MEASURE_CONTINGENCY_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Two different clusters, in any order. */
typedef struct nd_cluster_pair {
    uint64_t a;
    uint64_t b;
} nd_cluster_pair;

/** The pages to be judged; everything borrowed. */
typedef struct nd_labelled_pages {
    const uint64_t *set;     /**< the set that was found, any number */
    const uint64_t *cluster; /**< the true cluster, below cluster_count */
    const bool *loose;       /**< NULL: none is */
    size_t count;
    size_t cluster_count;
    const nd_cluster_pair *ambiguous; /**< may repeat; each a != b, both below cluster_count */
    size_t ambiguous_count;
} nd_labelled_pages;

typedef struct nd_agreement {
    uint64_t pages;      /**< that are judged: those not loose */
    uint64_t sets;       /**< with at least one of them */
    uint64_t clusters;   /**< likewise */
    uint64_t cells;      /**< of the table that are not empty: clusters, summed over the sets */
    uint64_t true_pairs; /**< of one cluster */
    uint64_t predicted_pairs; /**< of one set, without the skipped ones */
    uint64_t common_pairs;    /**< of one set and one cluster */
    uint64_t skipped_pairs;   /**< of one set, in two clusters that are ambiguous */
    double cubed_precision;   /**< mean over the pages; 1 if there is none */
    double cubed_recall;
} nd_agreement;

/** Count. \return ND_OK or ND_ERR_MEMORY (the agreement is then all zero) */
nd_status nd_agreement_count(const nd_labelled_pages *pages, nd_agreement *agreement);

/** Precision, recall and their harmonic mean. */
typedef struct nd_measure {
    double precision;
    double recall;
    double f1; /**< 0 if both are */
} nd_measure;

/** From counts of pairs. Precision is 1 by definition where nothing is predicted, recall where
 * there is nothing to find. */
nd_measure nd_measure_pairs(uint64_t common, uint64_t predicted, uint64_t true_pairs);

/** What a deletion of all pages of each set but one would do: of a set of n pages of c clusters, n
 * - 1 go, of which n - c have a page of their own cluster left in it. Precision is the share of
 * these, recall their share of the pages that could go: all but one of each cluster. Ambiguous
 * clusters are not left out here. */
nd_measure nd_measure_removal(const nd_agreement *agreement);

/** The B-cubed measure of an agreement. */
nd_measure nd_measure_cubed(const nd_agreement *agreement);

#endif
