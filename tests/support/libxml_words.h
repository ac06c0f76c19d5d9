/** \file tests/support/libxml_words.h
 * The words of an HTML page as libxml2's parser sees them: the oracle of the extractor. What the
 * elements mean is written down a second time here, so that a slip in the extractor's own table
 * shows. Words are runs of letters and digits, said more simply than the tokeniser does.
 */
#ifndef ND_TESTS_LIBXML_WORDS_H
#define ND_TESTS_LIBXML_WORDS_H

#include "src/text/page.h"

/** Append the words of a text, each followed by a line feed. */
nd_status nd_test_words_of_text(nd_buffer *words, nd_span text);

/** The words of an HTML page by nd_extract_html(); `words` is replaced. */
nd_status nd_test_words_of_page(nd_buffer *words, nd_page *page, nd_span html);

/** The text of an HTML page by libxml2's SAX parser; `text` is replaced. */
nd_status nd_test_text_by_libxml(nd_buffer *text, nd_span html);

/** The words of an HTML page by libxml2's SAX parser; `words` is replaced. */
nd_status nd_test_words_by_libxml(nd_buffer *words, nd_span html);

#endif
