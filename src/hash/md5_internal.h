/** \file src/hash/md5_internal.h
 * What the variants of md5.h share, and the variants themselves, so that tests and benchmarks can
 * call each of them. Internal to src/hash/ and its tests.
 */
#ifndef ND_HASH_MD5_INTERNAL_H
#define ND_HASH_MD5_INTERNAL_H

#include "src/base/cpu.h"
#include "src/hash/md5.h"

enum {
    ND_MD5_BLOCK = 64,    /**< bytes hashed at a time */
    ND_MD5_MAX_LANES = 32 /**< of the widest variant */
};

/** A message cut into blocks: the whole ones where they lie, the rest padded in `tail`. */
typedef struct nd_md5_job {
    const uint8_t *data;
    size_t whole;                   /**< blocks that lie in data */
    size_t blocks;                  /**< whole + 1 or 2 of the tail */
    uint8_t tail[2 * ND_MD5_BLOCK]; /**< the last bytes, 0x80, zeros, the length in bits */
} nd_md5_job;

/** Cut a message, on any machine; job->data borrows its bytes. */
void nd_md5_job_start(nd_md5_job *job, nd_span message);

/** Block `index` < job->blocks. */
static inline const uint8_t *nd_md5_job_block(const nd_md5_job *job, size_t index) {
    return index < job->whole ? job->data + index * ND_MD5_BLOCK
                              : job->tail + (index - job->whole) * ND_MD5_BLOCK;
}

/** Write the four words of a state as a digest. */
void nd_md5_store(const uint32_t state[4], nd_md5 *digest);

/** One way of hashing several messages side by side. */
typedef struct nd_md5_variant {
    const char *name;
    size_t lanes;      /**< messages at a time, at most ND_MD5_MAX_LANES */
    size_t worthwhile; /**< fewer messages than this are faster by the plain variant */
    uint32_t needs;    /**< features of the processor, see src/base/cpu.h */
    /** Cut a message; job->data borrows its bytes. */
    void (*start)(nd_md5_job *job, nd_span message);
    /** Hash `lanes` jobs, the one with the most blocks first; digests[i] is where that of jobs[i]
     * goes. A job may stand there several times, to fill up. */
    void (*run)(const nd_md5_job *const *jobs, nd_md5 *const *digests);
} nd_md5_variant;

extern const nd_md5_variant nd_md5_plain;
#if defined(__x86_64__) && ND_SIMD
extern const nd_md5_variant nd_md5_avx2;
extern const nd_md5_variant nd_md5_avx512;
#endif

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_md5_variant *const nd_md5_variants[];
extern const size_t nd_md5_variant_count;

/** nd_md5_batch() by one variant that this machine supports. */
void nd_md5_batch_by(const nd_md5_variant *variant, const nd_span *messages, size_t count,
                     nd_md5 *digests);

#endif
