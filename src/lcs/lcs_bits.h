/** \file src/lcs/lcs_bits.h
 * The bit-parallel LCS (Crochemore et al. 2001, Hyyro 2004) and the parts of it that have variants
 * for the instructions of a machine. The tokens of the shorter sequence are columns, a bit each;
 * those of the longer one are rows. After the first i rows the zeros among the bits [0, j] of V are
 * the LCS of those rows and the columns [0, j]. A row whose token matches the columns M turns V
 * into (V + (V & M)) | (V & ~M). Internal to src/lcs/ and its tests.
 */
#ifndef ND_LCS_LCS_BITS_H
#define ND_LCS_LCS_BITS_H

#include "src/base/cpu.h"
#include "src/lcs/lcs_pair.h"
#include "src/lcs/lcs_work.h"

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

#endif
