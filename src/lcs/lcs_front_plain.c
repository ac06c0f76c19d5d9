/* Furthest-reaching paths in plain C; and which variant is the best. */
#include "src/lcs/lcs_front.h"

/* Matches in a row that are looked for one by one; more are likely to be many more. */
enum { FEW_MATCHES = 6 };

/* The place in a to which matches lead from (x, y). As wide as addresses, and with `flip` a
 * constant, since this is all that most pairs need. */
static inline __attribute__((always_inline)) int64_t follow(const nd_lcs_front *front, int64_t flip,
                                                            int64_t x, int64_t y) {
    const int64_t a_end = front->a_end, b_end = front->b_end;
    for (const int64_t from = x; x < a_end && y < b_end && front->a[x ^ flip] == front->b[y ^ flip];
         x++, y++) {
        if (x - from == FEW_MATCHES) {
            return x + nd_lcs_front_run(front, (int32_t)x, (int32_t)y);
        }
    }
    return x;
}

static inline __attribute__((always_inline)) void grow(const nd_lcs_front *front, int64_t flip,
                                                       int32_t first, int32_t last) {
    const nd_lcs_front fixed = *front; /* which stores to the paths cannot change */
    const int32_t *beside = nd_lcs_front_reach(front, first - 1);
    int32_t *reach = nd_lcs_front_reach(front, first);
    for (int64_t k = first; k <= last; k += 2, beside++, reach++) {
        const int64_t by_a = beside[0] + 1, by_b = beside[1];
        const int64_t x = by_a > by_b ? by_a : by_b;
        *reach = (int32_t)follow(&fixed, flip, x, x - k);
    }
}

void nd_lcs_front_grow(const nd_lcs_front *front, int32_t first, int32_t last) {
    if (front->flip == 0) {
        grow(front, 0, first, last);
    } else {
        grow(front, -1, first, last);
    }
}

static bool meet_plain(const int32_t *forward, const int32_t *backward, int32_t count) {
    return nd_lcs_front_meets(forward, backward, count);
}

const nd_lcs_front_variant nd_lcs_front_plain = {
    .name = "plain",
    .needs = 0,
    .step_cost = 20000,
    .square_cost = 450,
    .few = 0,
    .grow = nd_lcs_front_grow,
    .meet = meet_plain,
};

const nd_lcs_front_variant *const nd_lcs_front_variants[] = {
    &nd_lcs_front_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_lcs_front_avx2,
    &nd_lcs_front_avx512,
#endif
};
const size_t nd_lcs_front_variant_count =
    sizeof nd_lcs_front_variants / sizeof nd_lcs_front_variants[0];

const nd_lcs_front_variant *nd_lcs_front_best(void) {
    size_t best;
    ND_CPU_BEST(best, nd_lcs_front_variant_count, nd_lcs_front_variants[best]->needs);
    return nd_lcs_front_variants[best];
}
