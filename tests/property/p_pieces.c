/* Pieces: a key is equal just where the piece is; no pair within the exact threshold is lost;
 * beyond it, pairs are found as often as the chance model of simhash.h says. */
#include "src/sketch/simhash.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3000, TRIALS = 20000 };

static void random_string(nd_random *random, uint32_t bits, uint64_t *string) {
    memset(string, 0, ND_CHARIKAR_MAX_WORDS * sizeof *string);
    for (uint32_t bit = 0; bit < bits; bit++) {
        string[bit / 64] |= nd_random_below(random, 2) << bit % 64;
    }
}

/* A copy with exactly `flips` bits turned. */
static void turn_bits(nd_random *random, const uint64_t *string, uint32_t bits, uint32_t flips,
                      uint64_t *copy) {
    memcpy(copy, string, ND_CHARIKAR_MAX_WORDS * sizeof *copy);
    while (flips > 0) {
        const uint64_t bit = nd_random_below(random, bits);
        const uint64_t mask = UINT64_C(1) << bit % 64;
        if (((copy[bit / 64] ^ string[bit / 64]) & mask) == 0) {
            copy[bit / 64] ^= mask;
            flips--;
        }
    }
}

static bool same_bits(const uint64_t *a, const uint64_t *b, uint32_t begin, uint32_t end) {
    for (uint32_t bit = begin; bit < end; bit++) {
        if (((a[bit / 64] ^ b[bit / 64]) >> bit % 64 & 1) != 0) {
            return false;
        }
    }
    return true;
}

/* The number of pieces in which the keys of two strings are equal; counts keys that are wrong. */
static uint32_t equal_keys(const uint64_t *a, const uint64_t *b, uint32_t bits, uint32_t pieces,
                           size_t *wrong) {
    uint64_t of_a[ND_PIECES_MAX], of_b[ND_PIECES_MAX];
    uint32_t equal = 0;
    nd_pieces_keys(a, bits, pieces, of_a);
    nd_pieces_keys(b, bits, pieces, of_b);
    for (uint32_t i = 0; i < pieces; i++) {
        *wrong += (of_a[i] == of_b[i]) != same_bits(a, b, nd_piece_begin(bits, pieces, i),
                                                    nd_piece_begin(bits, pieces, i + 1));
        equal += of_a[i] == of_b[i];
    }
    return equal;
}

static void test_exact(void) {
    nd_random random = nd_test_random("pieces");
    size_t wrong = 0, lost = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS], b[ND_CHARIKAR_MAX_WORDS];
        const uint32_t bits = 16 + (uint32_t)nd_random_below(&random, ND_CHARIKAR_MAX_BITS - 15);
        const uint32_t fewest = nd_pieces_fewest(bits);
        const uint32_t pieces = fewest + (uint32_t)nd_random_below(&random, bits - fewest + 1);
        const uint32_t flips = (uint32_t)nd_random_below(&random, pieces);
        random_string(&random, bits, a);
        turn_bits(&random, a, bits, flips, b);
        lost += equal_keys(a, b, bits, pieces, &wrong) == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(lost, 0);
}

/* The patent's threshold of 355 with 30 pieces, where 12 would lose a third. */
static void test_exact_355(void) {
    nd_random random = nd_test_random("355");
    size_t wrong = 0, lost = 0, lost_by_twelve = 0;
    for (int i = 0; i < nd_test_rounds(ROUNDS); i++) {
        uint64_t a[ND_CHARIKAR_MAX_WORDS], b[ND_CHARIKAR_MAX_WORDS];
        random_string(&random, 384, a);
        turn_bits(&random, a, 384, 384 - 355, b);
        lost += equal_keys(a, b, 384, 30, &wrong) == 0;
        lost_by_twelve += equal_keys(a, b, 384, ND_PIECES, &wrong) == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(lost, 0);
    CU_ASSERT((int)lost_by_twelve > nd_test_rounds(ROUNDS) / 4);
}

/* C(n, k) as a logarithm. */
static double log_choose(double n, double k) {
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The sum in simhash.h. */
static double chance(double bits, double pieces, double different) {
    const double width = bits / pieces;
    double sum = 0;
    for (double j = 1; j <= pieces && bits - j * width >= different; j++) {
        const double term = exp(log_choose(pieces, j) + log_choose(bits - j * width, different) -
                                log_choose(bits, different));
        sum += fmod(j, 2) != 0 ? term : -term;
    }
    return sum;
}

/* Computed figures of 12 pieces of 32 bits, and random pairs beside them (6 standard errors). */
static void test_chance_model(void) {
    static const struct {
        uint32_t different;
        double found;
    } rows[] = {{12, .9999}, {15, .996}, {20, .940}, {25, .79}, {29, .64}, {35, .42}};
    nd_random random = nd_test_random("chance");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const double expected = chance(384, ND_PIECES, rows[r].different);
        size_t found = 0, wrong = 0;
        for (int i = 0; i < nd_test_rounds(TRIALS); i++) {
            uint64_t a[ND_CHARIKAR_MAX_WORDS] = {0}, b[ND_CHARIKAR_MAX_WORDS];
            turn_bits(&random, a, 384, rows[r].different, b);
            found += equal_keys(a, b, 384, ND_PIECES, &wrong) > 0;
        }
        const double share = (double)found / nd_test_rounds(TRIALS);
        const double error = sqrt(expected * (1 - expected) / nd_test_rounds(TRIALS));
        printf("%u bits differ: found %.4f, expected %.4f\n", rows[r].different, share, expected);
        CU_ASSERT(fabs(expected - rows[r].found) < .0051);
        CU_ASSERT(fabs(share - expected) < 6 * error + 2.0 / nd_test_rounds(TRIALS));
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static const nd_test tests[] = {
    {"no pair within the threshold is lost", test_exact},
    {"355 of 384", test_exact_355},
    {"chance beyond the threshold", test_chance_model},
};
ND_SUITE(p_pieces, tests)
