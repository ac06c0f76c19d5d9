/** \file tests/support/slow_containment.h
 * How much of a text stands in another one (src/compare/score.h), by the textbook's table of
 * a common subsequence and every stretch in turn.
 */
#ifndef ND_TESTS_SLOW_CONTAINMENT_H
#define ND_TESTS_SLOW_CONTAINMENT_H

#include <stddef.h>
#include <stdint.h>

/** The longest text that others are looked for in. */
enum { ND_SLOW_LONGEST = 1000 };

/** The share of a's n tokens; m <= ND_SLOW_LONGEST. */
double nd_slow_containment(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

#endif
