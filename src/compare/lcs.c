#include "src/compare/lcs_internal.h"

enum {
    /* Myers up to this distance before anything else: it ends sooner than the tokens could be
     * numbered */
    SMALL_DISTANCE = 64,
    /* Myers takes up to limit^2 / 2 steps, the bits one per row and word of the band; a step of
     * Myers costs as much as about this many words */
    WORDS_PER_STEP = 1
};

/* Words that the bit-parallel kernel may touch, rows times the band. */
static uint64_t cost_of_bits(const nd_lcs_pair *pair) {
    uint64_t shorter = pair->n < pair->m ? pair->n : pair->m;
    uint64_t longer = pair->n < pair->m ? pair->m : pair->n;
    uint64_t band = pair->n + pair->m - 2 * pair->at_least;
    return longer * ((band < shorter ? band : shorter) / 64 + 1);
}

/* The length of what is left after cutting and reducing, or 0 if below the limit. */
static nd_status reduced_length(nd_lcs_pair *pair, size_t ids, nd_lcs_work *work,
                                uint64_t *length) {
    uint64_t limit = pair->n + pair->m - 2 * pair->at_least;
    if (limit > UINT32_MAX || limit * limit / 2 * WORDS_PER_STEP > cost_of_bits(pair)) {
        return nd_lcs_bits_reduced(nd_lcs_bits_best(), pair, ids, work, length);
    }
    int64_t distance = -1;
    nd_status st = nd_lcs_distance(pair, (int64_t)limit, work, &distance);
    if (st == ND_OK) {
        *length = distance < 0 ? 0 : (pair->n + pair->m - (uint64_t)distance) / 2;
    }
    return st;
}

/* The length of what is left after cutting, or 0 if below the limit. */
static nd_status middle_length(nd_lcs_pair *pair, nd_lcs_work *work, uint64_t *length) {
    *length = 0;
    uint64_t limit = pair->n + pair->m - 2 * pair->at_least;
    int64_t first_limit = limit < SMALL_DISTANCE ? (int64_t)limit : SMALL_DISTANCE;
    int64_t distance = -1;
    size_t ids = 0;
    nd_status st = ND_OK;
    ND_TRY(nd_lcs_distance(pair, first_limit, work, &distance));
    if (distance >= 0) {
        *length = (pair->n + pair->m - (uint64_t)distance) / 2;
    } else if (limit > SMALL_DISTANCE) {
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
