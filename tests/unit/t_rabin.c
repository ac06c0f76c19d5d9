/* Rabin fingerprints: cases that follow from the definition by hand. */
#include "src/hash/rabin.h"
#include "tests/support/check.h"

static nd_rabin rabin;

/* x^64 + x^4 + x^3 + x + 1 is irreducible (Seroussi, "Table of low-weight binary irreducible
 * polynomials", HP Labs HPL-98-135); x^64 + 1 = (x + 1)^64; x^64 + x^2 + 1 = (x^32 + x + 1)^2; x
 * divides x^64 + x; x^64 + x^32 + 1 = (x^2 + x + 1)^32; the last is the product of two irreducible
 * ones of degree 32, x^32 + x^7 + x^3 + x^2 + 1 and that read backwards. */
static void test_known_polynomials(void) {
    CU_ASSERT(nd_rabin_irreducible(0x1b));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x1));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x5));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0x2));
    CU_ASSERT_FALSE(nd_rabin_irreducible(UINT64_C(0x100000001)));
    CU_ASSERT_FALSE(nd_rabin_irreducible(0));
    CU_ASSERT_FALSE(nd_rabin_irreducible(UINT64_C(0x620000bffa00008d)));
}

/* Up to degree 63 the remainder is the polynomial itself: a 1 before one token. */
static void test_one_token(void) {
    nd_rabin_start(&rabin, 7, 1);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin, NULL, 0), 1);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin, (uint32_t[]){0xdeadbeef}, 1), UINT64_C(0x1deadbeef));
    CU_ASSERT_EQUAL(nd_rabin_roll(&rabin, UINT64_C(0x1deadbeef), 0xdeadbeef, 5),
                    UINT64_C(0x100000005));
}

/* With two tokens the 1 stands at x^64, which leaves the polynomial. */
static void test_two_tokens(void) {
    nd_rabin_start(&rabin, 7, 2);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin, (uint32_t[]){0, 0}, 2), rabin.polynomial);
    CU_ASSERT_EQUAL(nd_rabin_of(&rabin, (uint32_t[]){3, 9}, 2),
                    rabin.polynomial ^ UINT64_C(0x300000009));
}

/* Tokens 0 in front are not nothing. */
static void test_lengths_differ(void) {
    const uint32_t tokens[] = {0, 0, 8};
    nd_rabin_start(&rabin, 1, 3);
    CU_ASSERT_NOT_EQUAL(nd_rabin_of(&rabin, tokens, 3), nd_rabin_of(&rabin, tokens + 1, 2));
    CU_ASSERT_NOT_EQUAL(nd_rabin_of(&rabin, tokens + 1, 2), nd_rabin_of(&rabin, tokens + 2, 1));
}

/* What is stored with one version must mean the same to the next. Both polynomials were found anew
 * by another program, with whole numbers of any length. */
static void test_polynomials_stay(void) {
    nd_rabin_start(&rabin, 0, 8);
    CU_ASSERT_EQUAL(rabin.polynomial, UINT64_C(0xe255b237b8bb18fb));
    nd_rabin_start(&rabin, 1, 8);
    CU_ASSERT_EQUAL(rabin.polynomial, UINT64_C(0xfd845ef300ce2d0b));
}

static const nd_test tests[] = {
    {"known polynomials", test_known_polynomials},
    {"one token", test_one_token},
    {"two tokens", test_two_tokens},
    {"sequences of different lengths", test_lengths_differ},
    {"the polynomials of seeds stay", test_polynomials_stay},
};
ND_SUITE(t_rabin, tests)
