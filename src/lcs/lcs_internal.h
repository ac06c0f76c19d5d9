/** \file src/lcs/lcs_internal.h
 * The steps of the ladder in src/lcs/lcs.c, one by one: for the files of src/lcs/, for scores that
 * need a single step, and for tests. Each is lossless: what a step drops is part of no common
 * subsequence that matters.
 */
#ifndef ND_LCS_LCS_INTERNAL_H
#define ND_LCS_LCS_INTERNAL_H

#include "src/base/cpu.h"
#include "src/base/util.h"
#include "src/lcs/lcs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- A pair of sequences on its way down the ladder of the LCS kernels. Internal to the kernels
 * and their tests. */

/** Two sequences (borrowed) and the smallest length of interest of what is left of them. */
typedef struct nd_lcs_pair {
    const uint32_t *a;
    const uint32_t *b;
    size_t n;
    size_t m;
    uint64_t at_least;
} nd_lcs_pair;

/** The length of the common prefix of a[0..limit) and b[0..limit). */
static inline size_t nd_equal_prefix(const uint32_t *a, const uint32_t *b, size_t limit) {
    size_t length = 0;
    while (length < limit && a[length] == b[length]) {
        length++;
    }
    return length;
}

/** The length of the common suffix of the `limit` tokens before a_end and b_end. */
static inline size_t nd_equal_suffix(const uint32_t *a_end, const uint32_t *b_end, size_t limit) {
    size_t length = 0;
    while (length < limit && a_end[-1 - (ptrdiff_t)length] == b_end[-1 - (ptrdiff_t)length]) {
        length++;
    }
    return length;
}

/** The most insertions and deletions between sequences whose LCS reaches the limit. */
static inline uint64_t nd_lcs_largest_distance(const nd_lcs_pair *pair) {
    return pair->n + pair->m - 2 * pair->at_least;
}

/** Whether even the shorter sequence is too short for the limit. */
static inline bool nd_lcs_below_limit(const nd_lcs_pair *pair) {
    return pair->at_least > nd_min(pair->n, pair->m);
}

/* ---- Dropping tokens that the other sequence lacks, which are part of no common subsequence: most
 * of them, in a fraction of the time in which nd_lcs_reduce() drops all and numbers the rest. Kinds
 * of tokens are known by a hash; what is kept are the tokens of which kind the other sequence has
 * one. Internal to src/lcs/ and its tests. */

/** Replace the sequences by what is kept of them (in work memory).
 */
void nd_lcs_prefilter(nd_lcs_pair *pair, nd_lcs_work *work);

/* ---- How far two sequences are apart at least, found out for less than an LCS costs. Internal to
 * the kernels and their tests. */

/* ---- The lossless steps that make a pair shorter before its LCS is looked for. Internal to the
 * kernels and their tests. */

/** Replace the sequences by those of their shared tokens, numbered from 0 (in work memory).
 * \param[out] ids  how many numbers were given */
void nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids);

/* ---- Myers' algorithm from both corners of a pair, which can be stopped at a distance and go on
 * later. Internal to the kernels, their tests and the score that asks for distances alone. */

/** Furthest-reaching paths from one corner of a pair. The paths from the far corner are the same
 * thing with both sequences read backwards: there a place is the negative of the number of tokens
 * before it, so that paths grow towards larger places as well. A diagonal is the place in a less
 * the place in b. */
typedef struct nd_lcs_front {
    const uint32_t *a; /**< borrowed; the token after place x is a[x ^ flip] */
    const uint32_t *b;
    int32_t flip; /**< 0; or -1: from the far corner */
    int32_t a_start, a_end;
    int32_t b_end;
    int32_t source; /**< the diagonal of this corner, */
    int32_t target; /**< and of the other one */
    /** The furthest place in a that was reached on diagonal k is reach[k & 1][k >> 1]: those of one
     * step are two apart, and so lie side by side. */
    int32_t *reach[2];
} nd_lcs_front;

/** Myers under way: furthest-reaching paths from both corners of the pair. */
typedef struct nd_lcs_search {
    nd_lcs_front forward, backward;
    int32_t limit; /**< of the same parity as the diagonal of the far corner; or -2 */
    int32_t steps; /**< that the next paths will have */
} nd_lcs_search;

/** Start to look for the number of insertions and deletions between the sequences, as far as it is
 * not above `limit` (which may be any number >= -1). The paths lie in work memory until the next
 * search starts. */
void nd_lcs_search_start(nd_lcs_search *search, const nd_lcs_pair *pair, int64_t limit,
                         nd_lcs_work *work);

/** Go on until the distance is found or is above `stop`. \return the distance, or -1 */
int64_t nd_lcs_search_go(nd_lcs_search *search, int64_t stop);

/** How much of the way between the corners the paths have come so far, in [0, 1]. */
double nd_lcs_search_progress(const nd_lcs_search *search);

