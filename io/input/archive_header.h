/** \file io/input/archive_header.h
 * What WARC and ARC have in common: a record is a header with the length of the block after it,
 * and the block. warc.h and arc.h fill this in.
 */
#ifndef ND_IO_INPUT_ARCHIVE_HEADER_H
#define ND_IO_INPUT_ARCHIVE_HEADER_H

#include "io/input/other_reason.h"
#include "src/base/buffer.h"

#include <stdbool.h>

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
    nd_span date; /**< of the capture, as it is written (io/input/date.h) */
    size_t header_bytes;
    bool is_measured;  /**< the length of the block is known */
    uint64_t length;   /**< of the block; 0 if it is not known */
    const char *fault; /**< NULL, or what is wrong, so that the record is of no use */
} nd_archive_header;

#endif
