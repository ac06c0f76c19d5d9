/** \file src/text/scan.h
 * The extractor's inner loop: copying of plain ASCII text with white space collapsed, several bytes
 * at a time, and the classes of ASCII bytes inside tags. Anything that needs thought (tags,
 * references, bytes of other characters) stops the copy and is left to the caller.
 */
#ifndef ND_TEXT_SCAN_H
#define ND_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Bytes after the text that copying may overwrite. */
enum { ND_SCAN_SLACK = 64 };

/** What is known of some bytes of the document that were looked at for a tag: bit i of byte i. The
 * next tag often begins among them. */
typedef struct nd_scan_view {
    const uint8_t *begin; /**< NULL: none */
    uint64_t spaces;      /**< up to ' ' */
    uint64_t opening;     /**< '<' */
    uint64_t closing;     /**< '>' */
    uint64_t slashes;
    uint64_t blanks; /**< nd_scan_is_space() */
} nd_scan_view;

typedef struct nd_scan {
    const uint8_t *in;
    uint8_t *out;      /**< room for the input and ND_SCAN_SLACK bytes */
    bool after_space;  /**< white space at the beginning would follow white space */
    nd_scan_view view; /**< of nd_text_variant.next_tag alone; nothing at the beginning */
} nd_scan;

/** Copy text from scan->in to scan->out, each run of white space and controls as one space, until
 * `limit`, '<', '&', NUL or a character that may be invalid or white space outside ASCII; the three
 * fields are moved on. By words of eight bytes, on any machine: the reference of the variants of
 * text_variant.h. */
void nd_scan_text_portable(nd_scan *scan, const uint8_t *limit);

/** HTML's white space: tab, line feed, form feed, carriage return, space. */
static inline bool nd_scan_is_space(uint8_t c) {
    return c == ' ' || (c <= '\r' && c >= '\t' && c != '\v');
}

/** The first byte from p on that is not white space, or `end`. */
static inline const uint8_t *nd_scan_skip_space(const uint8_t *p, const uint8_t *end) {
    while (p < end && nd_scan_is_space(*p)) {
        p++;
    }
    return p;
}

/** Whether a paragraph of plain text ends at the line end p: an empty line follows. */
bool nd_scan_ends_paragraph(const uint8_t *p, const uint8_t *end);

/** Where the paragraph that contains p ends: at a line end that an empty line follows, or at `end`;
 * the reference of the variants of text_variant.h. */
const uint8_t *nd_scan_paragraph_end_portable(const uint8_t *p, const uint8_t *end);

static inline bool nd_scan_is_letter(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

/** Whether a tag's name ends before this byte. */
static inline bool nd_scan_ends_tag_name(uint8_t c) {
    return c == '>' || c == '/' || nd_scan_is_space(c);
}

/** Whether an attribute's name ends before this byte. */
static inline bool nd_scan_ends_name(uint8_t c) {
    return c == '=' || nd_scan_ends_tag_name(c);
}

/* ---- Eight bytes at a time in one 64-bit word, for the inner loops over text ("SIMD within a
 * register"; H. S. Warren, Hacker's Delight, chapter 6). Answers are words with the high bit set in
 * each byte that has the property. The arguments' own high bits must be clear where it says "low".
 */

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
