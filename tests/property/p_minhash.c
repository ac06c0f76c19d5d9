/* Min-wise sketches: every variant against products computed by adding and doubling, on random
 * permutations and values and on the largest and smallest there are; and the share of equal minima
 * against the resemblance of random sets. */
#include "src/base/util.h"
#include "src/sketch/minhash_internal.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SETS = 60, MOST_PERMUTATIONS = 23, MOST_VALUES = 3 * ND_MINHASH_CHUNK };

/* Numbers near the places where a reduction can go wrong, among others. */
static uint64_t random_number(nd_random *random) {
    static const uint64_t borders[] = {0,
                                       UINT32_MAX,
                                       UINT64_C(1) << 31,
                                       ND_MINHASH_MODULUS,
                                       2 * ND_MINHASH_MODULUS,
                                       UINT64_C(1) << 62,
                                       UINT64_MAX};
    if (nd_random_below(random, 2) == 0) {
        return nd_random_next(random);
    }
    return borders[nd_random_below(random, 7)] + nd_random_below(random, 5) - 2;
}

static void random_permutations(nd_random *random, nd_minhash *minhash) {
    for (size_t i = 0; i < minhash->count; i++) {
        minhash->multipliers[i] = 1 + random_number(random) % (ND_MINHASH_MODULUS - 1);
        minhash->offsets[i] = random_number(random) % ND_MINHASH_MODULUS;
    }
}

/* Which value gives the minimum is not said: sets of one value are compared as well. */
static size_t count_wrong(const nd_minhash *minhash, const uint64_t *values, size_t count) {
    size_t wrong = 0;
    for (size_t v = 0; v < nd_minhash_variant_count; v++) {
        const nd_minhash_variant *variant = nd_minhash_variants[v];
        uint64_t minima[MOST_PERMUTATIONS];
        if (!nd_cpu_has(variant->needs) ||
            !nd_minhash_sketch_by(variant, minhash, values, count, minima)) {
            continue;
        }
        for (size_t i = 0; i < minhash->count; i++) {
            const uint64_t expected = nd_slow_minimum(minhash->multipliers[i], minhash->offsets[i],
                                                      ND_MINHASH_MODULUS, values, count);
            if (minima[i] != expected) {
                printf("%s: permutation %zu of %zu, %zu values: %llu, not %llu\n", variant->name, i,
                       minhash->count, count, (unsigned long long)minima[i],
                       (unsigned long long)expected);
                wrong++;
            }
        }
    }
    return wrong;
}

static void test_against_slow(void) {
    static uint64_t values[MOST_VALUES];
    nd_random random = nd_test_random("minhash");
    size_t wrong = 0;
    for (int i = 0; i < SETS && wrong == 0; i++) {
        nd_minhash minhash;
        const size_t permutations = 1 + nd_random_below(&random, MOST_PERMUTATIONS);
        nd_minhash_new(&minhash, permutations, 0);
        random_permutations(&random, &minhash);
        const size_t most = i % 4 == 0 ? MOST_VALUES : 20;
        const size_t count = 1 + nd_random_below(&random, most);
        for (size_t j = 0; j < count; j++) {
            values[j] = random_number(&random);
        }
        wrong += count_wrong(&minhash, values, count);
        for (size_t j = 0; j < count && j < 20; j++) {
            wrong += count_wrong(&minhash, values + j, 1);
        }
        nd_minhash_free(&minhash);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Large values that give small ones: the whole product of either is taken away many times, which a
 * variant that estimates values must not lose. */
static void test_small_minima(void) {
    nd_minhash minhash;
    size_t wrong = 0;
    nd_minhash_new(&minhash, 1, 0);
    minhash.multipliers[0] = ND_MINHASH_MODULUS - 1;
    for (uint64_t offset = 0; offset < 3; offset++) {
        minhash.offsets[0] = offset;
        for (int digit = 0; digit < 40; digit++) {
            const uint64_t values[] = {ND_MINHASH_MODULUS - (UINT64_C(1) << 40),
                                       ND_MINHASH_MODULUS - (UINT64_C(1) << digit)};
            wrong += count_wrong(&minhash, values, 2);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    nd_minhash_free(&minhash);
}

/* The first permutations of a larger count are those of a smaller one. */
static void test_prefix(void) {
    nd_random random = nd_test_random("minhash prefix");
    const uint64_t seed = nd_random_next(&random), value = nd_random_next(&random);
    uint64_t few[7], many[60];
    nd_minhash small, large;
    nd_minhash_new(&small, 7, seed);
    nd_minhash_new(&large, 60, seed);
    CU_ASSERT(nd_minhash_sketch(&small, &value, 1, few));
    CU_ASSERT(nd_minhash_sketch(&large, &value, 1, many));
    CU_ASSERT_EQUAL(nd_minhash_equal(few, many, 7), 7);
    nd_minhash_free(&small);
    nd_minhash_free(&large);
}

enum { UNION = 200, TRIALS = 40, PERMUTATIONS = 500 };

/* Mean share of equal minima over sets of which `shared` of UNION values are common. */
static double mean_share(nd_random *random, size_t shared) {
    size_t equal = 0;
    for (int t = 0; t < nd_test_rounds(TRIALS); t++) {
        uint64_t values[UNION], one[PERMUTATIONS], other[PERMUTATIONS];
        nd_minhash minhash;
        nd_minhash_new(&minhash, PERMUTATIONS, nd_random_next(random));
        for (size_t i = 0; i < UNION; i++) {
            values[i] = nd_random_next(random);
        }
        const size_t only_one = (UNION - shared) / 2;
        CU_ASSERT(nd_minhash_sketch(&minhash, values, only_one + shared, one));
        CU_ASSERT(nd_minhash_sketch(&minhash, values + only_one, UNION - only_one, other));
        equal += nd_minhash_equal(one, other, PERMUTATIONS);
        nd_minhash_free(&minhash);
    }
    return (double)equal / nd_test_rounds(TRIALS) / (double)PERMUTATIONS;
}

/* Within six standard errors: one run in 10^8 or so fails by chance. */
static void test_share_is_resemblance(void) {
    nd_random random = nd_test_random("minhash share");
    for (size_t shared = 20; shared < UNION; shared += 40) {
        const double exact = (double)shared / (double)UNION;
        const double found = mean_share(&random, shared);
        const double error =
            sqrt(exact * (1 - exact) / nd_test_rounds(TRIALS) / (double)PERMUTATIONS);
        printf("resemblance %.2f: %.4f +- %.4f\n", exact, found, error);
        CU_ASSERT(fabs(found - exact) < 6 * error);
    }
}

static const nd_test tests[] = {
    {"against slow products", test_against_slow},
    {"small minima of large values", test_small_minima},
    {"the first permutations stay", test_prefix},
    {"equal minima and resemblance", test_share_is_resemblance},
};
ND_SUITE(p_minhash, tests)
