/** \file io/input/reader_state.h
 * The inside of a reader and of its formats, for reader.c and for walks over records (records.c).
 * Nobody else includes this.
 */
#ifndef ND_IO_INPUT_READER_STATE_H
#define ND_IO_INPUT_READER_STATE_H

#include "io/input/charset.h"
#include "io/input/http.h"
#include "io/input/jsonl.h"
#include "io/input/reader.h"
#include "io/input/record_frame.h"

/** What a record turned out to be. */
typedef enum nd_outcome {
    ND_OUTCOME_PAGE,    /**< the record to deliver is filled in */
    ND_OUTCOME_OTHER,   /**< not a page; `other` says why */
    ND_OUTCOME_SKIPPED, /**< should be a page; `fault` says why it is none */
    ND_OUTCOME_NONE     /**< no record at all: a blank line */
} nd_outcome;

/** How records of one format are found and read. */
typedef struct nd_format {
    nd_framing framing;
    const char *names[3]; /**< for messages, by codec */
    /** Read the record under the cursor; sets frames.pending and, if skipped, reader->fault. */
    nd_status (*read)(nd_reader *reader, nd_record *record, nd_outcome *outcome);
} nd_format;

struct nd_reader {
    const char *url; /**< of a page that is a file of its own */
    nd_stream *stream;
    const nd_format *format;
    nd_frames frames;
    nd_reader_options options;
    nd_record_limits limits;
    uint64_t begin, end;
    nd_reader_counts counts;
    uint64_t first;

    const char *fault; /**< why it was skipped, static or in fault_text; NULL: it was not */
    char fault_text[ND_FAIL_TEXT_SIZE];
    nd_other_reason other; /**< why it is no page, if it is an other record */

    nd_http_scratch http;
    nd_charset *charset;
    nd_jsonl *jsonl;
};

/** The format of the source, recognised by its first bytes and, for text files only, by its name.
 * \param[out] format      NULL if the source is empty
 * \param[out] splittable  may be read by ranges; the stream is back at its start afterwards
 * \return ND_OK; ND_ERR_FORMAT if it is none that is read, or damaged so that none is known; or
 *         ND_ERR_INPUT, ND_ERR_CHANGED or ND_ERR_MEMORY if it cannot be looked at */
nd_status nd_format_of(nd_stream *stream, const char *path, const nd_format **format,
                       bool *splittable);

/** Mark the record as skipped because it is beyond a limit. */
static inline nd_status nd_outcome_refuse(nd_reader *reader, nd_record_limit limit,
                                          nd_outcome *outcome) {
    reader->fault = nd_record_limits_refuse(&reader->limits, limit, reader->fault_text,
                                            sizeof reader->fault_text);
    *outcome = ND_OUTCOME_SKIPPED;
    return ND_OK;
}

/** Mark the record as skipped for this reason. */
static inline nd_status nd_outcome_skip(nd_reader *reader, const char *fault, nd_outcome *outcome) {
    reader->fault = fault;
    *outcome = ND_OUTCOME_SKIPPED;
    return ND_OK;
}

/** Mark the record as no page for this reason. */
static inline nd_status nd_outcome_other(nd_reader *reader, nd_other_reason reason,
                                         nd_outcome *outcome) {
    reader->other = reason;
    *outcome = ND_OUTCOME_OTHER;
    return ND_OK;
}

#endif
