#include "src/sketch/supershingle.h"

#include "src/sketch/bands.h"
#include "src/sketch/minhash.h"

void nd_supershingles(const uint64_t *minima, uint64_t supershingles[ND_SUPERSHINGLES]) {
    nd_band_keys(minima, ND_SUPERSHINGLES, ND_SUPERSHINGLE_MINIMA, supershingles);
}

size_t nd_supershingles_equal(const uint64_t *a, const uint64_t *b) {
    return nd_minhash_equal(a, b, ND_SUPERSHINGLES);
}

void nd_megashingles(const uint64_t *supershingles, uint64_t megashingles[ND_MEGASHINGLES]) {
    size_t pair = 0;
    for (size_t i = 0; i < ND_SUPERSHINGLES; i++) {
        for (size_t j = i + 1; j < ND_SUPERSHINGLES; j++) {
            const uint64_t both[] = {supershingles[i], supershingles[j]};
            megashingles[pair] = nd_band_key(both, 2, pair);
            pair++;
        }
    }
}
