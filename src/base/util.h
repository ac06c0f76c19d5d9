/** \file src/base/util.h
 * What every room uses and what has no state: the smaller and the larger of two, the one binary
 * search of the program, a borrowed view of bytes, and a small seeded generator of random numbers.
 */
#ifndef ND_BASE_UTIL_H
#define ND_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- numbers and searches */

static inline uint64_t nd_min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t nd_max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/** Binary search. Let `i`, a variable of an integer type, be the first of [low, high) for which
 * `holds`, an expression with i, is true, and `high` if it is for none. Where it is true for one it
 * has to be for all after it. */
#define ND_FIND_FIRST(i, low, high, holds)                                                         \
    do {                                                                                           \
        __typeof__(i) nd_from = (low);                                                             \
        __typeof__(i) nd_to = (high);                                                              \
        while (nd_from < nd_to) {                                                                  \
            (i) = (__typeof__(i))(nd_from + (nd_to - nd_from) / 2);                                \
            if (holds) {                                                                           \
                nd_to = (i);                                                                       \
            } else {                                                                               \
                nd_from = (__typeof__(i))((i) + 1);                                                \
            }                                                                                      \
        }                                                                                          \
        (i) = nd_from;                                                                             \
    } while (0)

/* ---- views of bytes */

/** Borrowed bytes; data may be NULL if size is 0. */
typedef struct nd_span {
    const uint8_t *data;
    size_t size;
} nd_span;

/** The bytes of a text that ends with NUL, without that. */
static inline nd_span nd_span_of(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

/** The end of the bytes; of a view without bytes what it has for data, which may be NULL: nothing
 * may be added to that, not even 0. */
static inline const uint8_t *nd_span_end(nd_span span) {
    return span.size == 0 ? span.data : span.data + span.size;
}

/** Bytes [begin, end) of a view; begin <= end <= span.size. */
static inline nd_span nd_span_part(nd_span span, size_t begin, size_t end) {
    return (nd_span){begin == 0 ? span.data : span.data + begin, end - begin};
}

/** Are the bytes the same? */
static inline bool nd_span_is_equal(nd_span a, nd_span b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* ---- random numbers: SplitMix64, Steele, Lea and Flood, OOPSLA 2014) and its mixing
 * function. Same numbers on every machine; for tests, samples and synthetic corpora, not for
 * cryptography. */

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
