/** \file src/compare/names.h
 * The name of the thing. A page about a thing names it again and again; a page of the same form
 * about another thing never does, and names its own. Copies of one text, however edited, lack words
 * of each other too, but hardly one that the other repeats. So of two pages that are much alike
 * what counts is the word that each says most often and the other never: the rarer of the two
 * counts says how surely they are about two things.
 *
 * Measured on API documentation in which siblings are apart and versions together, and on copies of
 * articles, terms and manuals: see scripts/README.md. What a word is, is said by the caller: all
 * tokens are words here, numbers and single ideographs too, which changed nothing.
 */
#ifndef ND_COMPARE_NAMES_H
#define ND_COMPARE_NAMES_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Scratch, used again from pair to pair; all zero is empty. Its fields are private. */
typedef struct nd_names_work {
    uint32_t *places;
    size_t capacity;
} nd_names_work;

/** The smaller of two numbers: how often a token stands in `a` at most that `b` lacks altogether,
 * and the other way round. Token 0 counts as 1.
 * \param[in]  enough  it need not be exact up to here: it is then at most that, and no less than it
 *                     is. 0: exact
 * \param[out] times   0 if one of them has no such token \return ND_OK or ND_ERR_MEMORY */
nd_status nd_names_apart(const uint32_t *a, size_t n, const uint32_t *b, size_t m, double enough,
                         nd_names_work *work, uint64_t *times);

/** The most of that which copies of one text have, by chance and by editing: longer pages repeat
 * more of what an edit brings, and pages that are more alike are less likely to be two.
 * \param[in] names   times the root of the tokens, for pages that are little alike
 * \param[in] tokens  of the shorter page */
double nd_names_most(double names, uint64_t tokens, double similarity);

void nd_names_work_free(nd_names_work *work);

#endif
