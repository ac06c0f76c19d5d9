/** \file src/compare/cosine.h
 * Pages as vectors of term frequencies, their cosine (Salton's vector space model; the baseline of
 * Huang, Wang and Li, CIKM 2008), and an upper bound of it from small digests. Sums of products
 * are whole numbers, and the last steps are correctly rounded operations of IEEE 754: the same
 * bits on every machine. No weights but the frequencies (no idf: it would need all pages). Lengths
 * bound nothing here: a page and the same page twice have the cosine 1.
 */
#ifndef ND_COMPARE_COSINE_H
#define ND_COMPARE_COSINE_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* ---- vectors: the distinct tokens of a page in ascending order, each with the number of its
 * occurrences. The order of the tokens is lost. */

/** Plain value without padding: a vector can be sent as bytes. */
typedef struct nd_term {
    uint32_t token;
    uint32_t frequency; /**< at least 1 */
} nd_term;

/** All zero is a valid empty vector. */
typedef struct nd_term_vector {
    nd_term *terms; /**< by token, ascending */
    size_t count;
    size_t capacity;      /* private */
    uint32_t *sorted;     /* private: tokens while they are sorted, two copies */
    size_t sorted_tokens; /* private: room for so many */
} nd_term_vector;

/** Replace the vector by that of a page; memory is kept from page to page.
 * \param[in] count  below 2^32 */
void nd_term_vector_fill(const uint32_t *tokens, size_t count, nd_term_vector *vector);

/** Free everything; the vector is empty and may be used again. */
void nd_term_vector_free(nd_term_vector *vector);

/* ---- cosines */

enum { ND_COSINE_BINS = 256 };

/** The squared length of a vector.
 * \param[in] terms  frequencies of which the sum is below 2^32, as of any page */
uint64_t nd_cosine_square(const nd_term *terms, size_t count);

/** The cosine of a[0..n) and b[0..m) if it is >= threshold, else 0 (a threshold of 0 asks for the
 * cosine); symmetric; 1 for equal vectors; 0 if one is empty. Stops as soon as what is left of the
 * vectors cannot reach the threshold, by the inequality of Cauchy and Schwarz.
 * \param[in] a, b  as nd_term_vector_fill() makes them */
double nd_cosine(const nd_term *a, size_t n, const nd_term *b, size_t m, double threshold);

/** What bounds the cosine: the lengths of the parts of the vector whose tokens fall into each of
 * 256 bins. Plain value, no pointers, no padding: it is sent as bytes. */
typedef struct nd_cosine_digest {
    uint64_t square;                 /**< of the whole vector */
    int32_t scale;                   /**< lengths are in units of 2^-scale */
    uint32_t terms;                  /**< distinct tokens */
    uint16_t length[ND_COSINE_BINS]; /**< rounded up */
} nd_cosine_digest;

/** Digest of a page; its length does not matter. */
void nd_cosine_digest_fill(const nd_term *terms, size_t count, nd_cosine_digest *digest);

/** Upper bound of the cosine of two pages, never below nd_cosine(); symmetric; at most 1. */
double nd_cosine_bound(const nd_cosine_digest *a, const nd_cosine_digest *b);

#endif
