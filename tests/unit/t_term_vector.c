/* Term vectors: distinct tokens in order, with their frequencies. */
#include "src/compare/cosine.h"
#include "tests/support/check.h"

static void test_order_and_frequencies(void) {
    const uint32_t tokens[] = {0xFFFFFFFF, 7, 0x01000000, 7, 0, 7, 0x00010000};
    static const nd_term expected[] = {
        {0, 1}, {7, 3}, {0x00010000, 1}, {0x01000000, 1}, {0xFFFFFFFF, 1}};
    nd_term_vector vector = {0};
    nd_term_vector_fill(tokens, 7, &vector);
    CU_ASSERT_EQUAL_FATAL(vector.count, 5);
    for (size_t i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(vector.terms[i].token, expected[i].token);
        CU_ASSERT_EQUAL(vector.terms[i].frequency, expected[i].frequency);
    }
    nd_term_vector_free(&vector);
}

/* A vector keeps nothing of the page before. */
static void test_vector_is_replaced(void) {
    nd_term_vector vector = {0};
    nd_term_vector_fill((uint32_t[]){3, 1, 2}, 3, &vector);
    nd_term_vector_fill((uint32_t[]){9, 9}, 2, &vector);
    CU_ASSERT_EQUAL(vector.count, 1);
    CU_ASSERT(vector.terms[0].token == 9 && vector.terms[0].frequency == 2);
    nd_term_vector_fill(NULL, 0, &vector);
    CU_ASSERT_EQUAL(vector.count, 0);
    nd_term_vector_free(&vector);
}

static const nd_test tests[] = {
    {"order and frequencies", test_order_and_frequencies},
    {"a vector is replaced", test_vector_is_replaced},
};
ND_SUITE(t_term_vector, tests)
