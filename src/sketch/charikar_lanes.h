/** \file src/sketch/charikar_lanes.h
 * The body of a variant of nd_charikar_sign(): positional population count with bit-sliced
 * counters, carry-save adders taking sixteen vectors at a time (Klarqvist, Mula and Lemire,
 * "Efficient computation of positional population counts using SIMD instructions", 2019). Included
 * once by each source file of a variant, which defines before it:
 *   LANES_TARGET   attribute of the functions that use the instructions
 *   LANES          64-bit words side by side
 *   lane           type of LANES words: uint64_t or a vector of them
 *
 * Plane p of the counters holds digit p of each position's count.
 */
#ifndef ND_SKETCH_CHARIKAR_LANES_H
#define ND_SKETCH_CHARIKAR_LANES_H

#include "src/base/util.h"
#include "src/sketch/charikar_internal.h"

#include <string.h>

enum {
    BATCH = 16,      /* features per pass through the adders */
    BATCH_PLANE = 4, /* where the carry of a batch goes: 16 = 2^4 */
    HASHED = 256     /* features hashed at a time; a multiple of BATCH */
};

/* What SplitMix64 adds to its state for each number. */
static const uint64_t STREAM_STEP = UINT64_C(0x9e3779b97f4a7c15);

typedef struct counters {
    lane planes[ND_CHARIKAR_PLANES];
} counters;

/* LANES words, at `offsets`, of the random vector of the feature with this state. */
LANES_TARGET static inline void random_lane(uint64_t state, const lane *offsets, lane *out) {
    lane x = *offsets + state;
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    *out = x ^ (x >> 31);
}

/* Full adder of every position: *low += a + b, *carry = what is to be counted twice. */
LANES_TARGET static inline void add_two(lane *low, const lane *a, const lane *b, lane *carry) {
    const lane half = *low ^ *a;
    *carry = (*low & *a) | (half & *b);
    *low = half ^ *b;
}

/* Count `bits` from plane `plane` on; no count needs more than `planes` digits. */
LANES_TARGET static inline void add_at(counters *sums, lane bits, size_t plane, size_t planes) {
    for (size_t p = plane; p < planes; p++) {
        const lane carry = sums->planes[p] & bits;
        sums->planes[p] ^= bits;
        bits = carry;
    }
}

LANES_TARGET static inline void add_batch(counters *sums, const uint64_t *states,
                                          const lane *offsets, size_t planes) {
    lane twos[2], fours[2], eights[2], carry;
    for (int eight = 0; eight < 2; eight++) {
        for (int four = 0; four < 2; four++) {
            for (int two = 0; two < 2; two++, states += 2) {
                lane a, b;
                random_lane(states[0], offsets, &a);
                random_lane(states[1], offsets, &b);
                add_two(&sums->planes[0], &a, &b, &twos[two]);
            }
            add_two(&sums->planes[1], &twos[0], &twos[1], &fours[four]);
        }
        add_two(&sums->planes[2], &fours[0], &fours[1], &eights[eight]);
    }
    add_two(&sums->planes[3], &eights[0], &eights[1], &carry);
    add_at(sums, carry, BATCH_PLANE, planes);
}

/* Add a random vector once for every digit of its weight that is 1. */
LANES_TARGET static inline void add_weighted(counters *sums, uint64_t state, const lane *offsets,
                                             uint32_t weight, size_t planes) {
    lane bits;
    random_lane(state, offsets, &bits);
    for (size_t plane = 0; plane < planes; plane++) {
        if ((weight >> plane & 1) != 0) {
            add_at(sums, bits, plane, planes);
        }
    }
}

LANES_TARGET static void add_hashed(counters *sums, const uint64_t *states, const uint32_t *weights,
                                    size_t count, const lane *offsets, size_t planes) {
    size_t i = 0;
    for (; weights == NULL && count - i >= BATCH; i += BATCH) {
        add_batch(sums, states + i, offsets, planes);
    }
    for (; i < count; i++) {
        add_weighted(sums, states[i], offsets, weights == NULL ? 1 : weights[i], planes);
    }
}

/* The positions whose count is above `most`: digit by digit from the highest. */
LANES_TARGET static inline void above(const counters *sums, uint64_t most, size_t planes,
                                      lane *out) {
    lane greater = *out ^ *out;
    lane equal = ~greater;
    for (size_t p = planes; p-- > 0;) {
        if ((most >> p & 1) != 0) {
            equal &= sums->planes[p];
        } else {
            greater |= equal & sums->planes[p];
            equal &= ~sums->planes[p];
        }
    }
    *out = greater;
}

/* The words that one pass over the features gives, `word` the first of them. */
LANES_TARGET static void project_lane(const nd_charikar_input *input, size_t word, lane *out) {
    counters sums;
    uint64_t states[HASHED];
    uint64_t steps[LANES];
    lane offsets;
    const size_t planes =
        input->total == 0 ? 1 : 64 - (size_t)__builtin_clzll(input->total); /* its digits */
    memset(&sums, 0, sizeof sums);
    for (size_t i = 0; i < LANES; i++) {
        steps[i] = (word + i + 1) * STREAM_STEP;
    }
    memcpy(&offsets, steps, sizeof offsets);
    for (size_t done = 0; done < input->count; done += HASHED) {
        const size_t count = nd_min(input->count - done, HASHED);
        for (size_t i = 0; i < count; i++) {
            states[i] = nd_mix64(input->features[done + i] ^ input->salt);
        }
        add_hashed(&sums, states, input->weights == NULL ? NULL : input->weights + done, count,
                   &offsets, planes);
    }
    memset(out, 0, sizeof *out);
    above(&sums, input->total / 2, planes, out);
}

LANES_TARGET static void project_lanes(const nd_charikar_input *input, size_t words,
                                       uint64_t *string) {
    for (size_t word = 0; word < words; word += LANES) {
        lane out;
        project_lane(input, word, &out);
        memcpy(string + word, &out, nd_min(words - word, LANES) * sizeof *string);
    }
}

#endif
