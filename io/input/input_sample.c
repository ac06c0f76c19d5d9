#include "io/input/input_sample.h"

#include "io/input/page_maker.h"
#include "src/base/util.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
