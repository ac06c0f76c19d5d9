/** \file tests/support/slow_sketch.h
 * The sketches of src/ computed as their definitions read, slowly: what tests compare them with and
 * benchmarks relate them to.
 */
#ifndef ND_TESTS_SLOW_SKETCH_H
#define ND_TESTS_SLOW_SKETCH_H

#include "src/sketch/fingerprint.h"

#include <stddef.h>
#include <stdint.h>

/** The remainder of the tokens' polynomial, a 1 before it, modulo x^64 + polynomial: one
 * coefficient at a time. */
uint64_t nd_slow_rabin(uint64_t polynomial, const uint32_t *tokens, size_t count);

/** The least of (multiplier * x + offset) mod modulus over all x; all products by adding and
 * doubling. modulus is at most 2^63; UINT64_MAX if there is no x. */
uint64_t nd_slow_minimum(uint64_t multiplier, uint64_t offset, uint64_t modulus,
                         const uint64_t *values, size_t count);

/** The digest of one message, in plain C. */
void nd_slow_md5(nd_span message, nd_md5 *digest);

/** nd_fingerprint_keys() by scanning all digests again for every one that is taken. */
size_t nd_slow_fingerprint_keys(const nd_md5 *digests, size_t count,
                                const nd_fingerprint_options *options, uint64_t *keys);

/** nd_charikar_sign() with a counter for each bit. */
void nd_slow_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                           uint32_t bits, uint64_t seed, uint64_t *string);

/** nd_charikar_agreeing() bit by bit. */
uint32_t nd_slow_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits);

#endif
