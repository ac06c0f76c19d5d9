#include "src/sketch/simhash.h"

#include "src/base/random.h"
#include "src/sketch/charikar.h"
#include "src/sketch/pieces.h"

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
