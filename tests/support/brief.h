/** \file tests/support/brief.h
 * What makes tests brief: variables that are freed where their scopes end, texts as bytes, orders
 * for nd_sort(), and the headers of the C library that nearly all of them need.
 */
#ifndef ND_TESTS_BRIEF_H
#define ND_TESTS_BRIEF_H

#include "src/base/sort.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Before the declaration of a variable: what frees it, given a pointer to it. */
#define ND_OWNED(free_it) __attribute__((cleanup(free_it)))

/** The same for memory that malloc() gave. */
#define ND_FREED ND_OWNED(nd_test_free)
static inline void nd_test_free(void *pointer) {
    void *memory = NULL;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/** The text as bytes. */
static inline nd_span nd_test_span(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

/** Whether they are those of the text. */
static inline bool nd_test_is(nd_span bytes, const char *text) {
    return nd_span_is_equal(bytes, nd_test_span(text));
}

#define ND_TEST_ORDER(type, suffix)                                                                \
    static inline int nd_test_by_##suffix(const void *left, const void *right) {                   \
        const type a = *(const type *)left, b = *(const type *)right;                              \
        return (a > b) - (a < b);                                                                  \
    }
ND_TEST_ORDER(uint32_t, u32)
ND_TEST_ORDER(uint64_t, u64)
ND_TEST_ORDER(double, double)

/* By three members, one after the other. */
#define ND_TEST_ORDER_OF(name, type, first, second, third)                                         \
    static inline int name(const void *left, const void *right) {                                  \
        const type *a = left, *b = right;                                                          \
        return a->first != b->first     ? (a->first > b->first) - (a->first < b->first)            \
               : a->second != b->second ? (a->second > b->second) - (a->second < b->second)        \
                                        : (a->third > b->third) - (a->third < b->third);           \
    }

ND_TEST_ORDER_OF(nd_test_by_key_value, nd_key_value, key, value, value)

#endif
