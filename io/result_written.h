/** \file io/result_written.h
 * What a caller wrote to a result file, by checksums, so that it can be read again once the file is
 * closed: MPI-IO may lose a write on a full disk and report success. For result_file.c, which notes
 * what it writes, and for those who create results. Values are not kept.
 */
#ifndef ND_IO_RESULT_WRITTEN_H
#define ND_IO_RESULT_WRITTEN_H

#include "io/result_file.h"

/** Note this caller's part of a column. \return ND_OK or ND_ERR_MEMORY */
nd_status nd_result_written_column(nd_result *result, const char *name, nd_column_type type,
                                   const nd_slab *slab, const void *values);

/** Note an attribute's value: `size` bytes, of a text with its NUL. */
nd_status nd_result_written_attribute(nd_result *result, const char *name, bool text,
                                      const void *value, size_t size);

/** Not collective. Read everything noted from the closed file and compare.
 * \return ND_OK; ND_ERR_IO, naming the file and the first thing that is not there as it was
 *         written; or ND_ERR_MEMORY */
nd_status nd_result_written_check(const nd_result *result);

/** Forget what was noted. */
void nd_result_written_free(nd_result *result);

#endif
