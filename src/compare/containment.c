#include "src/compare/containment.h"

#include "src/base/order.h"
#include "src/lcs/lcs.h"

#include <stdbool.h>

nd_status nd_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double threshold,
                         nd_lcs_work *work, double *share) {
    nd_status st = ND_OK;
    const size_t stretch = ND_CONTAINMENT_STRETCH * n;
    uint64_t least = 0; /* tokens that reach the threshold; then more than were found */
    uint64_t most = 0;
    bool more = n > 0;
    ND_FIND_FIRST(least, 1, n, (double)least / (double)n >= threshold);
    for (size_t begin = 0; more; begin += n) {
        const size_t count = nd_min(m - begin, stretch);
        uint64_t common = 0;
        ND_TRY(nd_lcs_length(a, n, b + begin, count, least, work, &common));
        most = nd_max(most, common);
        least = nd_max(least, most + 1);
        more = most < n && m - begin > stretch;
    }
    *share = most > 0 ? (double)most / (double)n : 0;
out:
    return st;
}
