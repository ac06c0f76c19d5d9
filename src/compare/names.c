#include "src/compare/names.h"

#include "src/base/order.h"

#include <math.h>

/* How often a token stands in a page. */
static uint64_t times(const uint32_t *tokens, size_t count, uint32_t token) {
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += tokens[i] == token;
    }
    return found;
}

/* The repeats of one side. */
static uint64_t repeats_of(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 1;
    for (size_t i = 0; i < nd_min(n, ND_NAMES_TOKENS); i++) {
        /* a word of both beginnings is the usual case, and quickly found */
        if (times(b, nd_min(m, ND_NAMES_TOKENS), a[i]) == 0 && times(b, m, a[i]) == 0) {
            most = nd_max(most, times(a, n, a[i]));
        }
    }
    return most - 1;
}

uint64_t nd_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    return nd_max(repeats_of(a, n, b, m), repeats_of(b, m, a, n));
}

double nd_names_discount(double names, uint64_t tokens, uint64_t repeats) {
    return names * (double)repeats / sqrt((double)tokens);
}
