/* Union-find against painting: every item carries the number of its set. */
#include "src/sets/forest.h"
#include "tests/support/check.h"

#include <stdlib.h>

enum { MOST_ITEMS = 200 };

/* Paint the set of b with the smaller of the two colours: a colour is its set's smallest item. */
static bool paint(uint64_t *colour, size_t count, uint64_t a, uint64_t b) {
    const uint64_t x = colour[a];
    const uint64_t y = colour[b];
    const uint64_t from = x > y ? x : y;
    const uint64_t to = x > y ? y : x;
    for (size_t i = 0; i < count; i++) {
        colour[i] = colour[i] == from ? to : colour[i];
    }
    return x != y;
}

static void test_against_painting(void) {
    nd_random random = nd_test_random("union-find");
    for (int trial = 0; trial < 100; trial++) {
        uint64_t parent[MOST_ITEMS];
        uint64_t colour[MOST_ITEMS];
        const size_t count = 1 + (size_t)nd_random_below(&random, MOST_ITEMS);
        const uint64_t joins = nd_random_below(&random, 2 * count);
        nd_union_find_init(parent, count);
        for (size_t i = 0; i < count; i++) {
            colour[i] = i;
        }
        for (uint64_t k = 0; k < joins; k++) {
            const uint64_t a = nd_random_below(&random, count);
            const uint64_t b = nd_random_below(&random, count);
            CU_ASSERT_EQUAL(nd_union_find_join(parent, a, b), paint(colour, count, a, b));
        }
        for (size_t i = 0; i < count; i++) {
            CU_ASSERT_EQUAL(nd_union_find_root(parent, i), colour[i]);
        }
    }
}

/* A long chain, joined from either end, comes out whole (and is no recursion). */
static void test_long_chain(void) {
    enum { ITEMS = 1000000 };
    uint64_t *parent = malloc(ITEMS * sizeof *parent);
    CU_ASSERT_PTR_NOT_NULL_FATAL(parent);
    nd_union_find_init(parent, ITEMS);
    for (uint64_t i = ITEMS - 1; i > 0; i--) {
        (void)nd_union_find_join(parent, i, i - 1);
    }
    CU_ASSERT_EQUAL(nd_union_find_root(parent, ITEMS - 1), 0);
    CU_ASSERT_EQUAL(nd_union_find_root(parent, ITEMS / 2), 0);
    CU_ASSERT_FALSE(nd_union_find_join(parent, 0, ITEMS - 1));
    free(parent);
}

static const nd_test tests[] = {
    {"against painting", test_against_painting},
    {"a long chain", test_long_chain},
};

ND_SUITE(p_union_find, tests)
