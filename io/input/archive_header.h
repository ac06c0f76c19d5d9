/** \file io/input/archive_header.h
 * Records of WARC and ARC, without their blocks: a record is a header with the length of the block
 * after it, and the block. Headers are read here, and which records belong to one capture; what a
 * block holds is the reader's business (io/input/reader.h).
 */
#ifndef ND_INPUT_ARCHIVE_H
#define ND_INPUT_ARCHIVE_H

#include "io/input/sniff.h"
#include "src/base/buffer.h"
#include "src/base/util.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what WARC and ARC have in common */

/** What the block of a record is. */
typedef enum nd_archive_kind {
    ND_ARCHIVE_OTHER,   /**< nothing that holds a page: `other` says what */
    ND_ARCHIVE_HTTP,    /**< an HTTP response */
    ND_ARCHIVE_DOCUMENT /**< the document itself */
} nd_archive_kind;

/** What a record is to the others. */
typedef enum nd_archive_role {
    ND_ROLE_OWN,         /**< it stands for itself */
    ND_ROLE_INFORMATION, /**< it says something of the file */
    ND_ROLE_COMPANION,   /**< a request, metadata: of the capture of another one */
    ND_ROLE_REVISIT      /**< it stands for itself, as a copy of an earlier capture */
} nd_archive_role;

/** Views into the bytes that were parsed; a field that is missing is empty. */
typedef struct nd_archive_header {
    nd_archive_kind kind;
    nd_other_reason other;
    nd_archive_role role;
    nd_span id;
    nd_span url;
    nd_span with; /**< id of a record of the same capture, or of which this one speaks */
    nd_span refers_id, refers_url,
        refers_date; /**< of a revisit: the capture that it is a copy of */
    nd_span profile; /**< of a revisit: by what its crawler knew that */
    nd_span payload; /**< digest of what was captured: of a revisit, then */
    nd_span content_type;
    nd_span date; /**< of the capture, as it is written (io/input/fields.h) */
    size_t header_bytes;
    bool is_measured;  /**< the length of the block is known */
    uint64_t length;   /**< of the block; 0 if it is not known */
    const char *fault; /**< NULL, or what is wrong, so that the record is of no use */
} nd_archive_header;

/* ---- Record headers of WARC 1.0 and 1.1 (ISO 28500; WET and WAT are WARC too). Blocks are not
 * looked at. `response` holds an HTTP message, `resource` and `conversion` hold a document; a
 * `revisit` holds none, but says of which capture it is a copy; a `continuation` holds no whole
 * page and counts as other. */

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

/* ---- Record headers of ARC 1 and 2, the Internet Archive's format before WARC: one line of `URL
 * IP date type length`, or with five more fields, before each block. The first record of a file,
 * whose URL is filedesc:, names the version and holds no page. URLs with blanks occur, so fields
 * are counted from the end of the line. Blocks are not looked at. */

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

/* ---- What belongs to one capture of an archive: a request or a metadata record stands beside the
 * response that it is of, before or after it. And by what a revisit, which is a copy of another
 * capture, wherever that is, finds it. Names are hashes, and nothing is read. */

/** What a record is called, as hashes; 0: it does not say. */
typedef struct nd_capture_names {
    uint64_t id;
    uint64_t url;
    uint64_t with; /**< the id of a record of its capture */
} nd_capture_names;

/** The names of a record. */
nd_capture_names nd_capture_names_of(nd_span id, nd_span url, nd_span with);

/** Where the record stands that a companion is of. */
typedef enum nd_capture_side {
    ND_CAPTURE_NONE,
    ND_CAPTURE_BEFORE,
    ND_CAPTURE_AFTER
} nd_capture_side;

/** Of which of the two records around it that stand for themselves is a companion? Of one that it
 * names, or that names it; else of one with its URL, and of two such of that before it.
 * \param[in] before, after  NULL: there is none */
nd_capture_side nd_capture_side_of(const nd_capture_names *companion,
                                   const nd_capture_names *before, const nd_capture_names *after);

/** What a capture is found by: its record's id; its URL and second; the digest of its payload.
 * \return 0 if that is not known. Each is a hash of its own kind: no two of two kinds are equal but
 * by chance */
uint64_t nd_capture_id_key(nd_span id);
uint64_t nd_capture_place_key(nd_span url, uint64_t date);
uint64_t nd_capture_payload_key(nd_span digest);

#endif
