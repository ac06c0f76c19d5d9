/* Sorted numbers without repeats, and places among them. */
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/check.h"

static void test_distinct(void) {
    uint64_t numbers[] = {7, 3, UINT64_MAX, 3, 0, 7, 7};
    static const uint64_t expected[] = {0, 3, 7, UINT64_MAX};
    CU_ASSERT_EQUAL_FATAL(nd_numbers_distinct(numbers, 7), 4);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL(numbers[i], expected[i]);
    }
    CU_ASSERT_EQUAL(nd_numbers_distinct(NULL, 0), 0);
}

static void test_place(void) {
    static const uint64_t numbers[] = {2, 4, 9};
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 0), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 2), 0);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 5), 2);
    CU_ASSERT_EQUAL(nd_numbers_place(numbers, 3, 10), 3);
    CU_ASSERT_EQUAL(nd_numbers_place(NULL, 0, 1), 0);
    CU_ASSERT_TRUE(nd_numbers_hold(numbers, 3, 9));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 5));
    CU_ASSERT_FALSE(nd_numbers_hold(numbers, 3, 10));
    CU_ASSERT_FALSE(nd_numbers_hold(NULL, 0, 1));
}

/* Each record's value still says whose number it was. */
static void test_places(void) {
    static const uint64_t numbers[] = {7, 3, UINT64_MAX, 3, 0, 7, 7};
    static const uint64_t expected[] = {2, 1, 3, 1, 0, 2, 2};
    nd_key_value records[7];
    uint64_t distinct[7];
    uint64_t count = 0;
    uint64_t seen = 0;
    for (uint64_t i = 0; i < 7; i++) {
        records[i] = (nd_key_value){numbers[i], i};
    }
    CU_ASSERT_EQUAL_FATAL(nd_numbers_places(records, 7, distinct, &count), ND_OK);
    CU_ASSERT_EQUAL_FATAL(count, 4);
    for (int i = 0; i < 7; i++) {
        CU_ASSERT_EQUAL(records[i].key, expected[records[i].value]);
        CU_ASSERT_EQUAL(distinct[records[i].key], numbers[records[i].value]);
        seen |= UINT64_C(1) << records[i].value;
    }
    CU_ASSERT_EQUAL(seen, 127);
    CU_ASSERT_EQUAL(nd_numbers_places(records, 0, distinct, &count), ND_OK);
    CU_ASSERT_EQUAL(count, 0);
}

/* Ids are 0, 1, ... by first meeting, for any numbers, as many as there is room for. */
static void test_ids(void) {
    enum { NUMBERS = 500, MEETINGS = 5000 };
    nd_random random = nd_test_random("number ids");
    for (uint64_t distinct = 1; distinct <= NUMBERS; distinct += 83) {
        nd_number_ids ids = {0};
        uint64_t met[NUMBERS];
        size_t count = 0;
        size_t wrong = 0;
        nd_number_ids_open(&ids, distinct);
        for (int i = 0; i < MEETINGS; i++) {
            const uint64_t drawn = nd_random_below(&random, distinct);
            const uint64_t number = drawn % 3 == 0   ? drawn
                                    : drawn % 3 == 1 ? UINT64_MAX - drawn
                                                     : nd_mix64(drawn);
            size_t id = 0;
            while (id < count && met[id] != number) {
                id++;
            }
            met[id] = number;
            count += id == count;
            uint32_t found = 0;
            wrong += nd_number_ids_find(&ids, number, &found) != (ids.count == count);
            wrong += ids.count == count && found != id;
            wrong += nd_number_ids_of(&ids, number) != id || ids.count != count;
        }
        for (size_t id = 0; id < count; id++) {
            wrong += ids.numbers[id] != met[id];
        }
        CU_ASSERT_EQUAL(wrong, 0);
        nd_number_ids_free(&ids);
        nd_number_ids_free(&ids);
    }
}

static void test_set(void) {
    enum { NUMBERS = 300 };
    static const uint64_t ends[] = {0, UINT64_MAX};
    uint64_t numbers[NUMBERS];
    nd_number_set set = {0};
    CU_ASSERT_FALSE(nd_number_set_holds(&set, 0));
    CU_ASSERT_FALSE(nd_number_set_holds(&set, UINT64_MAX));
    for (uint64_t count = 0; count <= NUMBERS; count += 60) { /* the set before is forgotten */
        for (uint64_t i = 0; i < count; i++) {
            numbers[i] = nd_mix64(1000 * count + i / 2); /* each twice */
        }
        nd_number_set_fill(&set, numbers, count);
        for (uint64_t i = 0; i < 2 * NUMBERS; i++) {
            CU_ASSERT_EQUAL(nd_number_set_holds(&set, nd_mix64(1000 * count + i)), i < count / 2);
        }
        CU_ASSERT_FALSE(nd_number_set_holds(&set, UINT64_MAX));
    }
    nd_number_set_fill(&set, ends, 2);
    CU_ASSERT_TRUE(nd_number_set_holds(&set, 0));
    CU_ASSERT_TRUE(nd_number_set_holds(&set, UINT64_MAX));
    CU_ASSERT_FALSE(nd_number_set_holds(&set, 1));
    nd_number_set_free(&set);
}

static const nd_test tests[] = {
    {"distinct", test_distinct}, {"place", test_place}, {"places", test_places},
    {"set", test_set},           {"ids", test_ids},
};
ND_SUITE(t_numbers, tests)
