/** \file io/result/tab_lines.h
 * Files of tab-separated columns, plain, .gz or .zst, line by line. Fields are bytes taken as they
 * are (nothing is unescaped, no header, no comments); empty lines are passed over. What the columns
 * mean, the caller knows.
 */
#ifndef ND_IO_RESULT_TAB_LINES_H
#define ND_IO_RESULT_TAB_LINES_H

#include "src/base/buffer.h"

#include <stdbool.h>

/** A line that is not empty; all borrowed until the visitor returns. */
typedef struct nd_tab_line {
    const char *path;
    uint64_t number; /**< from 1; empty lines are counted */
    nd_span text;    /**< without the line end */
} nd_tab_line;

/** Takes a line. \param[out] stop  set it to read no further
 * \return anything but ND_OK ends the reading too */
typedef nd_status nd_tab_line_visitor(void *context, const nd_tab_line *line, bool *stop);

/** Call `visit` for each line that is not empty.
 * \return ND_OK, ND_ERR_IO, ND_ERR_FORMAT (damaged), ND_ERR_MEMORY, or what `visit` returned */
nd_status nd_tab_lines_read(const char *path, nd_tab_line_visitor *visit, void *context);

/** Column `number` of a line, counted from 1. \return false if the line has fewer */
bool nd_tab_line_column(const nd_tab_line *line, uint64_t number, nd_span *column);

/** Count a line that cannot be used; of the first one, keep file, line and why in `first`. */
void nd_tab_line_reject(const nd_tab_line *line, const char *why, uint64_t *rejected, char *first,
                        size_t size);

#endif
