/* Random projection: cases that can be followed by hand. Source: US 2008/0044016, "Alg. C". */
#include "src/sketch/simhash.h"
#include "tests/support/check.h"

#include <string.h>

enum { WORDS = ND_CHARIKAR_BITS / ND_CHARIKAR_WORD_BITS };

static void sign(const uint64_t *features, size_t count, uint64_t *string) {
    nd_charikar_sign(features, NULL, count, ND_CHARIKAR_BITS, 0, string);
}

static void test_no_features(void) {
    uint64_t string[WORDS];
    memset(string, 0xFF, sizeof string);
    nd_charikar_sign(NULL, NULL, 0, ND_CHARIKAR_BITS, 0, string);
    for (size_t i = 0; i < WORDS; i++) {
        CU_ASSERT_EQUAL(string[i], 0);
    }
}

/* One feature's string is its random vector, however often it occurs. */
static void test_one_feature(void) {
    const uint64_t features[] = {7, 7, 7};
    uint64_t once[WORDS], thrice[WORDS];
    nd_random vector = {nd_mix64(7)};
    sign(features, 1, once);
    sign(features, 3, thrice);
    for (size_t i = 0; i < WORDS; i++) {
        CU_ASSERT_EQUAL(once[i], nd_random_next(&vector));
        CU_ASSERT_EQUAL(once[i], thrice[i]);
    }
}

/* An entry of 0 is not positive: of two features, a bit is 1 only where both say 1. Of three, most
 * decide. */
static void test_sign_of_sums(void) {
    const uint64_t features[] = {1, 2, 3};
    uint64_t a[WORDS], b[WORDS], c[WORDS], two[WORDS], three[WORDS];
    sign(&features[0], 1, a);
    sign(&features[1], 1, b);
    sign(&features[2], 1, c);
    sign(features, 2, two);
    sign(features, 3, three);
    for (size_t i = 0; i < WORDS; i++) {
        CU_ASSERT_EQUAL(two[i], a[i] & b[i]);
        CU_ASSERT_EQUAL(three[i], (a[i] & b[i]) | (a[i] & c[i]) | (b[i] & c[i]));
    }
}

/* Frequency counts: a feature that occurs more often than all others together decides alone. */
static void test_weights(void) {
    const uint64_t features[] = {1, 2, 3};
    uint64_t heavy[WORDS], alone[WORDS];
    nd_charikar_sign(features, (uint32_t[]){5, 11, 5}, 3, ND_CHARIKAR_BITS, 0, heavy);
    sign(&features[1], 1, alone);
    CU_ASSERT_EQUAL(memcmp(heavy, alone, sizeof heavy), 0);
    nd_charikar_sign(features, (uint32_t[]){1, 0xFFFFFFFD, 1}, 3, ND_CHARIKAR_BITS, 0, heavy);
    CU_ASSERT_EQUAL(memcmp(heavy, alone, sizeof heavy), 0);
    nd_charikar_sign(features, (uint32_t[]){0, 3, 0}, 3, ND_CHARIKAR_BITS, 0, heavy);
    CU_ASSERT_EQUAL(memcmp(heavy, alone, sizeof heavy), 0);
}

/* 96 bits are the first of 384, and the bits beyond them are 0. */
static void test_widths(void) {
    const uint64_t features[] = {4, 5, 6};
    uint64_t all[WORDS], some[WORDS];
    sign(features, 3, all);
    nd_charikar_sign(features, NULL, 3, 192, 0, some);
    CU_ASSERT_EQUAL(memcmp(all, some, 3 * sizeof *all), 0);
    nd_charikar_sign(features, NULL, 3, 96, 0, some);
    CU_ASSERT_EQUAL(some[0], all[0]);
    CU_ASSERT_EQUAL(some[1], all[1] & UINT32_MAX);
    nd_charikar_sign(features, NULL, 3, ND_CHARIKAR_BITS, 1, some);
    CU_ASSERT_NOT_EQUAL(memcmp(all, some, sizeof all), 0);
}

static void test_agreeing(void) {
    const uint64_t a[] = {0x5, 0, 0, 0, 0, UINT64_C(1) << 63}, zero[WORDS] = {0};
    CU_ASSERT_EQUAL(nd_charikar_agreeing(a, zero, ND_CHARIKAR_BITS), 381);
    CU_ASSERT_EQUAL(nd_charikar_agreeing(a, a, ND_CHARIKAR_BITS), 384);
    CU_ASSERT_EQUAL(nd_charikar_agreeing(a, zero, 96), 94);
}

static const nd_test tests[] = {
    {"no features", test_no_features},
    {"one feature", test_one_feature},
    {"sign of sums", test_sign_of_sums},
    {"weights", test_weights},
    {"widths", test_widths},
    {"agreeing bits", test_agreeing},
};
ND_SUITE(t_charikar, tests)
