/** \file src/measure/pair_precision.h
 * Precision of the pairs that a method calls similar, as Henzinger (SIGIR 2006) reports it:
 * correct, incorrect and undecided pairs, of one site and of different sites, by the similarity
 * that the method gave them. Pairs come one at a time; who compares them, and how, is the caller's
 * business.
 */
#ifndef ND_MEASURE_PAIR_PRECISION_H
#define ND_MEASURE_PAIR_PRECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum nd_pair_label {
    ND_PAIR_CORRECT,
    ND_PAIR_INCORRECT,
    ND_PAIR_UNDECIDED,
    ND_PAIR_LABELS
} nd_pair_label;

/** Pairs by label. */
typedef struct nd_label_counts {
    uint64_t pairs[ND_PAIR_LABELS];
} nd_label_counts;

/** The same, those of one site apart. */
typedef struct nd_pairs_by_site {
    nd_label_counts same_site, different_sites;
} nd_pairs_by_site;

/** Up to so many values are reported one by one; where there are more, in ND_SIMILARITY_BINS bins
 * of equal width. */
enum { ND_SIMILARITY_VALUES = 16, ND_SIMILARITY_BINS = 10 };

/** Pairs with similarity >= from and < to; of `from` alone where both are equal; the last bin holds
 * 1 too, the first what lies below it. */
typedef struct nd_similarity_row {
    double from, to;
    nd_pairs_by_site pairs;
} nd_similarity_row;

/** nd_pair_precision_open() first. Plain value. */
typedef struct nd_pair_precision {
    nd_pairs_by_site all;
    double lowest; /**< where the first bin begins */
    nd_pairs_by_site bins[ND_SIMILARITY_BINS];
    nd_similarity_row values[ND_SIMILARITY_VALUES]; /**< ascending */
    size_t value_count;                             /**< beyond the room: bins are reported */
} nd_pair_precision;

/** \param[in] lowest  the least similarity that a pair can have, below 1 */
void nd_pair_precision_open(nd_pair_precision *precision, double lowest);

void nd_pair_precision_add(nd_pair_precision *precision, double similarity, nd_pair_label label,
                           bool same_site);

/** The pairs by similarity, ascending; every pair is in one row. Bins may be empty.
 * \return how many rows, at most ND_SIMILARITY_VALUES */
size_t nd_pair_precision_rows(const nd_pair_precision *precision,
                              nd_similarity_row rows[ND_SIMILARITY_VALUES]);

/** Both kinds together. */
nd_label_counts nd_pairs_by_site_sum(const nd_pairs_by_site *pairs);

/** Henzinger's precision: correct pairs among all, undecided ones too; NAN if there is none. */
double nd_label_precision(const nd_label_counts *counts);

/** Correct pairs among the decided ones; NAN if there is none. */
double nd_label_decided_precision(const nd_label_counts *counts);

#endif
