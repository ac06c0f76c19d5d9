/** \file src/base/random.h
 * A small seeded generator (SplitMix64, Steele, Lea and Flood, OOPSLA 2014) and its mixing
 * function. Same numbers on every machine; for tests, samples and synthetic corpora, not for
 * cryptography.
 */
#ifndef ND_BASE_RANDOM_H
#define ND_BASE_RANDOM_H

#include <stdint.h>

typedef struct nd_random {
    uint64_t state;
} nd_random;

/** The finaliser of SplitMix64: a bijection of 64 bits whose output looks random. */
static inline uint64_t nd_mix64(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/** The next 64 random bits. */
static inline uint64_t nd_random_next(nd_random *random) {
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return nd_mix64(random->state);
}

/** A number in [0, bound); bound must not be 0. The bias is below bound / 2^64. */
static inline uint64_t nd_random_below(nd_random *random, uint64_t bound) {
    return nd_random_next(random) % bound;
}

#endif
