#include "src/lcs/lcs_matches.h"

#include "src/base/util.h"
#include "src/lcs/lcs_internal.h"

#include <string.h>

/* ---- q-grams */

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

void nd_qgram_ids_number(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t q,
                         nd_lcs_work *work, nd_qgram_ids *grams) {
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

/* ---- matches */

/* Bytes of rows that are kept at a time: enough for pages of 2,800 tokens to need no second pass,
 * and no more than a second-level cache can hold. */
enum { BLOCK_BYTES = 1 << 20 };

/* The rows of the table, a token of b each, in blocks. */
typedef struct path {
    const nd_lcs_bits_variant *variant;
    nd_lcs_columns index;
    uint64_t *v;
    uint64_t *scratch; /* the masks of a tile's rows are put together here */
    const uint32_t *a;
    const uint32_t *b;
    const uint32_t *ids; /* of the tokens of b */
    size_t n;
    size_t m;
    size_t block;     /* rows of a block */
    uint64_t *rows;   /* the rows of one block */
    uint64_t *starts; /* the row before each block */
} path;

static void path_new(path *p, size_t block_bytes, nd_lcs_work *work) {
    nd_qgram_ids grams = {0};
    nd_qgram_ids_number(p->b, p->m, p->a, p->n, 1, work, &grams);
    p->ids = grams.a;
    p->variant = nd_lcs_bits_best();
    nd_lcs_columns_index(&p->index, grams.b, p->n, grams.distinct, true, work);
    const size_t row = p->index.words * sizeof *p->rows;
    const size_t row_room = row + ND_LCS_PADDING * sizeof *p->v;
    nd_lcs_room(work, ND_LCS_ROWS, row_room + ND_LCS_TILE * (row + sizeof *p->v), &p->v);
    p->scratch = p->v + p->index.words + ND_LCS_PADDING;
    memset(p->v, 0xff, row_room);
    p->block = block_bytes / row + 1;
    while (p->block < p->m / p->block) { /* else the starts would be more than the rows */
        p->block *= 2;
    }
    p->block = nd_min(p->block, p->m);
    nd_lcs_room(work, ND_LCS_MATCH_ROWS, p->block * row, &p->rows);
    nd_lcs_room(work, ND_LCS_MATCH_STARTS, (p->m / p->block + 1) * row, &p->starts);
}

/* Work and keep the rows of a block; the table's row must be the one before it. */
static void fill_block(path *p, size_t block) {
    const size_t words = p->index.words;
    const size_t begin = block * p->block;
    const size_t end = nd_min(begin + p->block, p->m);
    uint64_t *rows = p->rows;
    for (size_t i = begin; i < end; i += ND_LCS_TILE) {
        const uint64_t *masks[ND_LCS_TILE];
        const size_t count = nd_min(end - i, ND_LCS_TILE);
        /* The masks of a tile are put together before the first is used: to read one that has just
         * been written makes the processor wait. */
        if (!p->index.all_masks) {
            memset(p->scratch, 0, count * (words + 1) * sizeof *p->scratch);
        }
        for (size_t r = 0; r < count; r++) {
            const uint32_t id = p->ids[i + r];
            masks[r] = id == ND_NO_GRAM     ? NULL
                       : p->index.all_masks ? p->index.ids[id].mask
                                            : nd_lcs_columns_matches(&p->index, id, 0, words,
                                                                     p->scratch + r * (words + 1));
        }
        for (size_t r = 0; r < count; r++, rows += words) {
            if (masks[r] != NULL) {
                p->variant->add(p->v, words, &masks[r], 1);
            }
            memcpy(rows, p->v, words * sizeof *rows);
        }
    }
}

/* The way back, from the last block, whose rows are there. Where tokens differ and the LCS does
 * not grow with the last column, that column is left out; if it does, the row can be. */
static void walk_back(path *p, nd_lcs_match *end) {
    const size_t words = p->index.words;
    size_t block = (p->m - 1) / p->block;
    size_t i = p->n;
    size_t j = p->m;
    while (i > 0 && j > 0) {
        if ((j - 1) / p->block != block) {
            block--;
            memcpy(p->v, p->starts + block * words, words * sizeof *p->starts);
            fill_block(p, block);
        }
        const uint64_t *row = p->rows + (j - 1 - block * p->block) * words;
        if (p->a[i - 1] == p->b[j - 1]) {
            *--end = (nd_lcs_match){(uint32_t)--i, (uint32_t)--j};
        } else if (row[(i - 1) / ND_LCS_WORD] >> (i - 1) % ND_LCS_WORD & 1) {
            i--;
        } else {
            j--;
        }
    }
}

void nd_lcs_matches_by(size_t block_bytes, const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                       uint64_t at_least, nd_lcs_work *work, nd_lcs_match **matches,
                       size_t *count) {
    path p = {.a = a, .b = b, .n = n, .m = m}; /* without the common suffix */
    size_t length = 0;
    while (p.n > 0 && p.m > 0 && a[p.n - 1] == b[p.m - 1]) {
        p.n--;
        p.m--;
    }
    const size_t suffix = n - p.n;
    if (p.n > 0 && p.m > 0) {
        path_new(&p, block_bytes, work);
        const size_t words = p.index.words;
        for (size_t block = 0; block * p.block < p.m; block++) {
            memcpy(p.starts + block * words, p.v, words * sizeof *p.starts);
            fill_block(&p, block);
        }
        for (size_t word = 0; word < words; word++) {
            length += (size_t)__builtin_popcountll(~p.v[word]);
        }
    }
    *count = 0;
    if (length + suffix < at_least) {
        return;
    }
    nd_lcs_room(work, ND_LCS_MATCHES, (length + suffix) * sizeof **matches, matches);
    *count = length + suffix;
    if (length > 0) {
        walk_back(&p, *matches + length);
    }
    for (size_t i = 0; i < suffix; i++) {
        (*matches)[length + i] = (nd_lcs_match){(uint32_t)(p.n + i), (uint32_t)(p.m + i)};
    }
}

void nd_lcs_matches(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                    nd_lcs_work *work, nd_lcs_match **matches, size_t *count) {
    nd_lcs_matches_by(BLOCK_BYTES, a, n, b, m, at_least, work, matches, count);
}
