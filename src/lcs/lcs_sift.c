#include "src/lcs/lcs_sift.h"

#include "src/base/order.h"

#include <string.h>

/* So many kinds, that of the tokens that the other sequence lacks few are kept: most tokens stand
 * in a page more than once. */
enum { KINDS_PER_TOKEN = 8, LEAST_BITS = 8, MOST_BITS = 15 };

static const uint32_t KIND_MULTIPLIER = UINT32_C(0x9e3779b1); /* 2^32 over the golden ratio */

/* Which kinds there are: for each a byte, 1 or 0, since to write bytes waits for nothing. */
typedef struct lcs_kinds {
    uint8_t *present;
    uint32_t shift; /* of the hash, to a kind */
} lcs_kinds;

static inline uint32_t kind_of(const lcs_kinds *kinds, uint32_t token) {
    return token * KIND_MULTIPLIER >> kinds->shift;
}

static size_t keep(const lcs_kinds *kinds, const uint32_t *tokens, size_t count, uint32_t *kept) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        kept[n] = tokens[i]; /* whether it stays, a processor cannot foretell */
        n += kinds->present[kind_of(kinds, tokens[i])];
    }
    return n;
}

/* What is kept of a sequence, by the kinds of the other one. */
static size_t sift_by(const lcs_kinds *kinds, const uint32_t *other, size_t other_count,
                      const uint32_t *tokens, size_t count, uint32_t *kept) {
    memset(kinds->present, 0, (size_t)1 << (32 - kinds->shift));
    for (size_t i = 0; i < other_count; i++) {
        kinds->present[kind_of(kinds, other[i])] = 1;
    }
    return keep(kinds, tokens, count, kept);
}

void nd_lcs_sift(nd_lcs_pair *pair, nd_lcs_work *work) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    uint32_t bits = LEAST_BITS;
    while (bits < MOST_BITS && (size_t)1 << bits < KINDS_PER_TOKEN * nd_max(pair->n, pair->m)) {
        bits++;
    }
    lcs_kinds kinds = {.shift = 32 - bits};
    /* a token is written before it is known whether it stays */
    const size_t room_a = pair->n + 1, room_b = pair->m + 1;
    nd_lcs_room(work, ND_LCS_SIFTED_A, room_a * sizeof *a, &a);
    nd_lcs_room(work, ND_LCS_SIFTED_B, room_b * sizeof *b, &b);
    nd_lcs_room(work, ND_LCS_SIFT_KINDS, (size_t)1 << bits, &kinds.present);
    pair->m = sift_by(&kinds, pair->a, pair->n, pair->b, pair->m, b);
    pair->n = sift_by(&kinds, b, pair->m, pair->a, pair->n, a);
    pair->a = a;
    pair->b = b;
}
