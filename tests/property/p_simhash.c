/* Simhash tables: any two prints within distance k meet, in every design of every k; keys are equal
 * just where the fixed bits are. */
#include "src/sketch/simhash.h"
#include "tests/support/check.h"

#include <stdio.h>

enum { PAIRS = 200 };

/* A copy that differs in `distance` bits; at times all in neighbouring places. */
static uint64_t near(nd_random *random, uint64_t print, uint32_t distance) {
    const uint64_t span = nd_random_below(random, 2) != 0 ? 64 : distance + 8;
    const uint64_t begin = nd_random_below(random, 64);
    uint64_t turned = 0;
    while ((uint32_t)__builtin_popcountll(turned) < distance) {
        turned |= UINT64_C(1) << (begin + nd_random_below(random, span)) % 64;
    }
    return print ^ turned;
}

typedef struct faults {
    size_t not_met;
    size_t wrong_keys;
} faults;

static void check_pair(const nd_simhash_tables *tables, uint64_t a, uint64_t b, faults *found) {
    static uint64_t of_a[ND_SIMHASH_MAX_TABLES], of_b[ND_SIMHASH_MAX_TABLES];
    size_t met = 0;
    nd_simhash_keys(tables, a, of_a);
    nd_simhash_keys(tables, b, of_b);
    for (uint32_t t = 0; t < tables->count; t++) {
        met += of_a[t] == of_b[t];
        found->wrong_keys += (of_a[t] == of_b[t]) != (((a ^ b) & tables->mask[t]) == 0);
    }
    found->not_met += met == 0 && nd_simhash_distance(a, b) <= tables->distance;
}

static void check_design(nd_random *random, const nd_simhash_tables *tables) {
    faults found = {0};
    for (int i = 0; i < nd_test_rounds(PAIRS); i++) {
        const uint64_t print = nd_random_next(random);
        for (uint32_t distance = 0; distance <= tables->distance; distance++) {
            check_pair(tables, print, near(random, print, distance), &found);
        }
        check_pair(tables, print, near(random, print, tables->distance + 4), &found);
    }
    if (found.not_met + found.wrong_keys > 0) {
        printf("distance %u, %u blocks: %zu not met, %zu keys\n", tables->distance, tables->blocks,
               found.not_met, found.wrong_keys);
    }
    CU_ASSERT_EQUAL(found.not_met + found.wrong_keys, 0);
}

static void test_every_design(void) {
    static nd_simhash_tables tables;
    nd_random random = nd_test_random("simhash");
    for (uint32_t distance = 1; distance <= ND_SIMHASH_MAX_DISTANCE; distance++) {
        const uint32_t most = nd_simhash_blocks_for(distance, UINT64_MAX, 0);
        for (uint32_t blocks = distance + 1; blocks <= most; blocks++) {
            CU_ASSERT_EQUAL_FATAL(nd_simhash_design(distance, blocks, &tables), ND_OK);
            check_design(&random, &tables);
        }
    }
}

/* Three bits, every choice of them: nothing is left to chance. */
static void test_all_of_distance_three(void) {
    static nd_simhash_tables tables;
    faults found = {0};
    CU_ASSERT_EQUAL_FATAL(nd_simhash_design(3, ND_SIMHASH_BLOCKS, &tables), ND_OK);
    for (int i = 0; i < 64; i++) {
        for (int j = i; j < 64; j++) {
            for (int k = j; k < 64; k++) {
                const uint64_t turned = UINT64_C(1) << i | UINT64_C(1) << j | UINT64_C(1) << k;
                check_pair(&tables, 0, turned, &found);
            }
        }
    }
    CU_ASSERT_EQUAL(found.not_met + found.wrong_keys, 0);
}

static const nd_test tests[] = {
    {"every design of every distance", test_every_design},
    {"all prints at distance three", test_all_of_distance_three},
};
ND_SUITE(p_simhash, tests)
