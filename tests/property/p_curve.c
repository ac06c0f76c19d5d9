/* Curves against slow ways to the same numbers, and against what the keys that they are models of
 * really do on random pages. */
#include "src/plan/curve.h"
#include "src/sketch/fingerprint.h"
#include "src/sketch/minhash.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static double random_share(nd_random *random) {
    return (double)(nd_random_next(random) >> 11) * 0x1p-53;
}

/* ---- slow ways */

enum { CURVES = 400, MOST_GROUPS = 300, MOST_ROWS = 30 };

/* Below about this doubles themselves have fewer digits. */
static const double FEW_DIGITS = 1e-300;

/* Group by group: how likely it is that so many have agreed so far. */
static double slow_at(const nd_curve *curve, double similarity) {
    double agreed[MOST_GROUPS + 1] = {1};
    double tail = 0;
    const double p = pow(similarity, curve->rows);
    for (uint32_t g = 0; g < curve->groups; g++) {
        for (uint32_t k = g + 1; k > 0; k--) {
            agreed[k] = agreed[k] * (1 - p) + agreed[k - 1] * p;
        }
        agreed[0] *= 1 - p;
    }
    for (uint32_t k = curve->needed; k <= curve->groups; k++) {
        tail += agreed[k];
    }
    return tail;
}

