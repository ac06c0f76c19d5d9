#include "src/sketch/histogram.h"

#include "src/base/order.h"

#include <string.h>

/* Knuth's multiplier (2^32 over the golden ratio, made odd): its high bits depend on all of the
 * token's bits, so tokens that are themselves poor hashes still spread over the bins. */
static const uint32_t BIN_MULTIPLIER = UINT32_C(0x9e3779b1);
enum { BIN_SHIFT = 24 };

/* Neighbouring tokens are often equal; two sets of counters keep one increment from waiting for
 * the one before it. */
enum { COUNTER_SETS = 2 };

void nd_histogram_fill(const uint32_t *tokens, size_t count, nd_histogram *histogram) {
    uint32_t counters[COUNTER_SETS][ND_HISTOGRAM_BINS];
    memset(counters, 0, sizeof counters);
    for (size_t i = 0; i < count; i++) {
        counters[i % COUNTER_SETS][tokens[i] * BIN_MULTIPLIER >> BIN_SHIFT]++;
    }
    histogram->tokens = (uint32_t)count;
    histogram->overflow = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        uint32_t sum = counters[0][i] + counters[1][i];
        histogram->overflow |= sum > UINT16_MAX;
        histogram->bins[i] = (uint16_t)nd_min(sum, UINT16_MAX);
    }
}

uint64_t nd_histogram_common(const nd_histogram *a, const nd_histogram *b) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        sum += nd_min(a->bins[i], b->bins[i]);
    }
    /* where the bins say nothing, the bound is the most that it can be at all */
    return a->overflow != 0 || b->overflow != 0 ? nd_min(a->tokens, b->tokens) : sum;
}
