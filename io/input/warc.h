/** \file io/input/warc.h
 * Record headers of WARC 1.0 and 1.1 (ISO 28500; WET and WAT are WARC too). Blocks are not looked
 * at. `response` holds an HTTP message, `resource` and `conversion` hold a document; a `revisit`
 * holds none, but says of which capture it is a copy; a `continuation` holds no whole page and
 * counts as other.
 */
#ifndef ND_IO_INPUT_WARC_H
#define ND_IO_INPUT_WARC_H

#include "io/input/archive_header.h"

#include <stdbool.h>

/** Whether a record starts here, as strictly as an archive can be asked: version line, then fields
 * among which are a type and a length. For finding starts. */
bool nd_warc_begins(nd_span content);

/** Whether a record, good or bad, starts here: only the version line is looked at. */
bool nd_warc_may_begin(nd_span content);

/** The first byte at or after `from` at which nd_warc_may_begin(); bytes.size if there is none. */
size_t nd_warc_next(nd_span bytes, size_t from);

/** Read a header.
 * \return ND_OK (out->fault may be set); ND_END if `bytes` does not hold the header's end;
 *         ND_ERR_FORMAT if no record starts here */
nd_status nd_warc_parse(nd_span bytes, nd_archive_header *out);

#endif
