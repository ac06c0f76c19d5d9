#include "src/sets/candidates.h"

#include "src/base/buffer.h"
#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>

/* ---- groups */

static const uint64_t MAX_LENGTH = (UINT64_C(1) << ND_POSTING_LENGTH_BITS) - 1;
static const uint64_t PAGE_MASK = (UINT64_C(1) << ND_POSTING_PAGE_BITS) - 1;

uint64_t nd_posting_value(uint64_t page, uint64_t tokens) {
    ND_ASSERT(page <= PAGE_MASK, page);
    return nd_min(tokens, MAX_LENGTH) << ND_POSTING_PAGE_BITS | page;
}

uint64_t nd_posting_page(uint64_t value) {
    return value & PAGE_MASK;
}

uint64_t nd_posting_length(uint64_t value) {
    return value >> ND_POSTING_PAGE_BITS;
}

uint64_t nd_group_runs(uint64_t count) {
    return count <= ND_GROUP_RUN ? 1 : (count + ND_GROUP_RUN - 1) / ND_GROUP_RUN;
}

nd_group_run nd_group_run_at(uint64_t count, uint64_t run) {
    const uint64_t begin = run * ND_GROUP_RUN;
    ND_ASSERT(begin < count, run, count);
    const uint64_t leads = nd_min(count - begin, ND_GROUP_RUN);
    const uint64_t end = nd_min(count, begin + leads + ND_GROUP_NEIGHBOURS);
    return (nd_group_run){begin, end, leads};
}

uint64_t nd_group_partner_end(uint64_t all_pairs, uint64_t group_count, uint64_t piece_count,
                              uint64_t i) {
    ND_ASSERT(i < piece_count && piece_count <= group_count, i, piece_count, group_count);
    return group_count <= all_pairs ? piece_count
                                    : nd_min(i + 1 + ND_GROUP_NEIGHBOURS, piece_count);
}

uint64_t nd_group_passed(uint64_t all_pairs, uint64_t group_count) {
    const uint64_t near = ND_GROUP_NEIGHBOURS;
    if (group_count <= all_pairs || group_count <= near) {
        return 0;
    }
    /* all pairs without the nearest of each member, of which the last members have fewer */
    return group_count * (group_count - 1) / 2 - (group_count * near - near * (near + 1) / 2);
}

/* ---- keys that occur once */

/* The high bits of a key are its cell, of which there are some for each record; whether a cell has
 * been seen once, and once more, are two bits, of which 32 pairs lie in a word. */
enum { KEY_BITS = 64, CELLS_OF_RECORD = 8, PAIRS = 32, PAIR_BITS = 5 };

void nd_repeated_keys(nd_key_value *records, uint64_t *count) {
    uint64_t *words = NULL;
    uint64_t kept = 0;
    unsigned bits = PAIR_BITS;
    while (bits < KEY_BITS / 2 && (UINT64_C(1) << bits) / CELLS_OF_RECORD < *count) {
        bits++;
    }
    const unsigned shift = KEY_BITS - bits;
    nd_new(&words, (size_t)(UINT64_C(1) << bits) / PAIRS, sizeof *words);
    for (uint64_t i = 0; i < *count; i++) { /* a pair goes from 00 to 01 to 11 */
        const uint64_t cell = records[i].key >> shift;
        const unsigned place = 2 * (unsigned)(cell % PAIRS);
        const uint64_t seen = words[cell / PAIRS] >> place & 1;
        words[cell / PAIRS] |= (1 + 2 * seen) << place;
    }
    for (uint64_t i = 0; i < *count; i++) {
        const nd_key_value record = records[i];
        const uint64_t cell = record.key >> shift;
        records[kept] = record;
        kept += words[cell / PAIRS] >> (2 * (cell % PAIRS) + 1) & 1;
    }
    *count = kept;
    free(words);
}
