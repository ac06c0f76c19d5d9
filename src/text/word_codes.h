/** \file src/text/word_codes.h
 * Words (tokens of pages) as codes of one byte or two, so that they take less than half the bytes
 * where they travel or lie. Which words have codes is known to both ends; another one is written
 * out.
 * Invariant: what is unpacked is what was packed, whatever bytes these are.
 */
#ifndef ND_TEXT_WORD_CODES_H
#define ND_TEXT_WORD_CODES_H

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- the bytes of a code */

/** Words with a code of one byte, and with one of two: their codes follow one another. */
enum { ND_WORD_SHORT_CODES = 128, ND_WORD_LONG_CODES = 127 * 256 };

/** The code of a word that has none: it is written out, after a byte that begins no other. */
enum { ND_WORD_NO_CODE = 0xffff, ND_WORD_WRITTEN_OUT = 255 };

/** Most bytes of a word. */
enum { ND_WORD_MOST_BYTES = 1 + sizeof(uint32_t) };

/** \param[out] to  room for ND_WORD_MOST_BYTES \return how many it took */
static inline size_t nd_word_put(uint8_t *to, uint32_t code, uint32_t word) {
    if (code == ND_WORD_NO_CODE) {
        to[0] = ND_WORD_WRITTEN_OUT;
        memcpy(to + 1, &word, sizeof word);
        return ND_WORD_MOST_BYTES;
    }
    const bool is_short = code < ND_WORD_SHORT_CODES;
    const uint32_t place = code - ND_WORD_SHORT_CODES;
    to[0] = (uint8_t)(is_short ? code : ND_WORD_SHORT_CODES + (place >> 8));
    to[1] = (uint8_t)place;
    return is_short ? 1 : 2;
}

/** \param[in] left  bytes that there are
 * \param[out] code, word  the code, or none and the word
 * \return how many it took; 0: there are not so many */
static inline size_t nd_word_take(const uint8_t *from, size_t left, uint32_t *code,
                                  uint32_t *word) {
    const uint32_t first = left > 0 ? from[0] : 0;
    const size_t size = first < ND_WORD_SHORT_CODES   ? 1
                        : first < ND_WORD_WRITTEN_OUT ? 2
                                                      : ND_WORD_MOST_BYTES;
    if (size > left) {
        return 0;
    }
    if (size == ND_WORD_MOST_BYTES) {
        *code = ND_WORD_NO_CODE;
        memcpy(word, from + 1, sizeof *word);
    } else {
        *code = size == 1 ? first
                          : ND_WORD_SHORT_CODES + ((first - ND_WORD_SHORT_CODES) << 8 | from[1]);
    }
    return size;
}

/* ---- words whose codes do not change */

/** All zero: no word has a code. */
typedef struct nd_word_codes {
    uint32_t *words; /**< by their codes */
    uint32_t count;
    struct nd_word_slot *slots; /**< by a hash of the word */
} nd_word_codes;

/** \param[in] words  distinct, those that come most often first; at most as many as have codes */
void nd_word_codes_open(nd_word_codes *codes, const uint32_t *words, uint32_t count);

/** Most bytes that so many bytes are packed into. */
size_t nd_word_codes_most(size_t size);

/** Pack words (uint32_t), and what is left after the last. \param[out] packed  room for
 * nd_word_codes_most(size) \return how many bytes it took */
size_t nd_word_codes_pack(const nd_word_codes *codes, const uint8_t *bytes, size_t size,
                          uint8_t *packed);

/** \param[out] bytes  `size` of them \return false if these are not the bytes of so many */
bool nd_word_codes_unpack(const nd_word_codes *codes, nd_span packed, uint8_t *bytes, size_t size);

void nd_word_codes_close(nd_word_codes *codes);

#endif
