/** \file tests/support/owned.h
 * Local variables that are freed where their scopes end.
 */
#ifndef ND_TESTS_OWNED_H
#define ND_TESTS_OWNED_H

#include <stdlib.h>
#include <string.h>

/** Before the declaration of a variable: what frees it, given a pointer to it. */
#define ND_OWNED(free_it) __attribute__((cleanup(free_it)))

/** For memory that malloc() gave. */
static inline void nd_test_free(void *pointer) {
    void *memory = NULL;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

#endif
