/** \file src/text/unicode.h
 * What a code point is to a text that is cut into sentences and words: its class, and what it is
 * compared as. One rule says the latter of letters, digits and marks: their compatibility
 * decomposition (NFKD), where that is letters, digits and marks alone, in lower case, decimal
 * digits as those of ASCII, canonically composed (NFC); without what is invisible, tatweel, and the
 * points of Hebrew, Arabic and Syriac. So canonically equivalent texts are the same, and so are
 * half-width and full-width forms, presentation forms, ligatures, superscripts and styled letters.
 * Anything else stays itself. The table is generated from the Unicode Character Database by
 * scripts/make_unicode_table.py, so that every machine and locale gives the same answer. No full
 * case folding (an eszett is not ss), and no letter loses its accents.
 */
#ifndef ND_TEXT_UNICODE_H
#define ND_TEXT_UNICODE_H

#include <stdint.h>

typedef enum nd_unicode_class {
    ND_UNICODE_OTHER,
    ND_UNICODE_WORD,              /**< letter or digit of a script whose words are set apart */
    ND_UNICODE_SINGLE,            /**< letter of a script written without spaces: a token itself */
    ND_UNICODE_MARK,              /**< combining mark: part of the letter that precedes it */
    ND_UNICODE_IGNORED,           /**< invisible: neither ends a word nor counts in it */
    ND_UNICODE_SPACE,             /**< white space or control */
    ND_UNICODE_STOP,              /**< ends a sentence */
    ND_UNICODE_STOP_BEFORE_SPACE, /**< ends a sentence if white space or nothing follows */
    ND_UNICODE_JOINING_MARK,      /**< one that has an order and composes, or is folded */
    ND_UNICODE_JAMO,              /**< ND_UNICODE_WORD: vowel or final consonant of Hangul, which a
                                       syllable before it may take */
    ND_UNICODE_MAPPED             /**< stands for several of the classes _WORD, _SINGLE, _MARK,
             _JOINING_MARK, _JAMO */
} nd_unicode_class;

typedef struct nd_unicode_record {
    int32_t fold;   /**< to add for the folded form, which the rest speaks of; of ND_UNICODE_MAPPED
                         where its text begins in nd_unicode_texts */
    uint8_t class;  /**< nd_unicode_class */
    uint8_t order;  /**< canonical combining class: a mark's own; that of a letter's last mark */
    uint16_t joins; /**< 0, or 1 + an index: of a mark that composes with what precedes it, in
                         nd_unicode_groups; of a letter that has a mark, in nd_unicode_parts */
} nd_unicode_record;

/** Of a mark: which nd_unicode_joins are its, [begin, end). */
typedef struct nd_unicode_group {
    uint16_t begin, end;
} nd_unicode_group;

/** In nd_unicode_joins what precedes a mark (ascending within a group), and the composition of
 * both; in nd_unicode_parts what a letter is composed of: what precedes its last mark, and that. */
typedef struct nd_unicode_pair {
    uint32_t first, second;
} nd_unicode_pair;

extern const nd_unicode_record nd_unicode_records[];
extern const uint8_t nd_unicode_index[];
extern const uint16_t nd_unicode_blocks[][128];
extern const uint32_t nd_unicode_texts[]; /**< each ends with 0; marks that have an order stand at
                                               its end, or nothing else is in it */
extern const nd_unicode_group nd_unicode_groups[];
extern const nd_unicode_pair nd_unicode_joins[];
extern const nd_unicode_pair nd_unicode_parts[];

/** The record of a code point; code must be at most U+10FFFF. */
static inline const nd_unicode_record *nd_unicode(uint32_t code) {
    return &nd_unicode_records[nd_unicode_blocks[nd_unicode_index[code >> 7]][code & 127]];
}

#endif
