/** \file io/result/result_sources.h
 * The inputs of a result, read again, one at a time: a result may have as many sources as pages, so
 * their paths are not read all at once. How an input is found and read again is io/input/reread.h:
 * what its invariant says holds of results as well (/pages/checksum).
 */
#ifndef ND_IO_RESULT_RESULT_SOURCES_H
#define ND_IO_RESULT_RESULT_SOURCES_H

#include "io/input/other_reason.h"
#include "io/input/reread.h"
#include "io/result/result_pages.h"

/** Put one text of a table in place of what `text` has, with a NUL after it that counts.
 * \param[in] row  below the rows of the table
 * \return ND_OK, ND_ERR_FORMAT if offsets and bytes do not agree, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_text_read(const nd_result *result, const char *offset_name,
                              const char *bytes_name, uint64_t row, nd_buffer *text);

/** The path of source `row` as the run had it, NUL included. \return as nd_result_text_read(), and
 * ND_ERR_FORMAT if it holds another NUL */
nd_status nd_result_source_name(const nd_result *result, uint64_t row, nd_buffer *name);

/** Why records are no pages, and how many for each reason (/other); nothing where the result does
 * not say. \param[out] others  ND_OTHERS counts, by nd_other_reason
 * \return ND_OK, ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_others(const nd_result *result, uint64_t *others);

/** In place of a page's number: there is none. */
#define ND_NO_PAGE UINT64_MAX

/** Is a source there, and of the size that it had?
 * \param[in] name   its path as the run had it
 * \param[in] page   what it is wanted for, or ND_NO_PAGE
 * \param[out] path  by which it can be opened, NUL included
 * \param[out] info  of the file
 * \return ND_OK; ND_ERR_CHANGED; ND_ERR_IO or ND_ERR_MEMORY */
nd_status nd_result_source_look(const nd_result *result, nd_span name, uint64_t bytes,
                                uint64_t page, nd_buffer *path, struct stat *info);

/** Say that an input is not what it was, and for what it is wanted. \return ND_ERR_CHANGED, or a
 * failure to read the page's name */
nd_status nd_result_refuse(const nd_result *result, const char *path, uint64_t page,
                           const char *why);

/** The same, where the record of the page is another one. */
nd_status nd_result_refuse_record(const nd_result *result, const char *path, uint64_t page,
                                  uint64_t offset);

/** Records of pages of a result, in any order. All zero may only be closed. */
typedef struct nd_source_reader {
    const nd_result *result;
    nd_reread from; /**< from.record is of the page read last, from.path its input */
    nd_reread_fields fields;
    nd_buffer name;
} nd_source_reader;

/** \param[in] result, options  borrowed until it is closed: how the run read its inputs, as far as
 *                              its result does not say: the limits, and of an earlier neardup the
 *                              fields of JSONL
 * \return ND_OK; ND_ERR_USAGE if the options name fields of JSONL by which the run read nothing;
 *         ND_ERR_FORMAT, ND_ERR_IO or ND_ERR_MEMORY; to be closed in any case */
nd_status nd_source_reader_begin(nd_source_reader *reader, const nd_result *result,
                                 const nd_reader_options *options);

/** Read the record of page `i` of `rows`: reader->from.record, until the next call.
 * \return ND_OK; ND_ERR_CHANGED; or as nd_reader_open() */
nd_status nd_source_reader_page(nd_source_reader *reader, const nd_page_rows *rows, uint64_t i);

/** Has that page as many tokens as in the run? Else the --jsonl options may be others.
 * \return ND_OK or ND_ERR_CHANGED */
nd_status nd_source_reader_check_tokens(const nd_source_reader *reader, const nd_page_rows *rows,
                                        uint64_t i, uint64_t tokens);

void nd_source_reader_close(nd_source_reader *reader);

#endif
