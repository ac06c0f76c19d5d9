#include "io/input/input_survey.h"

#include "io/input/fields.h"
#include "io/input/jsonl.h"
#include "io/input/page_maker.h"
#include "io/input/sniff.h"
#include "io/input/stream.h"
#include "src/base/util.h"

#include <json-c/json.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before a run */

enum {
    FEWEST_PLACES = 24,      /* their spread shows how far the estimate may be off */
    MOST_PLACES = 256,       /* where files are small */
    SAMPLE_BYTES = 24 << 20, /* about so many from all places */
    PIECE_BYTES = 1 << 20,   /* read from each, if the file can be entered anywhere */
    WHOLE_BYTES = 4 << 20    /* and if it can only be read from its start */
};

/* Sums over the places. */
typedef struct sampling {
    const nd_input_list *inputs;
    nd_reader_options reader;
    nd_reader *file; /* the one looked at last; NULL if it could not be opened */
    nd_buffer url;   /* of its page, should it be one */
    nd_page_maker maker;
    nd_page_store pages;
    nd_input_sample *sample;
    int places;
    /* per byte at a place, summed over the places: so a long page in a file of its own, at which
     * more places lie, counts no more than a short one */
    double density, squares; /* pages; their squares */
    double html, tokens, text, names;
} sampling;

/* What was read at a place. */
typedef struct place {
    double bytes, pages, html, tokens, text, names;
} place;

static void skip_silently(void *context, uint64_t offset, const char *reason) {
    (void)context;
    (void)offset;
    (void)reason;
}

/* Pages of a range, or of its first bytes. */
static nd_status read_range(sampling *s, uint64_t begin, uint64_t end, place *at) {
    nd_status st = ND_OK;
    nd_record record;
    nd_reader_counts counts = {0};
    ND_TRY(nd_reader_move(s->file, begin, end));
    while (counts.bytes < WHOLE_BYTES && (st = nd_reader_next(s->file, &record)) == ND_OK) {
        st = nd_page_maker_add(&s->maker, &record, 0, 0, &s->pages);
        if (st == ND_ERR_LIMIT) {
            continue;
        }
        ND_TRY(st);
        at->html += (double)record.text.size;
        nd_reader_get_counts(s->file, &counts);
    }
    at->bytes = st == ND_END ? (double)(end - begin) : (double)counts.bytes;
    at->pages = (double)s->pages.count;
    at->tokens = (double)nd_page_store_token_count(&s->pages);
    at->text = (double)nd_page_store_text_bytes(&s->pages);
    at->names = (double)nd_page_store_name_bytes(&s->pages);
out:
    nd_page_store_free(&s->pages);
    return st == ND_END || st == ND_ERR_INPUT ? ND_OK : st; /* the run will report it */
}

/* Look at a file around a byte. \param[in,out] at  before: what was read at the place before
 * \param[in] again  that was in the same file */
static nd_status look_at(sampling *s, const nd_input *input, uint64_t byte, bool again, place *at) {
    nd_status st = ND_OK;
    if (!again) {
        nd_reader_close(&s->file);
        s->url.size = 0;
        nd_input_url(s->inputs, input, &s->url);
        st = nd_reader_open(nd_input_file(input), (const char *)s->url.data, 0, 0, &s->reader,
                            &s->file);
        ND_TRY(st == ND_ERR_INPUT ? ND_OK : st);
    }
    const bool known = s->file != NULL;
    const nd_source_shape shape = known ? nd_reader_shape(s->file) : (nd_source_shape){0};
    const bool whole = known && (!shape.splittable || shape.bytes <= PIECE_BYTES);
    if (again && whole) {
        goto out; /* it has one place to be read from */
    }
    *at = (place){0};
    if (!known) {
        goto out;
    }
    nd_input_sample *sample = s->sample;
    size_t kind = 0;
    while (kind < sample->kind_count && strcmp(sample->kinds[kind], shape.format) != 0) {
        kind++;
    }
    if (kind == sample->kind_count && kind < ND_SAMPLE_KINDS) {
        (void)snprintf(sample->kinds[sample->kind_count++], ND_SAMPLE_KIND_SIZE, "%s",
                       shape.format);
    }
    const uint64_t begin = nd_min(byte, whole ? 0 : shape.bytes - PIECE_BYTES);
    const uint64_t most = whole ? WHOLE_BYTES + PIECE_BYTES : PIECE_BYTES;
    ND_TRY(read_range(s, begin, nd_min(begin + most, shape.bytes), at));
out:
    return st;
}

static void add_up(sampling *s) {
    nd_input_sample *sample = s->sample;
    const double mean = s->density / s->places;
    const double variance = fmax(0, s->squares / s->places - mean * mean);
    if (mean > 0) {
        sample->pages = sample->bytes * mean;
        sample->spread = sqrt(variance / s->places) / mean;
        sample->page_bytes = s->html / s->density;
        sample->tokens = s->tokens / s->density;
        sample->text_bytes = s->text / s->density;
        sample->name_bytes = s->names / s->density;
    }
}

