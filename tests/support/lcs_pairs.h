/** \file tests/support/lcs_pairs.h
 * Pairs of real pages for benchmarks of what compares pages, by class of likeness and length. A
 * class is filled with pages of the corpus that are that much alike as they stand; where these are
 * too few, with pages and edited copies of them, in which runs of words are replaced by runs from
 * other pages. The same for the same seed and corpus.
 */
#ifndef ND_TESTS_LCS_PAIRS_H
#define ND_TESTS_LCS_PAIRS_H

#include "src/base/util.h"
#include "tests/support/corpus.h"

typedef struct nd_token_page {
    uint32_t *tokens; /**< owned */
    size_t count;
} nd_token_page;

/** The distinct texts of a corpus in the order of their tokens, so that pages with the same
 * beginning are neighbours. */
typedef struct nd_token_pages {
    nd_token_page *pages;
    size_t count;
} nd_token_pages;

/** A class: r = |LCS| / (|A| + |B| - |LCS|) of its pairs, and tokens of its pages. */
typedef struct nd_lcs_class {
    double lowest, highest;
    size_t shortest, longest;
} nd_lcs_class;

typedef struct nd_lcs_sample {
    nd_token_page a, b; /**< owned */
    double r;
} nd_lcs_sample;

/** The texts of the pages of some INPUT words. \return ND_OK or a failure */
nd_status nd_token_pages_read(nd_token_pages *pages, const char *const *words, size_t count);

void nd_token_pages_free(nd_token_pages *pages);

/** Fill samples[0..wanted).
 * \param[out] real  how many of them are pages as they stand
 * \return ND_OK; ND_ERR_LIMIT if the corpus has no page of that length; ND_ERR_MEMORY */
nd_status nd_lcs_pairs_draw(const nd_token_pages *pages, const nd_lcs_class *of, uint64_t seed,
                            size_t wanted, nd_lcs_sample *samples, size_t *real);

void nd_lcs_pairs_free(nd_lcs_sample *samples, size_t count);

#endif
