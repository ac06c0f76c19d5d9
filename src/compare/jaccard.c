#include "src/compare/jaccard.h"

#include "src/compare/gram.h"

static uint64_t smaller(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

/* Shared shingles come in pairs of places, no place in two pairs. The first tokens of these pairs
 * are as many shared tokens, and one pair alone makes five; hence the bound. */
uint64_t nd_shingle_bound(uint64_t common, uint64_t n, uint64_t m) {
    const uint64_t shorter = smaller(n, m);
    const uint64_t tokens = smaller(shorter, ND_SHINGLE_TOKENS); /* of the shortest shingle */
    if (common < tokens || (tokens < ND_SHINGLE_TOKENS && n != m)) {
        return 0; /* shingles of different lengths differ */
    }
    return smaller(common, nd_shingle_count(shorter));
}

/* Each shingle of a takes one occurrence of itself out of b's. */
static uint64_t count_shared(const nd_grams *grams, uint64_t at_least) {
    uint64_t shared = 0;
    for (size_t i = 0; i < grams->a_count && shared + (grams->a_count - i) >= at_least; i++) {
        if (grams->a[i] != ND_NO_GRAM && grams->count[grams->a[i]] > 0) {
            grams->count[grams->a[i]]--;
            shared++;
        }
    }
    return shared >= at_least ? shared : 0;
}

nd_status nd_shingles_shared(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                             uint64_t at_least, nd_lcs_work *work, uint64_t *shared) {
    const uint64_t most = nd_shingle_bound(smaller(n, m), n, m);
    if (most == 0 || most < at_least) {
        *shared = 0;
        return ND_OK;
    }
    nd_grams grams = {0};
    const size_t tokens = smaller(smaller(n, m), ND_SHINGLE_TOKENS);
    nd_status st = nd_grams_number(a, n, b, m, tokens, work, &grams);
    if (st == ND_OK) {
        *shared = count_shared(&grams, at_least);
    }
    return st;
}
