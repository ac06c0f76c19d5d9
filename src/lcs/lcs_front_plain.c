/* Furthest-reaching paths in plain C; and which variant is the best. */
#include "src/lcs/lcs_front.h"

/* Matches in a row that are looked for one by one; more are likely to be many more. */
enum { FEW_MATCHES = 6 };

/* As wide as addresses, and with `flip` a constant, since this is all that most pairs need. */
static inline __attribute__((always_inline)) void grow(const nd_lcs_front *front, int64_t flip,
                                                       int32_t first, int32_t last) {
    const nd_lcs_front fixed = *front; /* which stores to the paths cannot change */
    const int64_t a_end = fixed.a_end, b_end = fixed.b_end;
    const int32_t *beside = nd_lcs_front_reach(front, first - 1);
    int32_t *reach = nd_lcs_front_reach(front, first);
    for (int64_t k = first; k <= last; k += 2, beside++, reach++) {
        const int64_t by_a = beside[0] + 1, by_b = beside[1];
        const int64_t from = by_a > by_b ? by_a : by_b;
        int64_t x = from, y = x - k;
        for (; x < a_end && y < b_end && fixed.a[x ^ flip] == fixed.b[y ^ flip]; x++, y++) {
            if (x - from == FEW_MATCHES) {
                x += nd_lcs_front_run(&fixed, (int32_t)x, (int32_t)y);
                break;
            }
        }
        *reach = (int32_t)x;
    }
}

void nd_lcs_front_grow(const nd_lcs_front *front, int32_t first, int32_t last) {
    if (front->flip == 0) {
        grow(front, 0, first, last);
    } else {
        grow(front, -1, first, last);
    }
}

const nd_lcs_front_variant nd_lcs_front_plain = {
    .name = "plain",
    .needs = 0,
    .step_cost = 20000,
    .square_cost = 450,
    .few = 0,
    .grow = nd_lcs_front_grow,
    .meet = nd_lcs_front_meets,
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
