/** \file src/sketch/histogram.h
 * Token histograms of pages, and numbers like their counts packed for the way and for files.
 *
 * Token histogram of a page: how many of its tokens fall into each of 256 bins. The sum over the
 * bins of the smaller count bounds the LCS of two pages from above, exactly: a pair whose bound is
 * too small needs no LCS (and of most pairs nothing else is ever computed).
 */
#ifndef ND_SKETCH_HISTOGRAM_H
#define ND_SKETCH_HISTOGRAM_H

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- Numbers of 16 bits, most of them small, in half a byte each: the counts of a histogram on
 * their way and in files. What does not fit of a number follows after all of them. For numbers that
 * are not small it is no use: the caller looks which is shorter. Invariant: what is unpacked is
 * what was packed. */

/** Most bytes that `count` numbers can take. */
static inline size_t nd_small_numbers_most(size_t count) {
    return (count + 1) / 2 + count * (1 + sizeof(uint16_t));
}

/** \param[in] numbers  `count` numbers, at any address
 * \param[out] out      room for nd_small_numbers_most() \return the bytes written */
size_t nd_small_numbers_pack(const void *numbers, size_t count, uint8_t *out);

/** \param[out] numbers  `count` numbers, at any address
 * \return true; false if these bytes are no such numbers: `numbers` then holds anything */
bool nd_small_numbers_unpack(const uint8_t *bytes, size_t size, void *numbers, size_t count);

#endif
