/* Numbers come back as they were packed, small ones in half a byte; bytes that are cut short or too
 * many are refused. */
#include "src/sketch/histogram.h"
#include "tests/support/check.h"

#include <string.h>

enum { MOST = 600 };

/* Bytes of `count` numbers below `below` (0: any), which come back. */
static size_t back(nd_random *random, size_t count, uint64_t below) {
    static uint16_t numbers[MOST];
    static uint16_t found[MOST + 1];
    static uint8_t bytes[MOST * 4 + 1];
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint16_t)nd_random_below(random, below == 0 ? UINT16_MAX + 1 : below);
    }
    const size_t most = nd_small_numbers_most(count);
    CU_ASSERT_FATAL(most < sizeof bytes);
    memset(bytes, 0xa5, sizeof bytes);
    memset(found, 0xa5, sizeof found);
    const size_t size = nd_small_numbers_pack(numbers, count, bytes);
    CU_ASSERT(size <= most && bytes[size] == 0xa5);
    CU_ASSERT_TRUE(nd_small_numbers_unpack(bytes, size, found, count));
    CU_ASSERT(memcmp(found, numbers, count * sizeof *found) == 0 && found[count] == 0xa5a5);
    CU_ASSERT_FALSE(nd_small_numbers_unpack(bytes, size + 1, found, count));
    CU_ASSERT(size == 0 || !nd_small_numbers_unpack(bytes, size - 1, found, count));
    return size;
}

static void test_back(void) {
    nd_random random = nd_test_random("back");
    static const size_t counts[] = {0, 1, 2, 3, 17, 268, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        CU_ASSERT_EQUAL(back(&random, counts[c], 15), (counts[c] + 1) / 2);
        (void)back(&random, counts[c], 0);
        (void)back(&random, counts[c], 300);
    }
}

/* Where the ways to write a number meet. */
static void test_edges(void) {
    static const uint16_t edges[] = {0, 14, 15, 16, 269, 270, 271, UINT16_MAX};
    static const size_t sizes[] = {1, 1, 2, 2, 2, 4, 4, 4};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        uint8_t bytes[4];
        uint16_t found = 1;
        CU_ASSERT_EQUAL(nd_small_numbers_pack(&edges[i], 1, bytes), sizes[i]);
        CU_ASSERT_TRUE(nd_small_numbers_unpack(bytes, sizes[i], &found, 1));
        CU_ASSERT_EQUAL(found, edges[i]);
    }
}

static const nd_test tests[] = {{"back", test_back}, {"edges", test_edges}};
ND_SUITE(t_small_numbers, tests)
