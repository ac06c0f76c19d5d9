/* Precision from labelled samples of bands: known intervals, and what bands add up to. */
#include "src/measure/precision.h"
#include "tests/support/check.h"

/* Newcombe (Statistics in Medicine, 1998), table I, method 3. */
static void test_wilson(void) {
    static const struct {
        uint64_t yes, of;
        double lower, upper;
    } known[] = {{81, 263, .2553, .3662},
                 {15, 148, .0624, .1605},
                 {0, 20, 0, .1611},
                 {1, 29, .0061, .1718},
                 {29, 29, .8830, 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const nd_estimate e = nd_wilson(known[i].yes, known[i].of);
        CU_ASSERT_DOUBLE_EQUAL(e.mean, (double)known[i].yes / (double)known[i].of, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(e.lower, known[i].lower, 6e-5);
        CU_ASSERT_DOUBLE_EQUAL(e.upper, known[i].upper, 6e-5);
    }
}

static void test_bands(void) {
    nd_estimate all = {0};
    double known = 0;
    const nd_band_count none[] = {{.pairs = 10}, {.pairs = 5}};
    CU_ASSERT_FALSE(nd_band_precision(none, 2, &all, &known));
    CU_ASSERT_FALSE(nd_band_precision(none, 0, &all, &known));
    /* one band is itself, whatever its size, and one without labels is left out */
    const nd_band_count one[] = {{.pairs = 7, .same = 81, .different = 182}, {.pairs = 21}};
    CU_ASSERT_TRUE(nd_band_precision(one, 2, &all, &known));
    CU_ASSERT_DOUBLE_EQUAL(all.mean, 81. / 263, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(all.lower, .2553, 6e-5);
    CU_ASSERT_DOUBLE_EQUAL(all.upper, .3662, 6e-5);
    CU_ASSERT_DOUBLE_EQUAL(known, .25, 1e-12);
    /* bands count by their pairs, not by their labels: .9 * 1 + .1 * .5 */
    const nd_band_count two[] = {{900, 5, 0}, {100, 50, 50}};
    CU_ASSERT_TRUE(nd_band_precision(two, 2, &all, &known));
    CU_ASSERT_DOUBLE_EQUAL(all.mean, .95, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(known, 1, 1e-12);
    /* 5 of 5: from .5655; 50 of 100: .4038 to .5962 */
    CU_ASSERT_DOUBLE_EQUAL(all.lower, .95 - .3911684, 2e-4);
    CU_ASSERT_DOUBLE_EQUAL(all.upper, .95 + .00962, 1e-4);
}

static const nd_test tests[] = {{"wilson", test_wilson}, {"bands", test_bands}};
ND_SUITE(t_band_precision, tests)
