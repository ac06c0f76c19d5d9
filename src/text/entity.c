#include "src/text/entity.h"

#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/text/entity_table.h"
#include "src/text/scan.h"

#include <stdbool.h>
#include <string.h>

enum {
    LONGEST_NAME = 31,       /* bytes of the longest name in the table */
    LONGEST_LEGACY_NAME = 6, /* of the longest name that needs no semicolon */
    LEGACY = 1 << 25,        /* in nd_entity_values */
    CODE_MASK = (1 << 21) - 1
};

/* Numeric references to C1 controls mean the characters of windows-1252 there (0: no such). */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* A reference by a number: "&#" stands at `begin`. */
static size_t read_number(const uint8_t *begin, const uint8_t *end, uint32_t codes[2]) {
    const uint8_t *p = begin + 2;
    const uint32_t base = p < end && (*p | 0x20) == 'x' ? 16 : 10;
    p += base == 16;
    const uint8_t *digits = p;
    uint32_t code = 0;
    for (; p < end; p++) {
        const uint32_t letter = (uint32_t)((*p | 0x20) - 'a');
        const uint32_t value = is_digit(*p) ? (uint32_t)(*p - '0') : letter < 6 ? letter + 10 : 16;
        if (value >= base) {
            break;
        }
        code = code > 0x10FFFF ? code : code * base + value;
    }
    if (p == digits) {
        return 0;
    }
    if (code >= 0x80 && code < 0xA0 && windows_1252[code - 0x80] != 0) {
        code = windows_1252[code - 0x80];
    } else if (code == 0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
        code = ND_UTF8_REPLACEMENT;
    }
    codes[0] = code;
    codes[1] = 0;
    p += p < end && *p == ';';
    return (size_t)(p - begin);
}

/* Compare a name with entry `i` of the table, in the table's order. */
static int compare_name(const uint8_t *name, size_t size, size_t i) {
    size_t begin = nd_entity_begins[i];
    size_t other = nd_entity_begins[i + 1] - begin;
    int order = memcmp(name, nd_entity_names + begin, nd_min(size, other));
    return order != 0 ? order : (size > other) - (size < other);
}

/* The value of a name that begins with a letter; 0 if there is no such name. */
static uint32_t find_name(const uint8_t *name, size_t size) {
    const size_t end = nd_entity_initials[name[0] - 'A' + 1];
    size_t place = 0;
    ND_FIND_FIRST(place, nd_entity_initials[name[0] - 'A'], end,
                  compare_name(name, size, place) <= 0);
    return place < end && compare_name(name, size, place) == 0 ? nd_entity_values[place] : 0;
}

static size_t take_value(uint32_t value, size_t size, uint32_t codes[2]) {
    codes[0] = value & CODE_MASK;
    codes[1] = nd_entity_seconds[value >> 21 & 15];
    return size;
}

size_t nd_entity_read(const uint8_t *p, const uint8_t *end, uint32_t codes[2]) {
    if (end - p < 2) {
        return 0;
    }
    if (p[1] == '#') {
        return read_number(p, end, codes);
    }
    const uint8_t *name = p + 1;
    if (!nd_scan_is_letter(*name)) {
        return 0;
    }
    const size_t most = nd_min((size_t)(end - name), LONGEST_NAME + 1);
    size_t size = 1;
    while (size < most && (nd_scan_is_letter(name[size]) || is_digit(name[size]))) {
        size++;
    }
    uint32_t value = size < most && name[size] == ';' ? find_name(name, size) : 0;
    if (value != 0) {
        return take_value(value, size + 2, codes);
    }
    for (size = nd_min(size, LONGEST_LEGACY_NAME); size >= 2; size--) {
        value = find_name(name, size);
        if ((value & LEGACY) != 0) {
            return take_value(value, size + 1, codes);
        }
    }
    return 0;
}
