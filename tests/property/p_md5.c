/* Every MD5 variant that this machine has against the plain one, on random messages. */
#include "src/hash/md5_internal.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 150, MAX_MESSAGES = 600, POOL = 1 << 16, MAX_LONG = 5000 };

static uint8_t pool[POOL];

/* Mostly the length of a sentence; sometimes long, sometimes right at a block's end. */
static nd_span random_message(nd_random *random) {
    size_t size = nd_random_below(random, 130);
    switch (nd_random_below(random, 16)) {
    case 0:
        size = nd_random_below(random, MAX_LONG);
        break;
    case 1:
        size = 64 * nd_random_below(random, 20) + 50 + nd_random_below(random, 20);
        break;
    default:
        break;
    }
    return (nd_span){pool + nd_random_below(random, POOL - MAX_LONG), size};
}

static size_t wrong_digests(const nd_md5_variant *variant, const nd_span *messages, size_t count) {
    static nd_md5 digests[MAX_MESSAGES];
    size_t wrong = 0;
    memset(digests, 0, sizeof digests);
    nd_md5_batch_by(variant, messages, count, digests);
    for (size_t i = 0; i < count; i++) {
        nd_md5 expected;
        nd_slow_md5(messages[i], &expected);
        if (memcmp(&expected, &digests[i], sizeof expected) != 0) {
            printf("%s: message %zu of %zu, %zu bytes\n", variant->name, i, count,
                   messages[i].size);
            wrong++;
        }
    }
    return wrong;
}

static void test_variants_equal_the_plain_one(void) {
    nd_random random = nd_test_random("md5");
    for (size_t i = 0; i < POOL; i++) {
        pool[i] = (uint8_t)nd_random_next(&random);
    }
    for (size_t v = 0; v < nd_md5_variant_count; v++) {
        const nd_md5_variant *variant = nd_md5_variants[v];
        size_t wrong = 0;
        if (!nd_cpu_has(variant->needs)) {
            printf("%s: not on this machine\n", variant->name);
            continue;
        }
        for (int round = 0; round < nd_test_rounds(ROUNDS) && wrong == 0; round++) {
            nd_span messages[MAX_MESSAGES];
            size_t count = nd_random_below(&random, round % 2 == 0 ? 40 : MAX_MESSAGES);
            for (size_t i = 0; i < count; i++) {
                messages[i] = random_message(&random);
            }
            wrong += wrong_digests(variant, messages, count);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static const nd_test tests[] = {
    {"variants equal the plain one", test_variants_equal_the_plain_one},
};
ND_SUITE(p_md5, tests)
