/** \file src/text/sentence.h
 * Where sentences end: at the end of the text, behind the full stops of scripts that have their own
 * (U+3002, U+0964, ...), and behind . ! ? and their like where white space follows. No lists of
 * abbreviations: cutting alike matters here, not cutting well.
 */
#ifndef ND_TEXT_SENTENCE_H
#define ND_TEXT_SENTENCE_H

#include <stdint.h>

/** The end of the sentence that begins at p: behind its stop, or `end`. The text is UTF-8. */
const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end);

#endif
