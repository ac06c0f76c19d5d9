#include "src/compare/lcs_cost.h"

#include "src/compare/lcs_bits.h"

#include <math.h>

/* In picoseconds; the costs of what has variants stand beside these. */
enum {
    ESTIMATE = 60000, /* the surplus by kinds, */
    COUNTING = 650,   /* and per token */
    NUMBERING = 2000, /* per token */
    LOOKING_UP = 5500 /* per row: the index of the columns, and its matches */
};

static uint64_t smaller(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

uint64_t nd_lcs_estimate_cost(const nd_lcs_pair *pair) {
    return ESTIMATE + COUNTING * (pair->n + pair->m);
}

uint64_t nd_lcs_myers_cost(const nd_lcs_front_variant *variant, uint64_t distance) {
    return distance * (variant->step_cost + variant->square_cost * distance);
}

uint64_t nd_lcs_myers_distance(const nd_lcs_front_variant *variant, uint64_t cost) {
    const double half = variant->step_cost / 2.0 / variant->square_cost;
    return (uint64_t)(sqrt(half * half + (double)cost / variant->square_cost) - half) + 1;
}

/* Words of a band in the mean: it is somewhat wider than the distance at first, since that is only
 * guessed, and half as wide in the end, since rows use the distance up; and it is cut by words, for
 * a tile of rows at a time. */
static uint64_t band_words(const nd_lcs_pair *pair, uint64_t distance) {
    const uint64_t shorter = smaller(pair->n, pair->m);
    return smaller(3 * distance / 4 + 2 * ND_LCS_TILE, shorter + ND_LCS_WORD - 1) / ND_LCS_WORD;
}

static uint64_t longer(const nd_lcs_pair *pair) {
    return pair->n > pair->m ? pair->n : pair->m;
}

static uint64_t cost_of_comparing(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    return longer(pair) * (variant->row_cost + band_words(pair, distance) *
                                                   (variant->compare_cost + variant->add_cost));
}

static uint64_t cost_of_looking_up(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                   uint64_t distance) {
    return longer(pair) *
           (LOOKING_UP + variant->row_cost + band_words(pair, distance) * variant->add_cost);
}

/* What is left once the tokens that the other sequence lacks are dropped; of sequences that have
 * much in common nearly all of both, else about twice what they have in common. */
static nd_lcs_pair reduced(const nd_lcs_pair *pair, uint64_t distance) {
    const uint64_t both = pair->n + pair->m;
    const uint64_t common = distance < both ? both - distance : 0;
    return (nd_lcs_pair){.n = smaller(pair->n, common), .m = smaller(pair->m, common)};
}

static uint64_t cost_of_numbering(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                                  uint64_t distance) {
    const nd_lcs_pair rest = reduced(pair, distance);
    return NUMBERING * (pair->n + pair->m) + cost_of_looking_up(variant, &rest, distance);
}

bool nd_lcs_compares(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                     uint64_t distance) {
    return cost_of_comparing(variant, pair, distance) < cost_of_numbering(variant, pair, distance);
}

uint64_t nd_lcs_bits_cost(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                          uint64_t distance, bool numbered) {
    return numbered ? cost_of_looking_up(variant, pair, distance)
                    : smaller(cost_of_comparing(variant, pair, distance),
                              cost_of_numbering(variant, pair, distance));
}
