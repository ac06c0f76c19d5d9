/** \file src/compare/shingle_hash.h
 * Hashes of all shingles of five tokens in a stretch of a sequence, as many at a time as fit in the
 * machine's registers. They find places in a table; tokens decide whether shingles are equal.
 */
#ifndef ND_COMPARE_SHINGLE_HASH_H
#define ND_COMPARE_SHINGLE_HASH_H

#include "src/base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/** hashes[i] = the hash of tokens[i .. i + 4], for i < count; the high bits are the best mixed. */
void nd_shingle_hashes(const uint32_t *tokens, size_t count, uint64_t *hashes);

/** One way of doing it, for tests. */
typedef struct nd_shingle_hash_variant {
    const char *name;
    uint32_t needs; /**< features of the processor, see src/base/cpu.h */
    void (*hash)(const uint32_t *tokens, size_t count, uint64_t *hashes);
} nd_shingle_hash_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_shingle_hash_variant nd_shingle_hash_variants[];
extern const size_t nd_shingle_hash_variant_count;

#endif
