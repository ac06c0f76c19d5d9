/** \file tests/support/slow_sketch.h
 * The sketches of src/ computed as their definitions read, slowly: what tests compare them with and
 * benchmarks relate them to.
 */
#ifndef ND_TESTS_SLOW_SKETCH_H
#define ND_TESTS_SLOW_SKETCH_H

#include <stddef.h>
#include <stdint.h>

/** The remainder of the tokens' polynomial, a 1 before it, modulo x^64 + polynomial: one
 * coefficient at a time. */
uint64_t nd_slow_rabin(uint64_t polynomial, const uint32_t *tokens, size_t count);

/** The least of (multiplier * x + offset) mod modulus over all x; all products by adding and
 * doubling. modulus is at most 2^63; UINT64_MAX if there is no x. */
uint64_t nd_slow_minimum(uint64_t multiplier, uint64_t offset, uint64_t modulus,
                         const uint64_t *values, size_t count);

#endif
