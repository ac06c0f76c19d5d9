#define XXH_INLINE_ALL /* sentences are short, and their digits cut them into shorter pieces */

#include "src/text/page.h"

#include "src/base/util.h"
#include "src/text/extract.h"
#include "src/text/scan.h"
#include "src/text/text_variant.h"
#include "src/text/token.h"

#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DECIMAL = 10 };

static bool is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < DECIMAL;
}

/* ---- pages */

static nd_status add_sentence(nd_page *page, uint32_t block, nd_span text) {
    size_t first_token = page->token_count;
    size_t begin = page->normalised.size;
    /* The limits come before any memory is taken. Most sentences are so short that their tokens
     * need not be counted. */
    const uint64_t left = page->most_tokens - page->token_count;
    if (page->most_tokens > 0 && nd_token_most(text.size) > left && nd_token_count(text) > left) {
        page->too_many_tokens = true;
        return nd_fail(ND_ERR_LIMIT, "page of more than %" PRIu64 " tokens", page->most_tokens);
    }
    if (page->most_sentences > 0 && page->sentence_count >= page->most_sentences) {
        page->too_many_tokens = false;
        return nd_fail(ND_ERR_LIMIT, "page of more than %" PRIu64 " sentences",
                       page->most_sentences);
    }
    nd_token_split(page, text);
    if (page->token_count == first_token) {
        return ND_OK;
    }
    nd_grow(&page->sentences, &page->sentence_capacity, page->sentence_count + 1,
            sizeof *page->sentences);
    page->sentences[page->sentence_count++] = (nd_sentence){
        .first_token = (uint32_t)first_token,
        .token_count = (uint32_t)(page->token_count - first_token),
        .begin = (uint32_t)begin,
        .end = (uint32_t)page->normalised.size,
        .text_begin = (uint32_t)(text.data - page->text.data),
        .text_end = (uint32_t)(text.data + text.size - page->text.data),
        .block = block,
    };
    page->normalised.size++; /* the space after the last token, which is there */
    return ND_OK;
}

/* ---- URLs in texts */

static bool is_of_url(uint8_t byte) {
    return byte > ' ' && byte < 0x7f && strchr("\"<>\\^`{|}", byte) == NULL;
}

/* The bytes of a URL that begins here; 0: none does. What ends a sentence or closes a bracket
 * after it is none of it (RFC 3986, appendix C). */
static size_t url_size(const uint8_t *begin, const uint8_t *end) {
    static const char *const beginnings[] = {"http://", "https://", "ftp://", "www."};
    size_t front = 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const size_t size = strlen(beginnings[i]);
        if ((size_t)(end - begin) > size &&
            strncasecmp((const char *)begin, beginnings[i], size) == 0) {
            front = size;
        }
    }
    const uint8_t *stop = begin + front;
    while (front > 0 && stop < end && is_of_url(*stop)) {
        stop++;
    }
    while (stop > begin + front && strchr(".,:;!?')]", stop[-1]) != NULL) {
        stop--;
    }
    return stop > begin + front ? (size_t)(stop - begin) : 0;
}

/* Write in place of a URL a word of letters, or white space alone; nothing moves. */
static void replace_url(const nd_page *page, uint8_t *url, size_t size) {
    enum { MOST_LETTERS = 16 };
    const size_t letters = page->text_urls == ND_TEXT_URLS_TERM ? nd_min(size, MOST_LETTERS) : 0;
    const XXH64_hash_t hash = XXH3_64bits_withSeed(url, size, page->hash_seed);
    memset(url, ' ', size);
    nd_hash_word(hash, letters, url);
}

