/** \file src/text/content.h
 * What each sentence of a page is to content selection: whether it is part of the navigation, of a
 * block of links, of the title; and the hash by which it is recognised on other pages of the site.
 * Nothing is dropped here, and other pages are not looked at (sets/template.h does that).
 */
#ifndef ND_TEXT_CONTENT_H
#define ND_TEXT_CONTENT_H

#include "src/text/page.h"

#include <stdbool.h>

/** What a sentence is; it may be several of these. */
enum {
    ND_SENTENCE_TITLE = 1,      /**< in the document's title */
    ND_SENTENCE_NAVIGATION = 2, /**< in a block that is navigation */
    ND_SENTENCE_LINKS = 4,      /**< in a short block of which links are the larger part */
    ND_SENTENCE_LONG_LINKS = 8, /**< in a long one: text that is kept, but nothing of its own */
    ND_SENTENCE_BESIDE = 16     /**< beside the page's content, which is elsewhere on it */
};

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
    uint64_t masked; /**< XXH3 (64 bits, with a seed) of the sentence's normalised bytes, with '0'
                        in place of every run of digits */
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
