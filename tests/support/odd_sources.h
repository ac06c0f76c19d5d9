/** \file tests/support/odd_sources.h
 * Archives and lines that are good but odd, or damaged in one place, appended to a buffer: for
 * tests of those who read and copy sources.
 */
#ifndef ND_TESTS_SUPPORT_ODD_SOURCES_H
#define ND_TESTS_SUPPORT_ODD_SOURCES_H

#include "tests/support/warc_writer.h"

/** Pages in character sets that are known by a mark, by what is declared, or as UTF-8, of which
 * some bytes are in none. */
void nd_test_make_charsets(nd_buffer *file, nd_test_packing packing);

/** Frames that need a dictionary, which lies before them, itself raw or in a frame. */
void nd_test_make_with_dictionary(nd_buffer *file, nd_test_packing packing);

/** Records of which the one of this number is damaged, in one byte from its start on. */
void nd_test_make_damaged(nd_buffer *file, nd_test_packing packing, int number, size_t byte);

/** Three lines, of which the second is some 200 KiB long. */
void nd_test_make_long_line(nd_buffer *file);

#endif
