/** \file src/sketch/fingerprint.h
 * Sentence fingerprints of a page (Huang, Wang and Li, CIKM 2008, stage one): the set of its
 * sentences' MD5 digests is dealt into buckets by value (digest mod buckets), and the smallest
 * digests of a bucket, hashed together, are one fingerprint. Pages that share a fingerprint are
 * perhaps similar. Pages are never compared here.
 */
#ifndef ND_SKETCH_FINGERPRINT_H
#define ND_SKETCH_FINGERPRINT_H

#include "src/hash/md5.h"

enum {
    ND_FINGERPRINT_BUCKETS = 7,  /**< the paper's m */
    ND_FINGERPRINT_SMALLEST = 3, /**< the paper's n */
    ND_FINGERPRINT_MAX_BUCKETS = 64,
    ND_FINGERPRINT_MAX_SMALLEST = 16
};

typedef struct nd_fingerprint_options {
    uint32_t buckets;  /**< 1 .. ND_FINGERPRINT_MAX_BUCKETS */
    uint32_t smallest; /**< 1 .. ND_FINGERPRINT_MAX_SMALLEST */
} nd_fingerprint_options;

/** Fingerprints of one page. A bucket with at least one digest gives a key; the digest is taken as
 * a 128-bit big-endian number for mod and order; equal digests count once; the key is the first 64
 * bits (big-endian) of the MD5 of the bucket's (up to `smallest`) smallest digests in ascending
 * order, mixed with their number, so that a bucket of two meets only buckets of two.
 * \param[in]  digests  borrowed, any order; count == 0 gives no keys
 * \param[out] keys     room for options->buckets keys; in the order of the buckets
 * \return the number of keys written */
size_t nd_fingerprint_keys(const nd_md5 *digests, size_t count,
                           const nd_fingerprint_options *options, uint64_t *keys);

#endif
