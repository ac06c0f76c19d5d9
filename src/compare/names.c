#include "src/compare/names.h"

#include "src/base/order.h"

#include <math.h>
#include <stdbool.h>

/* How often a token stands in a page. */
static inline uint64_t times(const uint32_t *tokens, size_t count, uint32_t token) {
    uint32_t found = 0; /* no wider than a token, so that as many are counted at once */
    for (size_t i = 0; i < count; i++) {
        found += tokens[i] == token;
    }
    return found;
}

/* Does a page say a word? Whole runs of words are looked at without a branch. */
static bool says(const uint32_t *tokens, size_t count, uint32_t token) {
    enum { RUN = 64 };
    for (; count >= RUN; tokens += RUN, count -= RUN) {
        if (times(tokens, RUN, token) > 0) {
            return true;
        }
    }
    return times(tokens, count, token) > 0;
}

/* The repeats of one side. */
static uint64_t repeats_of(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    uint64_t most = 1;
    for (size_t i = 0; i < nd_min(n, ND_NAMES_TOKENS); i++) {
        /* most pages that are compared begin alike */
        const bool alike = i < m && a[i] == b[i];
        if (!alike && !says(b, m, a[i])) {
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
