#include "io/input/reader.h"

#include "io/input/reader_state.h"
#include "src/base/util.h"

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
    return shape_of(reader->stream, reader->format, reader->frames.splittable);
}

static void report(nd_reader *reader, uint64_t offset, const char *reason) {
    reader->counts.records++;
    reader->counts.skipped++;
    if (reader->options.skip != NULL) {
        reader->options.skip(reader->options.skip_context, offset, reason);
    }
}

/* What a limit keeps from being read is no gap, unless nothing can be read after it. */
static void on_stray(void *context, nd_stray what, uint64_t offset, const char *why) {
    nd_reader *reader = context;
    reader->counts.gaps += what != ND_STRAY_REFUSED || !reader->frames.splittable;
    report(reader, offset, why);
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

/* Go to the range's first record: byte 0 is one, elsewhere it is searched. A page may have begun
 * where no search finds it: there it can be entered again. */
static nd_status enter(nd_reader *reader) {
    uint64_t found = reader->begin;
    nd_status st = ND_OK;
    nd_span content = {0};
    nd_frames *frames = &reader->frames;
    nd_frames_restart(frames);
    if (reader->begin >= reader->end || reader->format == NULL ||
        (reader->begin > 0 && !frames->splittable)) {
        frames->ended = true;
        frames->next = UINT64_MAX;
        return ND_OK;
    }
    const nd_framing *framing = frames->framing;
    if (reader->begin > 0 && framing->archive &&
        nd_stream_codec(reader->stream) == ND_CODEC_PLAIN) {
        ND_TRY(nd_stream_peek(reader->stream, reader->begin - 1, &content));
    }
    if (reader->begin > 0 && (content.size < 2 || !nd_framing_may_begin(framing, content, 1))) {
        ND_TRY(
            nd_stream_find(reader->stream, reader->begin, reader->end, &framing->starts, &found));
    }
    frames->ended = found == UINT64_MAX;
    frames->next = UINT64_MAX;
    if (!frames->ended) {
        nd_stream_seek(reader->stream, found);
    }
out:
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
    nd_new(&reader, 1, sizeof *reader);
    if (options != NULL) {
        reader->options = *options;
    }
    const nd_reader_options *given = &reader->options;
    const nd_jsonl_names names = nd_reader_jsonl_names(given);
    reader->limits = limits_of(given);
    ND_TRY(nd_stream_open(path, &reader->limits, &reader->stream));
    reach(reader, 0);
    reader->frames = (nd_frames){.stream = reader->stream,
                                 .most_expansion = reader->limits.most[ND_LIMIT_EXPANSION],
                                 .stray = on_stray,
                                 .context = reader};
    ND_TRY(know_format(reader->stream, path, &reader->format, &reader->frames.splittable));
    reader->frames.framing = reader->format == NULL ? NULL : &reader->format->framing;
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

static void count(nd_reader *reader, nd_outcome outcome) {
    if (outcome == ND_OUTCOME_NONE) {
        return;
    }
    const nd_frames *frames = &reader->frames;
    if (reader->first == UINT64_MAX) {
        reader->first = frames->offset;
    }
    reader->counts.gaps += frames->cut != NULL;
    if (outcome == ND_OUTCOME_SKIPPED) {
        report(reader, frames->offset, reader->fault);
        return;
    }
    reader->counts.records++;
    reader->counts.pages += outcome == ND_OUTCOME_PAGE;
    if (outcome == ND_OUTCOME_OTHER) {
        reader->counts.other++;
        reader->counts.others[reader->other]++;
    }
    if (frames->cut != NULL) {
        report(reader, frames->offset, frames->cut);
    }
}

nd_status nd_reader_next(nd_reader *reader, nd_record *record) {
    nd_status st = ND_OK;
    nd_outcome outcome = ND_OUTCOME_NONE;
    while (outcome != ND_OUTCOME_PAGE) {
        ND_TRY(reader->frames.ended ? ND_OK : nd_frames_next(&reader->frames, reader->end));
        if (reader->frames.ended) {
            return ND_END;
        }
        reader->fault = NULL;
        ND_TRY(reader->format->read(reader, record, &outcome));
        count(reader, outcome);
    }
out:
    return st;
}

void nd_reader_get_counts(const nd_reader *reader, nd_reader_counts *counts) {
    const uint64_t reached =
        reader->frames.ended ? reader->end : nd_stream_file_position(reader->stream);
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
    *next = reader->first == UINT64_MAX ? UINT64_MAX : reader->frames.next;
}
