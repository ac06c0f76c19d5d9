/* Orienting a spanning tree: worked examples, and what is not a tree. */
#include "src/sets/forest.h"
#include "tests/support/check.h"

#include <string.h>

static void test_one_page(void) {
    const uint64_t pages[] = {7};
    nd_parent parents[1];
    CU_ASSERT_EQUAL(nd_tree_orient(pages, 1, NULL, 7, parents), ND_OK);
    CU_ASSERT_EQUAL(parents[0].page, 7);
    CU_ASSERT_EQUAL(parents[0].similarity, 1);
}

/* 10 - 20 - 30 - 40, seen from 30, and a branch 20 - 50. */
static void test_small_tree(void) {
    const uint64_t pages[] = {10, 20, 30, 40, 50};
    const nd_link links[] = {{30, 40, 0.9}, {10, 20, 0.8}, {20, 50, 0.6}, {20, 30, 0.7}};
    nd_parent parents[5];
    CU_ASSERT_EQUAL(nd_tree_orient(pages, 5, links, 30, parents), ND_OK);
    CU_ASSERT(parents[0].page == 20 && parents[0].similarity == 0.8);
    CU_ASSERT(parents[1].page == 30 && parents[1].similarity == 0.7);
    CU_ASSERT(parents[2].page == 30 && parents[2].similarity == 1);
    CU_ASSERT(parents[3].page == 30 && parents[3].similarity == 0.9);
    CU_ASSERT(parents[4].page == 20 && parents[4].similarity == 0.6);
}

static void refuse(size_t count, const nd_link *links, uint64_t root) {
    const uint64_t pages[] = {0, 1, 2, 3, 4};
    nd_parent parents[5];
    CU_ASSERT_EQUAL(nd_tree_orient(pages, count, links, root, parents), ND_ERR_INTERNAL);
}

static void test_not_a_tree(void) {
    const nd_link triangle_and_page[] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}};
    const nd_link two_parts[] = {{0, 1, 1}, {2, 3, 1}, {2, 3, 0.5}};
    const nd_link link_twice[] = {{0, 1, 1}, {0, 1, 1}};
    const nd_link self_link[] = {{0, 0, 1}, {0, 1, 1}};
    const nd_link self_link_inside[] = {{0, 1, 1}, {1, 1, 1}};
    const nd_link square_and_page[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}};
    for (uint64_t root = 0; root < 4; root++) {
        refuse(4, triangle_and_page, root);
        refuse(4, two_parts, root);
        refuse(5, square_and_page, root);
    }
    for (uint64_t root = 0; root < 3; root++) {
        refuse(3, link_twice, root);
        refuse(3, self_link, root);
        refuse(3, self_link_inside, root);
    }
}

static const nd_test tests[] = {
    {"one page", test_one_page},
    {"a small tree", test_small_tree},
    {"not a tree", test_not_a_tree},
};

ND_SUITE(t_tree, tests)
