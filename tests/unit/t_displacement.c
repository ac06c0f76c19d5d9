/* How far apart two sequences differ: by hand. */
#include "src/compare/penalties.h"
#include "tests/support/check.h"

#include <string.h>

enum { MOST = 400 };

/* Tokens by their letters. */
static double of_texts(const char *x, const char *y) {
    uint32_t a[MOST];
    uint32_t b[MOST];
    nd_lcs_work work = {0};
    double displacement[2] = {-1, -1};
    const size_t n = strlen(x);
    const size_t m = strlen(y);
    for (size_t i = 0; i < n; i++) {
        a[i] = (uint8_t)x[i];
    }
    for (size_t i = 0; i < m; i++) {
        b[i] = (uint8_t)y[i];
    }
    nd_displacement(a, n, b, m, &work, &displacement[0]);
    nd_displacement(b, m, a, n, &work, &displacement[1]);
    CU_ASSERT_DOUBLE_EQUAL(displacement[0], displacement[1], 1e-12);
    nd_lcs_work_free(&work);
    return displacement[0];
}

static void test_windows(void) {
    CU_ASSERT_EQUAL(of_texts("abcdefghijklmnopqrst", "defghijklmnopqrstuvw"), 1);
    /* between a head and a foot that stay: 7, 14 and 7 shared tokens */
    CU_ASSERT_DOUBLE_EQUAL(
        of_texts("0123456ABCabcdefghijklmn7890123", "0123456abcdefghijklmnXYZ7890123"), 14.0 / 28,
        1e-12);
}

static void test_edits_in_place(void) {
    CU_ASSERT_EQUAL(of_texts("abcdefghijklmnopqrst", "abcdefghXXklmnopqrst"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghijXlmnopqrst", "abcdefghijlmnopqrst"), 0);
    CU_ASSERT_EQUAL(of_texts("Xbcdefghijklmnopqrst", "Ybcdefghijklmnopqrst"), 0);
}

static void test_one_side_alone(void) {
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "abcdefghij"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "abcdefghijklmno"), 0);
    CU_ASSERT_EQUAL(of_texts("abcdefghij", "ABCDEFGHIJ"), 0); /* nothing is shared */
    CU_ASSERT_EQUAL(of_texts("abc", "abcdefghij"), 0);
    CU_ASSERT_EQUAL(of_texts("", ""), 0);
}

static const nd_test tests[] = {
    {"windows on one list", test_windows},
    {"edits in place", test_edits_in_place},
    {"nothing of their own", test_one_side_alone},
};

ND_SUITE(t_displacement, tests)
