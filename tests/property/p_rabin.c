/* Rabin fingerprints by tables against the remainder computed coefficient by coefficient, and the
 * choice of irreducible polynomials against known ones and against products. */
#include "src/hash/rabin.h"
#include "tests/support/check.h"
#include "tests/support/slow_sketch.h"

#include <stdio.h>

enum { POLYNOMIALS = 20, PAGES = 50, LONGEST = 120, WIDEST = 20, PRODUCTS = 3000 };

static size_t random_tokens(nd_random *random, uint32_t *tokens) {
    const size_t count = nd_random_below(random, LONGEST + 1);
    const uint64_t alphabet = nd_random_below(random, 2) == 0 ? 3 : UINT64_C(1) << 32;
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)nd_random_below(random, alphabet);
    }
    return count;
}

/* Every window of the page by rolling, and the whole page. */
static size_t count_wrong(const nd_rabin *rabin, const uint32_t *tokens, size_t count) {
    const size_t window = rabin->window;
    size_t wrong =
        nd_rabin_of(rabin, tokens, count) != nd_slow_rabin(rabin->polynomial, tokens, count);
    if (count < window) {
        return wrong;
    }
    uint64_t rolled = nd_rabin_of(rabin, tokens, window);
    for (size_t i = 0; i + window < count; i++) {
        rolled = nd_rabin_roll(rabin, rolled, tokens[i], tokens[i + window]);
        wrong += rolled != nd_slow_rabin(rabin->polynomial, tokens + i + 1, window);
    }
    return wrong;
}

static void test_against_bitwise(void) {
    nd_random random = nd_test_random("rabin");
    static nd_rabin rabin;
    size_t wrong = 0;
    for (int i = 0; i < POLYNOMIALS && wrong == 0; i++) {
        nd_rabin_start(&rabin, nd_random_next(&random), 1 + nd_random_below(&random, WIDEST));
        for (int j = 0; j < PAGES; j++) {
            uint32_t tokens[LONGEST];
            wrong += count_wrong(&rabin, tokens, random_tokens(&random, tokens));
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The product of two polynomials, without the coefficient of x^64. */
static uint64_t product_of(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    for (int i = 0; i < 64; i++) {
        product ^= (b >> i & 1) != 0 ? a << i : 0;
    }
    return product;
}

/* A polynomial of degree `degree` times one of degree 64 - degree. */
static void test_products_are_reducible(void) {
    nd_random random = nd_test_random("rabin products");
    size_t wrong = 0;
    for (int i = 0; i < PRODUCTS; i++) {
        const uint64_t degree = 1 + nd_random_below(&random, 32);
        const uint64_t other = 64 - degree;
        const uint64_t a = UINT64_C(1) << degree | nd_random_next(&random) >> (64 - degree);
        const uint64_t b = UINT64_C(1) << other | nd_random_next(&random) >> (64 - other);
        wrong += nd_rabin_irreducible(product_of(a, b));
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* One polynomial of degree 64 in 64 is irreducible (2^64 / 64 of them, nearly): of those that x
 * does not divide, one in 32. With 3,000 drawn the standard deviation is 9.5. */
static void test_share_of_irreducible(void) {
    nd_random random = nd_test_random("rabin share");
    size_t irreducible = 0;
    for (int i = 0; i < PRODUCTS; i++) {
        irreducible += nd_rabin_irreducible(nd_random_next(&random) | 1);
    }
    printf("%zu of %d irreducible\n", irreducible, PRODUCTS);
    CU_ASSERT(irreducible > PRODUCTS / 32 - 60 && irreducible < PRODUCTS / 32 + 60);
}

static const nd_test tests[] = {
    {"against the bitwise remainder", test_against_bitwise},
    {"products are reducible", test_products_are_reducible},
    {"share of irreducible polynomials", test_share_of_irreducible},
};
ND_SUITE(p_rabin, tests)
