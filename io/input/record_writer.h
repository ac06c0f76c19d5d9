/** \file io/input/record_writer.h
 * A crawl written to a file, page by page, in a form that the reader takes: WARC 1.1 with a gzip
 * member per record, or JSONL. The file has its name only when it is complete; until then it ends
 * in ".partial". Which pages there are is decided elsewhere.
 */
#ifndef ND_IO_INPUT_RECORD_WRITER_H
#define ND_IO_INPUT_RECORD_WRITER_H

#include "src/base/buffer.h"

typedef enum nd_record_format {
    ND_RECORD_WARC, /**< compressed */
    ND_RECORD_JSONL /**< plain: fields id, url, html */
} nd_record_format;

/** A page to be written; all borrowed. */
typedef struct nd_written_page {
    nd_span id; /**< a URI */
    nd_span url;
    nd_span html; /**< UTF-8 */
} nd_written_page;

typedef struct nd_record_writer nd_record_writer;

/** What files of a format end in. */
const char *nd_record_suffix(nd_record_format format);

/** The header of a WARC record: all without line ends. */
typedef struct nd_warc_header {
    const char *type;
    nd_span id;
    nd_span url;  /**< empty: none */
    nd_span with; /**< id of a record of the same capture; empty: none */
    const char *date;
    const char *content_type;
} nd_warc_header;

/** Append a WARC record to a buffer, not compressed.
 * \param[in] block  what it holds, in two parts, one after the other */
nd_status nd_warc_append(nd_buffer *out, const nd_warc_header *header, const nd_span block[2]);

/** Begin a file; an old one of that name is replaced.
 * \param[out] out  the caller's to close; NULL on failure
 * \return ND_OK, ND_ERR_IO or ND_ERR_MEMORY, as all that follow */
nd_status nd_record_writer_open(const char *path, nd_record_format format, nd_record_writer **out);

/** Write one page. */
nd_status nd_record_writer_add(nd_record_writer *writer, const nd_written_page *page);

/** Complete the file and give it its name, or, if `st` is a failure, remove it; NULL is fine;
 * *writer becomes NULL. \return `st` if that is a failure, else how completing it went */
nd_status nd_record_writer_close(nd_record_writer **writer, nd_status st);

#endif
