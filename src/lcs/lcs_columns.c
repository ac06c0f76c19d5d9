#include "src/lcs/lcs_bits.h"

#include "src/base/order.h"

#include <string.h>

/* Columns from which on an id gets a mask of its own: a share of the words of a mask, so that at
 * most 64 * FREQUENT_SHARE ids have one. */
enum {
    FREQUENT_SHARE = 16,
    ALL_MASKS_LIMIT = 1 << 15 /* words: 256 KiB, a fraction of the L2 cache */
};

/* The places of an id as its kind has them; the list has room to read some past its end. */
static uint64_t *derive_id(const nd_lcs_columns *index, nd_lcs_id_columns *of, size_t threshold,
                           uint64_t *mask) {
    const uint32_t *places = index->places + of->begin;
    const uint32_t count = of->end - of->begin;
    const bool few = count <= ND_LCS_FEW && count < threshold;
    for (uint32_t i = 0; i < ND_LCS_FEW; i++) {
        of->few[i] = few && i < count ? places[i] : ND_LCS_NO_COLUMN;
    }
    if (few) {
        of->begin = of->end;
    } else if (count >= threshold) {
        for (uint32_t i = 0; i < count; i++) {
            mask[places[i] / ND_LCS_WORD] |= UINT64_C(1) << places[i] % ND_LCS_WORD;
        }
        of->begin = of->end;
        of->mask = mask;
        return mask + index->words;
    }
    return mask;
}

void nd_lcs_columns_index(nd_lcs_columns *index, const uint32_t *columns, size_t count, size_t ids,
                          bool every_row, nd_lcs_work *work) {
    uint64_t *masks = NULL;
    index->words = (count + ND_LCS_WORD - 1) / ND_LCS_WORD;
    index->all_masks = every_row && ids * index->words <= ALL_MASKS_LIMIT;
    nd_lcs_room(work, ND_LCS_IDS, ids * sizeof *index->ids, &index->ids);
    nd_lcs_room(work, ND_LCS_PLACES, (count + ND_LCS_FEW) * sizeof *index->places, &index->places);
    memset(index->places + count, 0, ND_LCS_FEW * sizeof *index->places);
    /* Where the places of each id begin, kept in `end` until they are filled in. */
    const size_t threshold = /* columns from which on an id has a mask */
        index->all_masks ? 1 : (size_t)nd_max(index->words / FREQUENT_SHARE, ND_LCS_FEW + 1);
    size_t frequent = 0;
    uint32_t begin = 0;
    memset(index->ids, 0, ids * sizeof *index->ids);
    for (size_t j = 0; j < count; j++) {
        index->ids[columns[j]].end++;
    }
    for (size_t id = 0; id < ids; id++) {
        const uint32_t of_id = index->ids[id].end;
        index->ids[id].begin = begin;
        index->ids[id].end = begin;
        begin += of_id;
        frequent += of_id >= threshold;
    }
    const size_t mask_bytes = frequent * index->words * sizeof *masks;
    nd_lcs_room(work, ND_LCS_MASKS, mask_bytes, &masks);
    memset(masks, 0, mask_bytes);
    for (size_t j = 0; j < count; j++) {
        index->places[index->ids[columns[j]].end++] = (uint32_t)j;
    }
    for (size_t id = 0; id < ids; id++) {
        masks = derive_id(index, &index->ids[id], threshold, masks);
    }
}

const uint64_t *nd_lcs_columns_matches(const nd_lcs_columns *index, uint32_t id, size_t first,
                                       size_t words, uint64_t *scratch) {
    nd_lcs_id_columns *of = &index->ids[id];
    const uint64_t *mask = of->mask != NULL ? of->mask + first : scratch;
    for (size_t i = 0; i < ND_LCS_FEW; i++) { /* those outside go into the word after */
        const size_t word = of->few[i] / ND_LCS_WORD - first;
        scratch[nd_min(word, words)] |= UINT64_C(1) << of->few[i] % ND_LCS_WORD;
    }
    while (of->begin < of->end && index->places[of->begin] / ND_LCS_WORD < first) {
        of->begin++;
    }
    for (uint32_t i = of->begin; i < of->end && index->places[i] / ND_LCS_WORD - first < words;
         i++) {
        const uint32_t place = index->places[i];
        scratch[place / ND_LCS_WORD - first] |= UINT64_C(1) << place % ND_LCS_WORD;
    }
    return mask;
}
