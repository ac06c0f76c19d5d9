/** \file src/text/token.h
 * Cutting of a sentence into tokens (page.h says what a token is), their normalised form and their
 * hashes (XXH3, 64 bits).
 */
#ifndef ND_TEXT_TOKEN_H
#define ND_TEXT_TOKEN_H

#include "src/text/page.h"

/** Append the tokens of a sentence, which is UTF-8: their hashes to page->tokens, their normalised
 * bytes, joined by single spaces, to page->normalised.
 * \return ND_OK or ND_ERR_MEMORY (nothing is appended then) */
nd_status nd_token_split(nd_page *page, nd_span sentence);

/** The tokens nd_token_split() would append for this text. */
size_t nd_token_count(nd_span text);

#endif