static void replace_urls(nd_page *page) {
    for (size_t block = 0; block < page->block_count; block++) {
        uint8_t *const begin = page->text.data + page->blocks[block].begin;
        const uint8_t *const end = page->text.data + page->blocks[block].end;
        for (uint8_t *p = begin; p < end; p++) {
            const bool may_begin = p == begin || !(nd_scan_is_letter(p[-1]) || is_digit(p[-1]));
            const size_t size = may_begin ? url_size(p, end) : 0;
            if (size > 0) {
                replace_url(page, p, size);
                p += size - 1;
            }
        }
    }
}

/* ---- a page, whole */

static void clear(nd_page *page) {
    page->text.size = 0;
    page->normalised.size = 0;
    page->block_count = 0;
    page->sentence_count = 0;
    page->token_count = 0;
}

/* Cut the blocks into sentences, if there was no failure before; a page that fails is empty. */
static nd_status split_blocks(nd_page *page, nd_status st) {
    if (st == ND_OK && page->text_urls != ND_TEXT_URLS_WORDS) {
        replace_urls(page);
    }
    for (size_t block = 0; st == ND_OK && block < page->block_count; block++) {
        const uint8_t *p = page->text.data + page->blocks[block].begin;
        const uint8_t *end = page->text.data + page->blocks[block].end;
        while (st == ND_OK && p < end) {
            const uint8_t *stop = nd_sentence_end(p, end);
            st = add_sentence(page, (uint32_t)block, (nd_span){p, (size_t)(stop - p)});
            p = stop;
        }
    }
    if (st != ND_OK) {
        clear(page);
    }
    nd_token_hash(page);
    return st;
}

nd_status nd_page_from_html_with(nd_page *page, nd_span html, const nd_html_options *options) {
    clear(page);
    return split_blocks(page, nd_extract_html(page, html, options));
}

nd_status nd_page_from_html(nd_page *page, nd_span html) {
    return nd_page_from_html_with(page, html, NULL);
}

nd_status nd_page_from_text(nd_page *page, nd_span text) {
    clear(page);
    return split_blocks(page, nd_extract_text(page, text));
}

void nd_page_free(nd_page *page) {
    nd_buffer_free(&page->text);
    nd_buffer_free(&page->normalised);
    free(page->blocks);
    free(page->sentences);
    free(page->tokens);
    *page = (nd_page){0};
}

/* ---- what content selection asks of sentences */

/* A sentence of at most so many bytes is masked in a copy and hashed at once. */
enum { COPIED = 2048 };

const uint8_t *nd_digit_find_portable(const uint8_t *p, const uint8_t *end) {
    while (end - p >= ND_SWAR_BYTES) {
        const uint64_t word = nd_swar_load(p);
        const uint64_t digits = nd_swar_between(word & ~ND_SWAR_HIGH, '0', '9') & ~word;
        if (digits != 0) {
            return p + nd_swar_first(digits);
        }
        p += ND_SWAR_BYTES;
    }
    while (p < end && !is_digit(*p)) {
        p++;
    }
    return p;
}

static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    while (p < end && is_digit(*p)) {
        p++;
    }
    return p;
}

nd_tokens_hash nd_tokens_hash_of(const uint32_t *tokens, size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(tokens, count * sizeof *tokens);
    return (nd_tokens_hash){hash.high64, hash.low64};
}

/* The hash of a sentence without digits. */
static uint64_t plain_hash(const uint64_t *hashes, size_t count) {
    enum { FEW = 256 };
    uint32_t few[FEW];
    uint32_t *tokens = few;
    if (count > FEW) {
        nd_new_room(&tokens, count, sizeof *tokens);
    }
    for (size_t i = 0; i < count; i++) {
        tokens[i] = (uint32_t)hashes[i];
    }
    const uint64_t hash = nd_tokens_hash_of(tokens, count).low;
    if (tokens != few) {
        free(tokens);
    }
    return hash;
}

