#include "io/input/reader.h"

#include "io/input/reader_state.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>

static nd_record_limits limits_of(const nd_reader_options *options) {
    return options == NULL ? nd_record_limits_of(0, 0, 0)
                           : nd_record_limits_of(options->max_page_bytes, options->max_expansion,
                                                 options->memory);
}

static nd_source_shape shape_of(const nd_stream *stream, const nd_format *format, bool splittable) {
    uint64_t checksum = 0;
    const nd_file_identity identity = nd_stream_identity(stream, &checksum);
    return (nd_source_shape){.bytes = identity.bytes,
                             .identity = identity,
                             .splittable = splittable,
                             .format =
                                 format == NULL ? "empty" : format->names[nd_stream_codec(stream)]};
}

/* The format of the source; one that is not read is an input that cannot be used. */
static nd_status know_format(nd_stream *stream, const char *path, const nd_format **format,
                             bool *splittable) {
    const nd_status st = nd_format_of(stream, path, format, splittable);
    return st == ND_ERR_FORMAT ? ND_ERR_INPUT : st;
}

nd_status nd_source_look(const char *path, const nd_reader_options *options,
                         nd_source_shape *shape) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    const nd_format *format = NULL;
    bool splittable = false;
    const nd_record_limits limits = limits_of(options);
    ND_TRY(nd_stream_open(path, &limits, &stream));
    ND_TRY(know_format(stream, path, &format, &splittable));
    *shape = shape_of(stream, format, splittable);
out:
    nd_stream_close(&stream);
    return st;
}

nd_source_shape nd_reader_shape(const nd_reader *reader) {
    return shape_of(reader->stream, reader->format, reader->splittable);
}

/* ---- opening */

nd_jsonl_names nd_reader_jsonl_names(const nd_reader_options *options) {
    return (nd_jsonl_names){
        .id = options->jsonl_id != NULL ? options->jsonl_id : "id",
        .url = options->jsonl_url != NULL ? options->jsonl_url : "url",
        .text = options->jsonl_text != NULL ? options->jsonl_text : "text",
        .html = options->jsonl_html != NULL ? options->jsonl_html : "html",
        .date = options->jsonl_date,
    };
}

static void end_at(nd_reader *reader, uint64_t next) {
    reader->ended = true;
    reader->next = next;
}

/* Go to the range's first record: byte 0 is one, elsewhere it is searched. */
static nd_status enter(nd_reader *reader) {
    uint64_t found = UINT64_MAX;
    nd_status st = ND_OK;
    if (reader->begin >= reader->end || reader->format == NULL ||
        (reader->begin > 0 && !reader->splittable)) {
        end_at(reader, UINT64_MAX);
        return ND_OK;
    }
    reader->entry = 0;
    if (reader->begin == 0) {
        nd_stream_seek(reader->stream, 0);
        return ND_OK;
    }
    st = nd_stream_find(reader->stream, reader->begin, reader->end, reader->format->begins, &found);
    if (st == ND_OK && found == UINT64_MAX) {
        end_at(reader, UINT64_MAX);
    } else if (st == ND_OK) {
        nd_stream_seek(reader->stream, found);
    }
    return st;
}

/* Of a sample: what lies far after byte `end` is not looked at. */
static void reach(nd_reader *reader, uint64_t end) {
    const uint64_t most = reader->options.reach;
    nd_stream_end_at(reader->stream, most > 0 && end < UINT64_MAX - most ? end + most : UINT64_MAX);
}

nd_status nd_reader_open(const char *path, const char *url, uint64_t begin, uint64_t end,
                         const nd_reader_options *options, nd_reader **out) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    *out = NULL;
    ND_TRY(nd_new(&reader, 1, sizeof *reader));
    if (options != NULL) {
        reader->options = *options;
    }
    const nd_reader_options *given = &reader->options;
    const nd_jsonl_names names = nd_reader_jsonl_names(given);
    reader->limits = limits_of(given);
    ND_TRY(nd_stream_open(path, &reader->limits, &reader->stream));
    reach(reader, 0);
    ND_TRY(know_format(reader->stream, path, &reader->format, &reader->splittable));
    ND_TRY(nd_charset_open(reader->limits.most[ND_LIMIT_PAGE], &reader->charset));
    ND_TRY(nd_jsonl_open(&names, &reader->limits, &reader->jsonl));
    reader->url = url;
    ND_TRY(nd_reader_move(reader, begin, end));
    *out = reader;
    reader = NULL;
