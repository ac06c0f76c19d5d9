#include "tests/support/slow_sketch.h"

uint64_t nd_slow_rabin(uint64_t polynomial, const uint32_t *tokens, size_t count) {
    uint64_t rest = 1;
    for (size_t i = 0; i < count; i++) {
        for (int bit = 31; bit >= 0; bit--) {
            const uint64_t carry = rest >> 63;
            rest = rest << 1 | (tokens[i] >> bit & 1);
            rest ^= carry != 0 ? polynomial : 0;
        }
    }
    return rest;
}

static uint64_t slow_product(uint64_t a, uint64_t b, uint64_t modulus) {
    uint64_t product = 0;
    a %= modulus;
    for (; b != 0; b >>= 1) {
        product = (b & 1) != 0 ? (product + a) % modulus : product;
        a = 2 * a % modulus;
    }
    return product;
}

uint64_t nd_slow_minimum(uint64_t multiplier, uint64_t offset, uint64_t modulus,
                         const uint64_t *values, size_t count) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t value =
            (slow_product(multiplier, values[i], modulus) + offset % modulus) % modulus;
        least = value < least ? value : least;
    }
    return least;
}
