/** \file tests/support/slow_extract.h
 * A slow, plain extractor to test the fast one against: it walks the page byte by byte, keeps names
 * as strings, looks through whole lists, and knows only the tags that the tests' tag soup has.
 */
#ifndef ND_TESTS_SLOW_EXTRACT_H
#define ND_TESTS_SLOW_EXTRACT_H

#include "src/text/page.h"

/** Append a block as "[flags link_bytes]text|". Stops the test program if memory runs out. */
void nd_test_dump_block(nd_buffer *dump, uint32_t flags, size_t link_bytes, const void *text,
                        size_t size);

/** The blocks of a page of at most 64 KiB of text, in that form; `dump` is replaced.
 * \param[in] html  at least 4 zero bytes must follow it */
void nd_test_slow_extract(nd_buffer *dump, nd_span html);

#endif
