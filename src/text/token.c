#define XXH_INLINE_ALL /* most tokens are a few bytes: a call would cost as much as the hash */
#include "src/text/token.h"

#include "src/base/utf8.h"
#include "src/text/swar.h"
#include "src/text/text_variant.h"
#include "src/text/unicode.h"

#include <stdbool.h>
#include <xxhash.h>

enum {
    /* Normalised bytes per byte of text, at most: a letter may take 3 bytes lower-cased where it
     * took 2, and a token of one byte may be followed by a space that was not there. */
    GROWTH = 2
};

static bool is_ascii_word(uint8_t c) {
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10;
}

void nd_token_close(nd_splitter *s) {
    if (s->kind != ND_UNICODE_OTHER) {
        const uint64_t begin = (uint64_t)(s->begin - s->bytes);
        *s->tokens++ = begin << 32 | (uint64_t)(s->out - s->begin);
        *s->out++ = ' ';
        s->kind = ND_UNICODE_OTHER;
    }
}

static void open_token(nd_splitter *s, nd_unicode_class kind) {
    nd_token_close(s);
    s->begin = s->out;
    s->kind = kind;
}

/* Take an ASCII letter or digit and those that follow it. Lower case has bit 5, which upper case
 * lacks, and digits have it too. */
static const uint8_t *take_word(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    if (s->kind != ND_UNICODE_WORD) {
        open_token(s, ND_UNICODE_WORD);
    }
    while (end - p >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(p);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t letters = nd_swar_between(low | ND_SWAR(0x20), 'a', 'z');
        uint64_t digits = nd_swar_between(low, '0', '9');
        uint64_t stop = (~(letters | digits) | word) & ND_SWAR_HIGH;
        size_t size = stop == 0 ? ND_SWAR_BYTES : nd_swar_first(stop);
        nd_swar_store(s->out, word | ND_SWAR(0x20));
        s->out += size;
        p += size;
        if (stop != 0) {
            return p;
        }
    }
    while (p < end && is_ascii_word(*p)) {
        *s->out++ = *p++ | 0x20;
    }
    return p;
}

const uint8_t *nd_token_ascii_portable(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    while (p < end && *p < 0x80) {
        if (is_ascii_word(*p)) {
            p = take_word(s, p, end);
        } else {
            nd_token_close(s);
            p++;
        }
    }
    return p;
}

/* Whether it is worth looking for characters as nd_token_singles_portable() takes them. */
static bool may_be_single(uint8_t lead) {
    return lead >= 0xE3 && lead <= 0xE9; /* kana, ideographs */
}

/* Whether an ideograph of U+4E00 to U+9FFF stands at p. */
static bool is_ideograph(const uint8_t *p, const uint8_t *end) {
    return end - p >= ND_TOKEN_SINGLE_BYTES && *p >= 0xE4 && *p <= 0xE9 &&
           (*p > 0xE4 || p[1] >= 0xB8) && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80;
}

const uint8_t *nd_token_singles_portable(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    if (!is_ideograph(p, end)) {
        return p;
    }
    nd_token_close(s);
    do {
        nd_token_put_singles(s, p, 1);
        p += ND_TOKEN_SINGLE_BYTES;
    } while (is_ideograph(p, end));
    nd_token_open_last(s);
    return p;
}

size_t nd_token_count_singles_portable(const uint8_t *p, const uint8_t *end) {
    size_t count = 0;
    while (is_ideograph(p, end)) {
        p += ND_TOKEN_SINGLE_BYTES;
        count++;
    }
    return count;
}

/* Take the character at p, which is not ASCII. */
static const uint8_t *take_character(nd_splitter *s, const uint8_t *p, const uint8_t *end) {
    uint32_t code = 0;
    const size_t size = nd_utf8_read(p, end, &code);
    const nd_unicode_record *record = nd_unicode(code);
    switch ((nd_unicode_class)record->class) {
    case ND_UNICODE_WORD:
        if (s->kind != ND_UNICODE_WORD) {
            open_token(s, ND_UNICODE_WORD);
        }
        break;
    case ND_UNICODE_SINGLE:
        open_token(s, ND_UNICODE_SINGLE);
        break;
    case ND_UNICODE_MARK:
        if (s->kind == ND_UNICODE_OTHER) {
            open_token(s, ND_UNICODE_WORD);
        }
        break;
    case ND_UNICODE_IGNORED:
        return p + size;
    default:
        nd_token_close(s);
        return p + size;
    }
    if (record->fold != 0) {
        s->out += nd_utf8_write(s->out, (uint32_t)((int32_t)code + record->fold));
    } else {
        memcpy(s->out, p, 2);
        memcpy(s->out + size - 2, p + size - 2, 2); /* it has two bytes at least */
        s->out += size;
    }
    return p + size;
}

