/** \file tests/support/xdiff.h
 * The xdiff of libgit2 as a person would use it to compare token sequences: with GIT_DIFF_MINIMAL,
 * a token a line. Only for benchmarks; without libgit2 there is none.
 */
#ifndef ND_TESTS_XDIFF_H
#define ND_TESTS_XDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A token sequence as text, a line of eight hexadecimal digits for each. */
typedef struct nd_xdiff_text {
    char *bytes; /**< owned */
    size_t size;
} nd_xdiff_text;

/** Whether it was built with libgit2. */
bool nd_xdiff_available(void);

/** Ends the program if there is no memory. */
nd_xdiff_text nd_xdiff_text_of(const uint32_t *tokens, size_t count);

/** Lines deleted and inserted between the texts. Of a text and itself 0, found by hashes: what that
 * takes is what the library takes besides xdiff. Ends the program on failure. */
size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b);

#endif
