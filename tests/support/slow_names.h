/** \file tests/support/slow_names.h
 * Names (src/compare/penalties.h) as the header says, by looking through both pages again for each
 * word; and what they leave of a pair's similarity.
 */
#ifndef ND_TEST_SLOW_NAMES_H
#define ND_TEST_SLOW_NAMES_H

#include "src/method/method.h"

/** How often a word of one page's beginning stands in it again at most that the other lacks. */
uint64_t nd_slow_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/** What is left of two documents' similarity, as the options have it; at least 0. */
double nd_slow_names_left(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double similarity);

/** What is left of it in a member of a set whose leader it is compared with: never nothing.
 * \param[in] left  of the score, by nd_slow_names_left() */
double nd_slow_names_member(double score, double left);

#endif
