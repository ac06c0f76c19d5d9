/** \file src/base/sort.h
 * qsort(3) that also takes an empty array without an address. For records that are few or compared
 * by more than one field; many 16-byte records are sorted by radix_sort.h.
 */
#ifndef ND_BASE_SORT_H
#define ND_BASE_SORT_H

#include <stdlib.h>

static inline void nd_sort(void *records, size_t count, size_t size,
                           int (*compare)(const void *, const void *)) {
    if (count > 1) {
        qsort(records, count, size, compare);
    }
}

#endif
