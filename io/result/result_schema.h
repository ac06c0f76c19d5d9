/** \file io/result/result_schema.h
 * What a result consists of: its columns, the parameters of its run, and whether a file that was
 * written is what was meant.
 *
 * The columns of a result, as io/README.md describes them, and opening a result whose columns
 * agree: each there and of its type, all columns of a table of one length, pages and sets as many
 * as the attributes say, offsets of texts beginning with 0 and ending where the bytes end. So
 * readers may take memory by these counts, and look up rows by numbers below them. What stands in
 * the rows is checked as it is read (io/result/result_read.h, io/result/result_read.h), or all of
 * it by io/result/result_check.h.
 */
#ifndef ND_RESULT_RESULT_SCHEMA_H
#define ND_RESULT_RESULT_SCHEMA_H

#include "io/result/result_file.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** Not collective. Open for reading and fill in `shape`; a few milliseconds whatever the size.
 * \return as nd_result_open_file(), and ND_ERR_FORMAT if columns do not agree */
nd_status nd_result_open(nd_result *result, const char *path);

/** What rows a column has. Of texts, the bytes stand beside their offsets. */
typedef struct nd_schema_column {
    const char *name;
    nd_column_type type;
    size_t table;      /**< offset in nd_result_shape of its number of rows */
    uint64_t more;     /**< 1: one row more, as offsets have */
    const char *bytes; /**< of offsets of texts: the column of the bytes; else NULL */
    bool optional;     /**< a result may lack it */
} nd_schema_column;

/** Is it a similarity? False for what is no number. */
static inline bool nd_is_share(float similarity) {
    return similarity >= 0 && similarity <= 1;
}

/** The groups that every result is made with, NULL after the last; those of pairs come as there are
 * any (nd_pair_columns). */
extern const char *const nd_result_groups[];

/** All columns but those of bytes. \param[out] count  how many */
const nd_schema_column *nd_result_schema(size_t *count);

/** May the file lack the column, and does it? */
bool nd_result_lacks(const nd_result *result, const nd_schema_column *column);

/** Offsets [begin, begin + count] of `name`, which are count + 1 numbers, in ascending order
 * (strictly: no row is empty) and at most `end`. \return ND_OK; ND_ERR_FORMAT if they are not;
 * ND_ERR_IO */
nd_status nd_result_read_offsets(const nd_result *result, const char *name, uint64_t begin,
                                 uint64_t count, bool strictly, uint64_t end, uint64_t *offsets);

/* ---- Parameters of a run as a JSON object of names and values: adding one, and comparing those of
 * two runs. What the parameters mean is not known here. */

/** Set a text parameter in a JSON object.
 * \param[in,out] text  the object, NUL included; NULL or an empty buffer: an empty object
 * \return ND_OK, ND_ERR_MEMORY, or ND_ERR_FORMAT if it is no object */
nd_status nd_parameters_set(nd_buffer *text, const char *name, const char *value);

/** Do two objects differ? \param[out] difference  the first parameter that does, with both values:
 * "threshold was 0.46 and is 0.5" */
bool nd_parameters_differ(const char *before, const char *now, char *difference, size_t size);

/* ---- A closed result file read again and compared with the notes of what was written to it:
 * MPI-IO may lose a write on a full disk and report success. For those who create results. */

/** Not collective. Read from the closed file one of `parts` parts of each column noted, in whole
 * chunks, and the attributes noted, and take that from their sums: those of all parts together are
 * 0 then.
 * \return ND_OK; ND_ERR_IO, naming the file and what cannot be read; or ND_ERR_MEMORY */
nd_status nd_result_read_again(nd_result *result, int part, int parts);

/** Not collective. Are the sums 0? \return ND_OK; ND_ERR_IO, naming the file and the first thing
 * that is not there as it was written */
nd_status nd_result_written_check(const nd_result *result);

/** Say what of a result is wrong (printf format): that it is damaged, or not written by neardup.
 * \return ND_ERR_FORMAT */
nd_status nd_result_damaged(const nd_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
