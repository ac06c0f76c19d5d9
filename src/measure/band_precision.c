#include "src/measure/band_precision.h"

#include <math.h>

/* Of a normal variable, between its negative and this lie 95 %. */
static const double NORMAL_95 = 1.959963984540054;

nd_estimate nd_wilson(uint64_t yes, uint64_t of) {
    const double n = (double)of;
    const double share = (double)yes / n;
    const double square = NORMAL_95 * NORMAL_95;
    const double middle = share + square / (2 * n);
    const double half = NORMAL_95 * sqrt(share * (1 - share) / n + square / (4 * n * n));
    const double scale = 1 + square / n;
    return (nd_estimate){.mean = share,
                         .lower = fmax(0, (middle - half) / scale),
                         .upper = fmin(1, (middle + half) / scale)};
}

bool nd_band_precision(const nd_band_count *bands, size_t count, nd_estimate *all, double *known) {
    double pairs = 0;
    double labelled = 0;
    double below = 0, above = 0;
    nd_estimate sum = {.mean = 0};
    for (size_t i = 0; i < count; i++) {
        pairs += (double)bands[i].pairs;
        labelled += bands[i].same + bands[i].different > 0 ? (double)bands[i].pairs : 0;
    }
    if (labelled == 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const nd_band_count *b = &bands[i];
        if (b->same + b->different > 0) {
            const nd_estimate of = nd_wilson(b->same, b->same + b->different);
            const double weight = (double)b->pairs / labelled;
            sum.mean += weight * of.mean;
            below += pow(weight * (of.mean - of.lower), 2);
            above += pow(weight * (of.upper - of.mean), 2);
        }
    }
    sum.lower = fmax(0, sum.mean - sqrt(below));
    sum.upper = fmin(1, sum.mean + sqrt(above));
    *all = sum;
    *known = labelled / pairs;
    return true;
}