nd_status nd_input_sample_take(const nd_input_list *inputs, const nd_reader_options *reader,
                               bool whole, nd_input_sample *sample) {
    nd_status st = ND_OK;
    nd_spool_folder nowhere = {0}; /* everything stays in memory */
    sampling s = {
        .inputs = inputs, .maker = {.no_navigation = !whole}, .reader = *reader, .sample = sample};
    s.pages.folder = &nowhere;
    s.pages.memory = UINT64_MAX;
    s.reader.skip = skip_silently;
    s.reader.reach = WHOLE_BYTES; /* a record of any length costs no more */
    *sample = (nd_input_sample){.files = (double)inputs->count};
    for (size_t i = 0; i < inputs->count; i++) {
        if (inputs->inputs[i].standard_input && inputs->inputs[i].copy == NULL) {
            return nd_fail(ND_ERR_USAGE, "-: standard input can be read only once: by the run");
        }
        sample->bytes += (double)inputs->inputs[i].is.bytes;
    }
    const double piece = fmin(PIECE_BYTES, sample->bytes / fmax(1, sample->files));
    s.places = (int)fmin(MOST_PLACES, fmax(FEWEST_PLACES, (double)SAMPLE_BYTES / fmax(1, piece)));
    double before = 0; /* bytes of the files before `file` */
    size_t file = 0;
    size_t last = SIZE_MAX;
    place at = {0};
    for (int i = 0; i < s.places && sample->bytes > 0; i++) {
        const double byte = sample->bytes * (i + 0.5) / s.places;
        while (file + 1 < inputs->count && before + (double)inputs->inputs[file].is.bytes <= byte) {
            before += (double)inputs->inputs[file++].is.bytes;
        }
        ND_TRY(look_at(&s, &inputs->inputs[file], (uint64_t)(byte - before), file == last, &at));
        last = file;
        if (at.bytes > 0) {
            const double density = at.pages / at.bytes;
            s.density += density;
            s.squares += density * density;
            s.html += at.html / at.bytes;
            s.tokens += at.tokens / at.bytes;
            s.text += at.text / at.bytes;
            s.names += at.names / at.bytes;
            sample->sampled += at.pages;
        }
    }
    add_up(&s);
out:
    nd_reader_close(&s.file);
    nd_buffer_free(&s.url);
    nd_page_maker_free(&s.maker);
    nd_page_store_free(&s.pages);
    return st;
}

/* ---- after it */

enum {
    LOOK_BYTES = 1 << 20, /* of a source */
    MOST_RECORDS = 100,
    MOST_FIELDS = 16,
    MOST_DEPTH = 3, /* of objects in objects */
    FIELD_SIZE = 64 /* bytes of a name; longer ones are left out */
};

/* A field of the first records, by the name that --jsonl-text takes. */
typedef struct field {
    char name[FIELD_SIZE];
    uint64_t bytes;     /* of its strings */
    uint64_t html;      /* of these bytes, those of strings that look like HTML */
    uint64_t addresses; /* strings that look like a URL */
} field;

typedef struct fields {
    field rows[MOST_FIELDS];
    size_t count;
    bool more; /* there are others */
    uint64_t records;
} fields;

/* ---- the fields of the first records */

static field *find_field(fields *f, const char *name) {
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->rows[i].name, name) == 0) {
            return &f->rows[i];
        }
    }
    if (f->count == MOST_FIELDS || strlen(name) >= FIELD_SIZE) {
        f->more = true;
        return NULL;
    }
    (void)snprintf(f->rows[f->count].name, FIELD_SIZE, "%s", name);
    return &f->rows[f->count++];
}

static bool is_address(nd_span text) {
    static const char *const begins[] = {"http://", "https://", "www."};
    bool is = false;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        is = is || nd_fields_starts(text, begins[i]);
    }
    return is && nd_fields_find(text, " ") == SIZE_MAX;
}

static void add_fields(fields *f, json_object *object, const char *outer, int depth) {
    struct json_object_iterator at = json_object_iter_begin(object);
    const struct json_object_iterator end = json_object_iter_end(object);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        char name[2 * FIELD_SIZE];
        json_object *value = json_object_iter_peek_value(&at);
        (void)snprintf(name, sizeof name, "%s%s%s", outer, outer[0] == '\0' ? "" : ".",
                       json_object_iter_peek_name(&at));
        if (json_object_is_type(value, json_type_object) && depth < MOST_DEPTH &&
            strlen(name) < FIELD_SIZE) {
            add_fields(f, value, name, depth + 1);
            continue;
        }
        field *row = find_field(f, name);
        if (row != NULL && json_object_is_type(value, json_type_string)) {
            const nd_span text = {(const uint8_t *)json_object_get_string(value),
                                  (size_t)json_object_get_string_len(value)};
            row->bytes += text.size;
            row->html += nd_sniff_html(text) ? text.size : 0;
            row->addresses += is_address(text);
        }
    }
}

