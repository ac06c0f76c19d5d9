/* The bit-parallel kernel in plain C; and which variant is the best. */
#include "src/base/util.h"
#include "src/lcs/lcs_internal.h"

#include <string.h>

/* ==== rows and columns in plain C; and which variant is the best */

#if defined(__x86_64__) && ND_SIMD
#include <immintrin.h>
#endif

/* Words of V that are kept in registers while a tile's rows are added. */
enum { BLOCK = 4 };

static void compare_plain(const uint32_t *columns, size_t words, const uint32_t *tokens,
                          size_t rows, uint64_t *masks, size_t stride) {
    for (size_t r = 0; r < rows; r++) {
        for (size_t w = 0; w < words; w++) {
            const uint32_t *here = columns + w * ND_LCS_WORD;
            uint64_t mask = 0;
            for (size_t j = 0; j < ND_LCS_WORD; j++) {
                mask |= (uint64_t)(here[j] == tokens[r]) << j;
            }
            masks[r * stride + w] = mask;
        }
    }
}

/* value = (value + match + carry) | (value & ~match) as one number of BLOCK words, where match is a
 * part of value. \return the carry out of it */
static inline uint64_t add_four(uint64_t *value, const uint64_t *match, uint64_t carry) {
    uint64_t sum[BLOCK] = {value[0], value[1], value[2], value[3]};
#if defined(__x86_64__)
    /* compilers do not keep a carry in its flag from word to word */
    __asm__("addb $255, %b0\n\t"
            "adcq %5, %1\n\t"
            "adcq %6, %2\n\t"
            "adcq %7, %3\n\t"
            "adcq %8, %4\n\t"
            "setc %b0"
            : "+&q"(carry), "+&r"(sum[0]), "+&r"(sum[1]), "+&r"(sum[2]), "+&r"(sum[3])
            : "r"(match[0]), "r"(match[1]), "r"(match[2]), "r"(match[3])
            : "cc");
#else
    for (size_t w = 0; w < BLOCK; w++) {
        const uint64_t first = sum[w] + match[w];
        const uint64_t carried = first < match[w];
        sum[w] = first + carry;
        carry = carried | (sum[w] < carry);
    }
#endif
    for (size_t w = 0; w < BLOCK; w++) {
        value[w] = sum[w] | (value[w] ^ match[w]);
    }
    return carry;
}

/* Add the rows to the words [word, word + BLOCK), of which the first `count` are of the masks and
 * the others stay as they are. Bit r of the carries is that into row r, and then that out of it. */
static inline __attribute__((always_inline)) uint64_t add_block(uint64_t *v, size_t count,
                                                                const uint64_t *const *masks,
                                                                size_t word, size_t rows,
                                                                uint64_t carries) {
    uint64_t value[BLOCK] = {0};
    uint64_t carries_out = 0;
    for (size_t w = 0; w < count; w++) {
        value[w] = v[word + w];
    }
    for (size_t r = 0; r < rows; r++) {
        const uint64_t *mask = masks[r] + word;
        uint64_t match[BLOCK] = {0};
        for (size_t w = 0; w < count; w++) {
            match[w] = value[w] & mask[w];
        }
        carries_out |= add_four(value, match, carries >> r & 1) << r;
    }
    for (size_t w = 0; w < count; w++) {
        v[word + w] = value[w];
    }
    return carries_out;
}

static void add_plain(uint64_t *v, size_t words, const uint64_t *const *masks, size_t rows) {
    uint64_t carries = 0;
    size_t word = 0;
    for (; word + BLOCK <= words; word += BLOCK) {
        carries = add_block(v, BLOCK, masks, word, rows, carries);
    }
    switch (words - word) {
    case 3:
        (void)add_block(v, 3, masks, word, rows, carries);
        break;
    case 2:
        (void)add_block(v, 2, masks, word, rows, carries);
        break;
    case 1:
        (void)add_block(v, 1, masks, word, rows, carries);
        break;
    default:
        break;
    }
}

const nd_lcs_bits_variant nd_lcs_bits_plain = {
    .name = "plain",
    .needs = 0,
    .compare_cost = 36000,
    .add_cost = 600,
    .row_cost = 3000,
    .compare = compare_plain,
    .add = add_plain,
};

#if defined(__x86_64__) && ND_SIMD

