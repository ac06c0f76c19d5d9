/** \file src/sets/union_find.h
 * Union-find over items 0 .. count-1 in memory (union by smaller number, path halving: Tarjan and
 * van Leeuwen, JACM 1984). The root of a set is its smallest item. Items that are spread over ranks
 * are the business of mpi/comm/components.h.
 */
#ifndef ND_SETS_UNION_FIND_H
#define ND_SETS_UNION_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Every item a set of its own. */
void nd_union_find_init(uint64_t *parent, size_t count);

/** The smallest item of the set that holds `item`. */
uint64_t nd_union_find_root(uint64_t *parent, uint64_t item);

/** Join two sets. \return true if they were apart */
bool nd_union_find_join(uint64_t *parent, uint64_t a, uint64_t b);

#endif
