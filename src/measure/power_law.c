#include "src/measure/power_law.h"

#include "src/base/order.h"

#include <math.h>

void nd_power_law_add(nd_power_law *law, uint64_t value) {
    if (value == 0) {
        return;
    }
    law->values++;
    law->most = nd_max(law->most, value);
    law->bins[63 - __builtin_clzll(value)]++;
    law->sum_of_logs += log((double)value);
}

double nd_power_law_slope_by_squares(const nd_power_law *law) {
    double points = 0;
    double x_sum = 0;
    double y_sum = 0;
    double xx_sum = 0;
    double xy_sum = 0;
    for (int i = 0; i < ND_POWERS_OF_TWO; i++) {
        if (law->bins[i] > 0) {
            const double width = ldexp(1, i);
            const double x = log(width * (2 * width - 1)) / 2;
            const double y = log((double)law->bins[i] / width);
            points++;
            x_sum += x;
            y_sum += y;
            xx_sum += x * x;
            xy_sum += x * y;
        }
    }
    return points < 2 ? NAN : (points * xy_sum - x_sum * y_sum) / (points * xx_sum - x_sum * x_sum);
}

/* Of one value, in the mean. Riemann's zeta function for exponents s > 1 is a sum, and the rest by
 * Euler and Maclaurin's formula. */
static double log_likelihood(double s, double mean_log) {
    enum { TERMS = 32 };
    const double n = TERMS;
    double zeta = 0;
    for (int k = 1; k < TERMS; k++) {
        zeta += pow(k, -s);
    }
    zeta = zeta + pow(n, 1 - s) / (s - 1) + pow(n, -s) / 2 + s * pow(n, -s - 1) / 12 -
           s * (s + 1) * (s + 2) * pow(n, -s - 3) / 720;
    return -log(zeta) - s * mean_log;
}

/* The likelihood has one maximum: a third of the interval goes in each step. */
double nd_power_law_slope_by_likelihood(const nd_power_law *law) {
    enum { STEPS = 100 };
    double low = 1 + 1e-9;
    double high = 50;
    if (law->most < 2) {
        return NAN;
    }
    const double mean_log = law->sum_of_logs / (double)law->values;
    for (int i = 0; i < STEPS; i++) {
        const double third = (high - low) / 3;
        if (log_likelihood(low + third, mean_log) < log_likelihood(high - third, mean_log)) {
            low += third;
        } else {
            high -= third;
        }
    }
    return -(low + high) / 2;
}
