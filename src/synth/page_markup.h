/** \file src/synth/page_markup.h
 * Markup that holds no text, as most bytes of real pages are: meta elements, style sheets and
 * scripts, wrappers around blocks, icons and empty widgets between them, attributes of links. It is
 * the site's own: the same on all pages of a site's design, but for where it ends and for a page's
 * number. What is written is metered: for each byte of plain page a certain number of bytes falls
 * due, and pieces are put while any are owed. What the extractor finds on a page is the same with
 * and without it.
 */
#ifndef ND_SYNTH_PAGE_MARKUP_H
#define ND_SYNTH_PAGE_MARKUP_H

#include "src/synth/markup_share.h"
#include "src/synth/text_writer.h"

#include <stdbool.h>

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
void nd_page_markup_begin(nd_page_markup *markup, const nd_text_writer *html);

/** What belongs into the page's head. */
void nd_page_markup_head(nd_page_markup *markup, nd_text_writer *html);

/** Attributes of an element, put after its name, if any bytes are owed.
 * \param markup  NULL: none */
void nd_page_markup_attributes(nd_page_markup *markup, const char *element, nd_text_writer *html);

/** Open wrappers around block `number`, if any bytes are owed. \return whether that was done */
bool nd_page_markup_open(nd_page_markup *markup, size_t number, nd_text_writer *html);

/** Close the wrappers, if `opened`, and put empty elements after them while any bytes are owed. */
void nd_page_markup_close(nd_page_markup *markup, size_t number, bool opened, nd_text_writer *html);

/** What stands before the page's end, until nothing is owed. */
void nd_page_markup_end(nd_page_markup *markup, nd_text_writer *html);

#endif
