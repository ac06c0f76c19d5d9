#include "io/json_object.h"

#include "src/text/swar.h"
#include "src/text/utf8.h"

#include <string.h>

enum {
    MOST_DIGITS = 18, /* of an integer: it fits 64 bits */
    HEX_DIGITS = 4,
    FIRST_SURROGATE = 0xD800,
    FIRST_LOW_SURROGATE = 0xDC00,
    AFTER_SURROGATES = 0xE000,
    AFTER_BASIC_PLANE = 0x10000,
    NO_CHARACTER = UINT32_MAX
};

/* The text from here on; at its end come bytes that are NUL. */
typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

static uint8_t peek(const cursor *c) {
    return c->at < c->end ? *c->at : 0;
}

static bool take(cursor *c, uint8_t byte) {
    const bool is = c->at < c->end && *c->at == byte;
    c->at += is;
    return is;
}

static void skip_blanks(cursor *c) {
    while (c->at < c->end &&
           (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n')) {
        c->at++;
    }
}

/* ---- strings */

/* Up to the next quote or backslash, or the end. */
static const uint8_t *plain_end(const uint8_t *at, const uint8_t *end) {
    while (end - at >= ND_SWAR_BYTES) {
        const uint64_t word = nd_swar_load(at);
        const uint64_t low = word & ~ND_SWAR_HIGH;
        const uint64_t found = (nd_swar_equal(low, '"') | nd_swar_equal(low, '\\')) & ~word;
        if (found != 0) {
            return at + nd_swar_first(found);
        }
        at += ND_SWAR_BYTES;
    }
    while (at < end && *at != '"' && *at != '\\') {
        at++;
    }
    return at;
}

static uint32_t hex_digit(uint8_t byte) {
    const uint32_t digit = (uint32_t)byte - '0';
    const uint32_t letter = (uint32_t)(byte | 0x20) - 'a';
    return digit < 10 ? digit : letter < 6 ? 10 + letter : NO_CHARACTER;
}

/* The code unit behind \u; NO_CHARACTER if it is none. */
static uint32_t take_code_unit(cursor *c) {
    uint32_t code = 0;
    if (c->end - c->at < HEX_DIGITS) {
        return NO_CHARACTER;
    }
    for (int i = 0; i < HEX_DIGITS; i++) {
        const uint32_t digit = hex_digit(*c->at++);
        if (digit == NO_CHARACTER) {
            return NO_CHARACTER;
        }
        code = code << 4 | digit;
    }
    return code;
}

/* The character behind \u, which may be two code units; NO_CHARACTER for NUL and for halves. */
static uint32_t take_code(cursor *c) {
    const uint32_t high = take_code_unit(c);
    if (high == NO_CHARACTER || high == 0) {
        return NO_CHARACTER;
    }
    if (high < FIRST_SURROGATE || high >= AFTER_SURROGATES) {
        return high;
    }
    if (high >= FIRST_LOW_SURROGATE || !take(c, '\\') || !take(c, 'u')) {
        return NO_CHARACTER;
    }
    const uint32_t low = take_code_unit(c);
    return low >= FIRST_LOW_SURROGATE && low < AFTER_SURROGATES
               ? AFTER_BASIC_PLANE + ((high - FIRST_SURROGATE) << 10) + (low - FIRST_LOW_SURROGATE)
               : NO_CHARACTER;
}

/* The character of the escape behind a backslash; NO_CHARACTER if it is none. */
static uint32_t take_escape(cursor *c) {
    const uint8_t byte = peek(c);
    c->at += c->at < c->end;
    switch (byte) {
    case '"':
    case '\\':
    case '/':
        return byte;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'u':
        return take_code(c);
    default:
        return NO_CHARACTER;
    }
}

/* A string. \param[out] value  between the quotes \return false if it is none */
static bool take_string(cursor *c, nd_span *value, bool *escaped) {
    *escaped = false;
    if (!take(c, '"')) {
        return false;
    }
    value->data = c->at;
    for (;;) {
        c->at = plain_end(c->at, c->end);
        value->size = (size_t)(c->at - value->data);
        if (take(c, '"')) {
            return true;
        }
        *escaped = true;
        if (!take(c, '\\') || take_escape(c) == NO_CHARACTER) {
            return false;
        }
    }
}

nd_status nd_json_unescape(nd_span value, nd_buffer *out) {
    nd_status st = ND_OK;
    cursor c = {value.data, value.data + value.size};
    ND_TRY(nd_buffer_reserve(out, value.size)); /* no escape is shorter than what it stands for */
    while (c.at < c.end) {
        const uint8_t *plain = plain_end(c.at, c.end);
        memcpy(out->data + out->size, c.at, (size_t)(plain - c.at));
        out->size += (size_t)(plain - c.at);
        c.at = plain + 1; /* behind the backslash */
        if (plain < c.end) {
            out->size += nd_utf8_write(out->data + out->size, take_escape(&c));
        }
    }
out:
    return st;
}

/* ---- members */

static bool take_word(cursor *c, const char *word) {
    const size_t size = strlen(word);
    const bool is = (size_t)(c->end - c->at) >= size && memcmp(c->at, word, size) == 0;
    c->at += is ? size : 0;
    return is;
}

/* An integer as programs write it: no sign but -, no zeros in front, not too long; no -0. */
static bool take_integer(cursor *c, nd_span *value) {
    value->data = c->at;
    (void)take(c, '-');
    const uint8_t *first = c->at;
    while (peek(c) >= '0' && peek(c) <= '9') {
        c->at++;
    }
    const size_t digits = (size_t)(c->at - first);
    value->size = (size_t)(c->at - value->data);
    return digits > 0 && digits <= MOST_DIGITS && (*first != '0' || value->size == 1);
}

static nd_json_field *field_of(nd_json_field *fields, size_t count, nd_span name) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(fields[i].name) == name.size &&
            memcmp(fields[i].name, name.data, name.size) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* A value. \param[out] field  only its name is kept \return false if it is none of the plain ones
 */
static bool take_value(cursor *c, nd_json_field *field) {
    field->escaped = false;
    field->found = true;
    if (peek(c) == '"') {
        return take_string(c, &field->value, &field->escaped);
    }
    if (peek(c) == '-' || (peek(c) >= '0' && peek(c) <= '9')) {
        return take_integer(c, &field->value);
    }
    field->found = false;
    return take_word(c, "null") || take_word(c, "true") || take_word(c, "false");
}

static bool take_member(cursor *c, nd_json_field *fields, size_t count) {
    nd_span name = {0};
    bool escaped = false;
    nd_json_field ignored = {0};
    skip_blanks(c);
    if (!take_string(c, &name, &escaped) || escaped) {
        return false;
    }
    skip_blanks(c);
    if (!take(c, ':')) {
        return false;
    }
    skip_blanks(c);
    nd_json_field *field = field_of(fields, count, name);
    if (!take_value(c, field != NULL ? field : &ignored)) {
        return false;
    }
    skip_blanks(c);
    return true;
}

/* Fields of one name all have what the first of them found. */
static void share_names(nd_json_field *fields, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const char *name = fields[i].name;
        const nd_json_field *first =
            field_of(fields, i, (nd_span){(const uint8_t *)name, strlen(name)});
        if (first != NULL) {
            fields[i] = *first;
        }
    }
}

bool nd_json_object_read(nd_span text, nd_json_field *fields, size_t count) {
    cursor c = {text.data, text.data + text.size};
    for (size_t i = 0; i < count; i++) {
        fields[i].found = false;
    }
    if (text.size == 0 || memchr(text.data, 0, text.size) != NULL || !take(&c, '{')) {
        return false;
    }
    do {
        if (!take_member(&c, fields, count)) {
            return false;
        }
    } while (take(&c, ','));
    share_names(fields, count);
    return take(&c, '}') && c.at == c.end;
}
