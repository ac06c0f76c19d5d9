/** \file src/text/swar.h
 * Eight bytes at a time in one 64-bit word, for the inner loops over text ("SIMD within a
 * register"; H. S. Warren, Hacker's Delight, chapter 6). Answers are words with the high bit set in
 * each byte that has the property. The arguments' own high bits must be clear where it says "low".
 */
#ifndef ND_TEXT_SWAR_H
#define ND_TEXT_SWAR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Bytes of a word. */
enum { ND_SWAR_BYTES = 8 };

/** The same byte eight times. */
#define ND_SWAR(byte) (UINT64_C(0x0101010101010101) * (uint8_t)(byte))

#define ND_SWAR_HIGH ND_SWAR(0x80)

/** Put a word in memory order if that is not the machine's: the first byte is the lowest. */
static inline uint64_t nd_swar_order(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t nd_swar_load(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return nd_swar_order(word);
}

static inline void nd_swar_store(uint8_t *p, uint64_t word) {
    word = nd_swar_order(word);
    memcpy(p, &word, sizeof word);
}

/** Bytes of a low word that equal `byte`. */
static inline uint64_t nd_swar_equal(uint64_t low, uint8_t byte) {
    return ~((low ^ ND_SWAR(byte)) + ND_SWAR(0x7F)) & ND_SWAR_HIGH;
}

/** Bytes of a low word that are in [first, last]; first and last below 0x80. */
static inline uint64_t nd_swar_between(uint64_t low, uint8_t first, uint8_t last) {
    return (low + ND_SWAR(0x80 - first)) & ~(low + ND_SWAR(0x7F - last)) & ND_SWAR_HIGH;
}

/** Number of the first byte that an answer marks; the answer must not be 0. */
static inline size_t nd_swar_first(uint64_t answer) {
    return (size_t)__builtin_ctzll(answer) / 8;
}

#endif
