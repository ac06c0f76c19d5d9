#define XXH_INLINE_ALL /* a band is a few words: calling would take as long as hashing */

#include "src/sketch/minhash.h"

#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/sketch/minhash_internal.h"

#include <xxhash.h>

#include <math.h>
#include <stdlib.h>

enum { UNUSED_BITS = 64 - ND_MINHASH_BITS }; /* above a value */
static const uint64_t MODULUS = ND_MINHASH_MODULUS;

__extension__ typedef unsigned __int128 wide;

/* ---- permutations */

void nd_minhash_new(nd_minhash *minhash, size_t count, uint64_t seed) {
    nd_random random = {nd_mix64(seed)};
    *minhash = (nd_minhash){.count = count};
    nd_new(&minhash->multipliers, count, sizeof *minhash->multipliers);
    nd_new(&minhash->offsets, count, sizeof *minhash->offsets);
    for (size_t i = 0; i < count; i++) {
        minhash->multipliers[i] = 1 + nd_random_below(&random, MODULUS - 1);
        minhash->offsets[i] = nd_random_below(&random, MODULUS);
    }
}

void nd_minhash_free(nd_minhash *minhash) {
    free(minhash->multipliers);
    free(minhash->offsets);
    *minhash = (nd_minhash){0};
}

/* ---- sketches */

/* Most values need not be made. With x = l + 2^31 h and a' = 2^31 a modulo p, the sum a l + a' h +
 * b is pi(x) + q p for some q below SLACK, and so pi(x) - q modulo 2^61, which two products give
 * and no reduction. SLACK above that, a value is estimated by at most SLACK too much; if that goes
 * beyond 2^61, what is left is below SLACK. So values above this limit are above `least`. */
static const uint64_t SLACK = UINT64_C(1) << 32;

static uint64_t limit_of(uint64_t least) {
    return least + SLACK <= MODULUS ? (least + SLACK) << UNUSED_BITS : UINT64_MAX;
}

void nd_minhash_lower(const nd_minhash *minhash, size_t first, size_t end, const uint64_t *values,
                      size_t count, uint64_t *minima) {
    for (size_t i = first; i < end; i++) {
        const uint64_t a = minhash->multipliers[i], b = minhash->offsets[i];
        const uint64_t turned =
            (a << ND_MINHASH_LOW_BITS | a >> ND_MINHASH_HIGH_BITS) & ND_MINHASH_MODULUS;
        uint64_t least = minima[i];
        uint64_t limit = limit_of(least);
        for (size_t j = 0; j < count; j++) {
            const uint64_t low = values[j] & ((UINT64_C(1) << ND_MINHASH_LOW_BITS) - 1);
            const uint64_t high = values[j] >> ND_MINHASH_LOW_BITS;
            if ((b + SLACK + a * low + turned * high) << UNUSED_BITS <= limit) {
                /* a x + b <= p (p - 1): its two halves of 61 bits make less than 2p */
                const wide product = (wide)a * values[j] + b;
                const uint64_t sum =
                    ((uint64_t)product & MODULUS) + (uint64_t)(product >> ND_MINHASH_BITS);
                least = nd_min(least, sum >= MODULUS ? sum - MODULUS : sum);
                limit = limit_of(least);
            }
        }
        minima[i] = least;
    }
}

static void lower_all(const nd_minhash *minhash, const uint64_t *values, size_t count,
                      uint64_t *minima) {
    nd_minhash_lower(minhash, 0, minhash->count, values, count, minima);
}

static const nd_minhash_variant plain = {"plain", 0, lower_all};

const nd_minhash_variant *const nd_minhash_variants[] = {
    &plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_minhash_avx2,
    &nd_minhash_ifma,
#endif
};
const size_t nd_minhash_variant_count = sizeof nd_minhash_variants / sizeof nd_minhash_variants[0];

bool nd_minhash_sketch_by(const nd_minhash_variant *variant, const nd_minhash *minhash,
                          const uint64_t *values, size_t count, uint64_t *minima) {
    if (count == 0) {
        return false;
    }
    for (size_t i = 0; i < minhash->count; i++) {
        minima[i] = MODULUS; /* above every value */
    }
    for (size_t done = 0; done < count; done += ND_MINHASH_CHUNK) {
        uint64_t chunk[ND_MINHASH_CHUNK];
        const size_t size = nd_min(count - done, ND_MINHASH_CHUNK);
        /* 2^61 = 1 modulo 2^61 - 1, so the bits above the 61st are added to those below. A sum of
         * 2^61 - 1 or more reaches 2^61 with one more; no comparison, for which there are no lanes
         * everywhere. */
        for (size_t i = 0; i < size; i++) {
            const uint64_t x = values[done + i];
            const uint64_t sum = (x & MODULUS) + (x >> ND_MINHASH_BITS);
            chunk[i] = (sum + ((sum + 1) >> ND_MINHASH_BITS)) & MODULUS;
        }
        variant->lower(minhash, chunk, size, minima);
    }
    return true;
}

bool nd_minhash_sketch(const nd_minhash *minhash, const uint64_t *values, size_t count,
                       uint64_t *minima) {
    size_t best;
    ND_CPU_BEST(best, nd_minhash_variant_count, nd_minhash_variants[best]->needs);
    return nd_minhash_sketch_by(nd_minhash_variants[best], minhash, values, count, minima);
}

/* ---- comparison */

size_t nd_minhash_equal(const uint64_t *a, const uint64_t *b, size_t count) {
    size_t equal = 0;
    for (size_t i = 0; i < count; i++) {
        equal += a[i] == b[i];
    }
    return equal;
}

nd_minhash_estimate nd_minhash_estimate_of(size_t equal, size_t count, double z) {
    const double share = (double)equal / (double)count;
    const double error = sqrt(share * (1 - share) / (double)count);
    const double low = share - z * error, high = share + z * error;
    return (nd_minhash_estimate){share, error, low < 0 ? 0 : low, high > 1 ? 1 : high};
}

/* ==== bands */

uint64_t nd_band_key(const uint64_t *minima, size_t rows, uint64_t band) {
    return XXH3_64bits_withSeed(minima, rows * sizeof *minima, band);
}

void nd_band_keys(const uint64_t *minima, size_t bands, size_t rows, uint64_t *keys) {
    for (size_t band = 0; band < bands; band++) {
        keys[band] = nd_band_key(minima + band * rows, rows, band);
    }
}

/* ==== supershingles and megashingles */

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
