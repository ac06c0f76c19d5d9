/** \file src/sketch/histogram.h
 * Token histogram of a page: how many of its tokens fall into each of 256 bins. The sum over the
 * bins of the smaller count bounds the LCS of two pages from above, exactly: a pair whose bound is
 * too small needs no LCS (and of most pairs nothing else is ever computed).
 */
#ifndef ND_SKETCH_HISTOGRAM_H
#define ND_SKETCH_HISTOGRAM_H

#include "src/base/buffer.h"

#include <stdbool.h>

enum { ND_HISTOGRAM_BINS = 256 };

/** Plain value, no pointers, no padding: it is sent as bytes. */
typedef struct nd_histogram {
    uint32_t tokens;   /**< length of the page */
    uint32_t overflow; /**< 1 if a bin did not fit in 16 bits: bins then bound nothing */
    uint16_t bins[ND_HISTOGRAM_BINS];
} nd_histogram;

/** Count the tokens of a page into bins by a mix of the token's bits. */
void nd_histogram_fill(const uint32_t *tokens, size_t count, nd_histogram *histogram);

/** Upper bound of |LCS(a, b)|, never below the true one; symmetric; at most the shorter length. */
uint64_t nd_histogram_common(const nd_histogram *a, const nd_histogram *b);

#endif
