#include "io/json_object.h"

#include "src/text/swar.h"
#include "src/text/utf8.h"

#include <string.h>
#if defined(__SSE2__) && ND_SIMD
#include <emmintrin.h>
#endif

enum {
    MOST_DIGITS = 18, /* of an integer: it fits 64 bits */
    HEX_DIGITS = 4,
    FIRST_SURROGATE = 0xD800,
    FIRST_LOW_SURROGATE = 0xDC00,
    AFTER_SURROGATES = 0xE000,
    AFTER_BASIC_PLANE = 0x10000,
    NO_CHARACTER = UINT32_MAX
};

/* ---- quotes and backslashes among WIDTH bytes */

#if defined(__SSE2__) && ND_SIMD

enum { WIDTH = 16 };
typedef unsigned specials;

static inline specials specials_of(const uint8_t *at) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
}

static inline size_t first_of(specials found) {
    return (size_t)__builtin_ctz(found);
}

#else

enum { WIDTH = ND_SWAR_BYTES };
typedef uint64_t specials;

static inline specials specials_of(const uint8_t *at) {
    const uint64_t word = nd_swar_load(at);
    const uint64_t low = word & ~ND_SWAR_HIGH;
    return (nd_swar_equal(low, '"') | nd_swar_equal(low, '\\')) & ~word;
}

static inline size_t first_of(specials found) {
    return nd_swar_first(found);
}

#endif

/* The text from here on; at its end come bytes that are NUL. */
typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
    nd_status status; /* of memory for what has escapes; anything else is told by false */
} cursor;

static uint8_t peek(const cursor *c) {
    return c->at < c->end ? *c->at : 0;
}

static bool is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
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
static inline const uint8_t *plain_end(const uint8_t *at, const uint8_t *end) {
    for (; end - at >= WIDTH; at += WIDTH) {
        const specials found = specials_of(at);
        if (found != 0) {
            return at + first_of(found);
        }
    }
    while (at < end && *at != '"' && *at != '\\') {
        at++;
    }
    return at;
}

/* The same, copying: behind *out there is room for WIDTH more bytes than there are up to the end.
 */
static inline const uint8_t *copy_plain(const uint8_t *at, const uint8_t *end, uint8_t **out) {
    for (; end - at >= WIDTH; at += WIDTH, *out += WIDTH) {
        const specials found = specials_of(at);
        memcpy(*out, at, WIDTH);
        if (found != 0) {
            *out += first_of(found);
            return at + first_of(found);
        }
    }
    while (at < end && *at != '"' && *at != '\\') {
        *(*out)++ = *at++;
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

/* A string from its first escape on. \param[in,out] text  the characters before it, then all */
static bool take_escaped(cursor *c, nd_buffer *text) {
    c->status = nd_buffer_reserve(text, (size_t)(c->end - c->at) + WIDTH);
    if (c->status != ND_OK) {
        return false;
    }
    uint8_t *out = text->data + text->size; /* no escape is shorter than what it stands for */
    while (take(c, '\\')) {
        const uint32_t code = take_escape(c);
        if (code == NO_CHARACTER) {
            return false;
        }
        out += nd_utf8_write(out, code);
        c->at = copy_plain(c->at, c->end, &out);
    }
    text->size = (size_t)(out - text->data);
    return take(c, '"');
}

/* The string of a field. \return false if it is none */
static bool take_string(cursor *c, nd_json_field *field) {
    if (!take(c, '"')) {
        return false;
    }
    const uint8_t *first = c->at;
    c->at = plain_end(c->at, c->end);
    field->value = (nd_span){first, (size_t)(c->at - first)};
    if (take(c, '"')) {
        return true;
    }
    field->unescaped.size = 0;
    c->status = nd_buffer_append(&field->unescaped, first, field->value.size);
    if (c->status != ND_OK || !take_escaped(c, &field->unescaped)) {
        return false;
    }
    field->value = nd_buffer_span(&field->unescaped);
    return true;
}

/* A string that is not looked for. \param[out] value  between the quotes */
static bool pass_string(cursor *c, nd_span *value, bool *escaped) {
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
    while (is_digit(peek(c))) {
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

/* A value. \param[out] field  NULL: not looked for
 * \return false if it is none of the plain ones */
static bool take_value(cursor *c, nd_json_field *field) {
    nd_span ignored = {0};
    bool escaped = false;
    const uint8_t first = peek(c);
    if (field != NULL) {
        field->found = first == '"' || first == '-' || is_digit(first);
    }
    if (first == '"') {
        return field != NULL ? take_string(c, field) : pass_string(c, &ignored, &escaped);
    }
    if (first == '-' || is_digit(first)) {
        return take_integer(c, field != NULL ? &field->value : &ignored);
    }
    return take_word(c, "null") || take_word(c, "true") || take_word(c, "false");
}

static bool take_member(cursor *c, nd_json_field *fields, size_t count) {
    nd_span name = {0};
    bool escaped = false;
    skip_blanks(c);
    if (!pass_string(c, &name, &escaped) || escaped) {
        return false;
    }
    skip_blanks(c);
    if (!take(c, ':')) {
        return false;
    }
    skip_blanks(c);
    if (!take_value(c, field_of(fields, count, name))) {
        return false;
    }
    skip_blanks(c);
    return true;
}

static bool take_object(cursor *c, nd_json_field *fields, size_t count) {
    if (!take(c, '{')) {
        return false;
    }
    do {
        if (!take_member(c, fields, count)) {
            return false;
        }
    } while (take(c, ','));
    return take(c, '}') && c->at == c->end;
}

/* Fields of one name all have what the first of them found. */
static void share_names(nd_json_field *fields, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const char *name = fields[i].name;
        const nd_json_field *first =
            field_of(fields, i, (nd_span){(const uint8_t *)name, strlen(name)});
        if (first != NULL) {
            fields[i].found = first->found;
            fields[i].value = first->value;
        }
    }
}

nd_status nd_json_object_read(nd_span text, nd_json_field *fields, size_t count, bool *plain) {
    cursor c = {text.data, text.data + text.size, ND_OK};
    for (size_t i = 0; i < count; i++) {
        fields[i].found = false;
    }
    *plain =
        text.size > 0 && memchr(text.data, 0, text.size) == NULL && take_object(&c, fields, count);
    share_names(fields, count);
    return c.status;
}
