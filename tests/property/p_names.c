/* The count of names against a slow one, on random pages with few and with many different tokens,
 * and worked examples. */
#include "src/compare/names.h"
#include "tests/support/check.h"
#include "tests/support/slow_names.h"

enum { MOST = 300 };

static void test_random(void) {
    nd_names_work work = {0};
    nd_random random = nd_test_random("names");
    for (int round = 0; round < 3000; round++) {
        uint32_t a[MOST];
        uint32_t b[MOST];
        const uint64_t different = 1 + nd_random_below(&random, 400);
        const size_t n = (size_t)nd_random_below(&random, MOST);
        const size_t m = (size_t)nd_random_below(&random, MOST);
        const uint32_t scale = nd_random_below(&random, 2) == 0 ? 1 : 0x10001u; /* collisions */
        for (size_t i = 0; i < n; i++) {
            a[i] = (uint32_t)(1 + nd_random_below(&random, different)) * scale;
        }
        for (size_t i = 0; i < m; i++) {
            b[i] = (uint32_t)(1 + nd_random_below(&random, different) + different / 3) * scale;
        }
        uint64_t times = 0;
        CU_ASSERT_EQUAL(nd_names_apart(a, n, b, m, 0, &work, &times), ND_OK);
        const uint64_t least = nd_slow_names(a, n, b, m);
        CU_ASSERT_EQUAL(times, least);
        const double enough = (double)nd_random_below(&random, 6);
        CU_ASSERT_EQUAL(nd_names_apart(a, n, b, m, enough, &work, &times), ND_OK);
        CU_ASSERT(((double)times > enough) == ((double)least > enough));
        CU_ASSERT(times >= least && (times == least || (double)times <= enough));
    }
    nd_names_work_free(&work);
}

static void test_examples(void) {
    static const uint32_t a[] = {1, 2, 7, 3, 7, 4, 7};
    static const uint32_t b[] = {1, 2, 8, 3, 8, 4, 5};
    nd_names_work work = {0};
    uint64_t times = 9;
    CU_ASSERT_EQUAL(nd_names_apart(a, 7, b, 7, 0, &work, &times), ND_OK);
    CU_ASSERT_EQUAL(times, 2); /* 7 three times, 8 twice */
    CU_ASSERT_EQUAL(nd_names_apart(a, 7, a, 7, 0, &work, &times), ND_OK);
    CU_ASSERT_EQUAL(times, 0);
    CU_ASSERT_EQUAL(nd_names_apart(a, 7, b, 0, 0, &work, &times), ND_OK);
    CU_ASSERT_EQUAL(times, 0); /* nothing is named by a page without words */
    static const uint32_t zeros[] = {0, 0, 0, 5};
    static const uint32_t ones[] = {1, 9, 9, 5};
    CU_ASSERT_EQUAL(nd_names_apart(zeros, 4, ones, 4, 0, &work, &times), ND_OK);
    CU_ASSERT_EQUAL(times, 0); /* 0 counts as 1 */
    CU_ASSERT_EQUAL(nd_names_most(0.5, 0, 0.5), 0);
    CU_ASSERT_EQUAL(nd_names_most(0.5, 100, 0.5), 5);
    CU_ASSERT_EQUAL(nd_names_most(0.5, 100, 0.6), 5);
    CU_ASSERT(nd_names_most(0.5, 100, 1) > nd_names_most(0.5, 100, 0.7));
    nd_names_work_free(&work);
}

static const nd_test tests[] = {
    {"random pages", test_random},
    {"examples", test_examples},
};

ND_TEST_MAIN("names", tests)
