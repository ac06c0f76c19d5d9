#include "src/base/radix_sort.h"

#include "src/base/buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 8, /* 256 write streams: as many as caches and TLB carry without stalling */
    DIGIT_VALUES = 1 << DIGIT_BITS,
    DIGITS = 128 / DIGIT_BITS,
    DIGITS_OF_VALUE = 64 / DIGIT_BITS,
    /* below this many records, counting 16 digits costs more than inserting */
    INSERTION_LIMIT = 64
};

typedef size_t digit_counts[DIGIT_VALUES];

/* Digit 0 is the lowest of the value, digit 15 the highest of the key. */
static size_t digit_of(const nd_key_value *record, int digit) {
    uint64_t half = digit < DIGITS_OF_VALUE ? record->value : record->key;
    return half >> digit % DIGITS_OF_VALUE * DIGIT_BITS & (DIGIT_VALUES - 1);
}

static bool less(const nd_key_value *a, const nd_key_value *b) {
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void insertion_sort(nd_key_value *records, size_t count) {
    for (size_t i = 1; i < count; i++) {
        nd_key_value record = records[i];
        size_t place = i;
        for (; place > 0 && less(&record, &records[place - 1]); place--) {
            records[place] = records[place - 1];
        }
        records[place] = record;
    }
}

static void count_digits(const nd_key_value *records, size_t count, digit_counts *counts) {
    memset(counts, 0, DIGITS * sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        for (int digit = 0; digit < DIGITS; digit++) {
            counts[digit][digit_of(&records[i], digit)]++;
        }
    }
}

/* One stable pass; `counts` become the places of the next record of each digit value. */
static void scatter(const nd_key_value *from, size_t count, nd_key_value *to, int digit,
                    size_t *counts) {
    size_t place = 0;
    for (size_t i = 0; i < DIGIT_VALUES; i++) {
        size_t records = counts[i];
        counts[i] = place;
        place += records;
    }
    for (size_t i = 0; i < count; i++) {
        to[counts[digit_of(&from[i], digit)]++] = from[i];
    }
}

nd_status nd_radix_sort(nd_key_value *records, size_t count) {
    if (count <= INSERTION_LIMIT) {
        insertion_sort(records, count);
        return ND_OK;
    }
    nd_key_value *scratch = NULL;
    digit_counts *counts = NULL;
    nd_status st = ND_OK;
    ND_TRY(nd_new(&scratch, count, sizeof *scratch));
    ND_TRY(nd_new(&counts, DIGITS, sizeof *counts));
    count_digits(records, count, counts);
    nd_key_value *from = records;
    nd_key_value *to = scratch;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (counts[digit][digit_of(&records[0], digit)] == count) {
            continue; /* all records share this digit */
        }
        scatter(from, count, to, digit, counts[digit]);
        nd_key_value *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != records) {
        memcpy(records, from, count * sizeof *records);
    }
out:
    free(scratch);
    free(counts);
    return st;
}