out:
    nd_reader_close(&reader);
    return st;
}

nd_status nd_reader_move(nd_reader *reader, uint64_t begin, uint64_t end) {
    reach(reader, end);
    reader->begin = begin;
    reader->end = nd_min(end, nd_stream_file_bytes(reader->stream));
    reader->first = UINT64_MAX;
    reader->ended = false;
    reader->explained = false;
    reader->pending = 0;
    reader->resume = 0;
    return enter(reader);
}

void nd_reader_close(nd_reader **reader) {
    if (*reader == NULL) {
        return;
    }
    nd_stream_close(&(*reader)->stream);
    nd_charset_close(&(*reader)->charset);
    nd_jsonl_close(&(*reader)->jsonl);
    nd_http_scratch_free(&(*reader)->http);
    free(*reader);
    *reader = NULL;
}

/* ---- from record to record */

static void report(nd_reader *reader, uint64_t offset, const char *reason) {
    reader->counts.records++;
    reader->counts.skipped++;
    if (reader->options.skip != NULL) {
        reader->options.skip(reader->options.skip_context, offset, reason);
    }
}

/* Go on at the first start at or after byte `from`; beyond the range the next reader does. */
static nd_status resynchronise(nd_reader *reader, uint64_t from) {
    uint64_t found = UINT64_MAX;
    nd_status st = ND_OK;
    if (reader->format->archive) {
        st = nd_stream_find(reader->stream, from, UINT64_MAX, reader->format->begins, &found);
    }
    if (st != ND_OK) {
        return st;
    }
    if (found >= reader->end) {
        end_at(reader, found);
    } else {
        nd_stream_seek(reader->stream, found);
    }
    return st;
}

/* Move over what is left of the record read last; if the next member starts a record, that one was
 * cut off. A length that points past the end of a plain file is wrong. */
static nd_status pass_pending(nd_reader *reader) {
    nd_status st = ND_OK;
    const bool plain_archive = reader->format != NULL && reader->format->archive &&
                               nd_stream_codec(reader->stream) == ND_CODEC_PLAIN;
    if (reader->pending == UINT64_MAX && plain_archive) { /* past any end */
        reader->pending = 0;
        return resynchronise(reader, reader->resume);
    }
    while (reader->pending > 0) {
        uint64_t skipped = 0;
        nd_span bytes;
        ND_TRY(nd_stream_skip(reader->stream, reader->pending, &skipped));
        reader->pending -= skipped;
        ND_TRY(nd_stream_need(reader->stream, 1, &bytes));
        if (skipped == 0 || bytes.size == 0) {
            break;
        }
        if (reader->pending > 0 && reader->format->archive) {
            size_t member = 0;
            ND_TRY(nd_stream_find_ahead(reader->stream, 0, 1, reader->format->begins, &member));
            reader->pending = member == 0 ? 0 : reader->pending;
        }
    }
    if (reader->pending > 0 && reader->fault != NULL) {
        reader->explained = true; /* what cut it off cost nothing else */
    }
    if (reader->pending > 0 && plain_archive) {
        st = resynchronise(reader, reader->resume);
    }
    reader->pending = 0;
out:
    return st;
}

static nd_status skip_line_ends(nd_reader *reader, nd_span *bytes) {
    nd_status st = ND_OK;
    size_t count = 0;
    do {
        nd_stream_consume(reader->stream, count);
        ND_TRY(nd_stream_need(reader->stream, 1, bytes));
        for (count = 0; reader->format->line_ends && count < bytes->size; count++) {
            if (bytes->data[count] != '\n' && bytes->data[count] != '\r') {
                break;
            }
        }
    } while (count > 0);
out:
    return st;
}

/* Bytes that are no record where one should start. Compressed: the next member may start one; those
 * that seem to start inside of this one are none as long as it can be decoded. */
static nd_status at_disorder(nd_reader *reader, const nd_place *place) {
    uint64_t skipped = 0;
    if (!reader->explained) {
        report(reader, place->file, "no record starts where one should");
    }
    reader->explained = true;
    if (nd_stream_codec(reader->stream) != ND_CODEC_PLAIN) {
        return nd_stream_skip(reader->stream, UINT64_MAX, &skipped);
    }
    return resynchronise(reader, reader->resume > 0 ? reader->resume : place->file + 1);
}