/* ---- AVX2: the comparison; adding is no faster than in plain C */

__attribute__((target("avx2"))) static void compare_avx2(const uint32_t *columns, size_t words,
                                                         const uint32_t *tokens, size_t rows,
                                                         uint64_t *masks, size_t stride) {
    enum { LANES = 8 };
    for (size_t r = 0; r < rows; r++) {
        const __m256i token = _mm256_set1_epi32((int)tokens[r]);
        for (size_t w = 0; w < words; w++) {
            const uint32_t *here = columns + w * ND_LCS_WORD;
            uint64_t mask = 0;
            for (size_t j = 0; j < ND_LCS_WORD; j += LANES) {
                const __m256i equal = _mm256_cmpeq_epi32(
                    token, _mm256_loadu_si256((const __m256i *)(const void *)(here + j)));
                mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << j;
            }
            masks[r * stride + w] = mask;
        }
    }
}

const nd_lcs_bits_variant nd_lcs_bits_avx2 = {
    .name = "AVX2",
    .needs = ND_CPU_AVX2,
    .compare_cost = 3500,
    .add_cost = 600,
    .row_cost = 3000,
    .compare = compare_avx2,
    .add = add_plain,
};

#endif

const nd_lcs_bits_variant *const nd_lcs_bits_variants[] = {
    &nd_lcs_bits_plain,
#if defined(__x86_64__) && ND_SIMD
    &nd_lcs_bits_avx2,
    &nd_lcs_bits_avx512,
#endif
};
const size_t nd_lcs_bits_variant_count =
    sizeof nd_lcs_bits_variants / sizeof nd_lcs_bits_variants[0];

const nd_lcs_bits_variant *nd_lcs_bits_best(void) {
    size_t best;
    ND_CPU_BEST(best, nd_lcs_bits_variant_count, nd_lcs_bits_variants[best]->needs);
    return nd_lcs_bits_variants[best];
}

/* ==== where ids stand among the columns */

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

/* ==== the band */

/* An LCS of at_least tokens leaves out at most n - at_least columns and m - at_least rows, so its
 * matches lie in a band around the diagonal; and the more of these the rows so far have left out,
 * the narrower is the band from there on (Ukkonen 1985 has the first of these, for distances).
 * Entries left or right of the band are ignored: what comes out is the LCS of the matches in the
 * band, exact if it reaches the limit and too small only if the true one misses the limit as well.
 * The band is looked at anew with each tile of rows. */
typedef struct band {
    const nd_lcs_bits_variant *variant;
    const uint32_t *columns;
    const uint32_t *rows;
    size_t column_count;
    size_t row_count;
    uint64_t at_least;
    nd_lcs_columns *index; /* NULL: tokens are compared */
    uint64_t *v;
    size_t words;    /* of v that stand for columns */
    size_t first;    /* word of v where the band begins, */
    size_t end;      /* and ends: from here on all are ones */
    uint64_t left;   /* zeros of v left of the band, where nothing changes any more */
    uint64_t *masks; /* of the rows of a tile, `stride` words each: the widest band, and one */
    size_t stride;
} band;

static void band_new(band *b, size_t ids, nd_lcs_work *work) {
    uint32_t *padded = NULL;
    b->words = (b->column_count + ND_LCS_WORD - 1) / ND_LCS_WORD;
    /* The band can be as wide as the columns left out, the rows left out, and a tile's rows. */
    const uint64_t skipped = b->column_count + b->row_count - 2 * b->at_least;
    b->stride = (size_t)nd_min(b->words, (skipped + ND_LCS_TILE) / ND_LCS_WORD + 3) + 1;
    const size_t v_words = b->words + ND_LCS_PADDING;
    const size_t all = v_words + ND_LCS_TILE * b->stride;
    nd_lcs_room(work, ND_LCS_ROWS, all * sizeof *b->v, &b->v);
    memset(b->v, 0xff, v_words * sizeof *b->v);
    b->masks = b->v + v_words;
    if (ids == 0) {
        /* Columns to be compared are copied, so that whole words of them can be read. */
        const size_t size = b->words * ND_LCS_WORD;
        nd_lcs_room(work, ND_LCS_PADDED, size * sizeof *padded, &padded);
        memcpy(padded, b->columns, b->column_count * sizeof *padded);
        memset(padded + b->column_count, 0, (size - b->column_count) * sizeof *padded);
        b->columns = padded;
    } else {
        nd_lcs_columns_index(b->index, b->columns, b->column_count, ids, false, work);
    }
}

