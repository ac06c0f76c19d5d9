/* Small forests by hand: which links are kept, and in what order. */
#include "src/sets/forest.h"
#include "tests/support/check.h"

static void check(const uint64_t *pages, size_t page_count, nd_link *links, size_t count,
                  const nd_link *expected, size_t expected_count) {
    size_t kept = 99;
    CU_ASSERT_EQUAL(nd_forest(pages, page_count, links, count, &kept), ND_OK);
    CU_ASSERT_EQUAL(kept, expected_count);
    for (size_t i = 0; i < expected_count && kept == expected_count; i++) {
        CU_ASSERT(links[i].a == expected[i].a && links[i].b == expected[i].b &&
                  links[i].similarity == expected[i].similarity);
    }
}

static void test_nothing(void) {
    const uint64_t pages[] = {7};
    nd_link itself[] = {{7, 7, 1}};
    check(NULL, 0, NULL, 0, NULL, 0);
    check(pages, 1, NULL, 0, NULL, 0);
    check(pages, 1, itself, 1, NULL, 0);
}

/* Of a triangle the weakest link goes; page numbers need not be places. */
static void test_triangle(void) {
    const uint64_t pages[] = {3, 10, UINT64_MAX};
    nd_link links[] = {{3, 10, .5}, {10, UINT64_MAX, .75}, {3, UINT64_MAX, .25}};
    const nd_link expected[] = {{10, UINT64_MAX, .75}, {3, 10, .5}};
    check(pages, 3, links, 3, expected, 2);
}

/* Of equal links those with the smaller pages stay. */
static void test_ties(void) {
    const uint64_t pages[] = {0, 1, 2, 3};
    nd_link links[] = {{2, 3, .5}, {1, 3, .5}, {1, 2, .5}, {0, 3, .5}, {0, 2, .5}, {0, 1, .5}};
    const nd_link expected[] = {{0, 1, .5}, {0, 2, .5}, {0, 3, .5}};
    check(pages, 4, links, 6, expected, 3);
}

/* Two trees, a page alone, and the better of two links between the same pages. */
static void test_forest(void) {
    const uint64_t pages[] = {1, 2, 5, 6, 9};
    nd_link links[] = {{1, 6, .5}, {2, 5, .625}, {1, 6, .875}, {2, 5, .625}};
    const nd_link expected[] = {{1, 6, .875}, {2, 5, .625}};
    check(pages, 5, links, 4, expected, 2);
}

static const nd_test tests[] = {
    {"nothing", test_nothing},
    {"a triangle", test_triangle},
    {"ties", test_ties},
    {"a forest", test_forest},
};

ND_SUITE(t_forest, tests)
