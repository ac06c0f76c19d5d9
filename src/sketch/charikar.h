/** \file src/sketch/charikar.h
 * Random projection of a page to a string of bits (Charikar, STOC 2002) in the form of Henzinger
 * (US 2008/0044016, "Alg. C"): every feature has a fixed random vector of -1 and +1, the vectors of
 * all occurrences are added, and a bit is 1 where the sum is above 0. The share of agreeing bits of
 * two pages is 1 - angle / pi in expectation, the angle being that between their feature
 * frequencies. Features are any numbers: token hashes, or hashes of shingles. Looking for pages
 * that agree is pieces.h's part.
 *
 * Agreement in 372 of 384 bits (the patent's 97 %) stands for a cosine of .995, in 355 (Henzinger,
 * SIGIR 2006) for .972. Pages with few features share many bits by chance; a page without any is
 * all zeros and is not to be compared.
 */
#ifndef ND_SKETCH_CHARIKAR_H
#define ND_SKETCH_CHARIKAR_H

#include <stddef.h>
#include <stdint.h>

enum {
    ND_CHARIKAR_BITS = 384, /**< the patent's b */
    ND_CHARIKAR_WORD_BITS = 64,
    ND_CHARIKAR_MAX_WORDS = 8,
    ND_CHARIKAR_MAX_BITS = ND_CHARIKAR_MAX_WORDS * ND_CHARIKAR_WORD_BITS
};

/** 64-bit words of a string of that many bits. */
static inline size_t nd_charikar_words(uint32_t bits) {
    return (bits + ND_CHARIKAR_WORD_BITS - 1) / ND_CHARIKAR_WORD_BITS;
}

/** Project a page. The vector of feature f comes from SplitMix64 seeded with f and `seed`; a longer
 * string begins with the shorter one of the same seed.
 * \param[in]  features  borrowed, in any order; one that occurs twice stands there twice
 * \param[in]  weights   how often each feature counts; NULL: once. The sum of the weights (the
 *                       count, without weights) must be below 2^32
 * \param[in]  bits      1 .. ND_CHARIKAR_MAX_BITS
 * \param[out] string    nd_charikar_words(bits) words; bit i is bit i % 64 of word i / 64, bits
 *                       beyond the last are 0 */
void nd_charikar_sign(const uint64_t *features, const uint32_t *weights, size_t count,
                      uint32_t bits, uint64_t seed, uint64_t *string);

/** Agreeing bits of two strings of `bits` bits. */
uint32_t nd_charikar_agreeing(const uint64_t *a, const uint64_t *b, uint32_t bits);

#endif