/* Move to the next record of the range; sets `ended` if there is none. */
static nd_status advance(nd_reader *reader) {
    nd_status st = ND_OK;
    nd_stream *stream = reader->stream;
    nd_span bytes;
    ND_TRY(pass_pending(reader));
    while (!reader->ended) {
        ND_TRY(skip_line_ends(reader, &bytes));
        const char *damage = nd_stream_damage(stream);
        if (bytes.size == 0 && damage == NULL) {
            end_at(reader, UINT64_MAX);
            break;
        }
        if (bytes.size == 0) {
            if (!reader->explained) { /* else it has cost the last record, which it cut off */
                report(reader, nd_stream_damaged_member(stream), damage);
            }
            reader->explained = true;
            ND_TRY(resynchronise(reader, nd_stream_after_damage(stream)));
            continue;
        }

        ND_TRY(nd_stream_need(stream, ND_STREAM_PEEK_BYTES, &bytes));
        const nd_place place = nd_stream_place(stream);
        /* what starts at a restart point at or after the end is the next range's */
        if (reader->splittable && place.at_start && place.file >= reader->end) {
            uint64_t found = UINT64_MAX;
            ND_TRY(
                nd_stream_find(stream, place.file, place.file + 1, reader->format->begins, &found));
            if (found == place.file) {
                end_at(reader, place.file);
                break;
            }
        }
        if (!reader->format->may_begin(bytes)) {
            ND_TRY(at_disorder(reader, &place));
            continue;
        }
        const bool by_file = reader->splittable || nd_stream_codec(stream) == ND_CODEC_PLAIN;
        reader->offset = by_file ? place.file : place.content;
        if (!by_file || nd_format_is_entry(reader->format, stream, bytes)) {
            reader->entry = reader->offset;
        }
        nd_stream_begin_record(stream);
        break;
    }
out:
    return st;
}

static void count(nd_reader *reader, nd_outcome outcome) {
    if (outcome == ND_OUTCOME_NONE) {
        return;
    }
    if (reader->first == UINT64_MAX) {
        reader->first = reader->offset;
    }
    if (outcome == ND_OUTCOME_SKIPPED) {
        report(reader, reader->offset, reader->fault);
        return;
    }
    reader->counts.records++;
    reader->counts.pages += outcome == ND_OUTCOME_PAGE;
    if (outcome == ND_OUTCOME_OTHER) {
        reader->counts.other++;
        reader->counts.others[reader->other]++;
    }
}

nd_status nd_reader_next(nd_reader *reader, nd_record *record) {
    nd_status st = ND_OK;
    nd_outcome outcome = ND_OUTCOME_NONE;
    while (outcome != ND_OUTCOME_PAGE) {
        ND_TRY(advance(reader));
        if (reader->ended) {
            return ND_END;
        }
        reader->explained = false;
        reader->fault = NULL;
        ND_TRY(reader->format->read(reader, record, &outcome));
        count(reader, outcome);
    }
out:
    return st;
}

void nd_reader_get_counts(const nd_reader *reader, nd_reader_counts *counts) {
    const uint64_t reached = reader->ended ? reader->end : nd_stream_file_position(reader->stream);
    *counts = reader->counts;
    counts->bytes = nd_max(nd_min(reached, reader->end), reader->begin) - reader->begin;
}

nd_file_identity nd_reader_identity(const nd_reader *reader, uint64_t *checksum) {
    return nd_stream_identity(reader->stream, checksum);
}

nd_status nd_reader_sum_blocks(nd_reader *reader, uint64_t begin, uint64_t end) {
    return nd_stream_sum_blocks(reader->stream, begin, end);
}

nd_status nd_reader_block_sum(nd_reader *reader, uint64_t *sum) {
    return nd_stream_block_sum(reader->stream, sum);
}

void nd_reader_uncache(const nd_reader *reader) {
    nd_stream_uncache(reader->stream, reader->begin, reader->end);
}

void nd_reader_chain(const nd_reader *reader, uint64_t *first, uint64_t *next) {
    *first = reader->first;
    *next = reader->first == UINT64_MAX ? UINT64_MAX : reader->next;
}
