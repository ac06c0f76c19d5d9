/** \file src/hash/md5.h
 * MD5 (RFC 1321) of many short messages at once, the hash of the PKU paper's sentences. Used as a
 * well-mixed fingerprint, not for security. nd_md5_batch() takes the fastest variant of the
 * machine (lanes of a SIMD register, one message each).
 */
#ifndef ND_HASH_MD5_H
#define ND_HASH_MD5_H

#include "src/base/buffer.h"

/** A digest, its 16 bytes in the order of RFC 1321's output. No padding. */
typedef struct nd_md5 {
    uint8_t bytes[16];
} nd_md5;

/** Digests of `count` messages: digests[i] belongs to messages[i]. Same result on every machine. */
void nd_md5_batch(const nd_span *messages, size_t count, nd_md5 *digests);

/** The first 8 bytes as a big-endian number: the reading used for order and for buckets. */
static inline uint64_t nd_md5_high64(const nd_md5 *digest) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | digest->bytes[i];
    }
    return value;
}

#endif
