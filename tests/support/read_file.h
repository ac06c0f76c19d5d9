/** \file tests/support/read_file.h
 * A file of real data in memory, for test programs and benchmarks.
 */
#ifndef ND_TESTS_READ_FILE_H
#define ND_TESTS_READ_FILE_H

#include "src/base/buffer.h"

/** Append a whole file. \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_test_read_file(nd_buffer *buffer, const char *path);

/** Call `visit` for a file, or for all files named *.html or *.htm below a folder, in order of
 * their names; stops at the first failure, which it returns. */
nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context);

#endif
