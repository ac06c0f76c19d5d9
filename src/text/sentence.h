/** \file src/text/sentence.h
 * Where sentences end: at the end of the text, after the full stops of scripts that have their own
 * (U+3002, U+0964, ...), and after . ! ? and their like where white space follows. No lists of
 * abbreviations: cutting alike matters here, not cutting well.
 */
#ifndef ND_TEXT_SENTENCE_H
#define ND_TEXT_SENTENCE_H

#include <stdbool.h>
#include <stdint.h>

/** The end of the sentence that begins at p: after its stop, or `end`. The text is UTF-8. */
const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end);

/** The same by words of eight bytes, on any machine: the reference of the variants of
 * text_variant.h. */
const uint8_t *nd_sentence_end_portable(const uint8_t *p, const uint8_t *end);

/** Read the character at p. \param[out] stops  whether the sentence ends after it
 * \return its end */
const uint8_t *nd_sentence_read(const uint8_t *p, const uint8_t *end, bool *stops);

#endif
