/** \file src/compare/penalties.h
 * What tells two pages apart whose texts are much alike: the names of the things that they are
 * about, and how far what only one holds stands from what only the other holds. Only counted here;
 * what is taken off a similarity for it, and when, is said in src/method/method.h.
 */
#ifndef ND_COMPARE_PENALTIES_H
#define ND_COMPARE_PENALTIES_H

#include "src/lcs/lcs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The name of the thing. A page about a thing says what it is about where it begins, and then
 * again and again; a page of the same form about another thing begins with another name, and need
 * not say the first at all. Copies of one text, however edited, begin alike, or with words that
 * they do not repeat. So what counts, of two pages that are much alike, is how often one says a
 * word of its beginning that the other never says. One side is enough: a page about a part names
 * the whole.
 *
 * Only the words are counted here; what a beginning is of a page is the caller's business, who
 * gives what is left of it without its site's template: title and first heading, as a rule.
 * Measured on API documentation, articles, terms and manuals: see scripts/README.md. */

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

/* ---- How far what only one of two token sequences holds stands from what only the other holds,
 * counted in what both hold: about 0 where text was written over other text, about 1 where the one
 * lost at its beginning and the other gained at its end. The latter is how two pages of one long
 * list, or one list at two times, differ: entries move through a window. What both hold are
 * shingles, so it is found in linear time; how much of it there is is the business of scores
 * (score.h). */

/** The distance of the mean places of the tokens of a[0..n) and of b[0..m) that stand in no shared
 * shingle. A place is the share of the sequence's other tokens that stand before it.
 * \param[out] displacement  in [0, 1]; 0 where nothing is shared, or one sequence has nothing of
 * its own */
void nd_displacement(const uint32_t *a, size_t n, const uint32_t *b, size_t m, nd_lcs_work *work,
                     double *displacement);

#endif
