/** \file src/base/radix_sort.h
 * Sorting of many fixed-size records: 16-byte records (key, value) as one 128-bit number by a
 * stable LSD radix sort that skips the digits all records share. Other records are sorted with
 * qsort(3) where they are few.
 */
#ifndef ND_BASE_RADIX_SORT_H
#define ND_BASE_RADIX_SORT_H

#include "src/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nd_key_value {
    uint64_t key;
    uint64_t value;
} nd_key_value;

/** Sort by (key, value), ascending. Takes count * 16 bytes of scratch memory.
 * \return ND_OK or ND_ERR_MEMORY (the records are then unchanged) */
nd_status nd_radix_sort(nd_key_value *records, size_t count);

#endif
