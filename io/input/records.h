/** \file io/input/records.h
 * Records of crawls as bytes, pages or not: walked over as places, copied as they are, and written
 * anew. Files are written under a name that ends in ".partial" until they are complete. What a
 * record means, and which are wanted, is decided elsewhere.
 */
#ifndef ND_INPUT_RECORDS_H
#define ND_INPUT_RECORDS_H

#include "io/input/reader.h"
#include "io/input/stream.h"
#include "io/store/own_file.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/* ---- A walk over all records of a source, pages or not, as places: where each begins, what it is
 * called, to which other it belongs. For copying records as they are: blocks are passed over, not
 * understood. Records are found as a reader finds them (io/input/record_frame.h), whatever is
 * damaged; where a run has met pages is known, so that a source whose pages are not where they were
 * shows. A record goes from where it begins to where the next one does, so that all bytes of a
 * source are of some record. */

/** How the bytes of a source's records may be had. */
typedef enum nd_walk_form {
    ND_WALK_FILE,   /**< the file is one record, whatever its codec */
    ND_WALK_RAW,    /**< places are bytes of the file: records are copied as they lie there */
    ND_WALK_PACKED, /**< places are unpacked bytes: what is left has to be packed again */
} nd_walk_form;

typedef enum nd_walked_kind {
    ND_WALKED_RECORD,      /**< of its own: a page, or anything else that was captured */
    ND_WALKED_COMPANION,   /**< of the capture of another record */
    ND_WALKED_INFORMATION, /**< of the file itself */
    ND_WALKED_UNKNOWN      /**< bytes in which no record can be found, or one of no use */
} nd_walked_kind;

/** One record; views last until the next call. */
typedef struct nd_walked {
    nd_walked_kind kind;
    uint64_t begin;
    nd_span id, url;   /**< of archives */
    nd_span with;      /**< id of a record of the same capture */
    uint64_t checksum; /**< of a record where a page is to be; see nd_walk_compare() */
    nd_span line;      /**< of JSONL: the whole line, without its line end */
    nd_span digest;    /**< of archives: of what was captured, as the record names it */
    nd_span block;     /**< and, where a page is to be that is not beyond a limit, the record after
                            its header: HTTP, or a document */
    nd_span type;      /**< media type of the block */
} nd_walked;

typedef struct nd_walk nd_walk;

/** Open a source. \param[in] path  borrowed until the walk is closed
 * \param[in] options  as of the run, of which max_page_bytes and memory count: longer lines are no
 *                     pages, and no frame of zstd gets a larger window
 * \param[out] out  the caller's to close; NULL on failure
 * \return as nd_reader_open() */
nd_status nd_walk_open(const char *path, const nd_reader_options *options, nd_walk **out);

nd_walk_form nd_walk_form_of(const nd_walk *walk);

/** Is it an archive? WARC, to which records may be added? JSONL, in which each record is a line? */
bool nd_walk_is_archive(const nd_walk *walk);
bool nd_walk_is_warc(const nd_walk *walk);
bool nd_walk_is_jsonl(const nd_walk *walk);

nd_codec nd_walk_codec(const nd_walk *walk);

/** How its records are found after damage, as nd_record_copy_open() takes it. */
const nd_starts *nd_walk_starts(const nd_walk *walk);

/** The next record.
 * \param[in] page  where the next page begins that was not met yet; UINT64_MAX if there is none
 * \return ND_OK; ND_END after the last; ND_ERR_CHANGED: what was a page is none; or as
 *         nd_reader_next() */
nd_status nd_walk_next(nd_walk *walk, uint64_t page, nd_walked *walked);

/** Is the record that was given last, where a page is to be, that of this checksum
 * (io/input/reader.h)? \return ND_OK, or as nd_reader_next() */
nd_status nd_walk_compare(const nd_walk *walk, const nd_walked *walked, uint64_t checksum,
                          bool *same);

/** NULL, or why a source of ND_WALK_PACKED ends before its file does; after ND_END. */
const char *nd_walk_damage(const nd_walk *walk);

/** Where the source ends, as places are counted; after ND_END. */
uint64_t nd_walk_end(const nd_walk *walk);

/** The sum of all blocks of the source (file_window.h); what was passed over is read.
 * \return as nd_reader_next() */
nd_status nd_walk_block_sum(nd_walk *walk, uint64_t *sum);

/** Close; NULL is fine; *walk becomes NULL. */
void nd_walk_close(nd_walk **walk);

/* ---- Parts of a source in a new file of the same form: as they lie there, or, where the source is
 * compressed as a whole, unpacked and packed again; and bytes of our own between them. Which parts
 * is decided elsewhere (a walk gives the places). The file's name ends in
 * ".partial" until a batch, which takes the complete file, is published. A file without any bytes
 * is not made; of a compressed source without any part there is one compressed member of nothing.
 * Memory is bounded whatever is copied. */

typedef struct nd_record_copy nd_record_copy;

/** Begin a file.
 * \param[in] source  borrowed until it is closed
 * \param[in] packed  places are unpacked bytes, which are packed by `codec` again
 * \param[in] codec   of the source
 * \param[in] starts  of places that go on after damage, how; NULL: they end there. Borrowed
 * likewise \param[out] out    the caller's to close; NULL on failure \return ND_OK, ND_ERR_IO,
 * ND_ERR_MEMORY, or as nd_stream_open() */
nd_status nd_record_copy_open(const char *source, bool packed, nd_codec codec,
                              const nd_starts *starts, const char *path, nd_record_copy **out);

/** Copy bytes [begin, end) of the source, not before those copied last.
 * \return as above; ND_ERR_CHANGED if the source has fewer */
nd_status nd_record_copy_range(nd_record_copy *copy, uint64_t begin, uint64_t end);

/** Add bytes: in a source with compressed records as one more record. */
nd_status nd_record_copy_add(nd_record_copy *copy, nd_span bytes);

/** Bytes of the new file so far, once they are written. */
uint64_t nd_record_copy_bytes(const nd_record_copy *copy);

/** Complete the file and add it to the batch, or, if `st` is a failure or there are no bytes,
 * remove it; NULL is fine; *copy becomes NULL. \param[out] made  whether the batch has got it; may
 * be NULL \return `st` if that is a failure, else how completing it went */
nd_status nd_record_copy_close(nd_record_copy **copy, nd_status st, nd_own_batch *batch,
                               bool *made);

/* ---- a crawl written to a file, page by page, in a form that the reader takes: WARC 1.1 with
 * a gzip member per record, or JSONL */

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
void nd_warc_append(nd_buffer *out, const nd_warc_header *header, const nd_span block[2]);

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
