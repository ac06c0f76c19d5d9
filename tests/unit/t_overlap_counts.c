/* What collections share, counted thing by thing. */
#include "src/measure/collections.h"
#include "tests/support/check.h"

static void add(nd_overlap_counts *c, uint64_t times, size_t mask, uint64_t pages) {
    nd_overlap_part parts[8];
    size_t count = 0;
    for (uint32_t x = 0; x < c->collections; x++) {
        if (mask >> x & 1) {
            parts[count++] = (nd_overlap_part){x, pages};
        }
    }
    while (times-- > 0) {
        nd_overlap_counts_add(c, parts, count);
    }
}

static void test_by_hand(void) {
    nd_overlap_counts c;
    nd_overlap_counts_open(&c, 3);
    add(&c, 4, 1, 1);
    add(&c, 2, 3, 5);
    add(&c, 1, 7, 2);
    add(&c, 3, 4, 1);
    CU_ASSERT_EQUAL(c.all, 10);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 0, 0), 7);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 0, 1), 3);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 1, 0), 3);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 2, 1), 1);
    CU_ASSERT_EQUAL(c.pages[0], 16);
    CU_ASSERT_EQUAL(c.pages[2], 5);
    CU_ASSERT_EQUAL(c.pages_in[0 * 3 + 1], 12);
    CU_ASSERT_EQUAL(c.pages_in[0 * 3 + 2], 2);
    CU_ASSERT_EQUAL(c.alone[0], 4);
    CU_ASSERT_EQUAL(c.alone[1], 0);
    CU_ASSERT_EQUAL(c.alone[2], 3);
    CU_ASSERT_EQUAL(c.in_exactly[1], 7);
    CU_ASSERT_EQUAL(c.in_exactly[2], 2);
    CU_ASSERT_EQUAL(c.in_exactly[3], 1);
    CU_ASSERT_EQUAL(c.venn[3], 2);
    CU_ASSERT_DOUBLE_EQUAL(nd_overlap_share(&c, 1, 0), 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(nd_overlap_share(&c, 0, 1), 3. / 7, 1e-12);
    nd_overlap_counts_free(&c);
}

/* More collections than are counted in every combination; one without anything. */
static void test_many(void) {
    nd_overlap_counts c;
    nd_overlap_counts_open(&c, 8);
    add(&c, 6, 0x7f, 3);
    CU_ASSERT_EQUAL(c.in_exactly[7], 6);
    CU_ASSERT_EQUAL(nd_overlap_both(&c, 5, 6), 6);
    CU_ASSERT_EQUAL(nd_overlap_share(&c, 7, 0), 0);
    nd_overlap_counts_free(&c);
}

static const nd_test tests[] = {{"by hand", test_by_hand}, {"many", test_many}};
ND_SUITE(t_overlap_counts, tests)
