/* Of what is offered the pages of least order are kept, in whatever order they come. */
#include "src/measure/collections.h"
#include "tests/support/check.h"

#include <stdbool.h>

enum { OFFERED = 1000, WANTED = 7, COLLECTIONS = 70 /* two words of bits */ };

static uint64_t order_of(uint64_t page) {
    return nd_mix64(page / 2 + 1); /* two pages have each order */
}

static void fill(nd_overlap_sample *s, bool backwards) {
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_open(s, COLLECTIONS, WANTED), ND_OK);
    for (uint64_t i = 0; i < OFFERED; i++) {
        const uint64_t page = backwards ? OFFERED - 1 - i : i;
        const uint64_t in[2] = {page, 1};
        CU_ASSERT_EQUAL_FATAL(
            nd_overlap_sample_offer(s, page % 3 == 0 ? 69 : 0, order_of(page), page, in), ND_OK);
    }
    CU_ASSERT_EQUAL_FATAL(nd_overlap_sample_finish(s), ND_OK);
}

static void test_order(void) {
    nd_overlap_sample a;
    nd_overlap_sample b;
    fill(&a, false);
    fill(&b, true);
    for (size_t x = 0; x < COLLECTIONS; x++) {
        const size_t count = x == 0 || x == 69 ? WANTED : 0;
        CU_ASSERT_EQUAL_FATAL(a.of[x].count, count);
        CU_ASSERT_EQUAL_FATAL(b.of[x].count, count);
        for (size_t i = 0; i < count; i++) {
            const uint64_t *record = nd_overlap_drawn_at(&a, x, i);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_PAGE], nd_overlap_drawn_at(&b, x, i)[ND_SAMPLE_PAGE]);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_BITS], record[ND_SAMPLE_PAGE]);
            CU_ASSERT_EQUAL(record[ND_SAMPLE_BITS + 1], 1);
        }
        uint64_t least = 0; /* pages that come before the last one kept */
        for (uint64_t page = 0; page < OFFERED && count > 0; page++) {
            const uint64_t *last = nd_overlap_drawn_at(&a, x, count - 1);
            const uint64_t order = order_of(page);
            least += (page % 3 == 0) == (x == 69) &&
                     (order < last[ND_SAMPLE_ORDER] ||
                      (order == last[ND_SAMPLE_ORDER] && page <= last[ND_SAMPLE_PAGE]));
        }
        CU_ASSERT_EQUAL(least, count);
    }
    nd_overlap_sample_free(&a);
    nd_overlap_sample_free(&b);
}

static const nd_test tests[] = {{"the least, in any order", test_order}};
ND_SUITE(t_overlap_sample, tests)
