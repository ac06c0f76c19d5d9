/* Simhash tables: the designs of Manku, Jain and Das Sarma, WWW 2007, section 3, and the ranges. */
#include "src/sketch/simhash.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static nd_simhash_tables *design(uint32_t distance, uint32_t blocks) {
    nd_simhash_tables *tables = malloc(sizeof *tables);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tables);
    CU_ASSERT_EQUAL_FATAL(nd_simhash_design(distance, blocks, tables), ND_OK);
    return tables;
}

static void design_is(uint32_t distance, uint32_t blocks, uint32_t count, uint32_t fixed_bits) {
    nd_simhash_tables *tables = design(distance, blocks);
    uint32_t fewest = ND_SIMHASH_BITS;
    CU_ASSERT_EQUAL(tables->count, count);
    for (uint32_t t = 0; t < tables->count; t++) {
        const uint32_t bits = (uint32_t)__builtin_popcountll(tables->mask[t]);
        fewest = bits < fewest ? bits : fewest;
    }
    CU_ASSERT_EQUAL(fewest, fixed_bits);
    free(tables);
}

/* The paper's three designs without a second cut, and the ends of the range. */
static void test_designs(void) {
    design_is(3, 6, 20, 31);
    design_is(3, 5, 10, 25);
    design_is(3, 4, 4, 16);
    design_is(1, 2, 2, 32);
    design_is(1, 16, 16, 60);
    design_is(8, 9, 9, 7);
    design_is(8, 12, 495, 20);
}

/* Four blocks of 16 bits: a key is one block, mixed with the table's number. */
static void test_keys(void) {
    nd_simhash_tables *tables = design(3, 4);
    uint64_t keys[4];
    nd_simhash_keys(tables, UINT64_C(0x1111222233334444), keys);
    CU_ASSERT_EQUAL(keys[0], nd_mix64(UINT64_C(0x4444) ^ nd_mix64(1)));
    CU_ASSERT_EQUAL(keys[1], nd_mix64(UINT64_C(0x33330000) ^ nd_mix64(2)));
    CU_ASSERT_EQUAL(keys[3], nd_mix64(UINT64_C(0x1111000000000000) ^ nd_mix64(4)));
    free(tables);
}

static void is_refused(uint32_t distance, uint32_t blocks, const char *text) {
    nd_simhash_tables *tables = calloc(1, sizeof *tables);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tables);
    CU_ASSERT_EQUAL(nd_simhash_design(distance, blocks, tables), ND_ERR_USAGE);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), text);
    CU_ASSERT_EQUAL(tables->count, 0);
    free(tables);
}

static void test_ranges(void) {
    is_refused(0, 4, "simhash distance 0: must be 1 to 8");
    is_refused(9, 10, "simhash distance 9: must be 1 to 8");
    is_refused(3, 3, "simhash blocks 3: must be 4 to 15 for distance 3 (at most 512 tables)");
    is_refused(3, 16, "simhash blocks 16: must be 4 to 15 for distance 3 (at most 512 tables)");
    is_refused(1, 17, "simhash blocks 17: must be 2 to 16 for distance 1 (at most 512 tables)");
    is_refused(8, 13, "simhash blocks 13: must be 9 to 12 for distance 8 (at most 512 tables)");
}

/* The paper's 2^34 prints: 8 by chance with 20 tables, 512 with 10, 256 K with 4. */
static void test_choice_of_blocks(void) {
    const uint64_t prints = UINT64_C(1) << 34;
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 8), 6);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 511), 6);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 512), 5);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, prints, 1 << 18), 4);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(3, 10000000, 200), 4);
    CU_ASSERT_EQUAL(nd_simhash_blocks_for(8, UINT64_MAX, 0), 12);
}

static uint64_t print_of(const uint64_t *features, const uint32_t *weights, size_t count) {
    uint64_t print = 0;
    nd_charikar_sign(features, weights, count, ND_SIMHASH_BITS, 0, &print);
    return print;
}

/* A print is the sign of the weighted sum of the features' random vectors. */
static void test_print(void) {
    const uint64_t features[] = {1, 2, 3};
    const uint64_t a = print_of(&features[0], NULL, 1);
    const uint64_t b = print_of(&features[1], NULL, 1);
    const uint64_t c = print_of(&features[2], NULL, 1);
    CU_ASSERT_EQUAL(print_of(features, NULL, 3), (a & b) | (a & c) | (b & c));
    CU_ASSERT_EQUAL(print_of(features, (uint32_t[]){1, 1, 3}, 3), c);
    CU_ASSERT_EQUAL(print_of(NULL, NULL, 0), 0);
    CU_ASSERT_EQUAL(nd_simhash_distance(a, a), 0);
    CU_ASSERT_EQUAL(nd_simhash_distance(0, UINT64_C(0x8000000000000101)), 3);
}

static const nd_test tests[] = {
    {"designs", test_designs}, {"keys", test_keys},
    {"ranges", test_ranges},   {"choice of blocks", test_choice_of_blocks},
    {"print", test_print},
};
ND_SUITE(t_simhash, tests)
