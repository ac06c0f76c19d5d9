/** \file src/base/order.h
 * The smaller and the larger of two, and the one binary search of the program.
 */
#ifndef ND_BASE_ORDER_H
#define ND_BASE_ORDER_H

#include <stdint.h>

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

#endif
