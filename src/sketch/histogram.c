#include "src/sketch/histogram.h"

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
        histogram->bins[i] = (uint16_t)(sum > UINT16_MAX ? UINT16_MAX : sum);
    }
}

uint64_t nd_histogram_common_reference(const nd_histogram *a, const nd_histogram *b) {
    uint32_t shorter = a->tokens < b->tokens ? a->tokens : b->tokens;
    if (a->overflow != 0 || b->overflow != 0) {
        return shorter;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < ND_HISTOGRAM_BINS; i++) {
        sum += a->bins[i] < b->bins[i] ? a->bins[i] : b->bins[i];
    }
    return sum;
}

uint64_t nd_histogram_common(const nd_histogram *a, const nd_histogram *b) {
    return nd_histogram_common_reference(a, b);
}
