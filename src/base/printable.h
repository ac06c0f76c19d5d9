/** \file src/base/printable.h
 * UTF-8, character by character, and what strangers wrote, made fit for a terminal, a log, or a
 * line of a table: URLs, ids, file names and sentences may hold line breaks, terminal escapes, and
 * characters that turn the direction of writing or cannot be seen. Each of these is printed as what
 * it is: a byte as \\x1b, a code point as \\u202e (\\U000e0001 above U+FFFF), a byte that is not
 * UTF-8 as \\xff. All else is left as it is. Texts of nd_fail() have been through here; whatever
 * else is printed and was not written by the program itself goes through here where it is printed.
 * No conversion of other encodings.
 */
#ifndef ND_BASE_PRINTABLE_H
#define ND_BASE_PRINTABLE_H

#include "src/base/util.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- UTF-8: bytes that are none read as U+FFFD, one for each maximal part of a character (Unicode
 * 15, section 3.9, table 3-8; the Encoding Standard does the same). */

enum {
    ND_UTF8_REPLACEMENT = 0xFFFD, /**< what an invalid byte is read as */
    ND_UTF8_MAX = 4               /**< bytes of the longest character */
};

/** Read the character at p (p < end).
 * \param[out] code  the code point, U+FFFD for invalid bytes; never a surrogate
 * \return bytes read, at least 1 */
static inline size_t nd_utf8_read(const uint8_t *p, const uint8_t *end, uint32_t *code) {
    uint32_t lead = p[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    *code = ND_UTF8_REPLACEMENT;
    if (lead < 0xC2 || lead > 0xF4) {
        return 1;
    }
    size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    /* The second byte's range is narrower after some leads: no overlong form, no surrogate,
     * nothing above U+10FFFF. */
    uint32_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint32_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    uint32_t value = lead & (0x7FU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((size_t)(end - p) <= i || p[i] < least || p[i] > most) {
            return i;
        }
        value = value << 6 | (p[i] & 0x3FU);
        least = 0x80;
        most = 0xBF;
    }
    *code = value;
    return size;
}

/** Write a code point (at most U+10FFFF, no surrogate) to `out`, which has ND_UTF8_MAX bytes.
 * \return bytes written */
static inline size_t nd_utf8_write(uint8_t *out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xC0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xE0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (code & 0x3F));
    return 4;
}

/** The beginning of a text, of at most `most` bytes, cut between characters. */
static inline nd_span nd_utf8_cut(nd_span text, size_t most) {
    size_t size = text.size < most ? text.size : most;
    while (size > 0 && size < text.size && (text.data[size] & 0xC0) == 0x80) {
        size--;
    }
    return nd_span_part(text, 0, size);
}

/* ---- what strangers wrote, printed */

/** Where the text goes to. */
typedef enum nd_printable {
    ND_PRINTABLE_MESSAGE, /**< a message: tabs and line breaks are \\t, \\n, \\r. Doing it again
                               changes nothing */
    ND_PRINTABLE_FIELD,   /**< a field of a table: backslashes are \\\\ too, so it can be undone */
    ND_PRINTABLE_JSON,    /**< serialised JSON, whose bytes below 0x20 stand between its tokens:
                               \\u001b, \\u202e, and surrogates; bytes that are not UTF-8 are \\ufffd
                           */
    ND_PRINTABLE_HTML     /**< a text, or the value of an attribute, of an HTML page: & < > \" and '
                               are references, blanks and line breaks are one blank each; all else
                               as in a message */
} nd_printable;

/** Most bytes that one byte becomes. */
enum { ND_PRINTABLE_GROWTH = 6 };

/** Put `text` into `to`, which has room for `room` > 0 bytes, with a NUL: what does not fit is left
 * out. \return bytes put, without the NUL */
size_t nd_printable_put(nd_printable kind, nd_span text, char *to, size_t room);

/** nd_printable_put() of a message of `size` bytes. */
void nd_printable_message(const char *text, size_t size, char *to, size_t room);

/** Print `text`. */
void nd_print_text(FILE *to, nd_printable kind, nd_span text);

/** Print a name as in a message, and blanks up to `width` bytes. */
void nd_print_padded(FILE *to, nd_span name, size_t width);

/** nd_print_text() of a text that ends with NUL. */
void nd_print_words(FILE *to, nd_printable kind, const char *words);

/** Print one line, a message (printf format; a few KB at most) and a line break, at once: lines of
 * several ranks do not mix. For all that goes to stderr. */
void nd_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