/* ---- words */

static void add_text(char reason[ND_UNUSED_SIZE], const char *text) {
    const size_t size = strlen(reason);
    (void)snprintf(reason + size, ND_UNUSED_SIZE - size, "%s", text);
}

/* A name as it was written, but for what a terminal would take for a command. */
static void add_name(char reason[ND_UNUSED_SIZE], const char *name) {
    char shown[FIELD_SIZE];
    (void)snprintf(shown, sizeof shown, "%s", name);
    for (char *at = shown; *at != '\0'; at++) {
        *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
    }
    add_text(reason, shown);
}

/* The field with most text, unless it is the id or the URL; NULL if there is none. */
static const field *likely_text(const fields *f, const char *id, const char *url) {
    const field *best = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const field *row = &f->rows[i];
        const bool taken = strcmp(row->name, id) == 0 || strcmp(row->name, url) == 0;
        if (!taken && row->bytes > (best == NULL ? 0 : best->bytes)) {
            best = row;
        }
    }
    return best;
}

/* "--jsonl-text body", as it is to be typed. \return false, and nothing is added, if a shell would
 * need more than quotes for the name */
static bool add_option(char reason[ND_UNUSED_SIZE], const char *option, const char *name) {
    for (const char *at = name; *at != '\0'; at++) {
        if (*at == '\'' || (unsigned char)*at < 0x20 || *at == 0x7f) {
            return false;
        }
    }
    const bool plain = name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_./:@%+-")] == '\0';
    add_text(reason, option);
    add_text(reason, plain ? " " : " '");
    add_text(reason, name);
    add_text(reason, plain ? "" : "'");
    return true;
}

static void explain_fields(const fields *f, const nd_reader_options *options,
                           char reason[ND_UNUSED_SIZE]) {
    const nd_jsonl_names names = nd_reader_jsonl_names(options);
    const field *best = likely_text(f, names.id, names.url);
    if (best != NULL &&
        add_option(reason, best->html * 2 > best->bytes ? "give --jsonl-html" : "give --jsonl-text",
                   best->name)) {
        add_text(reason, ": ");
    }
    add_text(reason, "no text in a field \"");
    add_name(reason, names.text);
    add_text(reason, "\" or \"");
    add_name(reason, names.html);
    add_text(reason, "\"; fields here: ");
    for (size_t i = 0; i < f->count; i++) {
        add_text(reason, i > 0 ? ", " : "");
        add_name(reason, f->rows[i].name);
    }
    add_text(reason, f->more && f->count > 0 ? ", ..."
                     : f->more               ? "..."
                     : f->count == 0         ? "none"
                                             : "");
}

/* The field that looks like the URL of most records; NULL if none does. */
static const field *likely_url(const fields *f, const nd_jsonl_names *names) {
    static const char *const words[] = {"url", "uri", "link", "href", "source"};
    const field *best = NULL;
    bool best_is_called = false;
    for (size_t i = 0; i < f->count; i++) {
        const field *row = &f->rows[i];
        bool is_called = false;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            is_called = is_called ||
                        nd_fields_find((nd_span){(const uint8_t *)row->name, strlen(row->name)},
                                       words[w]) != SIZE_MAX;
        }
        if (row->addresses * 2 > f->records && strcmp(row->name, names->id) != 0 &&
            strcmp(row->name, names->text) != 0 && strcmp(row->name, names->html) != 0 &&
            (best == NULL || (is_called && !best_is_called))) {
            best = row;
            best_is_called = is_called;
        }
    }
    return best;
}

static void explain_url(const fields *f, const nd_reader_options *options,
                        char hint[ND_UNUSED_SIZE]) {
    const nd_jsonl_names names = nd_reader_jsonl_names(options);
    const field *best = likely_url(f, &names);
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->rows[i].name, names.url) == 0 && f->rows[i].bytes > 0) {
            best = NULL;
        }
    }
    if (best == NULL || !add_option(hint, "give --jsonl-url", best->name)) {
        hint[0] = '\0';
        return;
    }
    add_text(hint, " for the URLs of pages: there is none in a field \"");
    add_name(hint, names.url);
    add_text(hint, "\"");
}

/* ---- looking */

