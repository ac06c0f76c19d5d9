/** \file src/measure/contingency.h
 * How well a partition into sets agrees with one into labelled clusters: pairwise counts and the
 * B-cubed measure (Bagga and Baldwin, 1998), and the adjusted Rand index (Hubert and Arabie, 1985).
 * All come from the contingency table (contingency_table.h): sums of n (n - 1) / 2 and of squares;
 * pairs are never listed, so a cluster of a million pages costs a cell. Only numbers here: no
 * names, no files.
 *
 * Some pairs are not evaluated. A loose page is out altogether: no pair with it counts, B-cubed
 * takes no mean over it and does not see it in the sets and clusters of others. A pair of pages of
 * two clusters that are ambiguous with each other counts neither as found nor as missed; in
 * B-cubed, the precision of a page is taken over those pages of its set that it is evaluated with
 * (itself included), so a page of an ambiguous cluster in the same set neither helps nor harms.
 * Recall looks only inside clusters, so ambiguous clusters do not touch it.
 */
#ifndef ND_MEASURE_CONTINGENCY_H
#define ND_MEASURE_CONTINGENCY_H

#include "src/measure/contingency_table.h"

typedef struct nd_agreement {
    uint64_t pages;      /**< that are evaluated: those not loose */
    uint64_t sets;       /**< with at least one of them */
    uint64_t clusters;   /**< likewise */
    uint64_t cells;      /**< of the table that are not empty: clusters, summed over the sets */
    uint64_t true_pairs; /**< of one cluster */
    uint64_t predicted_pairs; /**< of one set, without the skipped ones */
    uint64_t common_pairs;    /**< of one set and one cluster */
    uint64_t skipped_pairs;   /**< of one set, in two clusters that are ambiguous */
    uint64_t evaluated_pairs; /**< of all pages, in one cluster or in two that are not ambiguous */
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

/** The adjusted Rand index of Hubert and Arabie (Journal of Classification 2, 1985):
 * (common - e) / ((true + predicted) / 2 - e) with e = true * predicted / evaluated, the common
 * pairs to be expected by chance; at most 1, 0 by chance. 1 by definition where all evaluated
 * pairs, or none, are both true and predicted. Over the evaluated pairs only, where clusters are
 * ambiguous. */
double nd_adjusted_rand_index(const nd_agreement *agreement);

#endif
