/* The digest of a sequence is that of its parts joined, wherever it is cut, and tells sequences
 * apart. */
#include "src/hash/rabin.h"
#include "tests/support/check.h"

enum { HASHES = 40 };

static bool equal(nd_joined_digest a, nd_joined_digest b) {
    return a.high == b.high && a.low == b.low;
}

static void test_cuts(void) {
    nd_random random = nd_test_random("cuts");
    uint64_t hashes[HASHES];
    for (int round = 0; round < nd_test_rounds(2000); round++) {
        const uint64_t seed = nd_random_next(&random);
        const size_t count = nd_random_below(&random, HASHES + 1);
        for (size_t i = 0; i < count; i++) { /* also those that the modulus reduces */
            hashes[i] = nd_random_below(&random, 4) == 0 ? UINT64_MAX : nd_random_next(&random);
        }
        nd_joined_digest joined = {0};
        for (size_t begin = 0; begin < count;) {
            const size_t size = 1 + nd_random_below(&random, count - begin);
            joined = nd_joined_digest_join(joined, nd_joined_digest_of(hashes + begin, size, seed),
                                           size, seed);
            begin += size;
        }
        CU_ASSERT_FATAL(equal(joined, nd_joined_digest_of(hashes, count, seed)));
        CU_ASSERT_FATAL(joined.high < (UINT64_C(1) << 61) - 1 &&
                        joined.low < (UINT64_C(1) << 61) - 1);
    }
}

static void test_differences(void) {
    uint64_t hashes[HASHES];
    for (uint64_t i = 0; i < HASHES; i++) {
        hashes[i] = nd_mix64(i + 1);
    }
    const nd_joined_digest whole = nd_joined_digest_of(hashes, HASHES, 5);
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES, 6)));
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES - 1, 5)));
    for (size_t i = 0; i < HASHES; i++) {
        for (int bit = 0; bit < 64; bit++) {
            hashes[i] ^= UINT64_C(1) << bit;
            CU_ASSERT_FATAL(!equal(whole, nd_joined_digest_of(hashes, HASHES, 5)));
            hashes[i] ^= UINT64_C(1) << bit;
        }
    }
    const uint64_t swapped = hashes[3];
    hashes[3] = hashes[4];
    hashes[4] = swapped;
    CU_ASSERT(!equal(whole, nd_joined_digest_of(hashes, HASHES, 5)));
}

static const nd_test tests[] = {
    {"cuts", test_cuts},
    {"differences", test_differences},
};
ND_SUITE(t_joined_digest, tests)
