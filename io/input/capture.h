/** \file io/input/capture.h
 * What belongs to one capture of an archive: a request or a metadata record stands beside the
 * response that it is of, before or after it. And by what a revisit, which is a copy of another
 * capture, wherever that is, finds it. Names are hashes, and nothing is read.
 */
#ifndef ND_IO_INPUT_CAPTURE_H
#define ND_IO_INPUT_CAPTURE_H

#include "src/base/util.h"

#include <stdint.h>

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
