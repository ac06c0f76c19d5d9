/* Sets of hashes against the sorting of numbers: hashes spread evenly, hashes that repeat, and
 * numbers that crowd. */
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/sketch/shingle.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

enum { LISTS = 3000, LONGEST = 3000, KINDS = 5 };

/* One number of a list of `count` of this kind. */
static uint64_t number_of(nd_random *random, int kind, size_t count) {
    switch (kind) {
    case 0:
        return nd_random_next(random);
    case 1: /* every number some twice */
        return nd_mix64(nd_random_below(random, 1 + count / 2));
    case 2: /* page numbers */
        return nd_random_below(random, 2 * count);
    case 3: /* the high bits alike, but for a few */
        return nd_random_next(random) >> (nd_random_below(random, 20) == 0 ? 0 : 20);
    default: /* the ends */
        return nd_random_below(random, 2) * UINT64_MAX;
    }
}

static void test_against_sorting(void) {
    static uint64_t numbers[LONGEST], expected[LONGEST];
    nd_random random = nd_test_random("distinct");
    size_t wrong = 0;
    for (int i = 0; i < LISTS && wrong == 0; i++) {
        const size_t count = nd_random_below(&random, i % 4 == 0 ? LONGEST : 40);
        for (size_t j = 0; j < count; j++) {
            numbers[j] = number_of(&random, i % KINDS, count);
        }
        memcpy(expected, numbers, count * sizeof *numbers);
        const size_t kept = nd_hashes_distinct(numbers, count);
        const size_t right = (size_t)nd_numbers_distinct(expected, count);
        wrong += kept != right || memcmp(numbers, expected, right * sizeof *numbers) != 0;
        if (wrong > 0) {
            printf("list %d: %zu of %zu numbers, not %zu\n", i, kept, count, right);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const nd_test tests[] = {
    {"against sorting", test_against_sorting},
};
ND_SUITE(p_distinct, tests)
