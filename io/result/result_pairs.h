/** \file io/result/result_pairs.h
 * The verified pairs of a result file, block by block in their order, for commands that read a
 * result which keeps them. Nothing is written, and pages are numbers here.
 */
#ifndef ND_IO_RESULT_RESULT_PAIRS_H
#define ND_IO_RESULT_RESULT_PAIRS_H

#include "io/result/result_schema.h"

/** A block of consecutive pairs, column by column; nd_pair_rows_open() first. Everything is owned;
 * all zero may be freed. */
typedef struct nd_pair_rows {
    const nd_result *result; /**< borrowed */
    uint64_t pages;          /**< of the result */
    uint64_t total;          /**< pairs of the result */
    uint64_t next;           /**< the first pair that was not read yet */
    uint64_t count;          /**< of this block */
    uint64_t *a, *b;         /**< page numbers, a < b < pages */
    float *similarity;
} nd_pair_rows;

/** Does the result, opened by nd_result_open(), keep its pairs? Not collective, as all that follow.
 */
bool nd_result_keeps_pairs(const nd_result *result);

/** Before the first block. \return ND_OK; ND_ERR_FORMAT with a text that says how to keep them if
 * the result has no pairs; ND_ERR_IO or ND_ERR_MEMORY; rows may be freed after all of these */
nd_status nd_pair_rows_open(nd_pair_rows *rows, const nd_result *result);

/** The next block; count is 0 after the last.
 * \return ND_OK, ND_ERR_IO, or ND_ERR_FORMAT if a pair is none of two pages of the result, or its
 * similarity not of [0, 1] */
nd_status nd_pair_rows_next(nd_pair_rows *rows);

void nd_pair_rows_free(nd_pair_rows *rows);

#endif
