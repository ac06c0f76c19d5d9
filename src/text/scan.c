#include "src/text/scan.h"

#include <string.h>

enum { WORD_BYTES = 8 };

/* The same byte eight times. */
#define BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH_BITS   BYTES(0x80)

/* Eight bytes, the first one lowest on any machine. */
static uint64_t load(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* High bit of each byte of `word`, whose bytes are below 0x80, that equals `byte`. */
static uint64_t equal(uint64_t word, uint8_t byte) {
    return ~((word ^ BYTES(byte)) + BYTES(0x7F)) & HIGH_BITS;
}

/* High bit of each byte that cannot be copied as it is, or that follows such a byte: controls, '<',
 * '&', not ASCII. */
static uint64_t unusual(uint64_t word) {
    uint64_t low = word & ~HIGH_BITS;
    uint64_t control = ~(low + BYTES(0x60)) & HIGH_BITS;
    return control | equal(low, '<') | equal(low, '&') | (word & HIGH_BITS);
}

/* Copy words of eight bytes without a second space in a row, up to the first other byte. */
static void copy_words(nd_scan *scan, const uint8_t *limit) {
    while (limit - scan->in >= WORD_BYTES) {
        uint64_t word = load(scan->in);
        uint64_t spaces = equal(word & ~HIGH_BITS, ' ');
        uint64_t doubled = spaces & (spaces << 8 | (scan->after_space ? 0x80U : 0U));
        uint64_t stop = unusual(word) | doubled;
        memcpy(scan->out, scan->in, WORD_BYTES);
        size_t size = stop == 0 ? WORD_BYTES : (size_t)__builtin_ctzll(stop) / 8;
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

static bool is_stop(uint8_t c) {
    return c == '<' || c == '&' || c == 0 || c >= 0x80;
}

void nd_scan_text(nd_scan *scan, const uint8_t *limit) {
    for (;;) {
        copy_words(scan, limit);
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
