/* Sizes from samples of made-up collections: intervals of 95 % hold the true shares about as often,
 * with shares that are exact the sizes are too, and no name and no fixed collection matters where
 * it should not. */
#include "src/measure/collections.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>

enum { COLLECTIONS = 5, THINGS = 3000, DRAWN = 300, RESAMPLES = 200, ROUNDS = 60 };

/* Some things are popular. Every collection has a part of them, each by a probability of its own.
 * \param[out] masks  of each thing the collections that have it; 0: none */
static void make_things(nd_random *random, uint64_t *masks, uint64_t *sizes, uint64_t *all) {
    for (size_t x = 0; x < COLLECTIONS; x++) {
        sizes[x] = 0;
    }
    *all = 0;
    for (size_t i = 0; i < THINGS; i++) {
        const uint64_t popular = 1 + nd_random_below(random, 2);
        masks[i] = 0;
        for (size_t x = 0; x < COLLECTIONS; x++) {
            const bool has = nd_random_below(random, 100) < popular * (10 + 8 * x);
            masks[i] |= (uint64_t)has << x;
            sizes[x] += has;
        }
        *all += masks[i] != 0;
    }
}

/* \param[in] names  collection x is called names[x] */
static void draw(nd_overlap_sample *s, const uint64_t *masks, size_t wanted, uint64_t seed,
                 const size_t *names) {
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_open(s, COLLECTIONS, wanted), ND_OK);
    for (size_t i = 0; i < THINGS; i++) {
        uint64_t named = 0;
        for (size_t x = 0; x < COLLECTIONS; x++) {
            named |= (masks[i] >> x & 1) << names[x];
        }
        for (size_t x = 0; x < COLLECTIONS; x++) {
            const uint64_t page = COLLECTIONS * i + x;
            if (masks[i] >> x & 1) {
                CU_ASSERT_EQUAL_FATAL(
                    nd_overlap_sample_offer(s, names[x], nd_mix64(seed + page), page, &named),
                    ND_OK);
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_finish(s), ND_OK);
}

static const size_t as_they_are[COLLECTIONS] = {0, 1, 2, 3, 4};

static void test_intervals(void) {
    nd_random random = nd_test_random("relative sizes");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    int held[ND_SIZE_FORMS] = {0};
    make_things(&random, masks, sizes, &all);
    for (int round = 0; round < ROUNDS; round++) {
        nd_overlap_sample s;
        nd_size_estimates e;
        draw(&s, masks, DRAWN, nd_random_next(&random), as_they_are);
        CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, 0, RESAMPLES, nd_random_next(&random)),
                              ND_OK);
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            for (size_t x = 0; x < COLLECTIONS; x++) {
                const nd_estimate *share = &e.by[form][x].share;
                const double truth = (double)sizes[x] / (double)all;
                held[form] += share->lower <= truth && truth <= share->upper;
                CU_ASSERT(fabs(share->mean / truth - 1) < .5);
            }
        }
        nd_size_estimates_free(&e);
        nd_overlap_sample_free(&s);
    }
    for (int form = 0; form < ND_SIZE_FORMS; form++) {
        printf("%d of %d intervals hold the share\n", held[form], ROUNDS * COLLECTIONS);
        CU_ASSERT(held[form] > ROUNDS * COLLECTIONS * .85);
    }
}

/* Whole collections as samples: nothing is estimated, and everything is exact. */
static void test_exact(void) {
    nd_random random = nd_test_random("relative sizes, whole");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    nd_overlap_sample s;
    nd_size_estimates e;
    make_things(&random, masks, sizes, &all);
    draw(&s, masks, THINGS, 1, as_they_are);
    CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, 2, 1, 1), ND_OK);
    for (size_t x = 0; x < COLLECTIONS; x++) {
        for (int form = 0; form < ND_SIZE_FORMS; form++) {
            CU_ASSERT_DOUBLE_EQUAL(e.by[form][x].share.mean, (double)sizes[x] / (double)all, 1e-9);
            CU_ASSERT_DOUBLE_EQUAL(e.by[form][x].size.mean, (double)sizes[x] / (double)sizes[2],
                                   1e-9);
        }
    }
    nd_size_estimates_free(&e);
    nd_overlap_sample_free(&s);
}

/* The collections in another order, and another one fixed. */
static void test_names(void) {
    static const size_t turned[COLLECTIONS] = {3, 0, 4, 1, 2};
    nd_random random = nd_test_random("relative sizes, names");
    uint64_t masks[THINGS];
    uint64_t sizes[COLLECTIONS];
    uint64_t all = 0;
    nd_overlap_sample s;
    nd_overlap_sample other;
    nd_size_estimates e;
    nd_size_estimates o;
    make_things(&random, masks, sizes, &all);
    draw(&s, masks, DRAWN, 7, as_they_are);
    draw(&other, masks, DRAWN, 7, turned);
    for (size_t fixed = 0; fixed < COLLECTIONS; fixed++) {
        CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&e, &s, 0, 1, 1), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_size_estimates_make(&o, &other, fixed, 1, 1), ND_OK);
        for (size_t x = 0; x < COLLECTIONS; x++) {
            CU_ASSERT_DOUBLE_EQUAL(e.by[ND_SIZE_LOGS][x].share.mean,
                                   o.by[ND_SIZE_LOGS][turned[x]].share.mean, 1e-9);
            if (fixed == turned[0]) {
                CU_ASSERT_DOUBLE_EQUAL(e.by[ND_SIZE_SQUARES][x].share.mean,
                                       o.by[ND_SIZE_SQUARES][turned[x]].share.mean, 1e-9);
            }
        }
        nd_size_estimates_free(&e);
        nd_size_estimates_free(&o);
    }
    nd_overlap_sample_free(&s);
    nd_overlap_sample_free(&other);
}

static const nd_test tests[] = {
    {"intervals", test_intervals}, {"whole collections", test_exact}, {"other names", test_names}};
ND_SUITE(p_relative_size, tests)
