/** \file io/input/record_walk.h
 * A walk over all records of a source, pages or not, as places: where each begins, what it is
 * called, to which other it belongs. For copying records as they are: blocks are passed over, not
 * understood. Records are found as a reader finds them (io/input/record_frame.h), whatever is
 * damaged; where a run has met pages is known, so that a source whose pages are not where they were
 * shows. A record goes from where it begins to where the next one does, so that all bytes of a
 * source are of some record.
 */
#ifndef ND_IO_INPUT_RECORD_WALK_H
#define ND_IO_INPUT_RECORD_WALK_H

#include "io/input/reader.h"
#include "io/input/stream.h"

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

/** The sum of all blocks of the source (block_sum.h); what was passed over is read.
 * \return as nd_reader_next() */
nd_status nd_walk_block_sum(nd_walk *walk, uint64_t *sum);

/** Close; NULL is fine; *walk becomes NULL. */
void nd_walk_close(nd_walk **walk);

#endif
