/** \file tests/support/exact_join.h
 * Every pair of token sequences with r = |LCS| / (|A| + |B| - |LCS|) at or above a threshold: the
 * truth against which blocking and sets are measured. A prefix-filtered join (Chaudhuri, Ganti and
 * Kaushik, ICDE 2006; Bayardo, Ma and Srikant, WWW 2007) over the multisets of tokens finds all
 * pairs whose multisets overlap enough, then the LCS decides. Nothing of the pipeline's
 * fingerprints, groups or bounds is used here, so that none of their errors can hide in the truth.
 */
#ifndef ND_TESTS_EXACT_JOIN_H
#define ND_TESTS_EXACT_JOIN_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** A token sequence, borrowed. */
typedef struct nd_join_text {
    const uint32_t *tokens;
    uint32_t count;
} nd_join_text;

/** A pair that reaches the threshold; a < b are places in the list of texts. */
typedef struct nd_join_pair {
    uint32_t a;
    uint32_t b;
    double similarity;
} nd_join_pair;

typedef struct nd_join_result {
    nd_join_pair *pairs; /**< by (a, b); the caller's to free() */
    size_t count;
    size_t capacity;
    uint64_t prefix_pairs;   /**< pairs that share an element of their prefixes */
    uint64_t compared_pairs; /**< pairs whose multisets overlap enough: LCS was computed */
} nd_join_result;

/** Find all pairs of fewer than 2^32 texts, 2^32 distinct elements; empty texts are similar to
 * none. \param[in]  threshold  in (0, 1] \param[out] result     all zero on failure \return ND_OK
 * or ND_ERR_MEMORY */
nd_status nd_exact_join(const nd_join_text *texts, size_t count, double threshold,
                        nd_join_result *result);

#endif
