/** \file io/input/reader.h
 * One interface for every kind of input: a source (one input file) is opened for a range of its
 * bytes, a unit, and gives the pages that start in that range, one after the other. The kind is
 * recognised by content, not by name. What is not a page (a request, an image, a redirect) is
 * passed over and counted; what should be a page but cannot be used is counted, and reported to
 * `skip` with its place and reason. Text is delivered as UTF-8. No ranks here.
 *
 * Ranges: the pages of adjacent ranges, put together, are the pages of the whole source, for any
 * cut. To make that checkable for formats in which a start must be searched (gzip members, WARC
 * headers), a reader says where its first record started and where the first record at or after
 * the range's end starts; a caller that reads adjacent ranges compares the two. Where they differ,
 * the later range started falsely (inside a payload that looks like a record) and is to be read
 * again with `begin` at the place that the earlier one gave. Damage, and records whose own start is
 * spoilt so that no search would find it, belong to the range that comes upon them from before.
 */
#ifndef ND_IO_INPUT_READER_H
#define ND_IO_INPUT_READER_H

#include "io/input/file_window.h"
#include "io/input/jsonl.h"
#include "io/input/sniff.h"
#include "io/store/page_claim.h"
#include "src/base/buffer.h"

#include <stdbool.h>

/** How the text of a page is to be read. */
typedef enum nd_content_kind { ND_CONTENT_HTML, ND_CONTENT_TEXT } nd_content_kind;

/** One page, borrowed from the reader until its next call. */
typedef struct nd_record {
    nd_content_kind content;
    nd_span text;        /**< UTF-8; transfer and content encodings undone */
    nd_span id;          /**< the input's own id; empty if it has none (WARC: the record id) */
    nd_span url;         /**< empty if the input has none */
    uint64_t date;       /**< of its capture, seconds since 1970 UTC; 0: unknown */
    uint64_t checksum;   /**< XXH3 of the record's unpacked bytes: header and block, line or file */
    uint64_t offset;     /**< byte of the source at which the record starts (compressed sources: the
                              member or frame that it begins, or else the last one before that begins a
                              record; an input without restart points: its uncompressed byte) */
    bool revisit;        /**< it has no text: it is a copy of another capture */
    nd_page_claim claim; /**< by what that is found; of others, what revisits find them by */
} nd_record;

/** What a reader has seen in its range so far. records = pages + other + skipped. */
typedef struct nd_reader_counts {
    uint64_t records;  /**< every record of the format, usable or not */
    uint64_t pages;    /**< delivered */
    uint64_t other;    /**< not a page: requests, metadata, images, redirects, errors, ... */
    uint64_t revisits; /**< of all: what WARC says is a copy of another capture */
    uint64_t skipped;  /**< cannot be used, or not be used whole; each was reported to skip() */
    uint64_t gaps;     /**< of those: bytes that were passed over, and records that are cut off */
    uint64_t others[ND_OTHERS]; /**< of `other`: for each reason */
    uint64_t bytes;             /**< bytes of the source gone through, for progress */
} nd_reader_counts;

typedef struct nd_reader_options {
    const char *jsonl_id; /**< name of the JSONL fields; NULL: "id", "url", "text", "html" */
    const char *jsonl_url;
    const char *jsonl_text;
    const char *jsonl_html;
    const char *jsonl_date; /**< NULL: none */
    /** Limits of a record (record_limits.h): what is beyond them is skipped. */
    uint64_t max_page_bytes; /**< 0: 128 MiB */
    uint64_t max_expansion;  /**< times its stored bytes that a record may unpack to; 0: 200 */
    uint64_t memory;         /**< of the rank, bytes, which may lower the limits; 0: no bound */
    /** For samples: so many bytes after a range's end the source is taken to end, whatever goes on
     * there, and its kind is known by as many at its start; 0: where it ends. */
    uint64_t reach;
    bool revisits; /**< revisits that may be of pages are given, without text; else they count as
                        other */
    /** Called for every record that is skipped, for bytes that are of none, and for what is not
     * whole, which is a page all the same; `reason` is one short line, borrowed. */
    void (*skip)(void *context, uint64_t offset, const char *reason);
    void *skip_context;
} nd_reader_options;

