/** \file src/base/radix_sort.h
 * Sorting of many fixed-size records by some of their 64-bit words: a radix sort from the highest
 * digit down (McIlroy, Bostic and McIlroy, "Engineering radix sort", 1993), out of place, that
 * skips the bits that all records of a part share and inserts where a part is small. After the
 * first pass the parts lie in the caches. Few records are sorted by sort.h.
 */
#ifndef ND_BASE_RADIX_SORT_H
#define ND_BASE_RADIX_SORT_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
 * of scratch memory. \return ND_OK or ND_ERR_MEMORY (the records are then unchanged) */
nd_status nd_record_sort(void *records, size_t count, size_t size, const nd_record_order *order);

/** The same with scratch memory of the caller's, for as many records: cannot fail. */
void nd_record_sort_within(void *records, size_t count, size_t size, const nd_record_order *order,
                           void *scratch);

/** Sort by (key, value), ascending. \return as nd_record_sort() */
nd_status nd_radix_sort(nd_key_value *records, size_t count);

#endif
