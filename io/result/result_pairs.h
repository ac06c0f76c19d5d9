/** \file io/result/result_pairs.h
 * The pairs of pages of a result file, block by block in their order, for commands that read a
 * result which keeps them: those that were verified, or those of which one is contained in the
 * other. Nothing is written, and pages are numbers here.
 */
#ifndef ND_IO_RESULT_RESULT_PAIRS_H
#define ND_IO_RESULT_RESULT_PAIRS_H

#include "io/result/result_schema.h"

/** The columns of a table of pairs, in the order of (a, b). */
typedef struct nd_pair_columns {
    const char *group, *a, *b, *similarity;
    bool directed;   /**< the pages differ; else a < b */
    const char *how; /**< a run is asked for them */
} nd_pair_columns;

extern const nd_pair_columns nd_verified_columns;  /**< /pairs */
extern const nd_pair_columns nd_contained_columns; /**< /contained: page, container, share */

/** Not collective, as all that follow. Find the pair among the rows, by a binary search.
 * \param[out] found       false: it is none of them
 * \param[out] similarity  if it is \return as nd_result_read() */
nd_status nd_pair_find(const nd_result *result, const nd_pair_columns *columns, uint64_t a,
                       uint64_t b, bool *found, float *similarity);

/** A block of consecutive pairs, column by column; nd_pair_rows_open() first. Everything is owned;
 * all zero may be freed. */
typedef struct nd_pair_rows {
    const nd_result *result; /**< borrowed */
    const nd_pair_columns *columns;
    uint64_t pages;     /**< of the result */
    uint64_t total;     /**< pairs of the result */
    uint64_t next;      /**< the first pair that was not read yet */
    uint64_t count;     /**< of this block */
    uint64_t *a, *b;    /**< page numbers, as `columns` says */
    uint64_t before[2]; /**< the last pair of the block before */
    float *similarity;
} nd_pair_rows;

/** Does the result, opened by nd_result_open(), keep its verified pairs? */
bool nd_result_keeps_pairs(const nd_result *result);

/** Before the first block. \return ND_OK; ND_ERR_FORMAT with a text that says how to keep them if
 * the result has no pairs; ND_ERR_IO or ND_ERR_MEMORY; rows may be freed after all of these */
nd_status nd_pair_rows_open(nd_pair_rows *rows, const nd_result *result,
                            const nd_pair_columns *columns);

/** The next block; count is 0 after the last.
 * \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT if a pair is none of two pages of the result, does not
 * stand in its order, or its similarity is not of [0, 1] */
nd_status nd_pair_rows_next(nd_pair_rows *rows);

/** Read all rows, if there are any. \return as nd_pair_rows_open() and nd_pair_rows_next() */
nd_status nd_pair_rows_check(const nd_result *result, const nd_pair_columns *columns);

void nd_pair_rows_free(nd_pair_rows *rows);

#endif
