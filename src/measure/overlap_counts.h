/** \file src/measure/overlap_counts.h
 * Exact overlap of collections: each thing (a URL, a text, a set of near-duplicates) is added once
 * with the collections that have pages of it, and what any two share, what one has alone and what
 * all have together follows. What a thing is, and where the pages are, the caller knows. Memory is
 * 16 bytes for each pair of collections.
 */
#ifndef ND_MEASURE_OVERLAP_COUNTS_H
#define ND_MEASURE_OVERLAP_COUNTS_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { ND_VENN_MOST = 5 /**< collections whose every combination is counted */ };

/** What a collection has of a thing. */
typedef struct nd_overlap_part {
    uint32_t collection;
    uint64_t pages; /**< above 0 */
} nd_overlap_part;

/** All zero may only be freed; owned. */
typedef struct nd_overlap_counts {
    size_t collections;
    uint64_t *pages;  /**< of each collection */
    uint64_t *things; /**< [x * collections + y]: things that both x and y have; x and x: its own */
    uint64_t *pages_in;               /**< likewise: pages of x whose thing y has too */
    uint64_t *alone;                  /**< things that x has and no other */
    uint64_t *in_exactly;             /**< [n]: things that n collections have; [0] is 0 */
    uint64_t all;                     /**< things */
    uint64_t venn[1 << ND_VENN_MOST]; /**< by the set of collections (bit x: x has it), if they are
                                           no more than ND_VENN_MOST */
} nd_overlap_counts;

/** \return ND_OK or ND_ERR_MEMORY; to be freed in any case */
nd_status nd_overlap_counts_open(nd_overlap_counts *counts, size_t collections);

/** Add a thing. \param[in] parts  of different collections, at least one */
void nd_overlap_counts_add(nd_overlap_counts *counts, const nd_overlap_part *parts, size_t count);

/** Things that both have, as above. */
uint64_t nd_overlap_both(const nd_overlap_counts *counts, size_t x, size_t y);

/** The share of x's things that y has; 0 where x has none. */
double nd_overlap_share(const nd_overlap_counts *counts, size_t x, size_t y);

void nd_overlap_counts_free(nd_overlap_counts *counts);

#endif
