#include "src/hash/joined_digest.h"

#include "src/base/random.h"

enum { BITS = 61 };
static const uint64_t MODULUS = (UINT64_C(1) << BITS) - 1;

__extension__ typedef unsigned __int128 wide;

/* a * b + c modulo 2^61 - 1; each is at most that. */
static inline uint64_t multiply_add(uint64_t a, uint64_t b, uint64_t c) {
    const wide product = (wide)a * b + c;
    const uint64_t sum = ((uint64_t)product & MODULUS) + (uint64_t)(product >> BITS);
    return sum >= MODULUS ? sum - MODULUS : sum;
}

/* Where the polynomials are evaluated. */
static nd_joined_digest points_of(uint64_t seed) {
    nd_random random = {seed};
    const uint64_t high = nd_random_next(&random) % MODULUS;
    return (nd_joined_digest){high, nd_random_next(&random) % MODULUS};
}

static uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        result = exponent % 2 > 0 ? multiply_add(result, base, 0) : result;
        base = multiply_add(base, base, 0);
    }
    return result;
}

nd_joined_digest nd_joined_digest_of(const uint64_t *hashes, size_t count, uint64_t seed) {
    const nd_joined_digest at = points_of(seed);
    nd_joined_digest sum = {0};
    for (size_t i = 0; i < count; i++) { /* each takes 61 bits of a hash, both together all */
        sum.high = multiply_add(sum.high, at.high, hashes[i] >> (64 - BITS));
        sum.low = multiply_add(sum.low, at.low, hashes[i] & MODULUS);
    }
    return sum;
}

nd_joined_digest nd_joined_digest_join(nd_joined_digest begin, nd_joined_digest rest,
                                       uint64_t count, uint64_t seed) {
    const nd_joined_digest at = points_of(seed);
    return (nd_joined_digest){multiply_add(begin.high, power(at.high, count), rest.high),
                              multiply_add(begin.low, power(at.low, count), rest.low)};
}
