/* Supershingles and megashingles of a sketch that is written down by hand. */
#include "src/sketch/minhash.h"
#include "tests/support/check.h"

enum { MEGASHINGLES = 15 }; /* pairs of six */

/* Groups of 14 that do not overlap (US 2008/0044016): what differs in the first j groups leaves
 * 6 - j supershingles, and as many pairs of these as megashingles. */
static void test_agreeing_groups(void) {
    uint64_t minima[ND_SUPERSHINGLE_SKETCH];
    uint64_t before[ND_SUPERSHINGLES], after[ND_SUPERSHINGLES];
    uint64_t pairs_before[MEGASHINGLES], pairs_after[MEGASHINGLES];
    for (size_t i = 0; i < ND_SUPERSHINGLE_SKETCH; i++) {
        minima[i] = i * i + 7;
    }
    nd_supershingles(minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, before);
    nd_megashingles(before, ND_SUPERSHINGLES, pairs_before);
    for (size_t j = 0; j <= ND_SUPERSHINGLES; j++) {
        const size_t left = ND_SUPERSHINGLES - j;
        nd_supershingles(minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, after);
        nd_megashingles(after, ND_SUPERSHINGLES, pairs_after);
        CU_ASSERT_EQUAL(nd_supershingles_equal(before, after, ND_SUPERSHINGLES), left);
        CU_ASSERT_EQUAL(nd_minhash_equal(pairs_before, pairs_after, MEGASHINGLES),
                        left * (left - (left > 0)) / 2);
        if (left > 0) {
            minima[j * ND_SUPERSHINGLE_MINIMA + 2 * j]++;
        }
    }
}

/* The same supershingles in other places agree nowhere. */
static void test_places_count(void) {
    const uint64_t one[] = {1, 2, 3, 4, 5, 6}, other[] = {2, 3, 4, 5, 6, 1};
    const uint64_t same[] = {9, 9, 9, 9, 9, 9};
    uint64_t pairs[MEGASHINGLES];
    CU_ASSERT_EQUAL(nd_supershingles_equal(one, other, ND_SUPERSHINGLES), 0);
    nd_megashingles(same, ND_SUPERSHINGLES, pairs);
    for (size_t i = 1; i < MEGASHINGLES; i++) {
        CU_ASSERT_NOT_EQUAL(pairs[i], pairs[i - 1]);
    }
}

static const nd_test tests[] = {
    {"agreeing groups", test_agreeing_groups},
    {"places count", test_places_count},
};
ND_SUITE(t_supershingle, tests)
