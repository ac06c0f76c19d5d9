#include "src/compare/lcs_internal.h"

/* What the steps of the ladder cost, in quarter nanoseconds, as measured by
 * tests/bench/b_kernels.c. They decide how long Myers may try before something else is likely to
 * end sooner; the result does not depend on them. */
enum {
    COST_OF_DISTANCE = 3,  /* Myers: times the square of the distance */
    COST_OF_REDUCING = 22, /* per token */
    COST_OF_ROW = 60,      /* bits: per row, */
    COST_OF_WORD = 2       /* and per row and 64 columns of the band */
};

/* The share of the next step's cost that a try by Myers may take: a try that fails is lost. */
enum { SHARE_OF_NEXT = 2 };

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The distance up to which Myers costs about `cost`: a square root, by Newton from a power of
 * two above it. */
static uint64_t affordable_distance(uint64_t cost) {
    uint64_t square = cost / COST_OF_DISTANCE + 1;
    uint64_t root = UINT64_C(1) << ((64 - __builtin_clzll(square)) / 2 + 1);
    while (root > square / root) {
        root = (root + square / root) / 2;
    }
    return root;
}

/* The largest distance of a pair whose LCS reaches the limit. */
static uint64_t largest_distance(const nd_lcs_pair *pair) {
    return pair->n + pair->m - 2 * pair->at_least;
}

static uint64_t cost_of_bits(const nd_lcs_pair *pair) {
    uint64_t shorter = smaller(pair->n, pair->m);
    uint64_t longer = pair->n + pair->m - shorter;
    uint64_t band_words = smaller(largest_distance(pair), shorter) / 64 + 1;
    return longer * (COST_OF_ROW + COST_OF_WORD * band_words);
}

/* Try Myers up to `limit`. \param[out] known whether the length is known now, be it 0 because it
 * misses the pair's limit */
static nd_status try_myers(const nd_lcs_pair *pair, uint64_t limit, nd_lcs_work *work, bool *known,
                           uint64_t *length) {
    int64_t distance = -1;
    nd_status st = nd_lcs_distance(pair, (int64_t)limit, work, &distance);
    *known = distance >= 0 || limit >= largest_distance(pair);
    *length = distance >= 0 ? (pair->n + pair->m - (uint64_t)distance) / 2 : 0;
    return st;
}

/* The length of what is left after cutting and reducing, or 0 if below the limit. */
static nd_status reduced_length(const nd_lcs_pair *pair, size_t ids, nd_lcs_work *work,
                                uint64_t *length) {
    uint64_t limit = largest_distance(pair);
    uint64_t cost = cost_of_bits(pair);
    if (limit > affordable_distance(cost)) {
        limit = affordable_distance(cost / SHARE_OF_NEXT);
    }
    bool known = false;
    nd_status st = try_myers(pair, limit, work, &known, length);
    if (st == ND_OK && !known) {
        st = nd_lcs_bits_reduced(nd_lcs_bits_best(), pair, ids, work, length);
    }
    return st;
}

/* The length of what is left after cutting, or 0 if below the limit. */
static nd_status middle_length(nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *length) {
    uint64_t cost = (pair->n + pair->m) * COST_OF_REDUCING;
    uint64_t limit = smaller(largest_distance(pair), affordable_distance(cost / SHARE_OF_NEXT));
    bool known = false;
    size_t ids = 0;
    nd_status st = ND_OK;
    ND_TRY(try_myers(pair, limit, work, &known, length));
    if (!known) {
        ND_TRY(nd_lcs_reduce(pair, work, &ids));
        if (!nd_lcs_hopeless(pair)) {
            ND_TRY(reduced_length(pair, ids, work, length));
        }
    }
out:
    return st;
}

nd_status nd_lcs_length(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                        nd_lcs_work *work, uint64_t *length) {
    nd_lcs_pair pair = {.a = a, .b = b, .n = n, .m = m, .at_least = at_least};
    uint64_t total = 0;
    if (!nd_lcs_hopeless(&pair)) {
        uint64_t middle = 0;
        uint64_t ends = nd_lcs_cut_ends(&pair);
        if (!nd_lcs_hopeless(&pair)) {
            nd_status st = middle_length(&pair, work, &middle);
            if (st != ND_OK) {
                return st;
            }
        }
        total = ends + middle;
    }
    *length = total >= at_least ? total : 0;
    return ND_OK;
}
