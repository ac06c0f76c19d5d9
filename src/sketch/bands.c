#define XXH_INLINE_ALL /* a band is a few words: calling would take as long as hashing */
#include "src/sketch/bands.h"

#include <xxhash.h>

uint64_t nd_band_key(const uint64_t *minima, size_t rows, uint64_t band) {
    return XXH3_64bits_withSeed(minima, rows * sizeof *minima, band);
}

void nd_band_keys(const uint64_t *minima, size_t bands, size_t rows, uint64_t *keys) {
    for (size_t band = 0; band < bands; band++) {
        keys[band] = nd_band_key(minima + band * rows, rows, band);
    }
}
