#include "src/text/scan.h"

#include "src/text/swar.h"

#include <string.h>

/* Bytes that cannot be copied as they are: controls, '<', '&', not ASCII. */
static uint64_t unusual(uint64_t word) {
    uint64_t low = word & ~ND_SWAR_HIGH;
    return nd_swar_between(low, 0, ' ' - 1) | nd_swar_equal(low, '<') | nd_swar_equal(low, '&') |
           (word & ND_SWAR_HIGH);
}

/* Copy words of eight bytes without a second space in a row, up to the first other byte. */
static void copy_words(nd_scan *scan, const uint8_t *limit) {
    while (limit - scan->in >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(scan->in);
        uint64_t spaces = nd_swar_equal(word & ~ND_SWAR_HIGH, ' ');
        uint64_t doubled = spaces & (spaces << 8 | (scan->after_space ? 0x80U : 0U));
        uint64_t stop = unusual(word) | doubled;
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

/* Bytes of the letter at p if it is none of the few multi-byte white spaces and cannot be wrong in
 * more than its last bytes: U+00C0 to U+07FF and U+4000 to U+CFFF, most letters that are not ASCII.
 * 0 for any other. */
static size_t plain_letter(const uint8_t *p, const uint8_t *limit) {
    if (*p >= 0xC3 && *p <= 0xDF && limit - p >= 2 && (p[1] & 0xC0) == 0x80) {
        return 2;
    }
    bool three = *p >= 0xE4 && *p <= 0xEC && limit - p >= 3;
    return three && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80 ? 3 : 0;
}

/* Copy such letters. */
static void copy_letters(nd_scan *scan, const uint8_t *limit) {
    while (scan->in < limit) {
        size_t size = plain_letter(scan->in, limit);
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

static bool is_stop(uint8_t c) {
    return c == '<' || c == '&' || c == 0 || c >= 0x80;
}

void nd_scan_text(nd_scan *scan, const uint8_t *limit) {
    for (;;) {
        copy_words(scan, limit);
        copy_letters(scan, limit);
        if (scan->in == limit || is_stop(*scan->in)) {
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
