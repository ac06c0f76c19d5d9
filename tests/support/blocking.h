/** \file tests/support/blocking.h
 * What blocking does with some pages of a corpus, done plainly in one process: the keys and bounds
 * of the method `lcs` and the rule of src/sets/candidates.h over whole groups, without batches,
 * runs and ranks. Pairs are pairs of distinct texts.
 */
#ifndef ND_TESTS_BLOCKING_H
#define ND_TESTS_BLOCKING_H

#include "src/method/method.h"
#include "tests/support/corpus.h"

/** A pair of texts as one number, the smaller text above. */
static inline uint64_t nd_text_pair(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

typedef struct nd_blocking {
    uint64_t candidates; /**< as the program counts them: once for each key that gives the pair */
    uint64_t *pairs;     /**< distinct candidate pairs, ascending */
    size_t pair_count;
    uint64_t *within_bounds; /**< those whose lengths and histograms allow the threshold */
    size_t within_count;
    uint64_t *key_parent; /**< union-find over all texts of the corpus: those that share a key */
} nd_blocking;

/** Block pages.
 * \param[in]  pages     one page of each text, ascending
 * \param[out] blocking  all zero on failure
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_blocking_run(const nd_corpus *corpus, const uint32_t *pages, size_t count,
                          const nd_method_options *options, nd_blocking *blocking);

void nd_blocking_free(nd_blocking *blocking);

#endif
