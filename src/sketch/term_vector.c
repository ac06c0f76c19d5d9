#include "src/sketch/term_vector.h"

#include "src/base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 4, DIGIT_BITS = 8, DIGIT_VALUES = 1 << DIGIT_BITS };

static size_t digit_of(uint32_t token, size_t digit) {
    return token >> digit * DIGIT_BITS & (DIGIT_VALUES - 1);
}

/* One pass of an LSD radix sort, stable. */
static void sort_by_digit(const uint32_t *from, size_t count, size_t digit, uint32_t *to) {
    size_t places[DIGIT_VALUES] = {0};
    for (size_t i = 0; i < count; i++) {
        places[digit_of(from[i], digit)]++;
    }
    size_t place = 0;
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        const size_t here = places[value];
        places[value] = place;
        place += here;
    }
    for (size_t i = 0; i < count; i++) {
        to[places[digit_of(from[i], digit)]++] = from[i];
    }
}

void nd_term_vector_fill(const uint32_t *tokens, size_t count, nd_term_vector *vector) {
    vector->count = 0;
    if (count == 0) {
        return;
    }
    nd_grow(&vector->sorted, &vector->sorted_tokens, 2 * count, sizeof *vector->sorted);
    nd_grow(&vector->terms, &vector->capacity, count, sizeof *vector->terms);
    const uint32_t *from = tokens;
    uint32_t *to = vector->sorted;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        sort_by_digit(from, count, digit, to);
        from = to;
        to = to == vector->sorted ? vector->sorted + count : vector->sorted;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && from[i] == from[i - 1]) {
            vector->terms[vector->count - 1].frequency++;
        } else {
            vector->terms[vector->count++] = (nd_term){from[i], 1};
        }
    }
}

void nd_term_vector_free(nd_term_vector *vector) {
    free(vector->terms);
    free(vector->sorted);
    *vector = (nd_term_vector){0};
}
