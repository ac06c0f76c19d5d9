/* Hashes of shingles against the hash as it is defined: Horner's rule, token by token. */
#include "src/base/util.h"
#include "src/compare/jaccard.h"
#include "tests/support/check.h"
#include <stdbool.h>
#include <stdlib.h>

enum { SEQUENCES = 5000, MOST = 70, WIDTH = 5 };

static uint64_t hash_slowly(const uint32_t *shingle) {
    uint64_t hash = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        hash = hash * UINT64_C(6364136223846793005) + shingle[i];
    }
    return hash * UINT64_C(0x9e3779b97f4a7c15);
}

/* Of exact sizes, so that a sanitizer sees a read or a write past the ends. */
static bool is_right(nd_random *random) {
    const size_t count = nd_random_below(random, MOST + 1);
    uint32_t *tokens = malloc((count + WIDTH - 1) * sizeof *tokens);
    uint64_t *hashes = malloc((count > 0 ? count : 1) * sizeof *hashes);
    bool right = true;
    if (tokens == NULL || hashes == NULL) {
        exit(1);
    }
    for (size_t i = 0; i < count + WIDTH - 1; i++) {
        tokens[i] = (uint32_t)nd_random_next(random);
    }
    nd_shingle_hashes(tokens, count, hashes);
    for (size_t i = 0; i < count; i++) {
        right = right && hashes[i] == hash_slowly(tokens + i);
    }
    free(tokens);
    free(hashes);
    return right;
}

static void test_against_definition(void) {
    nd_random random = nd_test_random("hashes of shingles");
    size_t wrong = 0;
    for (int k = 0; k < SEQUENCES; k++) {
        wrong += !is_right(&random);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static const nd_test tests[] = {{"against the definition", test_against_definition}};
ND_SUITE(p_shingle_hash, tests)
