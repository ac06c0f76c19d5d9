#include "src/lcs/lcs_reduce.h"

#include "src/base/order.h"

#include <string.h>

/* Hash table of distinct tokens: a slot holds the id, counted from 1, whose token it is; 0 marks a
 * free one. */
typedef struct table {
    uint32_t *slots;
    uint32_t *tokens; /* by slot's number; [0] is of no meaning */
    size_t mask;
    uint32_t shift; /* the hash is the high bits of the product */
} table;

/* Free slots are many, so that a token is rarely looked for in a second one. */
enum { SLOTS_PER_TOKEN = 3 };

static const uint32_t SLOT_MULTIPLIER = UINT32_C(0x9e3779b1); /* 2^32 over the golden ratio */

uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair) {
    const size_t shorter = nd_min(pair->n, pair->m);
    size_t prefix = nd_equal_prefix(pair->a, pair->b, shorter);
    size_t suffix = 0;
    if (prefix < shorter) {
        suffix = nd_equal_suffix(pair->a + pair->n, pair->b + pair->m, shorter - prefix);
    }
    if (prefix > 0) {
        pair->a += prefix;
        pair->b += prefix;
    }
    uint64_t cut = prefix + suffix;
    pair->n -= cut;
    pair->m -= cut;
    pair->at_least -= nd_min(pair->at_least, cut);
    return cut;
}

static void table_new(table *t, size_t tokens, nd_lcs_work *work) {
    uint32_t bits = 4;
    while (bits < 31 && (size_t)1 << bits < SLOTS_PER_TOKEN * tokens) {
        bits++;
    }
    const size_t size = (size_t)1 << bits;
    nd_lcs_room(work, ND_LCS_SLOTS, (size + tokens + 1) * sizeof *t->slots, &t->slots);
    memset(t->slots, 0, size * sizeof *t->slots);
    t->tokens = t->slots + size;
    t->tokens[0] = 0;
    t->mask = size - 1;
    t->shift = 32 - bits;
}

/* The token's slot, or the free one where it belongs. Here and below, what a processor cannot
 * foretell, whether a token is known, decides no branch. */
static uint32_t *table_find(const table *t, uint32_t token) {
    size_t place = token * SLOT_MULTIPLIER >> t->shift;
    while ((t->slots[place] != 0) & (t->tokens[t->slots[place]] != token)) {
        place = (place + 1) & t->mask;
    }
    return &t->slots[place];
}

/* Number the distinct tokens. \return how many there are */
static uint32_t number_tokens(const table *t, const uint32_t *tokens, size_t count, uint32_t *ids) {
    uint32_t known = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *found = table_find(t, tokens[i]);
        const uint32_t number = *found != 0 ? *found : known + 1;
        known += *found == 0;
        *found = number;
        t->tokens[number] = tokens[i];
        ids[i] = number - 1;
    }
    return known;
}

void nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    uint8_t *seen = NULL;
    table t = {0};
    nd_lcs_room(work, ND_LCS_IDS_A, pair->n * sizeof *a, &a);
    nd_lcs_room(work, ND_LCS_IDS_B, pair->m * sizeof *b, &b);
    nd_lcs_room(work, ND_LCS_SEEN, pair->n + 1, &seen);
    table_new(&t, pair->n, work);
    *ids = number_tokens(&t, pair->a, pair->n, a);
    memset(seen, 0, *ids + 1);
    /* Of b the tokens that have an id are kept. The first of `seen` is of those that have none,
     * that of an id the one after it. */
    size_t known = 0;
    for (size_t i = 0; i < pair->m; i++) {
        const uint32_t number = *table_find(&t, pair->b[i]);
        seen[number] = 1;
        b[known] = number - 1;
        known += number != 0;
    }
    /* Of a the ids that b has. */
    size_t kept = 0;
    for (size_t i = 0; i < pair->n; i++) {
        a[kept] = a[i];
        kept += seen[a[i] + 1];
    }
    pair->m = known;
    pair->n = kept;
    pair->a = a;
    pair->b = b;
}
