/* Items grouped by numbers, and by two groupings at once. */
#include "src/measure/grouping.h"
#include "tests/support/check.h"

static const uint64_t colour[] = {70, UINT64_MAX, 70, 5, UINT64_MAX, 70};
static const uint64_t shape[] = {2, 1, 1, 2, 1, 2};
enum { ITEMS = sizeof colour / sizeof colour[0] };

static nd_grouping make(const uint64_t *numbers, size_t count) {
    nd_grouping g;
    CU_ASSERT_EQUAL_FATAL(nd_grouping_make(numbers, count, &g), ND_OK);
    return g;
}

static void test_one(void) {
    static const uint64_t group[] = {1, 2, 1, 0, 2, 1};
    nd_grouping g = make(colour, ITEMS);
    CU_ASSERT_EQUAL_FATAL(g.group_count, 3);
    CU_ASSERT_EQUAL(g.item_count, ITEMS);
    for (size_t i = 0; i < ITEMS; i++) {
        CU_ASSERT_EQUAL(g.group[i], group[i]);
        CU_ASSERT_EQUAL(g.key[g.group[i]], colour[i]);
    }
    CU_ASSERT_EQUAL(g.size[0], 1);
    CU_ASSERT_EQUAL(g.size[1], 3);
    CU_ASSERT_EQUAL(g.size[2], 2);
    CU_ASSERT_EQUAL(g.first[0], 3);
    CU_ASSERT_EQUAL(g.first[1], 0);
    CU_ASSERT_EQUAL(g.first[2], 1);
    CU_ASSERT_EQUAL(nd_grouping_find(&g, 70), 1);
    CU_ASSERT_EQUAL(nd_grouping_find(&g, 71), ND_EMPTY_GROUP);
    CU_ASSERT_EQUAL(nd_grouping_size(&g, ND_EMPTY_GROUP), 0);
    nd_grouping_free(&g);
}

/* 70: items 0 and 5 of shape 2, item 2 of shape 1; 5: item 3 of 2; the largest: 1 and 4 of 1. */
static void test_both(void) {
    nd_grouping a = make(colour, ITEMS);
    nd_grouping b = make(shape, ITEMS);
    nd_grouping both;
    CU_ASSERT_EQUAL_FATAL(nd_grouping_refine(&a, &b, &both), ND_OK);
    CU_ASSERT_EQUAL_FATAL(both.group_count, 4);
    CU_ASSERT_EQUAL(both.group[0], both.group[5]);
    CU_ASSERT_EQUAL(both.size[both.group[0]], 2);
    CU_ASSERT_EQUAL(both.size[both.group[2]], 1);
    CU_ASSERT_EQUAL(both.first[both.group[4]], 1);
    CU_ASSERT_EQUAL(nd_grouping_find_both(&both, &b, a.group[0], b.group[0]), both.group[0]);
    CU_ASSERT_EQUAL(nd_grouping_find_both(&both, &b, a.group[3], b.group[1]), ND_EMPTY_GROUP);
    CU_ASSERT_EQUAL(nd_grouping_find_both(&both, &b, ND_EMPTY_GROUP, 0), ND_EMPTY_GROUP);
    CU_ASSERT_EQUAL(nd_grouping_find_both(&both, &b, 0, ND_EMPTY_GROUP), ND_EMPTY_GROUP);
    nd_grouping_free(&a);
    nd_grouping_free(&b);
    nd_grouping_free(&both);
}

static void test_nothing(void) {
    nd_grouping none = make(NULL, 0);
    nd_grouping both;
    CU_ASSERT_EQUAL(none.group_count, 0);
    CU_ASSERT_EQUAL(nd_grouping_find(&none, 0), ND_EMPTY_GROUP);
    CU_ASSERT_EQUAL_FATAL(nd_grouping_refine(&none, &none, &both), ND_OK);
    CU_ASSERT_EQUAL(both.group_count, 0);
    nd_grouping_free(&none);
    nd_grouping_free(&both);
}

static const nd_test tests[] = {{"one", test_one}, {"both", test_both}, {"nothing", test_nothing}};
ND_TEST_MAIN("grouping", tests)
