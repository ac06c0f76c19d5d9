#include "src/sketch/syncmer.h"

#include "src/base/numbers.h"
#include "src/base/order.h"
#include "src/base/random.h"

enum { PAIRS = ND_SYNCMER_TOKENS - 1 };

static uint64_t pair_of(const uint32_t *tokens) {
    return tokens[0] | (uint64_t)tokens[1] << 32;
}

size_t nd_syncmer_keys(const uint32_t *tokens, size_t n, uint64_t *keys) {
    uint64_t ring[PAIRS]; /* hashes of the latest pairs */
    size_t count = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        ring[i % PAIRS] = nd_mix64(pair_of(tokens + i));
        if (i + 1 < PAIRS) {
            continue;
        }
        uint64_t least = ring[0];
        for (size_t j = 1; j < PAIRS; j++) {
            least = nd_min(least, ring[j]);
        }
        const size_t begin = i + 1 - PAIRS;
        if (ring[begin % PAIRS] == least || ring[i % PAIRS] == least) {
            uint64_t key = 0;
            for (size_t j = 0; j < ND_SYNCMER_TOKENS; j += 2) {
                key = nd_mix64(key + pair_of(tokens + begin + nd_min(j, ND_SYNCMER_TOKENS - 2)));
            }
            keys[count++] = key;
        }
    }
    return (size_t)nd_numbers_distinct(keys, count);
}
