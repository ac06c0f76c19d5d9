/** \file src/base/utf8.h
 * Reading and writing of one UTF-8 character. Bytes that are not UTF-8 read as U+FFFD, one for each
 * maximal part of a character (Unicode 15, section 3.9, table 3-8; the Encoding Standard does the
 * same). No conversion of other encodings.
 */
#ifndef ND_BASE_UTF8_H
#define ND_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

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

#endif
