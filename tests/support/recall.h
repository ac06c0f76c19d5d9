/** \file tests/support/recall.h
 * How much of a truth, a list of pairs of texts, some pairs or some sets of texts hold.
 */
#ifndef ND_TESTS_RECALL_H
#define ND_TESTS_RECALL_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Pairs of texts below text_count as numbers (nd_text_pair), ascending, distinct. Borrowed. */
typedef struct nd_pair_set {
    const uint64_t *pairs;
    size_t count;
} nd_pair_set;

typedef struct nd_recall {
    uint64_t found;   /**< true pairs that are there */
    double of_pairs;  /**< share of the true pairs; 1 if there are none */
    double per_text;  /**< share of a text's true pairs, mean over the texts that have any */
    uint64_t strange; /**< pairs that are there but not true */
} nd_recall;

/** Recall of a list of pairs. */
void nd_recall_of_pairs(nd_pair_set truth, nd_pair_set there, size_t text_count, nd_recall *recall);

/** Recall of sets: set_of[text] is equal for the texts of one set; pairs inside sets are there.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_recall_of_sets(nd_pair_set truth, const uint64_t *set_of, size_t text_count,
                            nd_recall *recall);

/** The pairs that both lists hold. \param[out] both  the caller's to free() */
void nd_pairs_in_both(nd_pair_set a, nd_pair_set b, uint64_t **both, size_t *count);

/** The pairs of `a` that `b` lacks. \param[out] missing  the caller's to free()
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_pairs_missing(nd_pair_set a, nd_pair_set b, uint64_t **missing, size_t *count);

/** Join the texts of each pair. \param[in,out] parent  union-find over the texts */
void nd_join_pairs(nd_pair_set pairs, uint64_t *parent);

/** Pages in the largest set of a union-find over texts.
 * \param[in] copies  pages of each text */
void nd_largest_set(uint64_t *parent, const uint32_t *copies, size_t text_count, uint64_t *pages);

#endif
