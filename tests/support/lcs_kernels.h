/** \file tests/support/lcs_kernels.h
 * All kernels for the LCS, pairs that they are compared on, and the peer that they are measured
 * against.
 */
#ifndef ND_SUPPORT_LCS_KERNELS_H
#define ND_SUPPORT_LCS_KERNELS_H

#include "src/base/util.h"
#include "src/lcs/lcs_internal.h"
#include "tests/support/corpus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- What the kernels of the LCS are compared with and measured against: the plain table of all
 * prefixes, and the bit-parallel kernel alone. */

/** The LCS by the O(nm) table. */
void nd_lcs_table(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t *length);

/** nd_lcs_bits() by one variant that this machine supports. */
void nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                    uint64_t *length);

/** As nd_lcs_length(), by the bit-parallel kernel alone. */
void nd_lcs_bits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                 nd_lcs_work *work, uint64_t *length);

/** A way to the length that nd_lcs_length() gives. */
typedef struct nd_test_lcs_kernel {
    const char *name;
    void (*run)(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                nd_lcs_work *work, uint64_t *length);
} nd_test_lcs_kernel;

/** All of them, the ladder of the program first; what this machine cannot do is done by a plain
 * variant. */
extern const nd_test_lcs_kernel nd_test_lcs_kernels[];
extern const size_t nd_test_lcs_kernel_count;

/* ---- Pairs of real pages for benchmarks of what compares pages, by class of likeness and length.
 * A class is filled with pages of the corpus that are that much alike as they stand; where these
 * are too few, with pages and edited copies of them, in which runs of words are replaced by runs
 * from other pages. The same for the same seed and corpus. */

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

/* ---- The xdiff of libgit2 as a person would use it to compare token sequences: with
 * GIT_DIFF_MINIMAL, a token a line. Only for benchmarks; without libgit2 there is none. */

/** A token sequence as text, a line of eight hexadecimal digits for each. */
typedef struct nd_xdiff_text {
    char *bytes; /**< owned */
    size_t size;
} nd_xdiff_text;

/** Whether it was built with libgit2. */
bool nd_xdiff_available(void);

/** Ends the program if there is no memory. */
nd_xdiff_text nd_xdiff_text_of(const uint32_t *tokens, size_t count);

/** Lines deleted and inserted between the texts. Of a text and itself 0, found by hashes: what that
 * takes is what the library takes besides xdiff. Ends the program on failure. */
size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b);

#endif