/* The fields of the first records; none if it cannot be read. */
static nd_status look_at_lines(const char *path, const nd_reader_options *options, fields *f) {
    nd_status st = ND_OK;
    nd_stream *stream = NULL;
    nd_span bytes;
    json_tokener *tokener = NULL;
    *f = (fields){.count = 0};
    const nd_record_limits limits =
        nd_record_limits_of(options->max_page_bytes, options->max_expansion, options->memory);
    ND_TRY(nd_stream_open(path, &limits, &stream));
    ND_TRY(nd_stream_need(stream, LOOK_BYTES, &bytes));
    bytes.size = (size_t)nd_min(bytes.size, LOOK_BYTES);
    tokener = json_tokener_new();
    if (tokener == NULL) {
        st = nd_fail(ND_ERR_MEMORY, "out of memory: a JSON parser");
        goto out;
    }
    for (int i = 0; i < MOST_RECORDS && bytes.size > 0; i++) {
        nd_span line;
        if (!nd_fields_line(&bytes, &line)) {
            line = bytes;
            bytes.size = 0;
        }
        line = nd_fields_trim(nd_sniff_after_mark(line));
        json_tokener_reset(tokener);
        json_object *object =
            json_tokener_parse_ex(tokener, (const char *)line.data, (int)line.size);
        if (json_object_is_type(object, json_type_object)) { /* others count for nothing */
            f->records++;
            add_fields(f, object, "", 1);
        }
        (void)json_object_put(object);
    }
out:
    if (tokener != NULL) {
        json_tokener_free(tokener);
    }
    nd_stream_close(&stream);
    return st == ND_ERR_MEMORY ? st : ND_OK;
}

static bool is_lines(const nd_source_shape *shape) {
    return strncmp(shape->format, "jsonl", strlen("jsonl")) == 0;
}

nd_status nd_unused_url_explain(const char *path, const nd_reader_options *options,
                                char hint[ND_UNUSED_SIZE]) {
    nd_status st = ND_OK;
    nd_source_shape shape = {0};
    fields f;
    hint[0] = '\0';
    st = options->jsonl_url == NULL ? nd_source_look(path, options, &shape) : ND_ERR_INPUT;
    if (st != ND_OK || !is_lines(&shape)) {
        return st == ND_ERR_MEMORY ? st : ND_OK;
    }
    ND_TRY(look_at_lines(path, options, &f));
    (void)snprintf(hint, ND_UNUSED_SIZE, "%s: ", path);
    explain_url(&f, options, hint);
out:
    return st;
}

nd_status nd_unused_input_explain(const char *path, const nd_reader_options *options,
                                  const nd_reader_counts *counts, char reason[ND_UNUSED_SIZE]) {
    nd_status st = ND_OK;
    nd_source_shape shape = {0};
    nd_reader *reader = NULL;
    fields f = {.count = 0};
    char number[64] = "";
    reason[0] = '\0';
    st = nd_reader_open(path, "", 0, 0, options, &reader);
    if (st != ND_OK) { /* its own text says what the file is, and begins with the path */
        add_text(reason, nd_fail_text());
        return st == ND_ERR_MEMORY ? st : ND_OK;
    }
    shape = nd_reader_shape(reader);
    nd_reader_close(&reader);
    add_text(reason, path);
    add_text(reason, ": ");
    if (counts->records == 0 && counts->skipped > 0) { /* then not, but now */
        add_text(reason, "could not be opened, though it can be now");
        goto out;
    }
    if (is_lines(&shape) && counts->pages == 0) {
        ND_TRY(look_at_lines(path, options, &f));
    }
    if (f.records > 0) {
        explain_fields(&f, options, reason);
        goto out;
    }
    (void)snprintf(number, sizeof number, "%" PRIu64 " records, ", counts->records);
    add_text(reason, counts->records > 0 && counts->pages == 0 ? number : "");
    char others[ND_UNUSED_SIZE];
    add_text(reason, strcmp(shape.format, "empty") == 0 ? "empty"
                     : counts->pages > 0                ? "could not be read to its end"
                     : counts->other > 0                ? "none of them a page"
                     : counts->skipped > 0              ? "none of which could be used"
                                                        : "no page was found in it");
    if (counts->pages == 0 && nd_others_sum(counts->others) > 0) {
        add_text(reason, ": ");
        add_text(reason, nd_others_list(counts->others, others, sizeof others));
    }
out:
    return st;
}

nd_status nd_unused_inputs_refuse(const nd_input_list *inputs, const nd_reader_options *options) {
    char reason[ND_UNUSED_SIZE];
    const nd_reader_counts unknown = {0};
    nd_reader_options look = *options;
    look.reach = LOOK_BYTES; /* nothing that was sampled is read to its end now */
    const nd_status st = nd_unused_input_explain(inputs->inputs[0].path, &look, &unknown, reason);
    return st != ND_OK
               ? st
               : nd_fail(ND_ERR_FORMAT, "no page was found where it was looked for: %s", reason);
}