/** How a source may be cut into units. */
typedef struct nd_source_shape {
    uint64_t bytes;     /**< size of the file */
    bool splittable;    /**< may be read by ranges; otherwise only as [0, bytes) */
    const char *format; /**< for messages: "warc.gz", "jsonl", "html", "empty", "other" (a text file
                             that is no page, such as a style sheet), ... ; static */
    nd_file_identity identity; /**< by which the file is known again */
} nd_source_shape;

/** The names of the fields of JSONL, the usual ones for those that no option gives. */
nd_jsonl_names nd_reader_jsonl_names(const nd_reader_options *options);

typedef struct nd_reader nd_reader;

/** Look at a source without reading it all.
 * \param[in] options  those with which it will be read, since what the limits refuse is seen by
 *                     neither; NULL: the usual ones
 * \return ND_OK; ND_ERR_INPUT if it cannot be read or is none of the known formats; or a failure
 *         that is not the source's */
nd_status nd_source_look(const char *path, const nd_reader_options *options,
                         nd_source_shape *shape);

/** Open the pages that start in bytes [begin, end) of a source.
 * \param[in] path, url  borrowed until the reader is closed; `url` is the URL of a page that is a
 *                       file of its own (.html, .txt), ignored for other formats
 * \param[out] out       the caller's to close; NULL on failure
 * \return as nd_source_look(), and ND_ERR_CHANGED (the file became shorter) */
nd_status nd_reader_open(const char *path, const char *url, uint64_t begin, uint64_t end,
                         const nd_reader_options *options, nd_reader **out);

/** How the source may be cut; an archive that `reach` leaves in doubt may be cut. */
nd_source_shape nd_reader_shape(const nd_reader *reader);

/** Go on with the pages that start in bytes [begin, end) of the source, which may be read by
 * ranges. What was seen so far keeps counting. \return as nd_reader_open() */
nd_status nd_reader_move(nd_reader *reader, uint64_t begin, uint64_t end);

/** The next page.
 * \return ND_OK; ND_END after the last; ND_ERR_INPUT if the source fails for good (a read error;
 *         what was delivered before is good); ND_ERR_CHANGED if it became shorter; or a failure
 *         that is not the source's. Damage inside the source is not a failure: it is reported to
 *         skip() and reading goes on at the next record that can be found. */
nd_status nd_reader_next(nd_reader *reader, nd_record *record);

/** What has been seen so far. */
void nd_reader_get_counts(const nd_reader *reader, nd_reader_counts *counts);

/** What the source was when the reader was opened.
 * \param[out] checksum  of the bytes read so far. After ND_END it is the same for another reader of
 *                       the same range of the same bytes, with the same options */
nd_file_identity nd_reader_identity(const nd_reader *reader, uint64_t *checksum);

/** Sum up the source's bytes beside reading, whatever they are: those of the blocks that begin in
 * bytes [begin, end) of it (file_window.h). \return ND_OK or ND_ERR_MEMORY */
nd_status nd_reader_sum_blocks(nd_reader *reader, uint64_t begin, uint64_t end);

/** Their sum; what was passed over is read. \return as nd_reader_next() */
nd_status nd_reader_block_sum(nd_reader *reader, uint64_t *sum);

/** The chain of restart points, valid after ND_END.
 * \param[out] first  where the first record of the range started; UINT64_MAX if none did
 * \param[out] next   where the first record at or after `end` starts, as far as following the
 *                    records of this range shows; UINT64_MAX if the source ends before, or the
 *                    range held no record */
void nd_reader_chain(const nd_reader *reader, uint64_t *first, uint64_t *next);

/** Let the system know that the range will not be read again soon: its cache need not keep it. For
 * inputs that it cannot keep anyway, which would push out of memory what is needed. */
void nd_reader_uncache(const nd_reader *reader);

/** Close; NULL is fine; *reader becomes NULL. */
void nd_reader_close(nd_reader **reader);

#endif
