#include "src/text/tag.h"

#include "src/base/printable.h"
#include "src/base/util.h"
#include "src/text/scan.h"

#include <stdbool.h>
#include <string.h>

/* ---- character references */

enum {
    LONGEST_REFERENCE = 31,  /* bytes of the longest name in the table */
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
    const size_t most = nd_min((size_t)(end - name), LONGEST_REFERENCE + 1);
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

/* ---- tags */

/* No listed element has a longer name. */
enum { LONGEST_NAME = 16 };

/* The end of an attribute's value; `end` if it is not closed. */
static const uint8_t *skip_value(const uint8_t *p, const uint8_t *end) {
    if (p < end && (*p == '"' || *p == '\'')) {
        const uint8_t *quote = memchr(p + 1, *p, (size_t)(end - p - 1));
        return quote == NULL ? end : quote + 1;
    }
    while (p < end && *p != '>' && !nd_scan_is_space(*p)) {
        p++;
    }
    return p;
}

/* The next attribute from p on; name.data is NULL where the tag ended instead. `value` is what
 * stands after '=', quotes and all. */
typedef struct attribute {
    nd_span name;
    nd_span value;
} attribute;

/* Read an attribute or the tag's '>'. \return its end; NULL if the document ends before */
static inline const uint8_t *read_attribute(const uint8_t *p, const uint8_t *end,
                                            bool *self_closing, attribute *read) {
    *self_closing = false;
    *read = (attribute){{NULL, 0}, {NULL, 0}};
    while (p < end && (*p == '/' || nd_scan_is_space(*p))) {
        *self_closing = *p++ == '/';
    }
    if (p == end) {
        return NULL;
    }
    if (*p == '>') {
        return p + 1;
    }
    const uint8_t *name = p++; /* a '=' here is part of the name */
    while (p < end && !nd_scan_ends_name(*p)) {
        p++;
    }
    read->name = (nd_span){name, (size_t)(p - name)};
    p = nd_scan_skip_space(p, end);
    if (p < end && *p == '=') {
        const uint8_t *value = nd_scan_skip_space(p + 1, end);
        p = skip_value(value, end);
        read->value = (nd_span){value, (size_t)(p - value)};
    }
    return p;
}

/* Whether a name is `expected`, in any case. */
static inline bool is_named(nd_span name, const char *expected, size_t size) {
    bool same = name.size == size;
    for (size_t i = 0; same && i < size; i++) {
        same = (name.data[i] | 0x20) == expected[i];
    }
    return same;
}

nd_span nd_tag_attribute(const uint8_t *p, const uint8_t *end, const char *name) {
    attribute read;
    bool self_closing = false;
    while (p < end && !nd_scan_ends_tag_name(*p)) {
        p++;
    }
    do {
        p = read_attribute(p, end, &self_closing, &read);
    } while (p != NULL && read.name.data != NULL && !is_named(read.name, name, strlen(name)));
    if (p == NULL) {
        return (nd_span){NULL, 0};
    }
    const bool quoted =
        read.value.size >= 2 && (read.value.data[0] == '"' || read.value.data[0] == '\'');
    return quoted ? (nd_span){read.value.data + 1, read.value.size - 2} : read.value;
}

/* What the words of an attribute's value, quotes and all, say of the element. */
static uint32_t read_words(nd_span value, bool is_role) {
    uint32_t flags = 0;
    uint64_t word = 0; /* the first eight letters */
    size_t size = 0;
    for (size_t i = 0; i <= value.size; i++) {
        const uint8_t byte = i < value.size ? value.data[i] : 0;
        if (nd_scan_is_letter(byte)) {
            word |= size < ND_SWAR_BYTES ? (uint64_t)(byte | 0x20) << (8 * size) : 0;
            size++;
        } else if (size > 0) {
            const size_t slot = word * nd_tag_word_factor / (UINT64_MAX / ND_TAG_WORD_SLOTS + 1);
            const nd_tag_word *known = &nd_tag_words[slot];
            const uint32_t said = is_role ? known->role : known->class;
            flags |= known->begins == word ? said : 0;
            word = 0;
            size = 0;
        }
    }
    return flags;
}

/* Do the letters of "role" stand between p and end, in any case? Few tags have a role: it is the
 * compiler that looks at many bytes at once here. */
static bool may_have_role(const uint8_t *p, const uint8_t *end) {
    const ptrdiff_t last = end - p - 3;
    uint8_t any = 0;
    for (ptrdiff_t i = 0; i < last; i++) {
        any |= (uint8_t)(((p[i] | 0x20) == 'r') & ((p[i + 1] | 0x20) == 'o') &
                         ((p[i + 2] | 0x20) == 'l') & ((p[i + 3] | 0x20) == 'e'));
    }
    return any != 0;
}

uint32_t nd_tag_purpose(const uint8_t *p, const uint8_t *end, bool by_class) {
    attribute read;
    bool self_closing = false;
    bool class = !by_class, id = !by_class, role = false; /* of several of one name the first */
    uint32_t flags = 0;
    if (class && !may_have_role(p, end)) {
        return 0;
    }
    while (p < end && !nd_scan_ends_tag_name(*p)) {
        p++;
    }
    while (p != NULL && !(class && id && role)) {
        p = read_attribute(p, end, &self_closing, &read);
        if (p == NULL || read.name.data == NULL) {
            break;
        }
        if (!class && is_named(read.name, "class", 5)) {
            class = true;
            flags |= read_words(read.value, false);
        } else if (!id && is_named(read.name, "id", 2)) {
            id = true;
            flags |= read_words(read.value, false);
        } else if (!role && is_named(read.name, "role", 4)) {
            role = true;
            flags |= read_words(read.value, true);
        }
    }
    return flags;
}

const uint8_t *nd_tag_read_portable(const uint8_t *p, const uint8_t *end, nd_tag_token *tag) {
    tag->is_end = p[1] == '/';
    tag->self_closing = false;
    tag->has_href = false;
    p += tag->is_end ? 2 : 1;
    uint64_t hash = nd_tag_basis;
    while (p < end && !nd_scan_ends_tag_name(*p)) {
        hash = nd_tag_hash(hash, *p++);
    }
    tag->number = nd_tag_find(hash);
    tag->flags = nd_tags[tag->number].flags;
    if (p < end && *p == '>') {
        return p + 1;
    }
    while (p < end) {
        attribute read;
        p = read_attribute(p, end, &tag->self_closing, &read);
        if (p == NULL || read.name.data == NULL) {
            return p;
        }
        tag->has_href = tag->has_href || is_named(read.name, "href", 4);
    }
    return NULL;
}

const uint8_t *nd_tag_next_portable(nd_scan *scan, const uint8_t *end, nd_tag_token *tag) {
    const uint8_t *begin = NULL;
    do {
        nd_scan_text_portable(scan, end);
        begin = scan->in;
        if (!nd_tag_begins(begin, end)) {
            return NULL;
        }
        const uint8_t *after = nd_tag_read_portable(begin, end, tag);
        begin = after == NULL ? NULL : begin;
        scan->in = after == NULL ? end : after;
    } while (begin != NULL && tag->flags == ND_TAG_FORMAT);
    return begin;
}

const uint8_t *nd_tag_skip_comment(const uint8_t *p, const uint8_t *end) {
    bool real = end - p >= 4 && memcmp(p, "<!--", 4) == 0;
    if (!real) {
        const uint8_t *close = memchr(p, '>', (size_t)(end - p));
        return close == NULL ? end : close + 1;
    }
    const uint8_t *text = p + 4;
    for (p = text; (p = memchr(p, '>', (size_t)(end - p))) != NULL; p++) {
        size_t size = (size_t)(p - text);
        if (size == 0 || (size == 1 && text[0] == '-') ||
            (size >= 2 && p[-1] == '-' && p[-2] == '-') ||
            (size >= 3 && p[-1] == '!' && p[-2] == '-' && p[-3] == '-')) {
            return p + 1;
        }
    }
    return end;
}

bool nd_tag_is(const uint8_t *p, const uint8_t *end, uint8_t number, bool is_end) {
    p += 1;
    if (is_end && (p == end || *p++ != '/')) {
        return false;
    }
    const uint8_t *most = end - p > LONGEST_NAME ? p + LONGEST_NAME : end;
    uint64_t hash = nd_tag_basis;
    while (p < most && !nd_scan_ends_tag_name(*p)) {
        hash = nd_tag_hash(hash, *p++);
    }
    return p < end && nd_scan_ends_tag_name(*p) && nd_tag_find(hash) == number;
}

const uint8_t *nd_tag_find_end(const uint8_t *p, const uint8_t *end, uint8_t number) {
    while ((p = memchr(p, '<', (size_t)(end - p))) != NULL) {
        if (end - p > 1 && p[1] == '/' && nd_tag_is(p, end, number, true)) {
            return p;
        }
        p++;
    }
    return NULL;
}
