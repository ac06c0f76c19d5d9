/** \file src/hash/rabin.h
 * Fingerprints by polynomials: Rabin's of token sequences, over GF(2), and a digest of a sequence
 * that is made of those of its parts, modulo a prime.
 *
 * Rabin fingerprints of token sequences (Rabin, "Fingerprinting by random polynomials", Harvard
 * TR-15-81, 1981; table form and sliding window: Broder, "Some applications of Rabin's
 * fingerprinting method", 1993): the tokens are the coefficients of a polynomial over GF(2), the
 * fingerprint is its remainder modulo an irreducible polynomial of degree 64. For any two different
 * sequences of n tokens, chosen before the polynomial is, the chance of a common fingerprint is
 * below n / 2^58. A token is 32 coefficients, its highest bit the highest power; a coefficient 1
 * stands before the first token, so that sequences of different lengths differ.
 *
 * The fingerprint is linear in the tokens: it does not hide them, and an opponent who knows the
 * polynomial can make two sequences collide.
 */
#ifndef ND_HASH_RABIN_H
#define ND_HASH_RABIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_RABIN_BYTES = 4,   /**< of a token */
    ND_RABIN_VALUES = 256 /**< of a byte */
};

typedef uint64_t nd_rabin_table[ND_RABIN_BYTES][ND_RABIN_VALUES];

/** A polynomial with its tables (16 KiB), for windows of `window` tokens. Plain value, constant
 * after nd_rabin_start(): any number of threads may read it. */
typedef struct nd_rabin {
    uint64_t polynomial;  /**< coefficients below x^64, whose coefficient is 1 */
    size_t window;        /**< tokens */
    uint64_t turn;        /**< moves the 1 before a window one token on */
    nd_rabin_table enter; /**< [i][v]: v x^(64 + 8i) modulo the polynomial */
    nd_rabin_table leave; /**< [i][v]: v x^(32 window + 8i) modulo the polynomial */
} nd_rabin;

/** Is x^64 + the polynomial of these coefficients irreducible over GF(2)? Exact (Rabin,
 * "Probabilistic algorithms in finite fields", 1980, lemma 1). */
bool nd_rabin_irreducible(uint64_t polynomial);

/** Choose the polynomial, by a seed, among all irreducible ones of degree 64, and fill the tables.
 * Takes a fraction of a millisecond; the same polynomial on every machine.
 * \param[in] window  tokens of a window, at least 1 */
void nd_rabin_start(nd_rabin *rabin, uint64_t seed, size_t window);

/** The fingerprint of a sequence of any length; `window` does not matter. */
uint64_t nd_rabin_of(const nd_rabin *rabin, const uint32_t *tokens, size_t count);

/** A token more: the fingerprint of the sequence with it, from that without. */
static inline uint64_t nd_rabin_append(const nd_rabin *rabin, uint64_t fingerprint,
                                       uint32_t token) {
    const uint64_t high = fingerprint >> 32;
    return (fingerprint << 32 | token) ^ rabin->enter[0][high & 0xff] ^
           rabin->enter[1][high >> 8 & 0xff] ^ rabin->enter[2][high >> 16 & 0xff] ^
           rabin->enter[3][high >> 24];
}

/** One place on: the fingerprint of the `window` tokens after `leaving`, the last of which is
 * `entering`, from that of the window that begins with `leaving`. */
static inline uint64_t nd_rabin_roll(const nd_rabin *rabin, uint64_t fingerprint, uint32_t leaving,
                                     uint32_t entering) {
    return nd_rabin_append(rabin, fingerprint, entering) ^ rabin->turn ^
           rabin->leave[0][leaving & 0xff] ^ rabin->leave[1][leaving >> 8 & 0xff] ^
           rabin->leave[2][leaving >> 16 & 0xff] ^ rabin->leave[3][leaving >> 24];
}

/* ---- A digest of a sequence of hashes that can be made of the digests of its parts, wherever it
 * was cut: two polynomials over the integers modulo 2^61 - 1 (Karp and Rabin, 1987), at points that
 * follow from a seed. Of sequences that differ in a hash it is equal with a chance of some 2^-100
 * per place, to anyone who does not know the seed. It is no cryptographic hash. */

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
