#include "src/compare/resemblance.h"

#include "src/base/order.h"

/* Steps between two looks at the bound: the merge itself has no branch that depends on the values,
 * and a look costs about as much as a few steps. */
enum { STEPS = 32 };

uint64_t nd_set_shared(const uint64_t *a, size_t n, const uint64_t *b, size_t m,
                       uint64_t at_least) {
    uint64_t shared = 0;
    size_t i = 0, j = 0;
    while (i < n && j < m && shared + nd_min(n - i, m - j) >= at_least) {
        const uint64_t steps = nd_min(STEPS, nd_min(n - i, m - j));
        for (uint64_t step = 0; step < steps; step++) { /* each moves i and j by at most one */
            const uint64_t x = a[i], y = b[j];
            shared += x == y;
            i += x <= y;
            j += y <= x;
        }
    }
    return shared >= at_least ? shared : 0;
}

double nd_resemblance_ratio(uint64_t shared, uint64_t n, uint64_t m) {
    return n + m == 0 ? 0 : (double)shared / (double)(n + m - shared);
}

double nd_resemblance(const uint64_t *a, size_t n, const uint64_t *b, size_t m, double threshold) {
    /* The fewest shared values that make the threshold, one more than there can be if none do. From
     * s / (n + m - s) >= t follows s >= t (n + m) / (1 + t), which is where the search begins; the
     * very ratio that is compared with the threshold ends it, so that no rounding of the formula
     * decides. */
    const uint64_t most = nd_min(n, m);
    uint64_t least = (uint64_t)(threshold * (double)(n + m) / (1 + threshold));
    while (least <= most && nd_resemblance_ratio(least, n, m) < threshold) {
        least++;
    }
    if (least > most) {
        return 0;
    }
    return nd_resemblance_ratio(nd_set_shared(a, n, b, m, least), n, m);
}
