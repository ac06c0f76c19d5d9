/* Whether bytes are binary, against a plain count of them one by one: texts with ever more control
 * characters, of sizes about the blocks that are counted at once, and about the most that is
 * looked at. */
#include "io/input/sniff.h"
#include "tests/support/check.h"

#include <string.h>

enum { ROUNDS = 20000, LOOKED_AT = 4096, MOST = LOOKED_AT + 300 };

static bool is_binary(const uint8_t *bytes, size_t size) {
    static const char controls[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0e\x0f\x10\x11\x12\x13"
                                   "\x14\x15\x16\x17\x18\x19\x1a\x1c\x1d\x1e\x1f";
    size_t found = 0;
    size = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == 0) {
            return true;
        }
        found += strchr(controls, bytes[i]) != NULL;
    }
    return found > 1 && found * 50 > size;
}

static void test_against_count(void) {
    static uint8_t bytes[MOST];
    nd_random random = nd_test_random("sniff");
    int binary = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        const size_t size = (size_t)nd_random_below(&random, round % 2 == 0 ? 400 : MOST + 1);
        /* any bytes but 0 and the control characters, then some of the latter */
        for (size_t i = 0; i < size; i++) {
            const uint64_t drawn = nd_random_next(&random);
            bytes[i] = drawn % 16 == 0 ? (uint8_t) "\t\n\f\r\x1b"[drawn / 16 % 5]
                                       : (uint8_t)(0x20 + drawn / 16 % (0x100 - 0x20));
        }
        for (uint64_t odd = nd_random_below(&random, 2 + size / 30); size > 0 && odd > 0; odd--) {
            bytes[nd_random_below(&random, size)] = (uint8_t)(1 + nd_random_below(&random, 0x1f));
        }
        if (size > 0 && nd_random_below(&random, 8) == 0) {
            bytes[nd_random_below(&random, size)] = 0;
        }
        if (size > 0 && bytes[0] >= 0xef) {
            bytes[0] = 'a'; /* no byte order mark, by which UTF-16 is text */
        }
        const bool expected = is_binary(bytes, size);
        binary += expected;
        CU_ASSERT_EQUAL(nd_sniff_binary((nd_span){bytes, size}), expected);
    }
    CU_ASSERT(binary > nd_test_rounds(ROUNDS) / 10 &&
              binary < nd_test_rounds(ROUNDS) - nd_test_rounds(ROUNDS) / 10);
}

/* Counts that are more than what fits in a byte. */
static void test_nothing_else(void) {
    static uint8_t bytes[MOST];
    for (uint8_t byte = 0; byte < 2; byte++) {
        memset(bytes, byte, sizeof bytes);
        for (size_t size = 2; size <= MOST; size++) {
            CU_ASSERT(nd_sniff_binary((nd_span){bytes, size}));
        }
    }
}

static const nd_test tests[] = {{"against a plain count", test_against_count},
                                {"nothing else", test_nothing_else}};
ND_SUITE(p_sniff, tests)
