/* Every way of finding common prefixes and suffixes against a loop. */
#include "src/base/random.h"
#include "src/lcs/equal_run.h"
#include "tests/support/check.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 20000, LONGEST = 100 };

/* Of exact sizes, so that a sanitizer sees a read past the ends. */
static bool is_right(const nd_equal_run_variant *variant, nd_random *random) {
    const size_t size = nd_random_below(random, LONGEST + 1);
    const size_t room = size > 0 ? size : 1;
    uint32_t *a = malloc(room * sizeof *a), *b = malloc(room * sizeof *b);
    size_t prefix = 0, suffix = 0;
    if (a == NULL || b == NULL) {
        exit(1);
    }
    for (size_t i = 0; i < size; i++) {
        a[i] = b[i] = (uint32_t)nd_random_next(random);
    }
    for (uint64_t i = nd_random_below(random, 4); size > 0 && i > 0; i--) {
        b[nd_random_below(random, size)] ^= UINT32_C(1) << nd_random_below(random, 32);
    }
    while (prefix < size && a[prefix] == b[prefix]) {
        prefix++;
    }
    while (suffix < size && a[size - 1 - suffix] == b[size - 1 - suffix]) {
        suffix++;
    }
    const bool right = variant->prefix(a, b, size) == prefix &&
                       variant->suffix(a + size, b + size, size) == suffix;
    free(a);
    free(b);
    return right;
}

static void test_against_loop(void) {
    nd_random random = nd_test_random("equal runs");
    for (size_t i = 0; i < nd_equal_run_variant_count; i++) {
        size_t wrong = 0;
        for (int pair = 0;
             pair < nd_test_rounds(PAIRS) && nd_cpu_has(nd_equal_run_variants[i].needs); pair++) {
            wrong += !is_right(&nd_equal_run_variants[i], &random);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static const nd_test tests[] = {{"against a loop", test_against_loop}};
ND_SUITE(p_equal_run, tests)
