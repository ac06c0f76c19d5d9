/** \file src/base/sort.h
 * Sorting, and what sorted numbers are good for: a radix sort of many fixed-size records, qsort(3)
 * for few, sorted lists of numbers, and hash tables of numbers where order does not matter. All on
 * memory that fits at once: io/store sorts what does not.
 */
#ifndef ND_BASE_SORT_H
#define ND_BASE_SORT_H

#include "src/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** qsort(3) that also takes an empty array without an address: for records that are few, or
 * compared by more than one field. */
static inline void nd_sort(void *records, size_t count, size_t size,
                           int (*compare)(const void *, const void *)) {
    if (count > 1) {
        qsort(records, count, size, compare);
    }
}

/* ---- many records: they are sorted by some of their 64-bit words: a radix sort from the
 * highest digit down (McIlroy, Bostic and McIlroy, "Engineering radix sort", 1993), out of place,
 * that skips the bits that all records of a part share and inserts where a part is small. After the
 * first pass the parts lie in the caches. */

typedef struct nd_key_value {
    uint64_t key;
    uint64_t value;
} nd_key_value;

enum { ND_RECORD_WORDS = 3 };

/** An order of records: by words, as unsigned numbers, ascending, the first one before the second.
 * Equal records may come in any order, so an order that matters must be total. */
typedef struct nd_record_order {
    size_t word_count;
    size_t words[ND_RECORD_WORDS]; /**< word i is at byte 8 * i of a record */
    /** The whole order as for qsort(3), where the words are only the beginning of it; NULL: they
     * are all of it */
    int (*compare)(const void *a, const void *b);
} nd_record_order;

/** Where those records, sorted by key, end that have the key: `begin` if the one there has another.
 */
static inline uint64_t nd_key_end(const nd_key_value *sorted, uint64_t count, uint64_t begin,
                                  uint64_t key) {
    while (begin < count && sorted[begin].key == key) {
        begin++;
    }
    return begin;
}

/** (key, value) of nd_key_value. */
extern const nd_record_order nd_by_key_then_value;

static inline uint64_t nd_record_word(const void *record, size_t word) {
    uint64_t number = 0;
    memcpy(&number, (const uint8_t *)record + word * sizeof number, sizeof number);
    return number;
}

/** Does record a come before record b? */
static inline int nd_record_precedes(const nd_record_order *order, const void *a, const void *b) {
    for (size_t i = 0; i < order->word_count; i++) {
        const uint64_t x = nd_record_word(a, order->words[i]);
        const uint64_t y = nd_record_word(b, order->words[i]);
        if (x != y) {
            return x < y;
        }
    }
    return order->compare != NULL && order->compare(a, b) < 0;
}

/** Sort records of `size` bytes, a multiple of 8 if the order has words. Takes count * size bytes
 * of scratch memory. */
void nd_record_sort(void *records, size_t count, size_t size, const nd_record_order *order);

/** The same with scratch memory of the caller's, for as many records: cannot fail. */
void nd_record_sort_within(void *records, size_t count, size_t size, const nd_record_order *order,
                           void *scratch);

/** Sort by (key, value), ascending. */
void nd_radix_sort(nd_key_value *records, size_t count);

/** The least of many records, by (key, value), in room for twice as many. */
typedef struct nd_least {
    nd_key_value *records; /**< sorted once finished; owned */
    uint64_t wanted, count;
    uint64_t most; /* a higher key is too much */
} nd_least;

void nd_least_open(nd_least *least, uint64_t wanted);
void nd_least_offer(nd_least *least, uint64_t key, uint64_t value);

/** After the last: no more than wanted are left. */
void nd_least_finish(nd_least *least);

/* ---- numbers, as those of pages are kept in many places: sorted lists, sets for lists that are
 * asked very often, and small ids for large numbers */

/** Sort numbers ascending and drop repeats. \return how many are left */
uint64_t nd_numbers_distinct(uint64_t *numbers, uint64_t count);

/** The distinct numbers among the keys of some records, ascending, and where each key stands among
 * them: for who has many to look up, much less work than to look for each.
 * \param[in,out] records         in any order; sorted, each key replaced by its place
 * \param[out]    distinct        with room for `count`
 * \param[out]    distinct_count  how many */
void nd_numbers_places(nd_key_value *records, uint64_t count, uint64_t *distinct,
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

/** Replace the set's numbers. */
void nd_number_set_fill(nd_number_set *set, const uint64_t *numbers, uint64_t count);

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

/** None yet. \param[in] most  distinct numbers there may be; below 2^32 - 1 */
void nd_number_ids_open(nd_number_ids *ids, size_t most);

/** The id of a number, which may be new. */
uint32_t nd_number_ids_of(nd_number_ids *ids, uint64_t number);

/** Does a number have one? \param[out] id  its id, if so */
bool nd_number_ids_find(const nd_number_ids *ids, uint64_t number, uint32_t *id);

void nd_number_ids_free(nd_number_ids *ids);

#endif
