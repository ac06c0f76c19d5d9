/** \file io/input/arc.h
 * Record headers of ARC 1 and 2, the Internet Archive's format before WARC: one line of `URL IP
 * date type length`, or with five more fields, before each block. The first record of a file, whose
 * URL is filedesc:, names the version and holds no page. URLs with blanks occur, so fields are
 * counted from the end of the line. Blocks are not looked at.
 */
#ifndef ND_IO_INPUT_ARC_H
#define ND_IO_INPUT_ARC_H

#include "io/input/archive_header.h"

#include <stdbool.h>

/** Whether a record starts here, strictly: the date must be 14 digits. For finding starts. */
bool nd_arc_begins(nd_span content);

/** Whether a record, good or bad, starts here. */
bool nd_arc_may_begin(nd_span content);

/** The first byte at or after `from` at which a line that ends in a length begins, or, where bytes
 * stand before it in its line, the first of the names that such lines begin with, as "http:";
 * bytes.size if there is none. */
size_t nd_arc_next(nd_span bytes, size_t from);

/** Read a header.
 * \return ND_OK (out->fault may be set); ND_END if `bytes` does not hold the line's end;
 *         ND_ERR_FORMAT if no record starts here */
nd_status nd_arc_parse(nd_span bytes, nd_archive_header *out);

#endif
