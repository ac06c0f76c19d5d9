/** \file src/hash/joined_digest.h
 * A digest of a sequence of hashes that can be made of the digests of its parts, wherever it was
 * cut: two polynomials over the integers modulo 2^61 - 1 (Karp and Rabin, 1987), at points that
 * follow from a seed. Of sequences that differ in a hash it is equal with a chance of some 2^-100
 * per place, to anyone who does not know the seed. It is no cryptographic hash.
 */
#ifndef ND_HASH_JOINED_DIGEST_H
#define ND_HASH_JOINED_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/** Of no hashes: all zero. Both are below 2^61 - 1. */
typedef struct nd_joined_digest {
    uint64_t high, low;
} nd_joined_digest;

/** Digest of `count` hashes of 64 bits. */
nd_joined_digest nd_joined_digest_of(const uint64_t *hashes, size_t count, uint64_t seed);

/** Digest of a sequence from those of its beginning and of its other `count` hashes. */
nd_joined_digest nd_joined_digest_join(nd_joined_digest begin, nd_joined_digest rest,
                                       uint64_t count, uint64_t seed);

#endif
