/** \file src/text/extract.h
 * The text of an HTML or plain-text document, cut into blocks: the first step of nd_page_from_*().
 * The tokeniser of the HTML Standard (13.2.5) is followed where it decides what is text (comments,
 * quotes, raw text, character references), its tree construction is not: there is no tree, only a
 * stack of the elements that must be closed, to know what is navigation.
 *
 * No script is run, so a page that is made by scripts has no text but what its noscript elements
 * hold: that is the page's where it is longer than all the rest, and at least 1 KiB (less only asks
 * to run scripts). Otherwise it is dropped.
 *
 * A formatting tag is deleted, a block-level tag ends the block, every other tag is white space.
 * Runs of white space become one space; blocks are separated by a line feed.
 */
#ifndef ND_TEXT_EXTRACT_H
#define ND_TEXT_EXTRACT_H

#include "src/text/address.h"
#include "src/text/page.h"

#include <stdbool.h>

/** Longest document in bytes: offsets into its text must fit 32 bits. */
#define ND_EXTRACT_LIMIT ((size_t)1 << 30)

/** Bytes of the word that an image becomes: "img" and sixteen letters. */
enum { ND_IMAGE_TERM_SIZE = 19 };

/** Write a word of so many letters, at most sixteen, that stands for a hash: any tokeniser takes it
 * for one token. */
void nd_hash_word(uint64_t hash, size_t letters, uint8_t *word);

/** Fill page->text and page->blocks (replaced) from HTML; the rest of the page is not touched.
 * \param[in] options  NULL: the default. With images, page->text has a word for each of them that
 *                     does not stand in the document
 * \return ND_OK or ND_ERR_LIMIT; on failure text and blocks are undefined */
nd_status nd_extract_html(nd_page *page, nd_span html, const nd_html_options *options);

/** The same from plain text, where an empty line ends a block. */
nd_status nd_extract_text(nd_page *page, nd_span text);

#endif
