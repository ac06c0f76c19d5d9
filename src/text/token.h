/** \file src/text/token.h
 * Cutting of a sentence into tokens (page.h says what a token is), their normalised form and their
 * hashes (XXH3, 64 bits).
 */
#ifndef ND_TEXT_TOKEN_H
#define ND_TEXT_TOKEN_H

#include "src/text/page.h"
#include "src/text/unicode.h"

/** Bytes behind page->normalised that may be written and read by these functions. */
enum { ND_TOKEN_SLACK = 64 };

/** Append the tokens of a sentence, which is UTF-8: their places to page->tokens, each as (its
 * first byte's number << 32 | its size), and their normalised bytes, joined by single spaces, to
 * page->normalised. nd_token_hash() is to follow when all sentences of a page are there.
 * \return ND_OK or ND_ERR_MEMORY (nothing is appended then) */
nd_status nd_token_split(nd_page *page, nd_span sentence);

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
} nd_splitter;

/** End the open token, if there is one, with a space behind it. */
void nd_token_close(nd_splitter *splitter);

/** Take the ASCII characters at p. The reference of the variants of text_variant.h, as are the
 * following. \return behind them */
const uint8_t *nd_token_ascii_portable(nd_splitter *splitter, const uint8_t *p, const uint8_t *end);

/** Add to *count the tokens that begin among the ASCII characters at p; *kind is what is open.
 * \return behind them */
const uint8_t *nd_token_count_portable(const uint8_t *p, const uint8_t *end, nd_unicode_class *kind,
                                       size_t *count);

/** Replace places in `bytes` by hashes. */
void nd_token_hash_portable(const uint8_t *bytes, uint64_t *tokens, size_t count);

#endif