/** As nd_lcs_length(), by this kernel alone. */
void nd_lcs_myers(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t at_least,
                  nd_lcs_work *work, uint64_t *length);

/* ---- The bit-parallel LCS (Crochemore et al. 2001, Hyyro 2004) and the parts of it that have
 * variants for the instructions of a machine. The tokens of the shorter sequence are columns, a bit
 * each; those of the longer one are rows. After the first i rows the zeros among the bits [0, j] of
 * V are the LCS of those rows and the columns [0, j]. A row whose token matches the columns M turns
 * V into (V + (V & M)) | (V & ~M). Internal to src/lcs/ and its tests. */

enum {
    ND_LCS_WORD = 64,  /**< columns of a word of V */
    ND_LCS_TILE = 64,  /**< rows worked at a time */
    ND_LCS_PADDING = 8 /**< words that a variant may read and write past the end of V */
};

/** One way of doing the work of rows and columns. */
typedef struct nd_lcs_bits_variant {
    const char *name;
    uint32_t needs;        /**< features of the processor, see src/base/cpu.h */
    uint32_t compare_cost; /**< picoseconds to compare a token with a word of columns */
    uint32_t add_cost;     /**< to add a word of a row, */
    uint32_t row_cost;     /**< and per row besides */
    /** masks[r * stride + w]: bit j is set if tokens[r] is columns[64 w + j]. */
    void (*compare)(const uint32_t *columns, size_t words, const uint32_t *tokens, size_t rows,
                    uint64_t *masks, size_t stride);
    /** Add rows with these matches, one after the other; of each mask `words` are read. V is all
     * ones in the words that follow, up to ND_LCS_PADDING of them, and stays so. */
    void (*add)(uint64_t *v, size_t words, const uint64_t *const *masks, size_t rows);
} nd_lcs_bits_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_lcs_bits_variant *const nd_lcs_bits_variants[];
extern const size_t nd_lcs_bits_variant_count;
extern const nd_lcs_bits_variant nd_lcs_bits_plain;
#if defined(__x86_64__) && ND_SIMD
extern const nd_lcs_bits_variant nd_lcs_bits_avx2;
extern const nd_lcs_bits_variant nd_lcs_bits_avx512;
#endif

/** The fastest one of this machine. */
const nd_lcs_bits_variant *nd_lcs_bits_best(void);

enum { ND_LCS_FEW = 2 };

/** No column, and so outside of any band. */
#define ND_LCS_NO_COLUMN UINT32_MAX

/** Where an id stands among the columns. What is usual, a few places, is handled without branches:
 * of which kind the next row's id is, a processor cannot foretell. */
typedef struct nd_lcs_id_columns {
    const uint64_t *mask;     /**< if it is frequent, else NULL */
    uint32_t few[ND_LCS_FEW]; /**< its places, if these are not more, else ND_LCS_NO_COLUMN; */
    uint32_t begin;           /**< if it is neither, nd_lcs_columns.places from here */
    uint32_t end;
} nd_lcs_id_columns;

/** The columns by their ids, in work memory. */
typedef struct nd_lcs_columns {
    size_t words;   /**< of a mask */
    bool all_masks; /**< whether every id has one */
    nd_lcs_id_columns *ids;
    uint32_t *places;
} nd_lcs_columns;

/** Index the columns, whose ids are below `ids`.
 * \param[in] every_row  the masks will be read whole and row by row: rather have one for every id
 */
void nd_lcs_columns_index(nd_lcs_columns *index, const uint32_t *columns, size_t count, size_t ids,
                          bool every_row, nd_lcs_work *work);

/** The matches of an id in words [first, first + words). Places left of these are forgotten: later
 * calls for the id must not have a smaller `first`.
 * \param[in] scratch  words + 1 zeros, which may be changed
 * \return the mask, in `scratch` or of the index */
const uint64_t *nd_lcs_columns_matches(const nd_lcs_columns *index, uint32_t id, size_t first,
                                       size_t words, uint64_t *scratch);

/** The length of the pair as it is, at least its limit or 0.
 * \param[in] ids  the sequences are of numbers below this; 0: they are of any tokens, which are
 *                 compared with each other instead of being looked up: for narrow bands */
void nd_lcs_band_length(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair, size_t ids,
                        nd_lcs_work *work, uint64_t *length);

/* ---- What the kernels of the LCS cost, in picoseconds of one core: the one place from which the
 * ladder learns when to change from one to the next. Times of one machine, as tests/bench/b_lcs.c
 * measures them; another machine may change later or sooner than would be best for it. No length
 * depends on them. */

struct nd_lcs_bits_variant;

/** Whether comparing tokens with a band of columns costs less than numbering them. */
bool nd_lcs_compares(const struct nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                     uint64_t distance);

#endif
