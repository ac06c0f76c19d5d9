/** \file tests/support/unit_reading.h
 * The pages of a source as text, easy to compare and to look at where they differ: those of a
 * range, and those of adjacent units that are checked against each other as a job does. What a
 * reader must keep for any source is looked at on the way; which pages there should be, the caller
 * knows.
 */
#ifndef ND_TESTS_UNIT_READING_H
#define ND_TESTS_UNIT_READING_H

#include "io/input/reader.h"

/** What may happen while a range is read. */
typedef enum nd_test_reading {
    ND_TEST_READ_GOOD,  /**< nothing: good records, from a true start */
    ND_TEST_READ_FAKE,  /**< the start may be false, so records may be skipped */
    ND_TEST_READ_DAMAGE /**< records whose start is spoilt also belong to the range before */
} nd_test_reading;

/** Append a page. */
void nd_test_print_page(nd_buffer *out, nd_content_kind content, nd_span id, nd_span url,
                        nd_span text);

/** Append the pages that start in [begin, end).
 * \param[in]  options      NULL: the usual ones; who is told of skips is replaced
 * \param[out] first, next  the chain of restart points
 * \return NULL, or what does not hold */
const char *nd_test_read_range(const char *path, uint64_t begin, uint64_t end,
                               const nd_reader_options *options, nd_test_reading how,
                               nd_buffer *out, uint64_t *first, uint64_t *next);

/** Append the pages of the units between `count` cuts, the first of which is 0 and the last the
 * size of the file: a unit that does not start where the chain says that the one before it ended is
 * read again from there. \param[out] again  units that were \return NULL, or what does not hold */
const char *nd_test_read_units(const char *path, const uint64_t *cuts, size_t count,
                               const nd_reader_options *options, bool damaged, nd_buffer *out,
                               unsigned *again);

#endif
