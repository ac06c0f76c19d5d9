#include "src/compare/jaccard.h"

#include "src/compare/lcs_internal.h"

#include <stdbool.h>
#include <string.h>

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

/* ---- the shingles of one sequence, kept from pair to pair: pairs come by their first page */

/* The multiplier of the hash (that of Knuth's MMIX generator), and 2^64 over the golden ratio, made
 * odd, whose product moves what differs into the high bits. */
static const uint64_t POWER = UINT64_C(6364136223846793005);
static const uint64_t SPREAD = UINT64_C(0x9e3779b97f4a7c15);

static const uint32_t NONE = UINT32_MAX;

/* A place of the hash table; number NONE marks a free one. */
typedef struct slot {
    uint32_t tag; /* low bits of the spread hash: spares most looks at the tokens */
    uint32_t number;
} slot;

typedef struct shingle_table {
    uint32_t *tokens; /* a copy: what the table is of is told by it alone */
    size_t token_count;
    size_t width; /* tokens of a shingle */
    size_t places;
    uint32_t *numbers; /* [place] of the shingle there: from 0 in the order of first appearance */
    uint32_t *first;   /* [number] the place */
    uint32_t *count;   /* [number] how often it stands there */
    uint32_t *left;    /* [number] of these, not yet shared with the other sequence */
    size_t distinct;
    slot *slots;
    size_t mask;
    uint32_t shift;
} shingle_table;

/* The slot of the shingle, or the free one where it belongs. Exact, for the tokens decide; neither
 * the terms of the hash nor the comparisons wait for one another. */
static inline __attribute__((always_inline)) slot *
find_of_width(const shingle_table *t, const uint32_t *shingle, size_t width) {
    uint64_t hash = 0;
    uint64_t power = SPREAD;
    for (size_t i = width; i > 0; i--) {
        hash += shingle[i - 1] * power;
        power *= POWER;
    }
    for (size_t place = hash >> t->shift;; place = (place + 1) & t->mask) {
        slot *s = &t->slots[place];
        if (s->number == NONE) {
            s->tag = (uint32_t)hash; /* of a free slot it means nothing */
            return s;
        }
        if (s->tag == (uint32_t)hash) {
            const uint32_t *tokens = t->tokens + t->first[s->number];
            uint32_t differs = 0;
            for (size_t i = 0; i < width; i++) {
                differs |= tokens[i] ^ shingle[i];
            }
            if (differs == 0) {
                return s;
            }
        }
    }
}

static slot *find(const shingle_table *t, const uint32_t *shingle) {
    return t->width == ND_SHINGLE_TOKENS ? find_of_width(t, shingle, ND_SHINGLE_TOKENS)
                                         : find_of_width(t, shingle, t->width);
}

/* Where the table of n tokens lies in work memory; what is there stays. */
static nd_status lay_out(size_t n, size_t width, nd_lcs_work *work, shingle_table *t) {
    nd_status st = ND_OK;
    uint32_t bits = 5;
    *t = (shingle_table){.token_count = n, .width = width, .places = n - width + 1};
    while ((size_t)1 << bits < 2 * t->places) {
        bits++;
    }
    t->mask = ((size_t)1 << bits) - 1;
    t->shift = 64 - bits;
    ND_TRY(nd_lcs_room(work, ND_LCS_SHINGLE_SLOTS, (t->mask + 1) * sizeof *t->slots, &t->slots));
    ND_TRY(nd_lcs_room(work, ND_LCS_SHINGLES, 5 * n * sizeof *t->tokens, &t->tokens));
    t->numbers = t->tokens + n;
    t->first = t->numbers + n;
    t->count = t->first + n;
    t->left = t->count + n;
out:
    return st;
}

static void fill(const uint32_t *tokens, shingle_table *t) {
    memcpy(t->tokens, tokens, t->token_count * sizeof *tokens);
    memset(t->slots, 0xff, (t->mask + 1) * sizeof *t->slots); /* every number becomes NONE */
    for (size_t i = 0; i < t->places; i++) {
        slot *found = find(t, t->tokens + i);
        if (found->number == NONE) {
            found->number = (uint32_t)t->distinct;
            t->first[t->distinct] = (uint32_t)i;
            t->count[t->distinct++] = 0;
        }
        t->numbers[i] = found->number;
        t->count[found->number]++;
    }
}

/* Is the table that is kept in the work that of these tokens? */
static bool is_kept(const nd_lcs_work *work, const uint32_t *tokens, size_t n, size_t width) {
    return work->shingle_tokens == n && work->shingle_width == width &&
           memcmp(work->memory[ND_LCS_SHINGLES].data, tokens, n * sizeof *tokens) == 0;
}

static nd_status table_of(const uint32_t *tokens, size_t n, size_t width, nd_lcs_work *work,
                          shingle_table *t) {
    nd_status st = ND_OK;
    const bool kept = is_kept(work, tokens, n, width);
    work->shingle_tokens = 0; /* until it is complete */
    ND_TRY(lay_out(n, width, work, t));
    if (kept) {
        t->distinct = work->shingle_distinct;
    } else {
        fill(tokens, t);
    }
    work->shingle_tokens = n;
    work->shingle_width = width;
    work->shingle_distinct = t->distinct;
out:
    return st;
}

/* Each shingle of the other sequence takes one occurrence of itself. The one behind a shingle that
 * was found is most often the one behind it in the table's sequence too: then one token tells. */
static uint64_t count_shared(const shingle_table *t, const uint32_t *other, size_t places,
                             uint64_t at_least) {
    const size_t last = t->width - 1;
    uint64_t shared = 0;
    size_t next = t->places; /* where in the table's sequence this one is looked for first */
    memcpy(t->left, t->count, t->distinct * sizeof *t->left);
    for (size_t i = 0; i < places && shared + (places - i) >= at_least; i++) {
        uint32_t number = NONE;
        if (next < t->places && t->tokens[next + last] == other[i + last]) {
            number = t->numbers[next++];
        } else {
            number = find(t, other + i)->number;
            next = number == NONE ? t->places : t->first[number] + 1;
        }
        if (number != NONE && t->left[number] > 0) {
            t->left[number]--;
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
    const size_t width = smaller(smaller(n, m), ND_SHINGLE_TOKENS);
    const bool by_b = !is_kept(work, a, n, width) && is_kept(work, b, m, width);
    shingle_table table;
    const nd_status st = by_b ? table_of(b, m, width, work, &table) //
                              : table_of(a, n, width, work, &table);
    if (st == ND_OK) {
        *shared = by_b ? count_shared(&table, a, n - width + 1, at_least)
                       : count_shared(&table, b, m - width + 1, at_least);
    }
    return st;
}
