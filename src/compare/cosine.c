#include "src/compare/cosine.h"

#include "src/base/buffer.h"
#include "src/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors */

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

/* ---- cosines */

/* The product of two squared lengths needs more than 64 bits. */
typedef unsigned __int128 wide;

enum {
    STRIDE = 64,       /* terms merged between two looks at the threshold */
    MOST_SCALE = 8,    /* binary places of a bin's length: an error of 0.4 % at most */
    LEAST_SCALE = -17, /* a token 2^32 times */
    BIN_SHIFT = 24
};

/* As histogram.c: the high bits depend on all of the token's. */
static const uint32_t BIN_MULTIPLIER = UINT32_C(0x9e3779b1);

/* Relative error of a few roundings of a double, with room to spare. */
static const double SLACK = 0x1p-48;

uint64_t nd_cosine_square(const nd_term *terms, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (uint64_t)terms[i].frequency * terms[i].frequency;
    }
    return sum;
}

/* The cosine of vectors with this product and these squared lengths, at most 1; 0 if one is
 * empty. Never falls when `product` grows. */
static double cosine_of(uint64_t product, uint64_t a_square, uint64_t b_square) {
    if (a_square == 0 || b_square == 0) {
        return 0;
    }
    const double cosine = (double)product / sqrt((double)a_square * (double)b_square);
    return cosine < 1 ? cosine : 1;
}

/* Two vectors as far as they are merged: [at, end) is left. */
typedef struct merge {
    const nd_term *a;
    const nd_term *a_end;
    const nd_term *b;
    const nd_term *b_end;
    uint64_t product;
} merge;

/* At most STRIDE steps, each past the smaller token or past both. Signs and no comparisons, since
 * compilers make branches of these, and which token is smaller cannot be foretold. */
static void merge_some(merge *m) {
    const nd_term *a = m->a;
    const nd_term *b = m->b;
    uint64_t product = m->product;
    for (int i = 0; i < STRIDE && a < m->a_end && b < m->b_end; i++) {
        const int64_t difference = (int64_t)a->token - b->token;
        const uint64_t a_smaller = (uint64_t)difference >> 63;
        const uint64_t b_smaller = (uint64_t)-difference >> 63;
        const uint64_t both = (uint64_t)a->frequency * b->frequency;
        product += both & (a_smaller + b_smaller - 1);
        a += 1 - b_smaller;
        b += 1 - a_smaller;
    }
    m->a = a;
    m->b = b;
    m->product = product;
}

double nd_cosine(const nd_term *a, size_t n, const nd_term *b, size_t m, double threshold) {
    if (n == 0 || m == 0) {
        return 0;
    }
    const uint64_t a_square = nd_cosine_square(a, n);
    const uint64_t b_square = nd_cosine_square(b, m);
    /* The product surely reaches this number if the cosine is >= threshold. */
    const double reached = threshold * sqrt((double)a_square * (double)b_square) * (1 - SLACK) - 1;
    const uint64_t least = reached < 1 ? 0 : reached >= 0x1p64 ? UINT64_MAX : (uint64_t)reached;
    uint64_t a_rest = a_square;
    uint64_t b_rest = b_square;
    merge state = {a, a + n, b, b + m, 0};
    while (state.a < state.a_end && state.b < state.b_end) {
        const nd_term *a_before = state.a;
        const nd_term *b_before = state.b;
        merge_some(&state);
        if (least > 0) {
            a_rest -= nd_cosine_square(a_before, (size_t)(state.a - a_before));
            b_rest -= nd_cosine_square(b_before, (size_t)(state.b - b_before));
            const wide missing = state.product < least ? least - state.product : 0;
            if (missing * missing > (wide)a_rest * b_rest) {
                return 0;
            }
        }
    }
    const double cosine = cosine_of(state.product, a_square, b_square);
    return cosine >= threshold ? cosine : 0;
}

/* A length, in units of 2^-scale, that is not below the root of `square`, and above it by less than
 * a unit but for roundings. */
static uint64_t length_up(uint64_t square, int32_t scale) {
    const wide target = (wide)square << 2 * (scale - LEAST_SCALE);
    uint64_t length = (uint64_t)ceil(ldexp(sqrt((double)square), scale));
    while ((wide)length * length << -2 * LEAST_SCALE < target) {
        length++;
    }
    return length;
}

void nd_cosine_digest_fill(const nd_term *terms, size_t count, nd_cosine_digest *digest) {
    uint64_t squares[ND_COSINE_BINS] = {0};
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        squares[terms[i].token * BIN_MULTIPLIER >> BIN_SHIFT] +=
            (uint64_t)terms[i].frequency * terms[i].frequency;
    }
    *digest = (nd_cosine_digest){.terms = (uint32_t)count, .scale = MOST_SCALE};
    for (size_t i = 0; i < ND_COSINE_BINS; i++) {
        digest->square += squares[i];
        largest = nd_max(squares[i], largest);
    }
    while (length_up(largest, digest->scale) > UINT16_MAX) {
        digest->scale--; /* at LEAST_SCALE every length fits */
    }
    for (size_t i = 0; i < ND_COSINE_BINS; i++) {
        digest->length[i] = (uint16_t)length_up(squares[i], digest->scale);
    }
}

/* Within a bin, too, a product is at most the product of the lengths. The sum is exact as a double,
 * so the rounding cannot put the bound below the cosine. */
double nd_cosine_bound(const nd_cosine_digest *a, const nd_cosine_digest *b) {
    uint64_t sum = 0;
    for (size_t i = 0; i < ND_COSINE_BINS; i++) {
        sum += (uint32_t)a->length[i] * b->length[i];
    }
    if (sum == 0) {
        return 0;
    }
    const double product = ldexp((double)sum, -(a->scale + b->scale));
    const double bound = product / sqrt((double)a->square * (double)b->square);
    return bound < 1 ? bound : 1;
}
