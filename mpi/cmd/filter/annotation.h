/** \file mpi/cmd/filter/annotation.h
 * What a result says of a page, to be put beside its record: as a WARC metadata record, or as one
 * more member of its JSON object.
 */
#ifndef ND_CMD_FILTER_ANNOTATION_H
#define ND_CMD_FILTER_ANNOTATION_H

#include "src/base/buffer.h"

typedef struct nd_annotation {
    uint64_t page;
    uint64_t set;
    uint64_t set_pages;
    float similarity; /**< to the set's representative */
    nd_span id, url;
    uint64_t kept; /**< the page that stands for it */
    nd_span kept_id, kept_url;
    const char *reason; /**< why, in a word; "" where it stands for itself */
} nd_annotation;

/** Append a metadata record, not compressed. The same page of the same result gives the same id.
 * \param[in] date  as in WARC \return ND_OK or ND_ERR_MEMORY */
nd_status nd_annotation_warc(const nd_annotation *annotation, const char *date, nd_buffer *out);

/** Append `,"neardup":{...}`, to be put before the last brace of a line. */
nd_status nd_annotation_json(const nd_annotation *annotation, nd_buffer *out);

#endif
