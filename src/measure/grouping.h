/** \file src/measure/grouping.h
 * Items in groups: those that share a number, or those that share a group in each of two groupings
 * (the common refinement of two partitions). Groups are dense numbers with a size, so that counts
 * such as "pages of this set, this cluster and this site" are looked up and never made by listing
 * pairs. All by sorting: n items cost one radix sort of n records.
 */
#ifndef ND_MEASURE_GROUPING_H
#define ND_MEASURE_GROUPING_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

/** All zero is a valid grouping of no items. Everything is owned. */
typedef struct nd_grouping {
    uint64_t *group; /**< of each item, below group_count */
    uint64_t *key;   /**< by group, ascending: the number its items share */
    uint64_t *size;  /**< by group: its items, at least one */
    uint64_t *first; /**< by group: its smallest item */
    size_t item_count, group_count;
} nd_grouping;

/** Group `count` items (fewer than 2^32) by their numbers.
 * \return ND_OK, ND_ERR_LIMIT or ND_ERR_MEMORY (the grouping is then empty), as below */
nd_status nd_grouping_make(const uint64_t *numbers, size_t count, nd_grouping *grouping);

/** Group items by the pair of their groups in a and b, which are of the same items. Groups are in
 * the order of (group in a, group in b). */
nd_status nd_grouping_refine(const nd_grouping *a, const nd_grouping *b, nd_grouping *both);

/** Found where there is no such group. */
#define ND_EMPTY_GROUP UINT64_MAX

/** The group of the items with that number, or ND_EMPTY_GROUP. */
uint64_t nd_grouping_find(const nd_grouping *grouping, uint64_t number);

/** In a refinement of a grouping and `b`: the group of the items of group_a and group_b, or
 * ND_EMPTY_GROUP where there is none or one of the two is ND_EMPTY_GROUP. */
uint64_t nd_grouping_find_both(const nd_grouping *both, const nd_grouping *b, uint64_t group_a,
                               uint64_t group_b);

/** Items of a group; 0 for ND_EMPTY_GROUP. */
uint64_t nd_grouping_size(const nd_grouping *grouping, uint64_t group);

/** Free everything; the grouping is empty. */
void nd_grouping_free(nd_grouping *grouping);

#endif
