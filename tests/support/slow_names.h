/** \file tests/support/slow_names.h
 * The count of names (src/compare/names.h) as its header says, by looking through both pages again
 * for each token; and the decision that follows for a pair.
 */
#ifndef ND_TEST_SLOW_NAMES_H
#define ND_TEST_SLOW_NAMES_H

#include "src/method/method.h"

/** The smaller of how often a token stands in one page at most that the other lacks. */
uint64_t nd_slow_names(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/** Do two documents of that similarity name two things, as the options have it? */
bool nd_slow_names_apart(const nd_method *method, const nd_method_options *options,
                         const nd_document *a, const nd_document *b, double similarity);

#endif
