/** \file tests/support/small_result.h
 * A small result, written column by column, of which values can be others and one column left out:
 * for tests of those who read results.
 */
#ifndef ND_TESTS_SUPPORT_SMALL_RESULT_H
#define ND_TESTS_SUPPORT_SMALL_RESULT_H

#include "io/result/result_file.h"

enum { ND_TEST_PAGES = 8, ND_TEST_SETS = 3, ND_TEST_SITES = 3, ND_TEST_ROWS = 16 };

typedef struct nd_test_column {
    const char *name;
    nd_column_type type;
    uint64_t rows;
    double values[ND_TEST_ROWS];
} nd_test_column;

/** Sets: pages 0 to 2 with representative 2; page 3; pages 4 to 7 with representative 4. Revisits:
 * 3, alone, and 7 of 6. Sites: d with a template, b with both lists, h that repeats all links. */
extern const nd_test_column nd_test_columns[];
extern const size_t nd_test_column_count;

/** A change of one value; all zero: none. */
typedef struct nd_test_change {
    const char *column;
    uint64_t row;
    double value;
    const char *says; /* what is said of it names this */
} nd_test_change;

/** How the result differs from that above; all zero: in nothing. */
typedef struct nd_test_made {
    const char *left_out; /**< a column, or all of a table: "/pages/set", "/sites/" */
    const nd_test_change *changes;
    size_t change_count;
    const char *totals, *additions; /**< attributes; NULL: {}, and none */
} nd_test_made;

/** Open the file and write all of it; it is still to be closed. \return ND_OK, or a failure */
nd_status nd_test_result_write(nd_result *result, const char *path, const nd_test_made *made);

/** Open the file for writing, without the column `left_out` (NULL: none). */
void nd_test_result_start(nd_result *result, const char *path, const char *left_out,
                          const nd_test_change *changed);

/** Close and seal it. */
void nd_test_result_finish(nd_result *result);

/** Read all that readers read of such a file, for a sanitizer to look at.
 * \return ND_OK, or a failure; ND_ERR_INTERNAL if something lies beyond the result */
nd_status nd_test_result_read(const char *path);

#endif
