/** \file io/result/tab_lines.h
 * Files of tab-separated columns, plain, .gz or .zst, line by line. Fields are bytes taken as they
 * are (nothing is unescaped, no header, no comments); a byte order mark and empty lines are passed
 * over, and lines end in LF or CRLF. What the columns mean, the caller knows.
 */
#ifndef ND_IO_RESULT_TAB_LINES_H
#define ND_IO_RESULT_TAB_LINES_H

#include "io/input/stream.h"

/** An open file and one of its lines, which is not empty. */
typedef struct nd_tab_lines {
    const char *path; /**< borrowed */
    uint64_t number;  /**< of the line, from 1; empty ones are counted */
    nd_span text;     /**< of the line, without its end; until the next one is asked for */
    nd_stream *stream;
    size_t taken; /**< bytes under the stream's cursor that are the line's */
} nd_tab_lines;

/** Open a file, before its first line. \return ND_OK, or as nd_stream_open(): to be closed too */
nd_status nd_tab_lines_open(nd_tab_lines *lines, const char *path);

/** Go to the next line that is not empty.
 * \return ND_OK; ND_END after the last; ND_ERR_FORMAT (damaged), or as nd_stream_need() */
nd_status nd_tab_lines_next(nd_tab_lines *lines);

/** Column `number` of the line, counted from 1. \return false if it has fewer */
bool nd_tab_lines_column(const nd_tab_lines *lines, uint64_t number, nd_span *column);

/** Count the line as one that cannot be used; of the first such, keep file, line and why. */
void nd_tab_lines_reject(const nd_tab_lines *lines, const char *why, uint64_t *rejected,
                         char *first, size_t size);

/** Close. \return `st`, how the reading went, and ND_OK for ND_END */
nd_status nd_tab_lines_close(nd_tab_lines *lines, nd_status st);

#endif
