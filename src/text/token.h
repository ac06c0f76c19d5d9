/** \file src/text/token.h
 * Cutting of a text into sentences, and of sentences into tokens (page.h says what a token is)
 * with their normalised form and their hashes (XXH3, 64 bits, with the page's seed).
 */
#ifndef ND_TEXT_TOKEN_H
#define ND_TEXT_TOKEN_H

#include "src/text/page.h"
#include "src/text/unicode.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- Where sentences end: at the end of the text, after the full stops of scripts that have their
 * own (U+3002, U+0964, ...), and after . ! ? and their like where white space follows. No lists of
 * abbreviations: cutting alike matters here, not cutting well. */

/** The end of the sentence that begins at p: after its stop, or `end`. The text is UTF-8. */
const uint8_t *nd_sentence_end(const uint8_t *p, const uint8_t *end);

/** The same by words of eight bytes, on any machine: the reference of the variants of
 * text_variant.h. */
const uint8_t *nd_sentence_end_portable(const uint8_t *p, const uint8_t *end);

/** Read the character at p. \param[out] stops  whether the sentence ends after it
 * \return its end */
const uint8_t *nd_sentence_read(const uint8_t *p, const uint8_t *end, bool *stops);

/* ---- tokens */

/** Bytes after page->normalised that may be written and read by these functions. */
enum { ND_TOKEN_SLACK = 64 };

/** Bytes of the characters that nd_token_singles_portable() takes. */
enum { ND_TOKEN_SINGLE_BYTES = 3 };

/** Tokens of a text of `size` bytes, at most: three bytes may stand for two ideographs or kana. */
static inline size_t nd_token_most(size_t size) {
    return size - size / 3 + 1;
}

/** Append the tokens of a sentence, which is UTF-8: their places to page->tokens, each as (its
 * first byte's number << 32 | its size), and their normalised bytes, joined by single spaces, to
 * page->normalised. nd_token_hash() is to follow when all sentences of a page are there. */
void nd_token_split(nd_page *page, nd_span sentence);

/** Replace all tokens' places by their hashes. */
void nd_token_hash(nd_page *page);

/** The tokens nd_token_split() would append for this text. */
size_t nd_token_count(nd_span text);

/** A sentence while it is cut into tokens. */
typedef struct nd_splitter {
    uint8_t *bytes; /**< page->normalised's */
    uint8_t *begin; /**< of the open token */
    uint8_t *out;
    uint64_t *tokens;      /**< where the next token's place goes */
    nd_unicode_class kind; /**< ND_UNICODE_WORD or _SINGLE; _OTHER: no token is open */
    /* Of the last mark that has an order: */
    const uint8_t *mark; /**< its end, in `out`; NULL before there is one */
    uint8_t order;       /**< and its canonical combining class */
    const uint8_t *run;  /**< where its letter's marks begin in the text, */
    uint8_t *run_out;    /**< and in `out` */
} nd_splitter;

/** End the open token, if there is one, with a space after it. */
void nd_token_close(nd_splitter *splitter);

/** Take the ASCII characters at p. The reference of the variants of text_variant.h, as are the
 * following. \return their end */
const uint8_t *nd_token_ascii_portable(nd_splitter *splitter, const uint8_t *p, const uint8_t *end);

/** Take some of the characters at p that are surely ND_UNICODE_SINGLE, of three bytes and their own
 * folded form: as many as are found fast. \return their end; p if there is none */
const uint8_t *nd_token_singles_portable(nd_splitter *splitter, const uint8_t *p,
                                         const uint8_t *end);

/** How many such characters stand at p, as far as found fast. */
size_t nd_token_count_singles_portable(const uint8_t *p, const uint8_t *end);

/** Leave the last of closed tokens open, a character of three bytes. */
static inline void nd_token_open_last(nd_splitter *s) {
    s->tokens--;
    s->out--;
    s->begin = s->out - ND_TOKEN_SINGLE_BYTES;
    s->kind = ND_UNICODE_SINGLE;
}

/** Append such characters as closed tokens; no token may be open. */
static inline void nd_token_put_singles(nd_splitter *s, const uint8_t *p, size_t count) {
    for (size_t i = 0; i < count; i++) {
        *s->tokens++ = (uint64_t)(s->out - s->bytes) << 32 | ND_TOKEN_SINGLE_BYTES;
        memcpy(s->out, p + i * ND_TOKEN_SINGLE_BYTES, ND_TOKEN_SINGLE_BYTES);
        s->out[ND_TOKEN_SINGLE_BYTES] = ' ';
        s->out += ND_TOKEN_SINGLE_BYTES + 1;
    }
}

/** Add to *count the tokens that begin among the ASCII characters at p; *kind is what is open.
 * \return their end */
const uint8_t *nd_token_count_portable(const uint8_t *p, const uint8_t *end, nd_unicode_class *kind,
                                       size_t *count);

/** Replace places in `bytes` by hashes with a seed. */
void nd_token_hash_portable(const uint8_t *bytes, uint64_t *tokens, size_t count, uint64_t seed);

#endif
