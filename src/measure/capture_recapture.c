#include "src/measure/capture_recapture.h"

#include <math.h>

nd_capture nd_capture_recapture(uint64_t a, uint64_t b, uint64_t both) {
    nd_capture c = {.known = both > 0};
    if (!c.known) {
        return c;
    }
    const double x = (double)a;
    const double y = (double)b;
    const double m = (double)both;
    const double seen = x + y - m;
    c.lincoln_petersen = x * y / m;
    c.chapman = (x + 1) * (y + 1) / (m + 1) - 1;
    const double unseen = c.chapman - seen;
    const double variance = (x + 1) * (y + 1) * (x - m) * (y - m) / ((m + 1) * (m + 1) * (m + 2));
    c.lower = c.upper = c.chapman;
    if (unseen > 0) { /* else one collection holds the other: all has been seen */
        const double factor = exp(1.96 * sqrt(log1p(variance / (unseen * unseen))));
        c.lower = seen + unseen / factor;
        c.upper = seen + unseen * factor;
    }
    return c;
}