static uint64_t zeros(const band *b, size_t word) {
    return (uint64_t)__builtin_popcountll(~b->v[word]);
}

/* Move the right end to where the `rows` next rows can still be of use: a path that is right of a
 * column by then has at most what the column has now, a match for each of these rows, and one for
 * each column from there. Columns right of row + skipped cannot be on any path. What is given up
 * must be ones again, since it is not kept up to date. */
static void move_end(band *b, size_t row, size_t rows) {
    const uint64_t skipped = b->column_count - b->at_least;
    const size_t most = (size_t)nd_min(b->words, (row + rows - 1 + skipped) / ND_LCS_WORD + 1);
    uint64_t before = b->left;
    size_t end = b->first;
    while (end < most && before + rows + b->column_count - end * ND_LCS_WORD >= b->at_least) {
        before += end < b->end ? zeros(b, end) : 0;
        end++;
    }
    for (size_t word = end; word < b->end; word++) {
        b->v[word] = UINT64_MAX;
    }
    b->end = end;
}

/* The matches of the tile's rows by comparing tokens; those with the padding do not count. */
static void compare_tokens(band *b, size_t row, size_t rows, const uint64_t **tile) {
    const size_t words = b->end - b->first;
    const size_t in_last = b->column_count - (b->words - 1) * ND_LCS_WORD;
    const uint64_t last = b->end == b->words ? UINT64_MAX >> (ND_LCS_WORD - in_last) : UINT64_MAX;
    b->variant->compare(b->columns + b->first * ND_LCS_WORD, words, b->rows + row, rows, b->masks,
                        b->stride);
    for (size_t r = 0; r < rows; r++) {
        tile[r] = b->masks + r * b->stride;
        b->masks[r * b->stride + words - 1] &= last;
    }
}

/* \return false once the limit cannot be reached any more */
static bool add_rows(band *b) {
    const uint64_t *tile[ND_LCS_TILE];
    for (size_t row = 0; row < b->row_count; row += ND_LCS_TILE) {
        const size_t rows = (size_t)nd_min(ND_LCS_TILE, b->row_count - row);
        /* Move the left end past words from which a path cannot reach the limit any more, even with
         * the most that it has by then, all zeros up to and in the word, and matches in all of the
         * rows or columns left. */
        while (b->first < b->end &&
               b->left + zeros(b, b->first) +
                       nd_min(b->row_count - row, b->column_count - b->first * ND_LCS_WORD) <
                   b->at_least) {
            b->left += zeros(b, b->first++);
        }
        move_end(b, row, rows);
        if (b->first >= b->end) {
            return false;
        }
        if (b->index == NULL) {
            compare_tokens(b, row, rows, tile);
        } else {
            memset(b->masks, 0, rows * b->stride * sizeof *b->masks);
            for (size_t r = 0; r < rows; r++) {
                tile[r] = nd_lcs_columns_matches(b->index, b->rows[row + r], b->first,
                                                 b->end - b->first, b->masks + r * b->stride);
            }
        }
        b->variant->add(b->v + b->first, b->end - b->first, tile, rows);
    }
    return true;
}

void nd_lcs_band_length(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair, size_t ids,
                        nd_lcs_work *work, uint64_t *length) {
    const bool a_shorter = pair->n <= pair->m;
    nd_lcs_columns index;
    band b = {.variant = variant,
              .columns = a_shorter ? pair->a : pair->b,
              .rows = a_shorter ? pair->b : pair->a,
              .column_count = a_shorter ? pair->n : pair->m,
              .row_count = a_shorter ? pair->m : pair->n,
              .at_least = pair->at_least,
              .index = ids == 0 ? NULL : &index};
    *length = 0;
    if (nd_lcs_below_limit(pair) || b.column_count == 0) {
        return;
    }
    band_new(&b, ids, work);
    if (add_rows(&b)) {
        uint64_t found = b.left;
        for (size_t word = b.first; word < b.end; word++) {
            found += zeros(&b, word);
        }
        *length = found >= b.at_least ? found : 0;
    }
}
