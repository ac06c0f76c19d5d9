#include "src/sketch/supershingle.h"

#include "src/sketch/bands.h"
#include "src/sketch/minhash.h"

void nd_supershingles(const uint64_t *minima, size_t count, size_t minima_each,
                      uint64_t *supershingles) {
    nd_band_keys(minima, count, minima_each, supershingles);
}

size_t nd_supershingles_equal(const uint64_t *a, const uint64_t *b, size_t count) {
    return nd_minhash_equal(a, b, count);
}

void nd_megashingles(const uint64_t *supershingles, size_t count, uint64_t *megashingles) {
    size_t pair = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            const uint64_t both[] = {supershingles[i], supershingles[j]};
            megashingles[pair] = nd_band_key(both, 2, pair);
            pair++;
        }
    }
}
