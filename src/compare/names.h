/** \file src/compare/names.h
 * The name of the thing. A page about a thing says what it is about where it begins, and then again
 * and again; a page of the same form about another thing begins with another name, and need not say
 * the first at all. Copies of one text, however edited, begin alike, or with words that they do not
 * repeat. So what counts, of two pages that are much alike, is how often one says a word of its
 * beginning that the other never says. One side is enough: a page about a part names the whole.
 *
 * Only the words are counted here; what a beginning is of a page is the caller's business, who
 * gives what is left of it without its site's template: title and first heading, as a rule.
 * Measured on API documentation, articles, terms and manuals: see scripts/README.md.
 */
#ifndef ND_COMPARE_NAMES_H
#define ND_COMPARE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_NAMES_TOKENS = 12 }; /**< a page's beginning */

/** How often a word of the beginning of a page is said again in it, of those that the other page
 * never says; 0: none is, or not again. */
uint64_t nd_names_repeats(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/** Are these words of `a` no name, but an insertion that is repeated, as "Advertisement" before
 * every paragraph? Nothing of `b` stands in their places then: nearly all of it is in `a`, in
 * order, with what is elsewhere in fewer places than half of the repeats, and half of what `a` has
 * besides are these words. Of a page of fewer than 100 tokens that is not said.
 * \param[in] repeats  as above, above 0
 * \param[in] common   tokens of their longest common subsequence */
bool nd_names_are_inserted(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                           uint64_t repeats, uint64_t common);

/** What is taken off the similarity for so many repeats: longer pages say again more of what an
 * edit brings.
 * \param[in] names   weight, as of --title-penalty
 * \param[in] tokens  of the shorter page; above 0 */
double nd_names_discount(double names, uint64_t tokens, uint64_t repeats);

#endif
