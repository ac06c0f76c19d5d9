#include "src/text/scan.h"

#include <string.h>

/* Copy words of eight bytes without a second space in a row, up to the first other byte. */
static void copy_words(nd_scan *scan, const uint8_t *limit) {
    while (limit - scan->in >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(scan->in);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t spaces = nd_swar_equal(low, ' ');
        uint64_t doubled = spaces & (spaces << 8 | (scan->after_space ? 0x80U : 0U));
        uint64_t controls = nd_swar_between(low, 0, ' ' - 1);
        uint64_t marks = nd_swar_equal(low, '<') | nd_swar_equal(low, '&');
        uint64_t stop = controls | marks | (word & ND_SWAR_HIGH) | doubled;
        memcpy(scan->out, scan->in, ND_SWAR_BYTES);
        size_t size = stop == 0 ? ND_SWAR_BYTES : nd_swar_first(stop);
        scan->in += size;
        scan->out += size;
        if (size > 0) {
            scan->after_space = (spaces >> (8 * size - 1) & 1) != 0;
        }
        if (stop != 0) {
            return;
        }
    }
}

static bool is_continuation(uint8_t c) {
    return (c & 0xC0) == 0x80;
}

/* Whether a character of three bytes can begin with these two, and is no white space then whatever
 * its last byte is. */
static bool is_plain_pair(uint8_t first, uint8_t second) {
    switch (first) {
    case 0xE0: /* an overlong form below */
        return second >= 0xA0;
    case 0xE1: /* U+1680 */
        return second != 0x9A;
    case 0xE2: /* U+2000 to U+206F: most white space beyond ASCII */
        return second != 0x80 && second != 0x81;
    case 0xE3: /* U+3000 */
        return second != 0x80;
    case 0xED: /* surrogates above */
        return second < 0xA0;
    default:
        return true;
    }
}

/* Copy characters of two or three bytes that are surely valid and no white space. */
static void copy_letters(nd_scan *scan, const uint8_t *limit) {
    while (scan->in < limit) {
        const uint8_t *p = scan->in;
        size_t size = 0;
        if (*p >= 0xC3 && *p <= 0xDF) {
            size = limit - p >= 2 && is_continuation(p[1]) ? 2 : 0;
        } else if ((*p & 0xF0) == 0xE0 && limit - p >= 3 && is_continuation(p[1]) &&
                   is_continuation(p[2])) {
            size = is_plain_pair(p[0], p[1]) ? 3 : 0;
        }
        if (size == 0) {
            return;
        }
        memcpy(scan->out, scan->in, 2);
        scan->out[2] = scan->in[size - 1];
        scan->in += size;
        scan->out += size;
        scan->after_space = false;
    }
}

void nd_scan_text_portable(nd_scan *scan, const uint8_t *limit) {
    for (;;) {
        copy_words(scan, limit);
        copy_letters(scan, limit);
        if (scan->in == limit || *scan->in == '<' || *scan->in == '&' || *scan->in == 0 ||
            *scan->in >= 0x80) {
            return;
        }
        if (*scan->in > ' ') {
            *scan->out++ = *scan->in++;
            scan->after_space = false;
            continue;
        }
        if (!scan->after_space) {
            *scan->out++ = ' ';
            scan->after_space = true;
        }
        while (scan->in < limit && *scan->in <= ' ' && *scan->in != 0) {
            scan->in++;
        }
    }
}

bool nd_scan_ends_paragraph(const uint8_t *p, const uint8_t *end) {
    const uint8_t *next = nd_scan_skip_space(p, end);
    return memchr(p + 1, '\n', (size_t)(next - p - 1)) != NULL;
}

const uint8_t *nd_scan_paragraph_end_portable(const uint8_t *p, const uint8_t *end) {
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        if (nd_scan_ends_paragraph(p, end)) {
            return p;
        }
        p++;
    }
    return end;
}
