/* XXH3 of whole messages against the library's, for messages of all sizes around those at which the
 * specification goes another way, at any address, with any seed. */
#include "src/hash/xxh3_64.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <xxhash.h>

enum { LONGEST = 1 << 17, SHORT = 5000, LONG_ONES = 400 };

static void test_against_library(void) {
    nd_random random = nd_test_random("xxh3_64");
    uint8_t *bytes = malloc(LONGEST);
    size_t wrong = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    for (size_t i = 0; i < LONGEST; i++) {
        bytes[i] = (uint8_t)nd_random_next(&random);
    }
    for (size_t size = 0; size < SHORT + LONG_ONES; size++) {
        const size_t long_one = nd_random_below(&random, LONGEST / 2);
        const size_t begin = nd_random_below(&random, LONGEST / 2);
        const nd_span message = {bytes + begin, size < SHORT ? size : long_one};
        const uint64_t seed = nd_random_below(&random, 2) * nd_random_next(&random);
        wrong +=
            nd_xxh3_64(message, seed) != XXH3_64bits_withSeed(message.data, message.size, seed);
        wrong += nd_xxh3_64(message, 0) != XXH3_64bits(message.data, message.size);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    free(bytes);
}

static const nd_test tests[] = {
    {"against the library", test_against_library},
};
ND_SUITE(p_xxh3_64, tests)
