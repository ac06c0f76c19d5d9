#include "src/lcs/lcs_cost.h"

#include "src/base/order.h"
#include "src/lcs/lcs_bits.h"

#include <math.h>

/* In picoseconds; the costs of what has variants stand beside these. */
enum {
    SIFTING = 50000,      /* a pair, */
    SIFTING_TOKEN = 1500, /* and per token */
    MYERS_STEP = 20000,   /* per step of the distance, */
    MYERS_SQUARE = 450,   /* and per square of it */
    ESTIMATE = 30000,     /* the surplus by kinds, */
    COUNTING = 800,       /* and per token */
    NUMBERING = 2200,     /* per token, */
    NUMBERING_FAR = 2800, /* and so much more from so many tokens on */
    NEAR = 4096,
    LOOKING_UP = 8000 /* per row: the index of the columns, and its matches */
};

uint64_t nd_lcs_estimate_cost(const nd_lcs_pair *pair) {
    return ESTIMATE + COUNTING * (pair->n + pair->m);
}

uint64_t nd_lcs_sift_cost(const nd_lcs_pair *pair) {
    return SIFTING + SIFTING_TOKEN * (pair->n + pair->m);
}

uint64_t nd_lcs_myers_cost(uint64_t distance) {
    return distance * (MYERS_STEP + MYERS_SQUARE * distance);
}

uint64_t nd_lcs_myers_distance(uint64_t cost) {
    const double half = MYERS_STEP / 2.0 / MYERS_SQUARE;
    return (uint64_t)(sqrt(half * half + (double)cost / MYERS_SQUARE) - half) + 1;
}

/* Words of a band in the mean: it is as wide as the distance at first, and much narrower in the
 * end, since rows use the distance up; and it is cut by words, for a tile of rows at a time. */
static uint64_t band_words(const nd_lcs_pair *pair, uint64_t distance) {
    const uint64_t shorter = nd_min(pair->n, pair->m);
    return nd_min(2 * distance / 3 + 2 * ND_LCS_TILE, shorter + ND_LCS_WORD - 1) / ND_LCS_WORD;
}

static uint64_t cost_of_comparing(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    return nd_max(pair->n, pair->m) *
           (variant->row_cost +
            band_words(pair, distance) * (variant->compare_cost + variant->add_cost));
}

/* Sequences that are long have tables that are too large for a first-level cache. */
static uint64_t cost_of_numbering(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    const uint64_t both = pair->n + pair->m;
    return NUMBERING * both + (both > NEAR ? NUMBERING_FAR * (both - NEAR) : 0) +
           nd_max(pair->n, pair->m) *
               (LOOKING_UP + variant->row_cost + band_words(pair, distance) * variant->add_cost);
}

bool nd_lcs_compares(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                     uint64_t distance) {
    return cost_of_comparing(variant, pair, distance) < cost_of_numbering(variant, pair, distance);
}

uint64_t nd_lcs_bits_cost(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                          uint64_t distance) {
    return nd_min(cost_of_comparing(variant, pair, distance),
                  cost_of_numbering(variant, pair, distance));
}
