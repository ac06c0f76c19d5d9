#define XXH_INLINE_ALL /* most tokens are a few bytes: a call would cost as much as the hash */
#include "src/text/token.h"

#include "src/text/unicode.h"
#include "src/text/utf8.h"

#include <stdbool.h>
#include <xxhash.h>

enum {
    /* Normalised bytes per byte of text, at most: a letter may take 3 bytes lower-cased where it
     * took 2, and a token of one byte may be followed by a space that was not there. */
    GROWTH = 2
};

/* The present token, as it grows in page->normalised. */
typedef struct splitter {
    nd_page *page;
    uint8_t *first; /* the sentence's first byte */
    uint8_t *begin; /* the token's */
    uint8_t *out;
    nd_unicode_class kind; /* ND_UNICODE_WORD or _SINGLE; _OTHER: no token is open */
} splitter;

/* Lower-cased ASCII letters and digits; 0 for all other bytes. */
static const uint8_t ascii_fold[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
    ['7'] = '7', ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',
    ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',
    ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',
    ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
    ['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f',
    ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm',
    ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
    ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z'};

static void close_token(splitter *s) {
    if (s->kind != ND_UNICODE_OTHER) {
        s->page->tokens[s->page->token_count++] =
            XXH3_64bits(s->begin, (size_t)(s->out - s->begin));
        s->kind = ND_UNICODE_OTHER;
    }
}

static void open_token(splitter *s, nd_unicode_class kind) {
    close_token(s);
    if (s->out > s->first) {
        *s->out++ = ' ';
    }
    s->begin = s->out;
    s->kind = kind;
}

/* Take an ASCII byte that is a letter or digit, and those that follow it. */
static const uint8_t *take_ascii(splitter *s, const uint8_t *p, const uint8_t *end) {
    if (s->kind != ND_UNICODE_WORD) {
        open_token(s, ND_UNICODE_WORD);
    }
    uint8_t *out = s->out;
    for (uint8_t folded; p < end && (folded = ascii_fold[*p]) != 0; p++) {
        *out++ = folded;
    }
    s->out = out;
    return p;
}

static void take_code(splitter *s, uint32_t code) {
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
        return;
    default:
        close_token(s);
        return;
    }
    s->out += nd_utf8_write(s->out, (uint32_t)((int32_t)code + record->fold));
}

nd_status nd_token_split(nd_page *page, nd_span sentence) {
    nd_status st = ND_OK;
    ND_TRY(nd_buffer_reserve(&page->normalised, sentence.size * GROWTH + ND_UTF8_MAX));
    /* Two bytes make at most one token, on average: a space, or one of three bytes. */
    ND_TRY(nd_grow(&page->tokens, &page->token_capacity, page->token_count + sentence.size / 2 + 1,
                   sizeof *page->tokens));
    uint8_t *first = page->normalised.data + page->normalised.size;
    splitter s = {page, first, first, first, ND_UNICODE_OTHER};
    const uint8_t *p = sentence.data;
    const uint8_t *end = p + sentence.size;
    while (p < end) {
        if (ascii_fold[*p] != 0) {
            p = take_ascii(&s, p, end);
        } else if (*p < 0x80) {
            close_token(&s);
            p++;
        } else {
            uint32_t code = 0;
            p += nd_utf8_read(p, end, &code);
            take_code(&s, code);
        }
    }
    close_token(&s);
    page->normalised.size += (size_t)(s.out - first);
out:
    return st;
}
