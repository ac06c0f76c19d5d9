#define XXH_INLINE_ALL /* sentences are short, and their digits cut them into shorter pieces */
#include "src/text/content.h"

#include "src/base/utf8.h"
#include "src/text/swar.h"
#include "src/text/text_variant.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

/* ---- masked hashes */

enum {
    DECIMAL = 10,
    COPIED = 2048 /* a sentence of at most so many bytes is masked in a copy and hashed at once */
};

/* The zeros of the decimal digits beyond ASCII (general category Nd of Unicode 14), ascending; the
 * nine digits that follow each are its decimal digits. Full-width digits are ASCII by now. */
static const uint32_t zeros[] = {
    0x0660,  0x06F0,  0x07C0,  0x0966,  0x09E6,  0x0A66,  0x0AE6,  0x0B66,  0x0BE6,  0x0C66,
    0x0CE6,  0x0D66,  0x0DE6,  0x0E50,  0x0ED0,  0x0F20,  0x1040,  0x1090,  0x17E0,  0x1810,
    0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,
    0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136,
    0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50,
    0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
    0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0};

static bool is_digit(uint32_t code) {
    size_t low = 0, high = sizeof zeros / sizeof zeros[0];
    while (low < high) { /* zeros before `low` are at most `code`, those from `high` on above it */
        size_t middle = (low + high) / 2;
        if (zeros[middle] <= code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && code - zeros[low - 1] < DECIMAL;
}

size_t nd_digit_size(const uint8_t *p, const uint8_t *end) {
    switch (*p) {
    case 0xD9: /* the leads of digits */
    case 0xDB:
    case 0xDF:
    case 0xE0:
    case 0xE1:
    case 0xEA:
    case 0xF0: {
        uint32_t code = 0;
        size_t size = nd_utf8_read(p, end, &code);
        return is_digit(code) ? size : 0;
    }
    default:
        return (uint8_t)(*p - '0') < DECIMAL;
    }
}

/* Skip words of eight bytes without ASCII digits and anything beyond ASCII. */
static const uint8_t *skip_words(const uint8_t *p, const uint8_t *end) {
    while (end - p >= ND_SWAR_BYTES) {
        uint64_t word = nd_swar_load(p);
        uint64_t low = word & ~ND_SWAR_HIGH;
        uint64_t stop = nd_swar_between(low, '0', '9') | (word & ND_SWAR_HIGH);
        if (stop != 0) {
            return p + nd_swar_first(stop);
        }
        p += ND_SWAR_BYTES;
    }
    return p;
}

const uint8_t *nd_digit_find_portable(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        if (*p >= 0xE2 && *p <= 0xE9 && end - p > 3) {
            p += 3 + (p[3] == ' '); /* kana and ideographs: no digit begins with these */
        } else if (nd_digit_size(p, end) > 0) {
            return p;
        } else {
            p = *p < 0x80 ? skip_words(p + 1, end) : p + 1; /* nor with a continuation byte */
        }
    }
    return end;
}

static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    size_t size = 0;
    while (p < end && (size = nd_digit_size(p, end)) > 0) {
        p += size;
    }
    return p;
}

/* The same piece by piece, for a sentence too long to be copied. */
static uint64_t hash_of_pieces(const uint8_t *p, const uint8_t *end, const uint8_t *digit) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    while (digit < end) {
        (void)XXH3_64bits_update(&state, p, (size_t)(digit - p));
        (void)XXH3_64bits_update(&state, "0", 1);
        p = skip_digits(digit, end);
        digit = loops->find_digit(p, end);
    }
    (void)XXH3_64bits_update(&state, p, (size_t)(end - p));
    return XXH3_64bits_digest(&state);
}

/* The hash of a sentence of which the first digit, if it has any, is known. */
static uint64_t masked_hash(const uint8_t *p, const uint8_t *end, const uint8_t *digit) {
    uint8_t copy[COPIED];
    size_t size = 0;
    const nd_text_variant *loops = nd_text_variant_in_use();
    if (end - p > COPIED) {
        return hash_of_pieces(p, end, digit);
    }
    while (digit < end) {
        memcpy(copy + size, p, (size_t)(digit - p));
        size += (size_t)(digit - p);
        copy[size++] = '0';
        p = skip_digits(digit, end);
        digit = loops->find_digit(p, end);
    }
    memcpy(copy + size, p, (size_t)(end - p));
    return XXH3_64bits(copy, size + (size_t)(end - p));
}

/* ---- blocks */

static uint32_t block_flags(const nd_block *block, uint64_t tokens,
                            const nd_content_options *options) {
    const bool links = block->link_tokens > 0 &&
                       (double)block->link_tokens >= options->link_share * (double)tokens;
    const uint32_t of_links =
        tokens < options->link_block ? ND_SENTENCE_LINKS : ND_SENTENCE_LONG_LINKS;
    return ((block->flags & ND_BLOCK_TITLE) != 0 ? ND_SENTENCE_TITLE : 0U) |
           ((block->flags & ND_BLOCK_NAVIGATION) != 0 ? ND_SENTENCE_NAVIGATION : 0U) |
           (links ? of_links : 0U);
}

/* Behind the sentences of the block of sentence `first`. */
static size_t block_end(const nd_page *page, size_t first, uint64_t *tokens) {
    size_t i = first;
    *tokens = 0;
    while (i < page->sentence_count && page->sentences[i].block == page->sentences[first].block) {
        *tokens += page->sentences[i++].token_count;
    }
    return i;
}

/* Most sentences have no digit: one search goes over many of them.
 * \param[in,out] digit  the first from some earlier place of the page on; NULL: none was looked for
 */
static uint64_t sentence_hash(const nd_page *page, const nd_sentence *s, const uint8_t **digit) {
    const uint8_t *p = page->normalised.data + s->begin;
    const uint8_t *end = page->normalised.data + s->end;
    if (*digit == NULL || *digit < p) {
        *digit =
            nd_text_variant_in_use()->find_digit(p, page->normalised.data + page->normalised.size);
    }
    return *digit < end ? masked_hash(p, end, *digit) : XXH3_64bits(p, (size_t)(end - p));
}

void nd_content_sentences(const nd_page *page, const nd_content_options *options,
                          nd_content_sentence *sentences) {
    const uint8_t *digit = NULL;
    for (size_t i = 0; i < page->sentence_count;) {
        uint64_t tokens = 0;
        const nd_block *block = &page->blocks[page->sentences[i].block];
        size_t end = block_end(page, i, &tokens);
        uint32_t flags = block_flags(block, tokens, options);
        for (; i < end; i++) {
            const nd_sentence *s = &page->sentences[i];
            sentences[i] = (nd_content_sentence){
                .masked = options->unmasked ? 0 : sentence_hash(page, s, &digit),
                .tokens = s->token_count,
                .flags = flags,
            };
        }
    }
}
