/** \file tests/support/extract_oracle.h
 * Extraction of text without the program: by libxml2, and as the header of src/text/extract.h
 * says, a character at a time.
 */
#ifndef ND_SUPPORT_EXTRACT_ORACLE_H
#define ND_SUPPORT_EXTRACT_ORACLE_H

#include "src/base/buffer.h"
#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* ---- The words of HTML pages as libxml2's parser sees them. What the elements mean is written
 * down a second time here, so that a slip in the extractor's own table shows. Words are runs of
 * letters and digits, said more simply than the tokeniser does. */

/** All zero is an oracle that has seen no page. */
typedef struct nd_oracle {
    size_t pages;
    size_t equal; /**< pages with the same words */
    size_t words; /**< bytes of the extractor's words */
} nd_oracle;

/** Compare one page; its name is printed if its words differ. */
nd_status nd_oracle_compare(nd_oracle *oracle, const char *name, nd_span html);

/** Compare a file, or all files named *.html or *.htm below a folder.
 * \return ND_OK, ND_ERR_IO (file named in the failure's text) or ND_ERR_MEMORY */
nd_status nd_oracle_walk(nd_oracle *oracle, const char *path);

/** The text of an HTML page by libxml2's SAX parser; `text` is replaced. */
nd_status nd_test_text_by_libxml(nd_buffer *text, nd_span html);

/* ---- A slow, plain extractor to test the fast one against: it walks the page byte by byte, keeps
 * names as strings, looks through whole lists, and knows only the tags that the tests' tag soup
 * has. */

/** Append a block as "[flags link_bytes]text|". Stops the test program if memory runs out. */
void nd_test_dump_block(nd_buffer *dump, uint32_t flags, size_t link_bytes, const void *text,
                        size_t size);

/** The blocks of a page of at most 64 KiB of text, in that form; `dump` is replaced.
 * \param[in] html  at least 4 zero bytes must follow it */
void nd_test_slow_extract(nd_buffer *dump, nd_span html);

#endif
