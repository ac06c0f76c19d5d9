/* Fingerprints against the slow reference; order and repetition of the digests do not matter. */
#include "src/sketch/fingerprint.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAGES = 3000, MAX_DIGESTS = 120 };

static uint64_t keys[ND_FINGERPRINT_MAX_BUCKETS];
static uint64_t expected[ND_FINGERPRINT_MAX_BUCKETS];

/* Digests that share high or low halves are as frequent as fully random ones. */
static void random_digest(nd_random *random, nd_md5 *digest) {
    uint64_t kind = nd_random_below(random, 4);
    uint64_t half[2] = {nd_random_next(random), nd_random_next(random)};
    if (kind == 1 || kind == 3) {
        half[0] = nd_random_below(random, 3);
    }
    if (kind >= 2) {
        half[1] = nd_random_below(random, 30);
    }
    for (size_t i = 0; i < sizeof digest->bytes; i++) {
        digest->bytes[i] = (uint8_t)(half[i / 8] >> (56 - 8 * (i % 8)));
    }
}

static void shuffle(nd_random *random, nd_md5 *digests, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t other = nd_random_below(random, i);
        nd_md5 kept = digests[i - 1];
        digests[i - 1] = digests[other];
        digests[other] = kept;
    }
}

static bool same_keys(const nd_md5 *digests, size_t count, const nd_fingerprint_options *options,
                      size_t expected_count) {
    size_t found = nd_fingerprint_keys(digests, count, options, keys);
    return found == expected_count && memcmp(keys, expected, found * sizeof keys[0]) == 0;
}

static bool page_holds(nd_random *random) {
    static nd_md5 digests[2 * MAX_DIGESTS];
    nd_fingerprint_options options = {
        1 + (uint32_t)nd_random_below(random, ND_FINGERPRINT_MAX_BUCKETS),
        1 + (uint32_t)nd_random_below(random, ND_FINGERPRINT_MAX_SMALLEST)};
    size_t count = nd_random_below(random, MAX_DIGESTS + 1);
    for (size_t i = 0; i < count; i++) {
        random_digest(random, &digests[i]);
    }
    size_t wanted = nd_slow_fingerprint_keys(digests, count, &options, expected);
    bool holds = same_keys(digests, count, &options, wanted);
    shuffle(random, digests, count);
    holds = holds && same_keys(digests, count, &options, wanted);
    memcpy(digests + count, digests, count * sizeof *digests);
    shuffle(random, digests, 2 * count);
    holds = holds && same_keys(digests, 2 * count, &options, wanted);
    if (!holds) {
        printf("%zu digests, %u buckets, %u smallest\n", count, options.buckets, options.smallest);
    }
    return holds;
}

static void test_keys_equal_the_reference(void) {
    nd_random random = nd_test_random("fingerprint");
    size_t wrong = 0;
    for (int i = 0; i < PAGES; i++) {
        wrong += !page_holds(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const nd_test tests[] = {
    {"keys equal the reference", test_keys_equal_the_reference},
};
ND_SUITE(p_fingerprint, tests)
