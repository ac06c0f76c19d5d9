/* Repeats of names against a slow count, on random pages with few and with many different tokens,
 * and worked examples. */
#include "src/base/util.h"
#include "src/compare/penalties.h"
#include "tests/support/check.h"
#include "tests/support/slow_names.h"

enum { MOST = 300 };

static uint64_t of_both(const uint32_t *a, size_t n, const uint32_t *b, size_t m) {
    return nd_max(nd_names_repeats(a, n, b, m), nd_names_repeats(b, m, a, n));
}

static void test_random(void) {
    nd_random random = nd_test_random("names");
    uint64_t named = 0;
    for (int round = 0; round < 3000; round++) {
        uint32_t a[MOST];
        uint32_t b[MOST];
        const uint64_t different = 1 + nd_random_below(&random, 400);
        const size_t n = (size_t)nd_random_below(&random, MOST);
        const size_t m = (size_t)nd_random_below(&random, MOST);
        for (size_t i = 0; i < n; i++) {
            a[i] = (uint32_t)nd_random_below(&random, different);
        }
        for (size_t i = 0; i < m; i++) {
            b[i] = (uint32_t)(nd_random_below(&random, different) + different / 3);
        }
        const uint64_t repeats = of_both(a, n, b, m);
        CU_ASSERT_EQUAL(repeats, nd_slow_names_repeats(a, n, b, m));
        CU_ASSERT_EQUAL(repeats, of_both(b, m, a, n));
        CU_ASSERT_EQUAL(of_both(a, n, a, n), 0);
        named += repeats > 0;
    }
    CU_ASSERT(named > 1000 && named < 3000);
}

static void test_examples(void) {
    static const uint32_t a[] = {1, 2, 7, 3, 7, 4, 7};
    static const uint32_t b[] = {1, 2, 8, 3, 8, 4, 5};
    CU_ASSERT_EQUAL(of_both(a, 7, b, 7), 2); /* 7, said again twice; 8 is once */
    CU_ASSERT_EQUAL(of_both(a + 3, 4, b, 7), 1);
    CU_ASSERT_EQUAL(of_both(a, 3, b, 4), 0); /* nothing is said again */
    CU_ASSERT_EQUAL(of_both(a, 7, b, 0), 2); /* the other never says it */
    CU_ASSERT_EQUAL(of_both(a, 0, b, 0), 0);
    static const uint32_t zeros[] = {0, 0, 0, 5};
    static const uint32_t ones[] = {1, 9, 9, 5};
    CU_ASSERT_EQUAL(of_both(zeros, 4, ones, 4), 2); /* 0 is a word as any other */
}

/* A word counts if it stands within the beginning, wherever it is said again; the other page may
 * say it anywhere. */
static void test_beginning(void) {
    uint32_t a[MOST];
    uint32_t b[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        a[i] = b[i] = i + 1;
    }
    a[ND_NAMES_TOKENS - 1] = a[100] = a[MOST - 1] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST, b, MOST), 2);
    b[MOST - 1] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST, b, MOST), 0);
    b[MOST - 1] = 7000;
    a[ND_NAMES_TOKENS - 1] = ND_NAMES_TOKENS;
    a[ND_NAMES_TOKENS] = 5000;
    CU_ASSERT_EQUAL(of_both(a, MOST, b, MOST), 0);
}

/* A word before every tenth of a page's tokens, and `more` words at its end; the other page has in
 * the places of the first `replaced` a word of its own. */
static bool inserted(size_t tokens, size_t replaced, size_t more) {
    uint32_t a[MOST];
    uint32_t b[MOST];
    size_t n = 0, m = 0, common = 0;
    for (uint32_t i = 0; i < tokens; i++) {
        if (i % 10 == 0) {
            a[n++] = 5000;
            if (i / 10 < replaced) {
                b[m++] = 6000;
            }
        }
        a[n++] = b[m++] = i + 1;
        common++;
    }
    for (uint32_t i = 0; i < more; i++) {
        a[n++] = 7000 + i;
    }
    const uint64_t repeats = nd_names_repeats(a, n, b, m);
    CU_ASSERT_EQUAL(repeats, tokens / 10 - 1);
    return nd_names_are_inserted(a, n, b, m, repeats, common);
}

static void test_inserted(void) {
    CU_ASSERT(inserted(200, 0, 0));
    CU_ASSERT(inserted(200, 9, 0));   /* fewer than half of the 19 repeats */
    CU_ASSERT(!inserted(200, 10, 0)); /* another name in their places */
    CU_ASSERT(!inserted(200, 20, 0));
    CU_ASSERT(inserted(200, 0, 20));
    CU_ASSERT(!inserted(200, 0, 21)); /* most of what it has besides is something else */
    CU_ASSERT(inserted(100, 0, 0));
    CU_ASSERT(!inserted(90, 0, 0)); /* too short to tell */
}

static void test_discount(void) {
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 100, 0), 0);
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 100, 1), 0.25);
    CU_ASSERT_EQUAL(nd_names_discount(2.5, 10000, 8), 0.2);
    CU_ASSERT_EQUAL(nd_names_discount(0, 1, 8), 0);
}

static const nd_test tests[] = {
    {"random pages", test_random}, {"examples", test_examples}, {"beginning", test_beginning},
    {"inserted", test_inserted},   {"discount", test_discount},
};

ND_SUITE(p_names, tests)
