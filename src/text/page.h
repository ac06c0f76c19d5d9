/** \file src/text/page.h
 * A page as the rest of the program sees it: its text cut into blocks, the blocks into sentences,
 * the sentences into tokens. nd_page_from_html() and nd_page_from_text() fill it from UTF-8 bytes
 * (extract.h, token.h and token.h do the work). One nd_page is reused from page to page.
 * Pages are not compared here and nothing is hashed but the tokens.
 *
 * A token is a maximal run of letters, marks and digits, each as unicode.h says that it is
 * compared: lower-cased, canonically equivalent spellings and compatibility forms as one. A
 * character of a script written without spaces (CJK ideographs, kana, Thai, Lao, Khmer, Burmese) is
 * a token of its own, with the marks that follow it. A mark that follows no letter is no token.
 */
#ifndef ND_TEXT_PAGE_H
#define ND_TEXT_PAGE_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** What a block of a page is; a block may be several of these. */
enum {
    ND_BLOCK_TITLE = 1,      /**< the document's title */
    ND_BLOCK_NAVIGATION = 2, /**< inside nav, footer, aside, select or button */
    ND_BLOCK_MAIN = 4,       /**< inside main or article, or an element with such a role */
    ND_BLOCK_BESIDE = 8, /**< inside a form, or an element with a class or id of what stands beside
                              the content, as comments, sharing, cookies; only if asked for */
    ND_BLOCK_APART = 16, /**< inside search or dialog, or an element with the role of one of
                              these, of nav, footer or aside, or of a banner */
    ND_BLOCK_BESIDE_FIRST = 32 /**< the first of an outermost element that is ND_BLOCK_BESIDE */
};

/** What a URL that stands in a text is, as "http://host/path" or "www.host". */
typedef enum nd_text_urls {
    ND_TEXT_URLS_WORDS, /**< its words, as of any text */
    ND_TEXT_URLS_TERM,  /**< one word, which stands for its hash */
    ND_TEXT_URLS_NONE   /**< white space */
} nd_text_urls;

/** A stretch of text between two block-level breaks; never empty. */
typedef struct nd_block {
    uint32_t begin; /**< bytes [begin, end) of nd_page.text */
    uint32_t end;
    uint32_t link_bytes;  /**< bytes of it that stand inside links (a elements with href) */
    uint32_t link_tokens; /**< tokens of the texts of its links, each cut into tokens by itself */
    uint32_t flags;       /**< ND_BLOCK_* */
} nd_block;

/** A sentence with at least one token. */
typedef struct nd_sentence {
    uint32_t first_token; /**< tokens [first_token, first_token + token_count) of nd_page.tokens */
    uint32_t token_count;
    uint32_t begin; /**< bytes [begin, end) of nd_page.normalised */
    uint32_t end;
    uint32_t text_begin; /**< bytes [text_begin, text_end) of nd_page.text, white space before and
                              after it included */
    uint32_t text_end;
    uint32_t block; /**< index into nd_page.blocks */
} nd_sentence;

/** All zero is a valid empty page; every array is owned by the page. */
typedef struct nd_page {
    nd_buffer text;       /**< extracted text, valid UTF-8, characters as on the page */
    nd_buffer normalised; /**< all tokens, as they are compared, a space after each: so equal bytes
                               are equal tokens. A sentence ends before its last token's space */
    nd_block *blocks;
    size_t block_count;
    size_t block_capacity;
    nd_sentence *sentences;
    size_t sentence_count;
    size_t sentence_capacity;
    uint64_t *tokens; /**< XXH3_64bits_withSeed() of each token's normalised bytes */
    size_t token_count;
    size_t token_capacity;
    uint64_t hash_seed;   /**< the caller's: of the tokens' hashes; whoever does not know it cannot
                               look for words of one hash */
    uint32_t text_urls;   /**< the caller's: nd_text_urls. Blocks of links are told by all words */
    uint64_t most_tokens; /**< the caller's: a page of more is refused; 0: no limit */
    uint64_t most_sentences; /**< likewise, and one of more blocks */
    bool too_many_tokens;    /**< which limit it was; set with ND_ERR_LIMIT only */
} nd_page;

