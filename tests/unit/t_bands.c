/* Keys of the bands of a sketch that is written down by hand. */
#include "src/sketch/minhash.h"
#include "tests/support/check.h"

#include <string.h>

enum { BANDS = 20, ROWS = 5, MINIMA = BANDS * ROWS };

/* A minimum that differs changes the key of its own band and no other. */
static void test_rows_of_bands(void) {
    uint64_t minima[MINIMA], keys[BANDS], changed[BANDS];
    for (size_t i = 0; i < MINIMA; i++) {
        minima[i] = i * i + 7;
    }
    nd_band_keys(minima, BANDS, ROWS, keys);
    for (size_t i = 0; i < MINIMA; i++) {
        minima[i]++;
        nd_band_keys(minima, BANDS, ROWS, changed);
        minima[i]--;
        CU_ASSERT_EQUAL(nd_minhash_equal(keys, changed, BANDS), BANDS - 1);
        CU_ASSERT_NOT_EQUAL(keys[i / ROWS], changed[i / ROWS]);
    }
}

/* Equal minima in another band, or in another order, are another key. */
static void test_bands_differ(void) {
    uint64_t minima[MINIMA], keys[BANDS];
    memset(minima, 0, sizeof minima);
    nd_band_keys(minima, BANDS, ROWS, keys);
    for (size_t i = 0; i < BANDS; i++) {
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_NOT_EQUAL(keys[i], keys[j]);
        }
        CU_ASSERT_EQUAL(keys[i], nd_band_key(minima, ROWS, i));
    }
    CU_ASSERT_NOT_EQUAL(nd_band_key((uint64_t[]){1, 2}, 2, 0),
                        nd_band_key((uint64_t[]){2, 1}, 2, 0));
}

static const nd_test tests[] = {
    {"rows of bands", test_rows_of_bands},
    {"bands differ", test_bands_differ},
};
ND_SUITE(t_bands, tests)
