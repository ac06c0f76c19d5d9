/** \file src/base/numbers.h
 * Sorted lists of numbers, as page numbers are kept in many places: sorting without repeats, and
 * finding a number's place. And hash tables of numbers: a set, for lists that are asked very often,
 * and small ids for large numbers, where their order does not matter.
 */
#ifndef ND_BASE_NUMBERS_H
#define ND_BASE_NUMBERS_H

#include "src/base/radix_sort.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sort numbers ascending and drop repeats. \return how many are left */
uint64_t nd_numbers_distinct(uint64_t *numbers, uint64_t count);

/** The distinct numbers among the keys of some records, ascending, and where each key stands among
 * them: for who has many to look up, much less work than to look for each.
 * \param[in,out] records         in any order; sorted, each key replaced by its place
 * \param[out]    distinct        with room for `count`
 * \param[out]    distinct_count  0 on failure \return ND_OK or ND_ERR_MEMORY */
nd_status nd_numbers_places(nd_key_value *records, uint64_t count, uint64_t *distinct,
                            uint64_t *distinct_count);

/** Place of `number` among ascending numbers; where it would stand if it is not there. */
uint64_t nd_numbers_place(const uint64_t *numbers, uint64_t count, uint64_t number);

/** Does each number come after a smaller one? What others here take for granted, for contracts. */
bool nd_numbers_ascend(const uint64_t *numbers, uint64_t count);

/** Is `number` among ascending numbers? */
bool nd_numbers_hold(const uint64_t *numbers, uint64_t count, uint64_t number);

/** A set of numbers to be asked often, in memory that is used again from set to set. All zero is an
 * empty one; its fields are private. */
typedef struct nd_number_set {
    uint64_t *slots; /* UINT64_MAX: free */
    size_t capacity;
    size_t mask;
    bool any;
    bool has_free; /* holds UINT64_MAX itself */
} nd_number_set;

/** Replace the set's numbers. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_number_set_fill(nd_number_set *set, const uint64_t *numbers, uint64_t count);

bool nd_number_set_holds(const nd_number_set *set, uint64_t number);

void nd_number_set_free(nd_number_set *set);

/** Distinct numbers, known by ids 0, 1, ... in the order in which they were first asked for. All
 * zero may only be freed. */
typedef struct nd_number_ids {
    uint64_t *numbers; /**< by id */
    size_t count;
    uint32_t *slots; /**< private: id + 1; 0: free */
    size_t mask;
    size_t most;
} nd_number_ids;

/** None yet. \param[in] most  distinct numbers there may be; below 2^32 - 1
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_number_ids_open(nd_number_ids *ids, size_t most);

/** The id of a number, which may be new. */
uint32_t nd_number_ids_of(nd_number_ids *ids, uint64_t number);

/** Does a number have one? \param[out] id  its id, if so */
bool nd_number_ids_find(const nd_number_ids *ids, uint64_t number, uint32_t *id);

void nd_number_ids_free(nd_number_ids *ids);

#endif