/** How an HTML document is read; all zero is the default. */
typedef struct nd_html_options {
    bool images; /**< an image's URL is a token where the img element stands, so that pages with
                      different images differ: see extract.h */
    nd_span url; /**< the page's, borrowed; only `images` needs it. Empty: unknown */
    bool beside; /**< ND_BLOCK_BESIDE is asked for */
} nd_html_options;

/** Replace the page's contents by those of an HTML document.
 * \param[in] html  borrowed UTF-8; invalid bytes are read as U+FFFD; at most 1 GiB
 * \return ND_OK or ND_ERR_LIMIT (too long, or beyond a limit of the page); on
 *         failure the page is empty */
nd_status nd_page_from_html(nd_page *page, nd_span html);

/** The same with options; NULL: the default. */
nd_status nd_page_from_html_with(nd_page *page, nd_span html, const nd_html_options *options);

/** The same for plain text, where an empty line ends a block. */
nd_status nd_page_from_text(nd_page *page, nd_span text);

/** Free everything; the page is empty and may be used again. */
void nd_page_free(nd_page *page);

/* ---- What each sentence of a page is to content selection: whether it is part of the navigation,
 * of a block of links, of the title; and the hash by which it is recognised on other pages of the
 * site. Nothing is dropped here, and other pages are not looked at (sets/template.h does that). */

/** What a sentence is; it may be several of these. */
enum {
    ND_SENTENCE_TITLE = 1,      /**< in the document's title */
    ND_SENTENCE_NAVIGATION = 2, /**< in a block that is navigation */
    ND_SENTENCE_LINKS = 4,      /**< in a short block of which links are the larger part */
    ND_SENTENCE_LONG_LINKS = 8, /**< in a long one: text that is kept, but nothing of its own */
    ND_SENTENCE_BESIDE = 16     /**< beside the page's content, which is elsewhere on it */
};

/** The hash of tokens (XXH3, 128 bits), which are hashes themselves and so have the run's seed.
 * \param[in] tokens  the low 32 bits of each */
typedef struct nd_tokens_hash {
    uint64_t high;
    uint64_t low; /**< what a sentence without digits is known by */
} nd_tokens_hash;
nd_tokens_hash nd_tokens_hash_of(const uint32_t *tokens, size_t count);

typedef struct nd_content_options {
    uint64_t link_block;  /**< a block of links has fewer tokens than this */
    double link_share;    /**< and at least this share of its tokens stands in links */
    double left;          /**< what stands beside the content is known as such where at least this
                               share of the text is left without it; an element of more than that
                               share is the content */
    uint64_t main_tokens; /**< main is the content only if it has so many tokens of text: a short
                             one may be an empty shell */
    uint64_t hash_seed;   /**< of masked hashes */
    bool unmasked;        /**< nobody asks for masked hashes: they are 0 */
} nd_content_options;

/** Measured on seven labelled sets. */
#define ND_CONTENT_DEFAULTS                                                                        \
    ((nd_content_options){.link_block = 60, .link_share = .6, .left = .5, .main_tokens = 200})

typedef struct nd_content_sentence {
    uint64_t masked; /**< of a sentence without digits the hash of its tokens; of others XXH3 (64
                        bits, with a seed) of its normalised bytes, with '0' in place of every run
                        of digits */
    uint32_t tokens;
    uint32_t flags; /**< ND_SENTENCE_* */
} nd_content_sentence;

/** Describe the sentences of a page.
 * \param[out] sentences  room for page->sentence_count; in the order of the page */
void nd_content_sentences(const nd_page *page, const nd_content_options *options,
                          nd_content_sentence *sentences);

/** The first digit of a normalised text from p on: one of ASCII; `end` if there is none. By words
 * of eight bytes, on any machine: the reference of the variants of text_variant.h. */
const uint8_t *nd_digit_find_portable(const uint8_t *p, const uint8_t *end);

#endif
