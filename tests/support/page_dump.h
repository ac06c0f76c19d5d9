/** \file tests/support/page_dump.h
 * A page as a line of text, for tests of the extractor, the sentence splitter and the tokeniser.
 */
#ifndef ND_TESTS_PAGE_DUMP_H
#define ND_TESTS_PAGE_DUMP_H

#include "src/text/page.h"

/** The blocks' texts, each followed by '|', in a static buffer that the next call overwrites. A
 * title begins with "T:", navigation with "N:". */
const char *nd_test_blocks(const nd_page *page);

/** The sentences' normalised texts in the same way, without marks. */
const char *nd_test_sentences(const nd_page *page);

/** nd_test_blocks() of an HTML document of `size` bytes. */
const char *nd_test_html_bytes(const char *html, size_t size);

/** nd_test_blocks() of an HTML document. */
const char *nd_test_html(const char *html);

/** nd_test_sentences() of a plain text. */
const char *nd_test_text(const char *text);

#endif