/* The hash of a sentence of which the first digit is known. */
static uint64_t masked_hash(const uint8_t *p, const uint8_t *end, const uint8_t *digit,
                            uint64_t seed) {
    uint8_t copy[COPIED];
    size_t size = 0;
    const nd_text_variant *loops = nd_text_variant_in_use();
    if (end - p > COPIED) {               /* piece by piece */
        XXH3_state_t state = {.seed = 0}; /* resetting looks at what was there */
        (void)XXH3_64bits_reset_withSeed(&state, seed);
        while (digit < end) {
            (void)XXH3_64bits_update(&state, p, (size_t)(digit - p));
            (void)XXH3_64bits_update(&state, "0", 1);
            p = skip_digits(digit, end);
            digit = loops->find_digit(p, end);
        }
        (void)XXH3_64bits_update(&state, p, (size_t)(end - p));
        return XXH3_64bits_digest(&state);
    }
    while (digit < end) {
        memcpy(copy + size, p, (size_t)(digit - p));
        size += (size_t)(digit - p);
        copy[size++] = '0';
        p = skip_digits(digit, end);
        digit = loops->find_digit(p, end);
    }
    memcpy(copy + size, p, (size_t)(end - p));
    return XXH3_64bits_withSeed(copy, size + (size_t)(end - p), seed);
}

/* Tokens of blocks that are neither navigation nor the like, nor links, nor the title. */
typedef struct text_tokens {
    uint64_t all, main;
} text_tokens;

/* An outermost element that may stand beside the content. */
typedef struct beside_element {
    uint32_t first, last; /* of its blocks */
    text_tokens text;
} beside_element;

typedef struct text_counts {
    text_tokens text, beside;
    uint32_t flags;               /* of any block */
    uint32_t next;                /* the block after the last that was looked at for */
    beside_element open, largest; /* the last that began, and the one of most text so far */
} text_counts;

static void count_text(text_counts *t, const nd_page *page, uint32_t number, uint32_t sentence,
                       uint64_t tokens) {
    const uint32_t block = page->blocks[number].flags;
    const uint32_t none =
        ND_SENTENCE_TITLE | ND_SENTENCE_NAVIGATION | ND_SENTENCE_LINKS | ND_SENTENCE_BESIDE;
    const uint64_t all = (sentence & none) == 0 ? tokens : 0;
    const uint64_t main = (block & ND_BLOCK_MAIN) != 0 ? all : 0;
    t->flags |= block;
    t->text.all += all;
    t->text.main += main;
    if ((block & ND_BLOCK_BESIDE) != 0) {
        beside_element *e = &t->open;
        for (; t->next <= number; t->next++) { /* also those without sentences */
            if ((page->blocks[t->next].flags & ND_BLOCK_BESIDE_FIRST) != 0) {
                *e = (beside_element){.first = number};
            }
        }
        e->last = number;
        e->text.all += all;
        e->text.main += main;
        t->beside.all += all;
        t->beside.main += main;
        if (e->text.all > t->largest.text.all || e->first == t->largest.first) {
            t->largest = *e;
        }
    }
}

/* Is enough of the text left where only this is kept? */
static bool suffices(const nd_content_options *options, uint64_t left, uint64_t of) {
    return left > 0 && (double)left >= options->left * (double)of;
}

/* Mark what stands beside the content: outside `main`, and in elements that say so, each where
 * enough is left without it. An element of more than half of the text is the content, whatever it
 * says: a form may be all of a page. */
