/** \file src/text/unicode.h
 * What a code point is to a text that is cut into sentences and words: its class and its folded
 * (lower-cased, full-width to ASCII) form. The table is generated from the Unicode Character
 * Database, so that every machine and locale gives the same answer. No normalisation forms, no
 * full case folding.
 */
#ifndef ND_TEXT_UNICODE_H
#define ND_TEXT_UNICODE_H

#include <stdint.h>

typedef enum nd_unicode_class {
    ND_UNICODE_OTHER,
    ND_UNICODE_WORD,             /**< letter or digit of a script whose words are set apart */
    ND_UNICODE_SINGLE,           /**< letter of a script written without spaces: a token itself */
    ND_UNICODE_MARK,             /**< combining mark: stays with what precedes it */
    ND_UNICODE_IGNORED,          /**< invisible: neither ends a word nor counts in it */
    ND_UNICODE_SPACE,            /**< white space or control */
    ND_UNICODE_STOP,             /**< ends a sentence */
    ND_UNICODE_STOP_BEFORE_SPACE /**< ends a sentence if white space or nothing follows */
} nd_unicode_class;

typedef struct nd_unicode_record {
    int32_t fold;  /**< to add for the folded form */
    int32_t class; /**< nd_unicode_class */
} nd_unicode_record;

extern const nd_unicode_record nd_unicode_records[];
extern const uint8_t nd_unicode_index[];
extern const uint8_t nd_unicode_blocks[][128];

/** The record of a code point; code must be at most U+10FFFF. */
static inline const nd_unicode_record *nd_unicode(uint32_t code) {
    return &nd_unicode_records[nd_unicode_blocks[nd_unicode_index[code >> 7]][code & 127]];
}

#endif
