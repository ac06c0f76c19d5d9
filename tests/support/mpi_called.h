/** \file tests/support/mpi_called.h
 * Commands of the program, called in this process, with what they print kept in files. Whoever
 * calls more than one that needs MPI sees to it that this is started once, and not ended.
 */
#ifndef ND_TESTS_SUPPORT_MPI_CALLED_H
#define ND_TESTS_SUPPORT_MPI_CALLED_H

#include "src/base/buffer.h"

enum { ND_TEST_MOST_WORDS = 24 };

/** A command and its arguments; all zero: none yet. */
typedef struct nd_test_words {
    int count;
    char *word[ND_TEST_MOST_WORDS + 1];
    char text[4096];
    size_t used;
} nd_test_words;

/** Append the words of a line, which have blanks between them. */
void nd_test_say(nd_test_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Before the first call. */
void nd_test_call_open(void);

/** Call a command. \param[in] input  file for stdin; NULL: nothing \return its exit code */
int nd_test_call(nd_test_words *words, const char *input);

/** What the command that was called last, in this process or one that it comes from, printed on
 * stream 1 or 2, with a NUL after it that does not count; the caller's to free. */
nd_buffer nd_test_printed(int stream);

#endif