static void mark_beside(const nd_page *page, const nd_content_options *options,
                        const text_counts *t, nd_content_sentence *sentences) {
    const bool only_main =
        t->text.main >= options->main_tokens && suffices(options, t->text.main, t->text.all);
    const uint64_t text = only_main ? t->text.main : t->text.all;
    const uint64_t beside = only_main ? t->beside.main : t->beside.all;
    const uint64_t largest = only_main ? t->largest.text.main : t->largest.text.all;
    const bool content = (double)largest > options->left * (double)text;
    const bool none_beside = (t->flags & ND_BLOCK_BESIDE) != 0 &&
                             suffices(options, text - beside + (content ? largest : 0), text);
    for (size_t i = 0; i < page->sentence_count && (only_main || none_beside); i++) {
        const uint32_t number = page->sentences[i].block;
        const uint32_t block = page->blocks[number].flags;
        const bool in_content = content && number >= t->largest.first && number <= t->largest.last;
        const bool is_beside = (only_main && (block & ND_BLOCK_MAIN) == 0) ||
                               (none_beside && (block & ND_BLOCK_BESIDE) != 0 && !in_content);
        if (is_beside && (block & ND_BLOCK_TITLE) == 0) {
            sentences[i].flags |= ND_SENTENCE_BESIDE;
        }
    }
}

/* A page whose text stands in navigation and the like alone, or but for a title and fewer tokens of
 * links: that is its content, and nothing of it is beside another. */
static void keep_all_there_is(const nd_page *page, nd_content_sentence *sentences) {
    const uint32_t dropped = ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE;
    uint64_t links = 0; /* tokens of links that are in no such element */
    uint64_t inside = 0;
    uint64_t text_inside = 0; /* without links */
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_content_sentence *s = &sentences[i];
        const bool linked = (s->flags & ND_SENTENCE_LINKS) != 0;
        if ((s->flags & dropped) != 0) {
            inside += s->tokens;
            text_inside += linked ? 0 : s->tokens;
        } else if (linked) {
            links += s->tokens;
        } else if ((s->flags & ND_SENTENCE_TITLE) == 0) {
            return;
        }
    }
    for (size_t i = 0; i < page->sentence_count && (links == 0 ? inside : text_inside) > links;
         i++) {
        sentences[i].flags &= ~dropped;
    }
}

void nd_content_sentences(const nd_page *page, const nd_content_options *options,
                          nd_content_sentence *sentences) {
    const nd_text_variant *loops = nd_text_variant_in_use();
    const uint8_t *text = page->normalised.data;
    text_counts text_of = {.largest.first = UINT32_MAX};
    const uint8_t *digit = NULL; /* the first from some earlier place of the page on */
    for (size_t i = 0; i < page->sentence_count;) {
        const uint32_t number = page->sentences[i].block;
        const nd_block *block = &page->blocks[number];
        uint64_t tokens = 0; /* of the block */
        size_t end = i;
        for (; end < page->sentence_count && page->sentences[end].block == number; end++) {
            tokens += page->sentences[end].token_count;
        }
        uint32_t flags = ((block->flags & ND_BLOCK_TITLE) != 0 ? ND_SENTENCE_TITLE : 0U) |
                         ((block->flags & ND_BLOCK_NAVIGATION) != 0 ? ND_SENTENCE_NAVIGATION : 0U) |
                         ((block->flags & ND_BLOCK_APART) != 0 ? ND_SENTENCE_BESIDE : 0U);
        if (block->link_tokens > 0 &&
            (double)block->link_tokens >= options->link_share * (double)tokens) {
            flags |= tokens < options->link_block ? ND_SENTENCE_LINKS : ND_SENTENCE_LONG_LINKS;
        }
        count_text(&text_of, page, number, flags, tokens);
        for (; i < end; i++) {
            const nd_sentence *s = &page->sentences[i];
            const uint8_t *p = text + s->begin, *stop = text + s->end;
            sentences[i] = (nd_content_sentence){.tokens = s->token_count, .flags = flags};
            if (!options->unmasked) {
                /* Most sentences have no digit: one search goes over many of them. */
                if (digit == NULL || digit < p) {
                    digit = loops->find_digit(p, text + page->normalised.size);
                }
                sentences[i].masked =
                    digit < stop ? masked_hash(p, stop, digit, options->hash_seed)
                                 : plain_hash(page->tokens + s->first_token, s->token_count);
            }
        }
    }
    mark_beside(page, options, &text_of, sentences);
    keep_all_there_is(page, sentences);
}