nd_status nd_token_split(nd_page *page, nd_span sentence) {
    nd_status st = ND_OK;
    const nd_text_variant *loops = nd_text_variant_in_use();
    ND_TRY(nd_buffer_reserve(&page->normalised, sentence.size * GROWTH + ND_TOKEN_SLACK));
    /* Two bytes make at most one token, on average: a space, or one of three bytes. */
    ND_TRY(nd_grow(&page->tokens, &page->token_capacity, page->token_count + sentence.size / 2 + 1,
                   sizeof *page->tokens));
    uint8_t *first = page->normalised.data + page->normalised.size;
    nd_splitter s = {.bytes = page->normalised.data,
                     .begin = first,
                     .out = first,
                     .tokens = page->tokens + page->token_count};
    const uint8_t *p = sentence.data;
    const uint8_t *end = p + sentence.size;
    while (p < end) {
        if (*p >= 0x80) {
            const uint8_t *after = may_be_single(*p) ? loops->take_singles(&s, p, end) : p;
            p = after > p ? after : take_character(&s, p, end);
        } else if (*p == ' ' && end - p > 1 && p[1] >= 0x80) { /* not worth a call */
            nd_token_close(&s);
            p++;
        } else {
            p = loops->take_ascii(&s, p, end);
        }
    }
    nd_token_close(&s);
    page->normalised.size += (size_t)(s.out - first) - (s.out > first); /* less the last space */
    page->token_count = (size_t)(s.tokens - page->tokens);
out:
    return st;
}

void nd_token_hash(nd_page *page) {
    if (page->token_count > 0) {
        nd_text_variant_in_use()->hash_tokens(page->normalised.data, page->tokens,
                                              page->token_count, page->hash_seed);
    }
}

void nd_token_hash_portable(const uint8_t *bytes, uint64_t *tokens, size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        tokens[i] = XXH3_64bits_withSeed(bytes + (tokens[i] >> 32), tokens[i] & UINT32_MAX, seed);
    }
}

/* Whether a character beyond ASCII begins a token after one of kind *kind, which becomes its own.
 */
static bool begins_token(uint32_t code, nd_unicode_class *kind) {
    nd_unicode_class before = *kind;
    nd_unicode_class class = (nd_unicode_class)nd_unicode(code)->class;
    switch (class) {
    case ND_UNICODE_WORD:
    case ND_UNICODE_SINGLE:
        *kind = class;
        return class == ND_UNICODE_SINGLE || before != ND_UNICODE_WORD;
    case ND_UNICODE_MARK:
        *kind = before == ND_UNICODE_OTHER ? ND_UNICODE_WORD : before;
        return before == ND_UNICODE_OTHER;
    case ND_UNICODE_IGNORED:
        return false;
    default:
        *kind = ND_UNICODE_OTHER;
        return false;
    }
}

const uint8_t *nd_token_count_portable(const uint8_t *p, const uint8_t *end, nd_unicode_class *kind,
                                       size_t *count) {
    for (; p < end && *p < 0x80; p++) {
        bool word = is_ascii_word(*p);
        *count += word && *kind != ND_UNICODE_WORD;
        *kind = word ? ND_UNICODE_WORD : ND_UNICODE_OTHER;
    }
    return p;
}

size_t nd_token_count(nd_span text) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    size_t count = 0;
    nd_unicode_class kind = ND_UNICODE_OTHER;
    const uint8_t *p = text.data;
    const uint8_t *end = text.size == 0 ? p : p + text.size;
    while (p < end) {
        if (*p < 0x80) {
            p = loops->count_ascii(p, end, &kind, &count);
            continue;
        }
        const size_t singles = may_be_single(*p) ? loops->count_singles(p, end) : 0;
        if (singles > 0) {
            count += singles;
            kind = ND_UNICODE_SINGLE;
            p += singles * ND_TOKEN_SINGLE_BYTES;
        } else {
            uint32_t code = 0;
            p += nd_utf8_read(p, end, &code);
            count += begins_token(code, &kind);
        }
    }
    return count;
}
