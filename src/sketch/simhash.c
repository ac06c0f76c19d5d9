#include "src/sketch/simhash.h"

#include "src/base/util.h"
#include "src/sketch/charikar_internal.h"

#include <stdint.h>

/* ---- strings */

/* One word at a time in plain C. */
#define LANES_TARGET
enum { LANES = 1 };
typedef uint64_t lane;
#include "src/sketch/charikar_lanes.h"

const nd_charikar_variant nd_charikar_plain = {"plain", 1, 0, project_lanes};

const nd_charikar_variant *const nd_charikar_variants[] = {
    &nd_charikar_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_charikar_avx2,
    &nd_charikar_avx512,
#endif
};
const size_t nd_charikar_variant_count =
    sizeof nd_charikar_variants / sizeof nd_charikar_variants[0];

void nd_charikar_sign_by(const nd_charikar_variant *variant, const uint64_t *features,
                         const uint32_t *weights, size_t count, uint32_t bits, uint64_t seed,
                         uint64_t *string) {
    const size_t words = nd_charikar_words(bits);
    const uint32_t rest = bits % ND_CHARIKAR_WORD_BITS; /* of the last word */
    uint64_t total = weights == NULL ? count : 0;
    for (size_t i = 0; weights != NULL && i < count; i++) {
        total += weights[i];
    }
    variant->project(&(nd_charikar_input){features, weights, count, total, nd_mix64(seed)}, words,
                     string);
    string[words - 1] &= rest == 0 ? UINT64_MAX : (UINT64_C(1) << rest) - 1;
}

void nd_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                      uint32_t bits, uint64_t seed, uint64_t *string) {
    size_t worthwhile = nd_charikar_variant_count; /* that one, and so all before it */
    while (nd_charikar_words(bits) < nd_charikar_variants[worthwhile - 1]->worthwhile) {
        worthwhile--; /* [0] is for any */
    }
    size_t best;
    ND_CPU_BEST(best, worthwhile, nd_charikar_variants[best]->needs);
    nd_charikar_sign_by(nd_charikar_variants[best], features, weights, count, bits, seed, string);
}

/* Bits beyond the last are 0 in both strings. */
static inline uint32_t count_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    uint32_t different = 0;
    for (size_t i = 0; i < nd_charikar_words(bits); i++) {
        different += (uint32_t)__builtin_popcountll(a[i] ^ b[i]);
    }
    return bits - different;
}

#if defined(__x86_64__) && ND_SIMD
__attribute__((target("popcnt"))) static uint32_t
agreeing_popcnt(const uint64_t *a, const uint64_t *b, uint32_t bits) {
    return count_agreeing(a, b, bits);
}
#endif

uint32_t nd_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits) {
#if defined(__x86_64__) && ND_SIMD
    if (nd_cpu_has(ND_CPU_POPCNT)) {
        return agreeing_popcnt(a, b, bits);
    }
#endif
    return count_agreeing(a, b, bits);
}

/* ---- pieces */

enum { WORD_BITS = 64 };

void nd_pieces_keys(const uint64_t *string, uint32_t bits, uint32_t pieces, uint64_t *keys) {
    for (uint32_t i = 0; i < pieces; i++) {
        const uint32_t begin = nd_piece_begin(bits, pieces, i);
        const uint32_t end = nd_piece_begin(bits, pieces, i + 1);
        const uint64_t position = (uint64_t)i << ND_PIECES_MAX_WIDTH;
        const uint32_t word = begin / WORD_BITS;
        const uint32_t shift = begin % WORD_BITS;
        uint64_t piece = string[word] >> shift;
        if ((end - 1) / WORD_BITS > word) {
            piece |= string[word + 1] << (WORD_BITS - shift); /* then shift > 0 */
        }
        keys[i] = nd_mix64(position | (piece & ((UINT64_C(1) << (end - begin)) - 1)));
    }
}

/* ---- tables of permuted blocks */

uint32_t nd_simhash_distance(uint64_t a, uint64_t b) {
    return ND_SIMHASH_BITS - nd_charikar_agreeing(&a, &b, ND_SIMHASH_BITS);
}

/* C(n, k); small. */
static uint64_t choices(uint32_t n, uint32_t k) {
    uint64_t result = 1;
    for (uint32_t i = 1; i <= k; i++) {
        result = result * (n - k + i) / i;
    }
    return result;
}

/* The widths of blocks differ by one at most, and the narrow ones come last. */
static uint32_t fewest_fixed(uint32_t distance, uint32_t blocks) {
    return ND_SIMHASH_BITS - nd_piece_begin(ND_SIMHASH_BITS, blocks, distance);
}

nd_status nd_simhash_design(uint32_t distance, uint32_t blocks, nd_simhash_tables *tables) {
    if (distance < 1 || distance > ND_SIMHASH_MAX_DISTANCE) {
        return nd_fail(ND_ERR_USAGE, "simhash distance %u: must be 1 to %d", distance,
                       ND_SIMHASH_MAX_DISTANCE);
    }
    if (blocks <= distance || blocks > ND_SIMHASH_MAX_BLOCKS ||
        choices(blocks, distance) > ND_SIMHASH_MAX_TABLES) {
        return nd_fail(ND_ERR_USAGE,
                       "simhash blocks %u: must be %u to %u for distance %u (at most %d tables)",
                       blocks, distance + 1, nd_simhash_blocks_for(distance, UINT64_MAX, 0),
                       distance, ND_SIMHASH_MAX_TABLES);
    }
    *tables = (nd_simhash_tables){
        .distance = distance, .blocks = blocks, .count = (uint32_t)choices(blocks, distance)};
    uint32_t choice = (UINT32_C(1) << (blocks - distance)) - 1; /* of blocks that are fixed */
    for (uint32_t table = 0; table < tables->count; table++) {
        for (uint32_t block = 0; block < blocks; block++) {
            const uint32_t begin = nd_piece_begin(ND_SIMHASH_BITS, blocks, block);
            const uint32_t end = nd_piece_begin(ND_SIMHASH_BITS, blocks, block + 1);
            if ((choice >> block & 1) != 0) {
                tables->mask[table] |= ((UINT64_C(1) << (end - begin)) - 1) << begin;
            }
        }
        /* The next number with as many ones (R. W. Gosper, HAKMEM 175). */
        const uint32_t lowest = choice & (~choice + 1);
        const uint32_t carried = choice + lowest;
        choice = carried | ((choice ^ carried) >> 2) / lowest;
    }
    return ND_OK;
}

uint32_t nd_simhash_blocks_for(uint32_t distance, uint64_t prints, uint64_t by_chance) {
    uint32_t blocks = distance + 1;
    while (prints >> fewest_fixed(distance, blocks) > by_chance && blocks < ND_SIMHASH_MAX_BLOCKS &&
           choices(blocks + 1, distance) <= ND_SIMHASH_MAX_TABLES) {
        blocks++;
    }
    return blocks;
}

void nd_simhash_keys(const nd_simhash_tables *tables, uint64_t print, uint64_t *keys) {
    for (uint32_t table = 0; table < tables->count; table++) {
        keys[table] = nd_mix64((print & tables->mask[table]) ^ nd_mix64(table + 1));
    }
}
