#include "src/plan/curve.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- groups of rows */

double nd_curve_at(const nd_curve *curve, double similarity) {
    const uint32_t n = curve->groups;
    const uint32_t needed = curve->needed;
    double p = 1; /* that a group agrees: similarity^rows */
    double power = similarity;
    for (uint32_t rows = curve->rows; rows != 0; rows >>= 1) {
        p *= (rows & 1) != 0 ? power : 1;
        power *= power;
    }
    if (needed == 1 && p < 1) { /* the same, without a sum */
        return -expm1(n * log1p(-p));
    }
    if (needed == 0 || needed > n || p <= 0 || p >= 1) {
        return needed == 0 || (needed <= n && p >= 1);
    }
    /* Terms as shares of the largest, from there outwards: a small probability keeps its digits,
     * and a million terms lose none, as they would in logarithms. */
    const double odds = p / (1 - p);
    const double middle = floor(((double)n + 1) * p);
    const uint32_t largest = middle < n ? (uint32_t)middle : n;
    double all = 0, tail = 0;
    double term = 1;
    for (uint32_t k = largest; term > 0; k++) {
        all += term;
        tail += k >= needed ? term : 0;
        term *= (double)(n - k) / ((double)k + 1) * odds; /* 0 after the last */
    }
    term = 1;
    for (uint32_t k = largest; k > 0 && term > 0; k--) {
        term *= k / ((double)(n - k + 1) * odds);
        all += term;
        tail += k > needed ? term : 0;
    }
    return tail / all;
}

double nd_curve_point(const nd_curve *curve, double probability) {
    static const double CLOSE_ENOUGH = 1e-12;
    double low = 0, high = 1;
    while (high - low > CLOSE_ENOUGH) {
        const double middle = (low + high) / 2;
        if (nd_curve_at(curve, middle) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* ---- the choice of bands and rows */

/* Steps of Simpson's rule on either side of the threshold: far more than the curve's bend needs
 * where the best settings lie. */
enum { STEPS = 512, POINTS = 2 * (STEPS + 1) };

/* The cost is meet_below * threshold + SUM weight (1 - s^r)^b: below the threshold missing is what
 * one wants, so weights are negative there. */
typedef struct grid {
    double similarity[POINTS];
    double weight[POINTS];
} grid;

static void fill_side(double from, double to, double weight, double *similarity, double *weights) {
    const double step = (to - from) / (double)STEPS;
    for (int i = 0; i <= STEPS; i++) {
        const double share = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2;
        similarity[i] = from + i * step;
        weights[i] = weight * share * step / 3;
    }
}

nd_curve nd_curve_choose(double threshold, uint32_t budget, nd_curve_weights weights) {
    grid g;
    double row_agrees[POINTS]; /* s^r */
    nd_curve best = nd_curve_of_bands(1, 1);
    double least = INFINITY;
    fill_side(0, threshold, -weights.meet_below, g.similarity, g.weight);
    fill_side(threshold, 1, weights.miss_above, g.similarity + STEPS + 1, g.weight + STEPS + 1);
    for (int i = 0; i < POINTS; i++) {
        row_agrees[i] = 1;
    }
    for (uint32_t rows = 1; rows <= budget; rows++) {
        double band_misses[POINTS], miss[POINTS];
        for (int i = 0; i < POINTS; i++) {
            row_agrees[i] *= g.similarity[i];
            band_misses[i] = 1 - row_agrees[i];
            miss[i] = 1;
        }
        for (uint32_t bands = 1; bands <= budget / rows; bands++) {
            double cost = 0;
            for (int i = 0; i < POINTS; i++) { /* the probability that one more band misses too */
                miss[i] *= band_misses[i];
                cost += g.weight[i] * miss[i];
            }
            if (cost < least) {
                least = cost;
                best = nd_curve_of_bands(bands, rows);
            }
        }
    }
    return best;
}

/* ---- pieces of bit strings */

/* n over k. Counts, and sums of them, stay below 2^1000, and so in a double. */
static double choose(uint32_t n, uint32_t k) {
    double ways = 1;
    for (uint32_t i = 0; i < k; i++) {
        ways = ways * (n - i) / (i + 1);
    }
    return ways;
}

/* Another piece of so many bits, of which at least one differs; ways[d] are the ways in which d
 * bits differ in all pieces so far. */
static void add_hit_piece(double *ways, uint32_t distance, uint32_t bits) {
    for (uint32_t d = distance + 1; d-- > 0;) {
        double sum = 0;
        double own = 1; /* bits over j */
        for (uint32_t j = 1; j <= bits && j <= d; j++) {
            own = own * (bits - j + 1) / j;
            sum += own * ways[d - j];
        }
        ways[d] = sum;
    }
}

/* Which pieces are hit, and then how: of the `longer` pieces that have a bit more, and of the
 * others, any that leave enough of them clean. */
double nd_pieces_at(const nd_pieces *pieces, uint32_t distance) {
    const uint32_t bits = pieces->bits / pieces->pieces, longer = pieces->bits % pieces->pieces;
    const uint32_t others = pieces->pieces - longer;
    double of_longer[ND_PIECES_MAX_BITS + 1] = {1}, of_all[ND_PIECES_MAX_BITS + 1];
    double ways = 0;
    if (distance > pieces->bits) {
        return 0;
    }
    for (uint32_t i = 0; i <= longer; i++) {
        memcpy(of_all, of_longer, sizeof of_all);
        for (uint32_t j = 0; j <= others; j++) {
            if (i + j + pieces->needed <= pieces->pieces) {
                ways += choose(longer, i) * choose(others, j) * of_all[distance];
            }
            add_hit_piece(of_all, distance, bits);
        }
        add_hit_piece(of_longer, distance, bits + 1);
    }
    return ways / choose(pieces->bits, distance);
}
