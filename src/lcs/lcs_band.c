#include "src/lcs/lcs_bits.h"

#include "src/base/order.h"

#include <string.h>

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
    if (nd_lcs_hopeless(pair) || b.column_count == 0) {
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