static void test_against_groups_one_by_one(void) {
    nd_random random = nd_test_random("curves");
    size_t wrong = 0;
    for (int i = 0; i < CURVES; i++) {
        nd_curve c = {.groups = 1 + (uint32_t)nd_random_below(&random, MOST_GROUPS),
                      .rows = 1 + (uint32_t)nd_random_below(&random, MOST_ROWS)};
        c.needed = i % 2 == 0 ? 1 : (uint32_t)nd_random_below(&random, c.groups + 1);
        const double similarity = pow(random_share(&random), 1.0 / c.rows);
        const double expected = slow_at(&c, similarity), found = nd_curve_at(&c, similarity);
        if (fabs(found - expected) > 1e-9 * expected + FEW_DIGITS) {
            printf("%u x %u, %u needed, at %.17g: %g, not %g\n", c.groups, c.rows, c.needed,
                   similarity, found, expected);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_point_is_inverse(void) {
    nd_random random = nd_test_random("points");
    for (int i = 0; i < CURVES; i++) {
        const nd_curve c = nd_curve_of_bands(1 + (uint32_t)nd_random_below(&random, MOST_GROUPS),
                                             1 + (uint32_t)nd_random_below(&random, MOST_ROWS));
        const double probability = 0.001 + 0.998 * random_share(&random);
        const double point = nd_curve_point(&c, probability);
        CU_ASSERT(fabs(nd_curve_at(&c, point) - probability) < 1e-8);
    }
}

enum { MOST_BITS = 14 };

/* All strings of so many bits that have `distance` ones. */
static double slow_pieces(const nd_pieces *p, uint32_t distance) {
    uint32_t meet = 0, all = 0;
    for (uint32_t mask = 0; mask < UINT32_C(1) << p->bits; mask++) {
        uint32_t clean = 0, first = 0;
        for (uint32_t i = 0; i < p->pieces; i++) {
            const uint32_t size = p->bits / p->pieces + (i < p->bits % p->pieces);
            clean += (mask >> first & ((UINT32_C(1) << size) - 1)) == 0;
            first += size;
        }
        const bool counts = (uint32_t)__builtin_popcount(mask) == distance;
        all += counts;
        meet += counts && clean >= p->needed;
    }
    return (double)meet / all;
}

static void test_pieces_against_all_strings(void) {
    nd_random random = nd_test_random("pieces");
    for (int i = 0; i < CURVES / 4; i++) {
        nd_pieces p = {.bits = 1 + (uint32_t)nd_random_below(&random, MOST_BITS)};
        p.pieces = 1 + (uint32_t)nd_random_below(&random, p.bits);
        p.needed = (uint32_t)nd_random_below(&random, p.pieces + 1);
        const uint32_t distance = (uint32_t)nd_random_below(&random, p.bits + 1);
        CU_ASSERT(fabs(nd_pieces_at(&p, distance) - slow_pieces(&p, distance)) < 1e-9);
    }
}

/* ---- the choice */

enum { CHOICES = 8, MOST_BUDGET = 60, SLICES = 4000 };

/* The cost of a setting, by the middle of thin slices. */
static double slow_cost(const nd_curve *c, double threshold, nd_curve_weights weights) {
    double cost = 0;
    for (int i = 0; i < SLICES; i++) {
        const double below = threshold * (i + 0.5) / (double)SLICES;
        const double above = threshold + (1 - threshold) * (i + 0.5) / (double)SLICES;
        cost += weights.meet_below * nd_curve_at(c, below) * threshold / (double)SLICES;
        cost += weights.miss_above * (1 - nd_curve_at(c, above)) * (1 - threshold) / (double)SLICES;
    }
    return cost;
}

static void test_choice_is_cheapest(void) {
    nd_random random = nd_test_random("choice");
    for (int i = 0; i < CHOICES; i++) {
        const double threshold = 0.05 + 0.9 * random_share(&random), share = random_share(&random);
        const nd_curve_weights weights = {share, 1 - share};
        const uint32_t budget = 1 + (uint32_t)nd_random_below(&random, MOST_BUDGET);
        const nd_curve chosen = nd_curve_choose(threshold, budget, weights);
        const double cost = slow_cost(&chosen, threshold, weights);
        CU_ASSERT(chosen.groups * chosen.rows <= budget);
        for (uint32_t rows = 1; rows <= budget; rows++) {
            for (uint32_t bands = 1; bands <= budget / rows; bands++) {
                const nd_curve other = nd_curve_of_bands(bands, rows);
                CU_ASSERT(cost <= slow_cost(&other, threshold, weights) + 1e-5);
            }
        }
    }
}

/* ---- what keys do */

enum { TRIALS = 4000, UNION = 200, SKETCH = 100, BANDS = 20, ROWS = 5 };

/* Six standard errors of TRIALS trials, three meetings more where hardly any is expected, and what
 * the model may be off. */
static bool near_model(const char *name, nd_curve curve, double similarity, size_t met,
                       double off) {
    const double expected = nd_curve_at(&curve, similarity),
                 found = (double)met / nd_test_rounds(TRIALS);
    printf("%s at %.2f: %.3f, model %.3f\n", name, similarity, found, expected);
    const double error = sqrt(expected * (1 - expected) / nd_test_rounds(TRIALS));
    return fabs(found - expected) < off + 6 * error + 3.0 / nd_test_rounds(TRIALS);
}

/* Two sets of random numbers: all but `only` of the first, all but `only` of the last. */
static double similarity_of(size_t only) {
    return (double)(UNION - 2 * only) / (double)UNION;
}

static bool any_equal(const uint64_t *a, const uint64_t *b, size_t count) {
    return nd_minhash_equal(a, b, count) > 0;
}

static void meet_by_sketch(nd_random *random, size_t only, size_t *by_bands, size_t *by_groups) {
    uint64_t values[UNION], a[SKETCH], b[SKETCH], of_a[BANDS], of_b[BANDS];
    nd_minhash minhash;
    nd_minhash_new(&minhash, SKETCH, nd_random_next(random));
    for (size_t i = 0; i < UNION; i++) {
        values[i] = nd_random_next(random);
    }
    CU_ASSERT(nd_minhash_sketch(&minhash, values, UNION - only, a));
    CU_ASSERT(nd_minhash_sketch(&minhash, values + only, UNION - only, b));
    nd_band_keys(a, BANDS, ROWS, of_a);
    nd_band_keys(b, BANDS, ROWS, of_b);
    *by_bands += any_equal(of_a, of_b, BANDS);
    nd_supershingles(a, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, of_a);
    nd_supershingles(b, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, of_b);
    *by_groups += nd_supershingles_equal(of_a, of_b, ND_SUPERSHINGLES) >= ND_SUPERSHINGLES_NEEDED;
    nd_minhash_free(&minhash);
}

static void test_sketches_meet_as_told(void) {
    nd_random random = nd_test_random("sketches");
    for (size_t only = 5; only <= 80; only += 15) {
        const double similarity = similarity_of(only);
        size_t by_bands = 0, by_groups = 0;
        for (int i = 0; i < nd_test_rounds(TRIALS); i++) {
            meet_by_sketch(&random, only, &by_bands, &by_groups);
        }
        CU_ASSERT(near_model("bands", nd_curve_of_bands(BANDS, ROWS), similarity, by_bands, 0));
        CU_ASSERT(near_model("supershingles", (nd_curve){6, 14, 2}, similarity, by_groups, 0));
    }
}

static size_t meet_by_buckets(nd_random *random, size_t only, nd_fingerprint_options options) {
    nd_md5 digests[UNION];
    uint64_t a[ND_FINGERPRINT_MAX_BUCKETS], b[ND_FINGERPRINT_MAX_BUCKETS];
    for (size_t i = 0; i < UNION; i++) {
        for (size_t j = 0; j < sizeof digests[i].bytes; j++) {
            digests[i].bytes[j] = (uint8_t)nd_random_next(random);
        }
    }
    const size_t n = nd_fingerprint_keys(digests, UNION - only, &options, a);
    const size_t m = nd_fingerprint_keys(digests + only, UNION - only, &options, b);
    return n == options.buckets && m == n && any_equal(a, b, n);
}

static void test_buckets_meet_as_told(void) {
    static const nd_fingerprint_options both[] = {{7, 3}, {14, 2}};
    nd_random random = nd_test_random("buckets");
    for (size_t only = 20; only <= 80; only += 20) {
        for (size_t o = 0; o < 2; o++) {
            size_t met = 0;
            for (int i = 0; i < nd_test_rounds(TRIALS); i++) {
                met += meet_by_buckets(&random, only, both[o]);
            }
            const nd_curve curve = {both[o].buckets, both[o].smallest, 1};
            CU_ASSERT(near_model("buckets", curve, similarity_of(only), met, 0.02));
        }
    }
}

static const nd_test tests[] = {
    {"groups one by one", test_against_groups_one_by_one},
    {"points are the inverse", test_point_is_inverse},
    {"pieces against all strings", test_pieces_against_all_strings},
    {"the choice is the cheapest", test_choice_is_cheapest},
    {"sketches meet as said", test_sketches_meet_as_told},
    {"buckets meet as said", test_buckets_meet_as_told},
};
ND_SUITE(p_curve, tests)
