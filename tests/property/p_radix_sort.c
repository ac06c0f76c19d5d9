/* The radix sort against nd_sort(3), with keys of all widths and many repeats. */
#include "src/base/sort.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 400, MAX_RECORDS = 5000 };

static int compare(const void *left, const void *right) {
    const nd_key_value *a = left;
    const nd_key_value *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return (a->value > b->value) - (a->value < b->value);
}

/* A number of `bits` random bits at a random place; 0 bits gives equal numbers. */
static uint64_t random_number(nd_random *random, uint64_t bits, uint64_t shift) {
    uint64_t number = nd_random_next(random);
    return bits == 0 ? shift : number >> (64 - bits) << shift;
}

static uint64_t random_width(nd_random *random) {
    return nd_random_below(random, 3) == 0 ? 0 : nd_random_below(random, 65);
}

/* Sometimes one record stands out: the digits in which it does must not be skipped. */
static void fill(nd_random *random, nd_key_value *records, size_t count) {
    uint64_t key_bits = random_width(random), value_bits = random_width(random);
    uint64_t key_shift = nd_random_below(random, 65 - key_bits);
    uint64_t value_shift = nd_random_below(random, 65 - value_bits);
    for (size_t i = 0; i < count; i++) {
        records[i].key = random_number(random, key_bits, key_shift);
        records[i].value = random_number(random, value_bits, value_shift);
    }
    if (count > 0 && nd_random_below(random, 2) == 0) {
        nd_key_value *other = &records[nd_random_below(random, count)];
        *other = (nd_key_value){nd_random_next(random), nd_random_next(random)};
    }
}

static void test_sorts_like_qsort(void) {
    static nd_key_value records[MAX_RECORDS], expected[MAX_RECORDS];
    nd_random random = nd_test_random("radix sort");
    size_t wrong = 0;
    for (int i = 0; i < ARRAYS; i++) {
        size_t count = nd_random_below(&random, i % 2 == 0 ? 140 : MAX_RECORDS);
        fill(&random, records, count);
        memcpy(expected, records, count * sizeof *records);
        nd_sort(expected, count, sizeof *expected, compare);
        CU_ASSERT_EQUAL(nd_radix_sort(records, count), ND_OK);
        if (memcmp(records, expected, count * sizeof *records) != 0) {
            printf("array %d of %zu records\n", i, count);
            wrong++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- records of any size, by some of their words */

enum { MOST_WORDS = 80, RECORD_ARRAYS = 600, MOST_RECORD_BYTES = 400000 };

/* qsort(3) knows nothing but the records. */
static nd_record_order order_of_all;
static size_t size_of_all;

static int compare_by_order(const void *a, const void *b) {
    return nd_record_precedes(&order_of_all, a, b)   ? -1
           : nd_record_precedes(&order_of_all, b, a) ? 1
                                                     : memcmp(a, b, size_of_all);
}

static int compare_bytes(const void *a, const void *b) {
    return memcmp(a, b, size_of_all);
}

/* A few words, each once; then all bytes, or nothing. */
static void random_order(nd_random *random, size_t words) {
    order_of_all = (nd_record_order){.word_count = nd_random_below(random, ND_RECORD_WORDS + 1)};
    order_of_all.word_count = order_of_all.word_count < words ? order_of_all.word_count : words;
    const size_t first = nd_random_below(random, words);
    for (size_t i = 0; i < order_of_all.word_count; i++) {
        order_of_all.words[i] = (first + i) % words;
    }
    if (order_of_all.word_count == 0 || nd_random_below(random, 2) == 0) {
        order_of_all.compare = compare_bytes;
    }
}

/* Often little more than a digit, so that large parts are left for the last bits. */
static void fill_words(nd_random *random, uint64_t *records, size_t count, size_t words) {
    for (size_t w = 0; w < words; w++) {
        const bool few = nd_random_below(random, 2) == 0;
        const uint64_t bits = few ? 7 + nd_random_below(random, 5) : random_width(random);
        const uint64_t shift = few ? 0 : nd_random_below(random, 65 - bits);
        for (size_t i = 0; i < count; i++) {
            records[i * words + w] = random_number(random, bits, shift);
        }
    }
}

/* Where an order is not total, records that are equal by it may come in any order: then both
 * arrays must be ascending, and the same once all bytes are compared. */
static void test_records(void) {
    static uint64_t records[MOST_RECORD_BYTES / 8], expected[MOST_RECORD_BYTES / 8];
    nd_random random = nd_test_random("record sort");
    size_t wrong = 0;
    for (int i = 0; i < RECORD_ARRAYS; i++) {
        const size_t words = 1 + nd_random_below(&random, i % 2 == 0 ? 8 : MOST_WORDS);
        const size_t most = i % 3 == 0 ? 60 : MOST_RECORD_BYTES / (words * 8);
        const size_t count = nd_random_below(&random, most);
        size_of_all = words * sizeof *records;
        random_order(&random, words);
        fill_words(&random, records, count, words);
        memcpy(expected, records, count * size_of_all);
        nd_sort(expected, count, size_of_all, compare_by_order);
        CU_ASSERT_EQUAL(nd_record_sort(records, count, size_of_all, &order_of_all), ND_OK);
        for (size_t k = 1; k < count; k++) {
            wrong += nd_record_precedes(&order_of_all, records + k * words,
                                        records + (k - 1) * words) != 0;
        }
        nd_sort(records, count, size_of_all, compare_by_order);
        wrong += memcmp(records, expected, count * size_of_all) != 0;
        if (wrong > 0) {
            printf("array %d of %zu records of %zu words\n", i, count, words);
            break;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_no_records(void) {
    CU_ASSERT_EQUAL(nd_radix_sort(NULL, 0), ND_OK);
}

static const nd_test tests[] = {
    {"sorts like qsort", test_sorts_like_qsort},
    {"records by their words", test_records},
    {"no records", test_no_records},
};
ND_SUITE(p_radix_sort, tests)
