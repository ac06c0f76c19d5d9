/** \file src/sets/template_site.h
 * A site as template.c works on it: its pages as lists of distinct sentences, which are ranked,
 * rarest first, so that a page's first sentences are those that few others have. Opening a
 * site is all that is done here; nobody else needs it.
 */
#ifndef ND_SETS_TEMPLATE_SITE_H
#define ND_SETS_TEMPLATE_SITE_H

#include "src/base/radix_sort.h"
#include "src/sets/template.h"

#include <stdbool.h>

/** A distinct sentence. */
typedef struct nd_template_ranked {
    uint64_t hash;
    uint32_t tokens;
    uint32_t minima[ND_TEMPLATE_MINIMA];
    uint32_t first_posting; /**< its postings: room for as many as it has pages */
    uint32_t posting_begin; /**< those before are of pages too light for all that are to come */
    uint32_t posting_end;
    uint32_t classes;      /**< in which it stands */
    uint32_t latest_class; /**< the latest of these; UINT32_MAX: none */
    bool is_template;
} nd_template_ranked;

/** A sentence of a page. */
typedef struct nd_template_item {
    uint32_t rank;
    uint64_t weight; /**< tokens of this sentence and of those after it on the page */
} nd_template_item;

/** A page among the first sentences of which is the posting's. */
typedef struct nd_template_posting {
    uint32_t page;
    uint32_t place; /**< of the sentence among the page's items */
    uint32_t next;  /**< the posting after this one, but for some that are of the same class */
} nd_template_posting;

typedef struct nd_template_items {
    nd_template_item *items; /**< by rank */
    size_t count;
    size_t tried; /**< number + 1 of the latest page that met this one */
} nd_template_items;

typedef struct nd_template_site {
    nd_template_items *pages;
    size_t page_count;
    nd_template_ranked *sentences; /**< by rank */
    size_t sentence_count;
    nd_template_item *items;
    nd_template_posting *postings;
    nd_key_value *order; /**< the pages by weight, or by class: (key, number) */
    uint64_t *parents;   /**< union-find over the pages */
} nd_template_site;

/** Sentences of all pages. \return ND_OK; ND_ERR_LIMIT if there are too many of them, or of pages
 */
nd_status nd_template_count(const nd_template_page *pages, size_t count, size_t *sentences);

/** Lay out the pages of a site, of which nothing is template yet; weights, postings, order and
 * classes are to be filled in.
 * \param[out] site  to be closed on failure too
 * \return ND_OK, ND_ERR_LIMIT or ND_ERR_MEMORY */
nd_status nd_template_site_open(nd_template_site *site, const nd_template_page *pages,
                                size_t count);

void nd_template_site_close(nd_template_site *site);

#endif
