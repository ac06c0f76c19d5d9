/** \file src/compare/lcs_internal.h
 * What the LCS kernels share: a pair of sequences on its way down the ladder, the lossless steps
 * that shorten it, and the kernels in the form in which the ladder calls them. Internal to
 * src/compare/ and its tests.
 */
#ifndef ND_COMPARE_LCS_INTERNAL_H
#define ND_COMPARE_LCS_INTERNAL_H

#include "src/compare/lcs.h"

#include <stdbool.h>

/** The uses of nd_lcs_work.memory. */
enum nd_lcs_memory {
    ND_LCS_SLOTS, /**< hash table of distinct tokens */
    ND_LCS_IDS_A, /**< reduced sequences */
    ND_LCS_IDS_B,
    ND_LCS_SEEN,       /**< which ids the second sequence holds */
    ND_LCS_REACH,      /**< Myers: furthest points of the diagonals */
    ND_LCS_IDS,        /**< bits: the ids */
    ND_LCS_ENTRIES,    /**< bits: where the rare ids stand */
    ND_LCS_ROWS,       /**< bits: the row of the table, masks of the frequent ids */
    ND_LCS_GRAM_SLOTS, /**< hash table of distinct q-grams */
    ND_LCS_GRAM_FIRST,
    ND_LCS_GRAM_A, /**< numbers of the q-grams */
    ND_LCS_GRAM_B,
    ND_LCS_GRAM_COUNT,
    ND_LCS_SHINGLE_BUCKETS, /**< jaccard: the table of the sequence that was compared last */
    ND_LCS_SHINGLES,
    ND_LCS_RUNS_LISTS,  /**< runs: where the q-grams stand */
    ND_LCS_RUNS_FINISH, /**< runs: first ends of common sequences, by length */
    ND_LCS_RUNS_RING,   /**< runs: values of the latest rows */
    ND_LCS_MATCH_ROWS,  /**< matches: rows of the table */
    ND_LCS_MATCH_STARTS,
    ND_LCS_MATCHES,
    ND_LCS_USES
};
_Static_assert((int)ND_LCS_USES <= (int)ND_LCS_MEMORIES, "a use of work memory has no place");

/** Two sequences (borrowed) and the smallest length of interest of what is left of them. */
typedef struct nd_lcs_pair {
    const uint32_t *a;
    const uint32_t *b;
    size_t n;
    size_t m;
    uint64_t at_least;
} nd_lcs_pair;

/** `bytes` of uninitialised memory for one use, valid until the next call for that use.
 * \param[out] memory  address of a pointer \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_room(nd_lcs_work *work, enum nd_lcs_memory use, size_t bytes, void *memory);

/** Whether even the shorter sequence is too short for the limit. */
static inline bool nd_lcs_hopeless(const nd_lcs_pair *pair) {
    return pair->at_least > (pair->n < pair->m ? pair->n : pair->m);
}

/** Cut off the common prefix and suffix. \return their length; the limit is lowered by it */
uint64_t nd_lcs_cut_ends(nd_lcs_pair *pair);

/** Replace the sequences by those of their shared tokens, numbered from 0 (in work memory).
 * \param[out] ids  how many numbers were given \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_reduce(nd_lcs_pair *pair, nd_lcs_work *work, size_t *ids);

/** Myers: the number of insertions and deletions between the sequences, or -1 if it is above
 * `limit` (which may be any number >= -1). \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_distance(const nd_lcs_pair *pair, int64_t limit, nd_lcs_work *work,
                          int64_t *distance);

/** One way of working a row of the bit-parallel kernel. */
typedef struct nd_lcs_bits_variant {
    const char *name;
    size_t group;           /**< words taken at a time */
    int (*supported)(void); /**< whether this machine has the instructions */
    /** v = (v + (v & mask)) | (v & ~mask) as one long number; `words` is a multiple of `group` */
    void (*add_words)(uint64_t *v, const uint64_t *mask, size_t words);
} nd_lcs_bits_variant;

/** All variants compiled in, the slowest first; [0] is the plain one. */
extern const nd_lcs_bits_variant nd_lcs_bits_variants[];
extern const size_t nd_lcs_bits_variant_count;

/** The fastest one of this machine. */
const nd_lcs_bits_variant *nd_lcs_bits_best(void);

/** A word of the mask of a rare id that is not zero. */
typedef struct nd_lcs_entry {
    uint64_t mask;
    size_t word;
} nd_lcs_entry;

/** Where an id stands among the columns. */
typedef struct nd_lcs_id_columns {
    uint64_t *mask; /**< its mask, if the id is frequent; else NULL, and there are entries: */
    size_t begin;
    size_t end;
} nd_lcs_id_columns;

/** The table of the bit-parallel kernel, row by row. Set the first six before starting. */
typedef struct nd_lcs_rows {
    const nd_lcs_bits_variant *variant;
    const uint32_t *columns; /**< ids */
    const uint32_t *rows;
    size_t column_count;
    size_t row_count;
    uint64_t at_least;
    uint64_t *v; /**< zeros among the bits [0, j]: the LCS of the rows so far and columns [0, j] */
    uint64_t *scratch; /**< all zero between rows; the mask of a rare id is put together here */
    size_t words;      /**< of v that stand for columns */
    size_t stride;     /**< of v, scratch and each mask: words, and room for the last group */
    size_t first_word; /**< left end of the band, in words of v */
    size_t touched;    /**< words of v from here on are still all ones */
    uint64_t left;     /**< zeros of v left of the band, where nothing changes any more */
    nd_lcs_id_columns *ids;
    nd_lcs_entry *entries;
} nd_lcs_rows;

/** Masks of the columns, whose ids are below `ids`, and an empty row. All memory is of the work.
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_rows_start(nd_lcs_rows *table, size_t ids, nd_lcs_work *work);

/** Work the row of that id, up to the columns of word `end_word`. */
void nd_lcs_rows_add(nd_lcs_rows *table, uint32_t id, size_t end_word);

/** Bit-parallel, of a reduced pair with numbers below `ids`. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_lcs_bits_reduced(const nd_lcs_bits_variant *variant, const nd_lcs_pair *pair,
                              size_t ids, nd_lcs_work *work, uint64_t *length);

/** nd_lcs_bits() by one variant that this machine supports. */
nd_status nd_lcs_bits_by(const nd_lcs_bits_variant *variant, nd_lcs_pair pair, nd_lcs_work *work,
                         uint64_t *length);

#endif
