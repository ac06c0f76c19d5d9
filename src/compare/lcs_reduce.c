#include "src/compare/lcs_internal.h"

#include <string.h>

/* A slot of the hash table of distinct tokens; id NO_ID marks a free one. */
typedef struct slot {
    uint32_t token;
    uint32_t id;
} slot;

static const uint32_t NO_ID = UINT32_MAX;
static const uint32_t SLOT_MULTIPLIER = UINT32_C(0x9e3779b1); /* 2^32 over the golden ratio */

typedef struct table {
    slot *slots;
    size_t mask;
    uint32_t shift; /* the hash is the high bits of the product */
} table;

nd_status nd_lcs_room(nd_lcs_work *work, enum nd_lcs_memory use, size_t bytes, void *memory) {
    nd_buffer *buffer = &work->memory[use];
    nd_status st = nd_buffer_reserve(buffer, bytes == 0 ? 1 : bytes);
    if (st == ND_OK) {
        void *data = buffer->data;
        memcpy(memory, &data, sizeof data);
    }
    return st;
}

void nd_lcs_work_free(nd_lcs_work *work) {
    for (size_t i = 0; i < sizeof work->memory / sizeof work->memory[0]; i++) {
        nd_buffer_free(&work->memory[i]);
    }
    work->shingle_tokens = 0;
}

static size_t common_prefix(const uint32_t *a, const uint32_t *b, size_t limit) {
    size_t length = 0;
    while (length < limit && a[length] == b[length]) {
        length++;
    }
    return length;
}

static size_t common_suffix(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    size_t length = 0;
    while (length < limit && a_end[-1 - (ptrdiff_t)length] == b_end[-1 - (ptrdiff_t)length]) {
        length++;
    }
    return length;
}

uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair) {
    size_t shorter = pair->n < pair->m ? pair->n : pair->m;
    size_t prefix = common_prefix(pair->a, pair->b, shorter);
    size_t suffix = 0;
    if (prefix < shorter) {
        suffix = common_suffix(pair->a + pair->n, pair->b + pair->m, shorter - prefix);
    }
    if (prefix > 0) {
        pair->a += prefix;
        pair->b += prefix;
    }
    uint64_t cut = prefix + suffix;
    pair->n -= cut;
    pair->m -= cut;
    pair->at_least -= pair->at_least < cut ? pair->at_least : cut;
    return cut;
}

static nd_status table_new(table *t, size_t tokens, nd_lcs_work *work) {
    uint32_t bits = 4;
    while (bits < 31 && (size_t)1 << bits < tokens + tokens / 2) {
        bits++;
    }
    size_t size = (size_t)1 << bits;
    nd_status st = nd_lcs_room(work, ND_LCS_SLOTS, size * sizeof *t->slots, &t->slots);
    if (st == ND_OK) {
        memset(t->slots, 0xff, size * sizeof *t->slots); /* every id becomes NO_ID */
        t->mask = size - 1;
        t->shift = 32 - bits;
    }
    return st;
}

/* The token's slot, or the free one where it belongs. */
static slot *table_find(const table *t, uint32_t token) {
    size_t place = token * SLOT_MULTIPLIER >> t->shift;
    while (t->slots[place].id != NO_ID && t->slots[place].token != token) {
        place = (place + 1) & t->mask;
    }
    return &t->slots[place];
}

/* Number the distinct tokens. \return how many there are */
static uint32_t number_tokens(const table *t, const uint32_t *tokens, size_t count, uint32_t *ids) {
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        slot *found = table_find(t, tokens[i]);
        if (found->id == NO_ID) {
            *found = (slot){tokens[i], next++};
        }
        ids[i] = found->id;
    }
    return next;
}

/* The ids of the tokens that have one. \return how many */
static size_t keep_known(const table *t, const uint32_t *tokens, size_t count, uint32_t *ids,
                         uint8_t *seen) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = table_find(t, tokens[i])->id;
        if (id != NO_ID) {
            seen[id] = 1;
            ids[kept++] = id;
        }
    }
    return kept;
}

/* Drop the ids that the other sequence lacks. \return how many are left */
static size_t keep_seen(uint32_t *ids, size_t count, const uint8_t *seen) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        ids[kept] = ids[i];
        kept += seen[ids[i]];
    }
    return kept;
}

nd_status nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids) {
    uint32_t *a = NULL;
    uint32_t *b = NULL;
    uint8_t *seen = NULL;
    table t = {0};
    nd_status st = ND_OK;
    ND_TRY(nd_lcs_room(work, ND_LCS_IDS_A, pair->n * sizeof *a, &a));
    ND_TRY(nd_lcs_room(work, ND_LCS_IDS_B, pair->m * sizeof *b, &b));
    ND_TRY(nd_lcs_room(work, ND_LCS_SEEN, pair->n, &seen));
    ND_TRY(table_new(&t, pair->n, work));
    *ids = number_tokens(&t, pair->a, pair->n, a);
    memset(seen, 0, *ids);
    pair->m = keep_known(&t, pair->b, pair->m, b, seen);
    pair->n = keep_seen(a, pair->n, seen);
    pair->a = a;
    pair->b = b;
out:
    return st;
}
