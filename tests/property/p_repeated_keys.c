/* Dropping keys that occur once, against counting: no key that repeats is lost, the order stays,
 * and of hashes that do not repeat few are left. */
#include "src/base/util.h"
#include "src/sets/candidates.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <string.h>

enum { LISTS = 400, LONGEST = 600, KINDS = 4, MANY = 100000 };

/* A key of a list of `count` of this kind. */
static uint64_t key_of(nd_random *random, int kind, size_t count) {
    switch (kind) {
    case 0:
        return nd_random_next(random);
    case 1: /* many twice */
        return nd_mix64(nd_random_below(random, 1 + count));
    case 2: /* the high bits alike */
        return nd_random_below(random, 2 * count);
    default: /* the ends */
        return nd_random_below(random, 2) * UINT64_MAX;
    }
}

static size_t times(const nd_key_value *records, size_t count, uint64_t key) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += records[i].key == key;
    }
    return found;
}

/* Is every record of `all` with a repeated key among those kept, which are some of `all`, in order?
 */
static bool is_right(const nd_key_value *all, size_t count, const nd_key_value *kept,
                     uint64_t kept_count) {
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (next < kept_count && memcmp(&kept[next], &all[i], sizeof *all) == 0) {
            next++;
        } else if (times(all, count, all[i].key) > 1) {
            return false;
        }
    }
    return next == kept_count;
}

static void test_against_counting(void) {
    static nd_key_value all[LONGEST], kept[LONGEST];
    nd_random random = nd_test_random("repeated keys");
    size_t wrong = 0;
    for (int i = 0; i < LISTS; i++) {
        const size_t count = nd_random_below(&random, i % 4 == 0 ? LONGEST : 40);
        for (size_t j = 0; j < count; j++) {
            all[j] = (nd_key_value){key_of(&random, i % KINDS, count), j};
        }
        uint64_t left = count;
        memcpy(kept, all, sizeof all);
        CU_ASSERT_EQUAL_FATAL(nd_repeated_keys(kept, &left), ND_OK);
        wrong += !is_right(all, count, kept, left);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_most_are_dropped(void) {
    static nd_key_value records[MANY];
    nd_random random = nd_test_random("single keys");
    uint64_t count = MANY;
    for (size_t i = 0; i < MANY; i++) {
        records[i] = (nd_key_value){nd_random_next(&random), i};
    }
    CU_ASSERT_EQUAL(nd_repeated_keys(records, &count), ND_OK);
    CU_ASSERT(count < MANY / 5);
}

static const nd_test tests[] = {
    {"against counting", test_against_counting},
    {"most are dropped", test_most_are_dropped},
};
ND_SUITE(p_repeated_keys, tests)
