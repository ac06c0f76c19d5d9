#include "src/lcs/gram.h"

#include <string.h>

/* The multiplier of the rolling hash (that of Knuth's MMIX generator), and 2^64 over the golden
 * ratio, made odd, whose product moves what differs into the high bits. */
static const uint64_t ROLL_MULTIPLIER = UINT64_C(6364136223846793005);
static const uint64_t SPREAD_MULTIPLIER = UINT64_C(0x9e3779b97f4a7c15);

/* A place of the hash table; number ND_NO_GRAM marks a free one. */
typedef struct slot {
    uint32_t tag; /* low bits of the spread hash: spares most looks at the tokens */
    uint32_t number;
} slot;

typedef struct table {
    slot *slots;
    uint32_t *first; /* by number: the first place in b */
    const uint32_t *b;
    size_t q;
    uint64_t leaving; /* what the token that leaves the rolling hash is multiplied by */
    size_t mask;
    uint32_t shift;
} table;

/* Rolling polynomial hash of the q-gram at tokens, from that of the q-gram one place before. */
static uint64_t roll(const table *t, const uint32_t *tokens, size_t place, uint64_t hash) {
    if (place > 0) {
        hash -= tokens[place - 1] * t->leaving;
        return hash * ROLL_MULTIPLIER + tokens[place + t->q - 1];
    }
    for (size_t i = 0; i < t->q; i++) {
        hash = hash * ROLL_MULTIPLIER + tokens[i];
    }
    return hash;
}

/* The slot of the q-gram, or the free one where it belongs. */
static slot *find(const table *t, const uint32_t *gram, uint64_t hash) {
    const uint64_t spread = hash * SPREAD_MULTIPLIER;
    size_t place = spread >> t->shift;
    for (; t->slots[place].number != ND_NO_GRAM; place = (place + 1) & t->mask) {
        if (t->slots[place].tag == (uint32_t)spread) {
            const uint32_t *known = t->b + t->first[t->slots[place].number];
            size_t i = 0;
            while (i < t->q && known[i] == gram[i]) {
                i++;
            }
            if (i == t->q) {
                break;
            }
        }
    }
    t->slots[place].tag = (uint32_t)spread; /* a free slot's tag means nothing */
    return &t->slots[place];
}

static void table_new(table *t, size_t grams, nd_lcs_work *work) {
    uint32_t bits = 4;
    while ((size_t)1 << bits < grams + grams / 2) {
        bits++;
    }
    const size_t size = (size_t)1 << bits;
    nd_lcs_room(work, ND_LCS_GRAM_SLOTS, size * sizeof *t->slots, &t->slots);
    nd_lcs_room(work, ND_LCS_GRAM_FIRST, grams * sizeof *t->first, &t->first);
    memset(t->slots, 0xff, size * sizeof *t->slots); /* every number becomes ND_NO_GRAM */
    t->mask = size - 1;
    t->shift = 64 - bits;
    t->leaving = 1;
    for (size_t i = 1; i < t->q; i++) {
        t->leaving *= ROLL_MULTIPLIER;
    }
}

void nd_grams_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t q,
                     nd_lcs_work *work, nd_grams *grams) {
    table t = {.b = b, .q = q};
    grams->a_count = n >= q ? n - q + 1 : 0;
    grams->b_count = m >= q ? m - q + 1 : 0;
    grams->distinct = 0;
    nd_lcs_room(work, ND_LCS_GRAM_A, grams->a_count * sizeof *grams->a, &grams->a);
    nd_lcs_room(work, ND_LCS_GRAM_B, grams->b_count * sizeof *grams->b, &grams->b);
    nd_lcs_room(work, ND_LCS_GRAM_COUNT, grams->b_count * sizeof *grams->count, &grams->count);
    table_new(&t, grams->b_count, work);
    uint64_t hash = 0;
    for (size_t i = 0; i < grams->b_count; i++) {
        hash = roll(&t, b, i, hash);
        slot *found = find(&t, b + i, hash);
        if (found->number == ND_NO_GRAM) {
            found->number = (uint32_t)grams->distinct;
            t.first[grams->distinct] = (uint32_t)i;
            grams->count[grams->distinct++] = 0;
        }
        grams->b[i] = found->number;
        grams->count[found->number]++;
    }
    hash = 0;
    for (size_t i = 0; i < grams->a_count; i++) {
        hash = roll(&t, a, i, hash);
        grams->a[i] = find(&t, a + i, hash)->number;
    }
}
