/** \file src/lcs/lcs_front.h
 * Myers' furthest-reaching paths from one corner of a pair, and the growing of them by a step,
 * which has variants for the instructions of a machine. The paths from the far corner are the same
 * thing with both sequences read backwards: there a place is the negative of the number of tokens
 * before it, so that paths grow towards larger places as well. A diagonal is the place in a less
 * the place in b. Which steps are needed, and whether paths from both corners meet, is for
 * lcs_myers.c to say. Internal to src/lcs/ and its tests.
 */
#ifndef ND_LCS_LCS_FRONT_H
#define ND_LCS_LCS_FRONT_H

#include "src/base/cpu.h"
#include "src/lcs/equal_run.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ND_LCS_FRONT_PADDING = 16 /**< entries after the last diagonal that a variant may read */
};

typedef struct nd_lcs_front {
    const uint32_t *a; /**< borrowed; the token after place x is a[x ^ flip] */
    const uint32_t *b;
    int32_t flip; /**< 0; or -1: from the far corner */
    int32_t a_start, a_end;
    int32_t b_end;
    int32_t source; /**< the diagonal of this corner, */
    int32_t target; /**< and of the other one */
    /** The furthest place in a that was reached on diagonal k is reach[k & 1][k >> 1]: those of one
     * step are two apart, and so lie side by side. */
    int32_t *reach[2];
} nd_lcs_front;

static inline int32_t *nd_lcs_front_reach(const nd_lcs_front *front, int32_t diagonal) {
    return front->reach[diagonal & 1] + (diagonal >> 1);
}

/** How many tokens from these places on agree, as far as they do so for long. */
static inline int32_t nd_lcs_front_run(const nd_lcs_front *front, int32_t x, int32_t y) {
    const int32_t of_a = front->a_end - x, of_b = front->b_end - y;
    const size_t left = (size_t)(of_a < of_b ? of_a : of_b);
    return (int32_t)(front->flip == 0 ? nd_equal_prefix(front->a + x, front->b + y, left)
                                      : nd_equal_suffix(front->a - x, front->b - y, left));
}

/** Grow the paths on the diagonals first, first + 2, ... last by a step, from those on the
 * diagonals between and beside these: one by one, in plain C. */
void nd_lcs_front_grow(const nd_lcs_front *front, int32_t first, int32_t last);

/** Whether places of both corners, the second ones in descending order, add up to 0 or more
 * anywhere. */
static inline bool nd_lcs_front_meets(const int32_t *forward, const int32_t *backward,
                                      int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (forward[i] + backward[-i] >= 0) {
            return true;
        }
    }
    return false;
}

/** One way of growing paths. */
typedef struct nd_lcs_front_variant {
    const char *name;
    uint32_t needs;       /**< features of the processor, see src/base/cpu.h */
    uint32_t step_cost;   /**< picoseconds to find a distance: per step of it, */
    uint32_t square_cost; /**< and per square of it */
    int32_t few;          /**< diagonals; fewer are grown and compared faster one by one */
    /** As nd_lcs_front_grow(). */
    void (*grow)(const nd_lcs_front *front, int32_t first, int32_t last);
    /** As nd_lcs_front_meets(). */
    bool (*meet)(const int32_t *forward, const int32_t *backward, int32_t count);
} nd_lcs_front_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_lcs_front_variant *const nd_lcs_front_variants[];
extern const size_t nd_lcs_front_variant_count;
extern const nd_lcs_front_variant nd_lcs_front_plain;
#if defined(__x86_64__) && ND_SIMD
extern const nd_lcs_front_variant nd_lcs_front_avx2;
extern const nd_lcs_front_variant nd_lcs_front_avx512;
#endif

/** The fastest one of this machine. */
const nd_lcs_front_variant *nd_lcs_front_best(void);

#endif
