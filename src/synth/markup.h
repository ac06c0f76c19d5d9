/** \file src/synth/markup.h
 * How synthetic texts are written down as HTML: prose, and the markup without text that most bytes
 * of real pages are. Which text it is, and what a site's template says, is decided elsewhere.
 */
#ifndef ND_SYNTH_MARKUP_H
#define ND_SYNTH_MARKUP_H

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/synth/story.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- text put together piece by piece */

static inline void nd_text_span(nd_buffer *writer, nd_span text) {
    nd_buffer_append(writer, text.data, text.size);
}

/** A number in decimal, with zeros before it up to `digits`. */
static inline void nd_text_number(nd_buffer *writer, uint64_t number, int digits) {
    char decimal[20];
    size_t at = sizeof decimal;
    do {
        decimal[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || (int)(sizeof decimal - at) < digits);
    nd_buffer_append(writer, decimal + at, sizeof decimal - at);
}

/* ---- How much markup without text a page of a synthetic corpus carries besides what its story and
 * its site's template bring along, so that a given share of the mean page is text. What that markup
 * is is not said here. */

/** Range of the text's percentage. Of sets of real web pages it is 6 to 56 and of most 7 to 36; of
 * a plain page, which has no other markup than its template's and its story's, some 42. */
#define ND_TEXT_LEAST 5
#define ND_TEXT_MOST  36

typedef struct nd_markup_share {
    uint64_t plain_bytes; /**< of the mean page without that markup, as options give it */
    double mean_plain;    /**< bytes that such pages really have in the mean */
    double rate;          /**< bytes of that markup for each byte of a plain page; 0: none */
} nd_markup_share;

/** ND_OK, or ND_ERR_USAGE if the percentage is out of range. */
nd_status nd_markup_share_check(double percent);

/** For a mean page of `page_bytes` bytes, some thousand, of which `percent` are text; 0: plain
 * pages. plain_bytes is 0 where the page is too short for any text. */
nd_markup_share nd_markup_share_of(uint64_t page_bytes, double percent);

/* ---- Markup that holds no text, as most bytes of real pages are: meta elements, style sheets and
 * scripts, wrappers around blocks, icons and empty widgets between them, attributes of links. It is
 * the site's own: the same on all pages of a site's design, but for where it ends and for a page's
 * number. What is written is metered: for each byte of plain page a certain number of bytes falls
 * due, and pieces are put while any are owed. What the extractor finds on a page is the same with
 * and without it. */

/** The markup of one page while it is written. */
typedef struct nd_page_markup {
    nd_markup_share share;
    uint64_t seed;
    uint64_t page;
    uint64_t design;  /**< number of the site's design, different for each site */
    double owed;      /**< bytes that are due; below 0: so many were written too early */
    double aside;     /**< bytes that will be due at the end of the page */
    size_t written;   /**< bytes of markup on the page so far */
    size_t accounted; /**< plain bytes that have fallen due */
} nd_page_markup;

/** Whether the page has any such markup; NULL: no. */
static inline bool nd_page_markup_is_put(const nd_page_markup *markup) {
    return markup != NULL && markup->share.rate > 0;
}

/** Bytes of it on the page so far; NULL: 0. */
static inline size_t nd_page_markup_size(const nd_page_markup *markup) {
    return markup == NULL ? 0 : markup->written;
}

/** Begin a part of the page: what earlier parts left is finished at the page's end, so that a part
 * which is the site's own has the same markup on every page. */
void nd_page_markup_begin(nd_page_markup *markup, const nd_buffer *html);

/** What belongs into the page's head. */
void nd_page_markup_head(nd_page_markup *markup, nd_buffer *html);

/** Attributes of an element, put after its name, if any bytes are owed.
 * \param markup  NULL: none */
void nd_page_markup_attributes(nd_page_markup *markup, const char *element, nd_buffer *html);

/** Open wrappers around block `number`, if any bytes are owed. \return whether that was done */
bool nd_page_markup_open(nd_page_markup *markup, size_t number, nd_buffer *html);

/** Close the wrappers, if `opened`, and put empty elements after them while any bytes are owed. */
void nd_page_markup_close(nd_page_markup *markup, size_t number, bool opened, nd_buffer *html);

/** What stands before the page's end, until nothing is owed. */
void nd_page_markup_end(nd_page_markup *markup, nd_buffer *html);

/* ---- Words and sentences written as text of their language: capitals, commas and full stops, or
 * Chinese punctuation and no spaces; and the noise that other markup of the same text brings. */

/** How text is written down. */
typedef struct nd_prose {
    const nd_vocabulary *vocabulary;
    nd_language language;
    bool noisy;             /**< other commas and stops, characters as entities, words in bold */
    bool links;             /**< some words are links, always the same ones */
    nd_page_markup *markup; /**< gives links their attributes; NULL: none */
} nd_prose;

/** Write words with separators between them, the first with a capital if the language has any. */
void nd_prose_words(nd_buffer *out, const nd_prose *prose, const nd_word *words, size_t count);

/** Write `count` random words like that. */
void nd_prose_draw(nd_buffer *out, const nd_prose *prose, nd_random *random, uint64_t count);

/** Write the space between two sentences, in languages that have one. */
void nd_prose_gap(nd_buffer *out, const nd_prose *prose);

/** Write a full stop. */
void nd_prose_stop(nd_buffer *out, const nd_prose *prose, nd_word last);

/** Write a paragraph of a story. */
void nd_prose_paragraph(nd_buffer *out, const nd_prose *prose, const nd_story *story,
                        size_t paragraph);

#endif
