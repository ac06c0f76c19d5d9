/* Pieces: how many a string needs, where they are cut, what a key is. Source: the pieces of
 * 32 bits of Henzinger, SIGIR 2006. */
#include "src/sketch/simhash.h"
#include "tests/support/check.h"

enum { BITS = ND_CHARIKAR_BITS, WORDS = BITS / 64 };

static void test_fewest(void) {
    CU_ASSERT_EQUAL(nd_pieces_fewest(384), 8);
    CU_ASSERT_EQUAL(nd_pieces_fewest(64), 2);
}

static void test_cuts(void) {
    for (uint32_t i = 0; i <= 12; i++) {
        CU_ASSERT_EQUAL(nd_piece_begin(384, 12, i), 32 * i);
    }
    for (uint32_t pieces = 1; pieces <= 384; pieces++) {
        CU_ASSERT_EQUAL(nd_piece_begin(384, pieces, 0), 0);
        CU_ASSERT_EQUAL(nd_piece_begin(384, pieces, pieces), 384);
        for (uint32_t i = 0; i < pieces; i++) {
            uint32_t width = nd_piece_begin(384, pieces, i + 1) - nd_piece_begin(384, pieces, i);
            CU_ASSERT(width == 384 / pieces || width == 384 / pieces + 1);
        }
    }
    CU_ASSERT_EQUAL(nd_piece_begin(384, 30, 24), 24 * 13); /* 24 of 13 bits, 6 of 12 */
}

/* The piece's 32 bits below its position, mixed. */
static void test_keys(void) {
    const uint64_t string[WORDS] = {UINT64_C(0x8000000100000002), 0, 0, 0, 0,
                                    UINT64_C(0xFFFFFFFF00000000)};
    uint64_t keys[ND_PIECES];
    nd_pieces_keys(string, BITS, ND_PIECES, keys);
    CU_ASSERT_EQUAL(keys[0], nd_mix64(2));
    CU_ASSERT_EQUAL(keys[1], nd_mix64(UINT64_C(1) << 54 | 0x80000001));
    CU_ASSERT_EQUAL(keys[2], nd_mix64(UINT64_C(2) << 54));
    CU_ASSERT_EQUAL(keys[11], nd_mix64(UINT64_C(11) << 54 | 0xFFFFFFFF));
}

/* Equal pieces at different positions do not meet. */
static void test_positions_differ(void) {
    const uint64_t string[WORDS] = {0};
    uint64_t keys[BITS];
    nd_pieces_keys(string, BITS, BITS, keys);
    for (size_t i = 0; i < BITS; i++) {
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_NOT_EQUAL(keys[i], keys[k]);
        }
    }
}

static const nd_test tests[] = {
    {"fewest", test_fewest},
    {"cuts", test_cuts},
    {"keys", test_keys},
    {"positions differ", test_positions_differ},
};
ND_SUITE(t_pieces, tests)
