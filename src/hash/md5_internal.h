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

/* ---- the steps of RFC 1321 */

/* The four words that a digest starts from (RFC 1321, section 3.3). */
#define ND_MD5_A 0x67452301
#define ND_MD5_B 0xefcdab89
#define ND_MD5_C 0x98badcfe
#define ND_MD5_D 0x10325476

/* STEP(f, a, b, c, d, word, shift, constant) is a = b + rotate(a + f(b, c, d) + word + constant),
 * where f is one of the letters F, G, H, I of the RFC and `word` an index into the block. */
#define ND_MD5_STEPS(STEP)                                                                         \
    STEP(F, a, b, c, d, 0, 7, 0xd76aa478)                                                          \
    STEP(F, d, a, b, c, 1, 12, 0xe8c7b756)                                                         \
    STEP(F, c, d, a, b, 2, 17, 0x242070db)                                                         \
    STEP(F, b, c, d, a, 3, 22, 0xc1bdceee)                                                         \
    STEP(F, a, b, c, d, 4, 7, 0xf57c0faf)                                                          \
    STEP(F, d, a, b, c, 5, 12, 0x4787c62a)                                                         \
    STEP(F, c, d, a, b, 6, 17, 0xa8304613)                                                         \
    STEP(F, b, c, d, a, 7, 22, 0xfd469501)                                                         \
    STEP(F, a, b, c, d, 8, 7, 0x698098d8)                                                          \
    STEP(F, d, a, b, c, 9, 12, 0x8b44f7af)                                                         \
    STEP(F, c, d, a, b, 10, 17, 0xffff5bb1)                                                        \
    STEP(F, b, c, d, a, 11, 22, 0x895cd7be)                                                        \
    STEP(F, a, b, c, d, 12, 7, 0x6b901122)                                                         \
    STEP(F, d, a, b, c, 13, 12, 0xfd987193)                                                        \
    STEP(F, c, d, a, b, 14, 17, 0xa679438e)                                                        \
    STEP(F, b, c, d, a, 15, 22, 0x49b40821)                                                        \
    STEP(G, a, b, c, d, 1, 5, 0xf61e2562)                                                          \
    STEP(G, d, a, b, c, 6, 9, 0xc040b340)                                                          \
    STEP(G, c, d, a, b, 11, 14, 0x265e5a51)                                                        \
    STEP(G, b, c, d, a, 0, 20, 0xe9b6c7aa)                                                         \
    STEP(G, a, b, c, d, 5, 5, 0xd62f105d)                                                          \
    STEP(G, d, a, b, c, 10, 9, 0x02441453)                                                         \
    STEP(G, c, d, a, b, 15, 14, 0xd8a1e681)                                                        \
    STEP(G, b, c, d, a, 4, 20, 0xe7d3fbc8)                                                         \
    STEP(G, a, b, c, d, 9, 5, 0x21e1cde6)                                                          \
    STEP(G, d, a, b, c, 14, 9, 0xc33707d6)                                                         \
    STEP(G, c, d, a, b, 3, 14, 0xf4d50d87)                                                         \
    STEP(G, b, c, d, a, 8, 20, 0x455a14ed)                                                         \
    STEP(G, a, b, c, d, 13, 5, 0xa9e3e905)                                                         \
    STEP(G, d, a, b, c, 2, 9, 0xfcefa3f8)                                                          \
    STEP(G, c, d, a, b, 7, 14, 0x676f02d9)                                                         \
    STEP(G, b, c, d, a, 12, 20, 0x8d2a4c8a)                                                        \
    STEP(H, a, b, c, d, 5, 4, 0xfffa3942)                                                          \
    STEP(H, d, a, b, c, 8, 11, 0x8771f681)                                                         \
    STEP(H, c, d, a, b, 11, 16, 0x6d9d6122)                                                        \
    STEP(H, b, c, d, a, 14, 23, 0xfde5380c)                                                        \
    STEP(H, a, b, c, d, 1, 4, 0xa4beea44)                                                          \
    STEP(H, d, a, b, c, 4, 11, 0x4bdecfa9)                                                         \
    STEP(H, c, d, a, b, 7, 16, 0xf6bb4b60)                                                         \
    STEP(H, b, c, d, a, 10, 23, 0xbebfbc70)                                                        \
    STEP(H, a, b, c, d, 13, 4, 0x289b7ec6)                                                         \
    STEP(H, d, a, b, c, 0, 11, 0xeaa127fa)                                                         \
    STEP(H, c, d, a, b, 3, 16, 0xd4ef3085)                                                         \
    STEP(H, b, c, d, a, 6, 23, 0x04881d05)                                                         \
    STEP(H, a, b, c, d, 9, 4, 0xd9d4d039)                                                          \
    STEP(H, d, a, b, c, 12, 11, 0xe6db99e5)                                                        \
    STEP(H, c, d, a, b, 15, 16, 0x1fa27cf8)                                                        \
    STEP(H, b, c, d, a, 2, 23, 0xc4ac5665)                                                         \
    STEP(I, a, b, c, d, 0, 6, 0xf4292244)                                                          \
    STEP(I, d, a, b, c, 7, 10, 0x432aff97)                                                         \
    STEP(I, c, d, a, b, 14, 15, 0xab9423a7)                                                        \
    STEP(I, b, c, d, a, 5, 21, 0xfc93a039)                                                         \
    STEP(I, a, b, c, d, 12, 6, 0x655b59c3)                                                         \
    STEP(I, d, a, b, c, 3, 10, 0x8f0ccc92)                                                         \
    STEP(I, c, d, a, b, 10, 15, 0xffeff47d)                                                        \
    STEP(I, b, c, d, a, 1, 21, 0x85845dd1)                                                         \
    STEP(I, a, b, c, d, 8, 6, 0x6fa87e4f)                                                          \
    STEP(I, d, a, b, c, 15, 10, 0xfe2ce6e0)                                                        \
    STEP(I, c, d, a, b, 6, 15, 0xa3014314)                                                         \
    STEP(I, b, c, d, a, 13, 21, 0x4e0811a1)                                                        \
    STEP(I, a, b, c, d, 4, 6, 0xf7537e82)                                                          \
    STEP(I, d, a, b, c, 11, 10, 0xbd3af235)                                                        \
    STEP(I, c, d, a, b, 2, 15, 0x2ad7d2bb)                                                         \
    STEP(I, b, c, d, a, 9, 21, 0xeb86d391)

#endif
