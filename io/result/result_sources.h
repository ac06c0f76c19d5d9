/** \file io/result/result_sources.h
 * Where the inputs of a result are, one at a time: a result may have as many sources as pages, so
 * their paths are not read all at once. Inputs are found as the run found them or, if the result
 * was moved together with them, by the same path from its own folder. What is in them is not looked
 * at.
 */
#ifndef ND_IO_RESULT_RESULT_SOURCES_H
#define ND_IO_RESULT_RESULT_SOURCES_H

#include "io/result/result_schema.h"
#include "src/base/buffer.h"

/** Put one text of a table in place of what `text` has, with a NUL after it that counts.
 * \param[in] row  below the rows of the table
 * \return ND_OK, ND_ERR_FORMAT if offsets and bytes do not agree, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text);

/** The path of source `row` as the run had it, NUL included. */
nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name);

/** The path by which source `row` can be opened, NUL included: as the run had it, or, if that is
 * relative and there is no such file, from the folder of the result. Where neither is a file it is
 * the name: opening it says so. */
nd_status nd_result_source_path(const nd_result *result, uint64_t row, nd_buffer *path);

#endif
