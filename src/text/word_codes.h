/** \file src/text/word_codes.h
 * Words (tokens of pages) as codes of one byte or two, so that they take less than half the bytes
 * where they travel. Which words have codes is known to both ends; another one is written out.
 * Invariant: what is unpacked is what was packed, whatever bytes these are.
 */
#ifndef ND_TEXT_WORD_CODES_H
#define ND_TEXT_WORD_CODES_H

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Words with a code of one byte, and with one of two. */
enum { ND_WORD_SHORT_CODES = 128, ND_WORD_LONG_CODES = 127 * 256 };

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
