/* What is packed comes back; what repeats becomes smaller; a block that is cut short, longer or
 * another one is refused, and nothing is written outside the room. */
#include "io/store/packing.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 70000 };

static const nd_packing both[] = {ND_PACKING_TOKENS, ND_PACKING_COUNTS};

/* `count` numbers of 32 bits, of `distinct` different ones. */
static uint32_t *numbers_of(nd_random *random, size_t count, uint64_t distinct) {
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = (uint32_t)nd_mix64(nd_random_below(random, distinct));
    }
    return numbers;
}

static void test_back(void) {
    nd_random random = nd_test_random("back");
    static const size_t counts[] = {1, 2, 255, 4096, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint64_t distinct = 1; distinct <= MOST; distinct *= 41) {
            const size_t size = counts[c] * sizeof(uint32_t);
            uint32_t *numbers = numbers_of(&random, counts[c], distinct);
            uint32_t *back = malloc(size);
            for (size_t p = 0; p < 2; p++) {
                nd_buffer packed = {0};
                CU_ASSERT_EQUAL(nd_pack(both[p], numbers, size, &packed), ND_OK);
                CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){packed.data, packed.size}, back, size),
                                ND_OK);
                CU_ASSERT_EQUAL(memcmp(back, numbers, size), 0);
                nd_buffer_free(&packed);
            }
            free(numbers);
            free(back);
        }
    }
}

/* 2,000 words that occur alike take 11 bits each, and 4 bytes once. */
static void test_size(void) {
    nd_random random = nd_test_random("size");
    nd_buffer packed = {0};
    uint32_t *numbers = numbers_of(&random, MOST, 2000);
    CU_ASSERT_EQUAL(nd_pack(ND_PACKING_TOKENS, numbers, MOST * sizeof *numbers, &packed), ND_OK);
    CU_ASSERT(packed.size < MOST * 7 / 4);
    free(numbers);
    nd_buffer_free(&packed);
}

static void test_damage(void) {
    enum { COUNT = 3000, SIZE = COUNT * sizeof(uint32_t) };
    nd_random random = nd_test_random("damage");
    uint32_t *numbers = numbers_of(&random, COUNT, 500);
    static uint8_t back[SIZE + 1];
    for (size_t p = 0; p < 2; p++) {
        nd_buffer packed = {0};
        CU_ASSERT_EQUAL(nd_pack(both[p], numbers, SIZE, &packed), ND_OK);
        nd_buffer_append(&packed, "", 1);
        const nd_span whole = {packed.data, packed.size - 1};
        back[SIZE] = 77;
        for (size_t size = 0; size < whole.size; size += 1 + whole.size / 50) {
            CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){whole.data, size}, back, SIZE),
                            ND_ERR_FORMAT);
        }
        CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){whole.data, packed.size}, back, SIZE),
                        ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(nd_unpack(both[p], whole, back, SIZE - 4), ND_ERR_FORMAT);
        for (int i = 0; i < 300; i++) { /* any byte; it may unpack to something else */
            uint8_t *byte = &packed.data[nd_random_below(&random, whole.size)];
            const uint8_t was = *byte;
            *byte = (uint8_t)(was ^ (1 + nd_random_below(&random, 255)));
            const nd_status st = nd_unpack(both[p], whole, back, SIZE);
            CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
            *byte = was;
        }
        CU_ASSERT_EQUAL(back[SIZE], 77);
        nd_buffer_free(&packed);
    }
    free(numbers);
}

static const nd_test tests[] = {
    {"what is packed comes back", test_back},
    {"what repeats becomes smaller", test_size},
    {"damage is refused", test_damage},
};

ND_SUITE(t_packing, tests)
