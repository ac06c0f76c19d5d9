/* The radix sort against nd_sort(3), with keys of all widths and many repeats. */
#include "src/base/radix_sort.h"
#include "src/base/sort.h"
#include "tests/support/check.h"

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

static void test_no_records(void) {
    CU_ASSERT_EQUAL(nd_radix_sort(NULL, 0), ND_OK);
}

static const nd_test tests[] = {
    {"sorts like qsort", test_sorts_like_qsort},
    {"no records", test_no_records},
};
ND_TEST_MAIN("radix sort properties", tests)
