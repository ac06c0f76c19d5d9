#include "io/input_sample.h"

#include "io/page_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PLACES = 24,           /* their spread tells how far the estimate may be off */
    PIECE_BYTES = 1 << 20, /* read from each, if the file can be entered anywhere */
    MOST_PAGES = 400       /* from each, if it cannot */
};

/* Sums over the places. */
typedef struct sampling {
    const nd_input_list *inputs;
    nd_reader_options reader;
    nd_page_maker maker;
    nd_page_store pages;
    nd_input_sample *sample;
    double html;
    double density, squares; /* pages per byte: sum, and sum of squares */
} sampling;

static void skip_silently(void *context, uint64_t offset, const char *reason) {
    (void)context;
    (void)offset;
    (void)reason;
}

static void add_kind(nd_input_sample *sample, const char *kind) {
    for (size_t i = 0; i < sample->kind_count; i++) {
        if (strcmp(sample->kinds[i], kind) == 0) {
            return;
        }
    }
    if (sample->kind_count < ND_SAMPLE_KINDS) {
        (void)snprintf(sample->kinds[sample->kind_count++], ND_SAMPLE_KIND_SIZE, "%s", kind);
    }
}

/* Pages of a range. \param[out] bytes  gone through for them */
static nd_status read_range(sampling *s, const nd_input *input, uint64_t begin, uint64_t end,
                            double *pages, double *bytes) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_counts counts = {0};
    ND_TRY(nd_reader_open(input->path, input->url, begin, end, &s->reader, &reader));
    while (*pages < MOST_PAGES && (st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(nd_page_maker_add(&s->maker, &record, 0, 0, &s->pages));
        s->html += (double)record.text.size;
        (*pages)++;
    }
    nd_reader_get_counts(reader, &counts);
    /* a page more is on its way when the bytes are counted */
    *bytes = st == ND_END ? (double)(end - begin) : (double)counts.bytes;
out:
    nd_reader_close(&reader);
    return st == ND_ERR_MEMORY ? st : ND_OK;
}

/* Look at the file that holds a byte of all inputs, around that byte. */
static nd_status look_at(sampling *s, const nd_input *input, uint64_t byte) {
    nd_status st = ND_OK;
    nd_source_shape shape = {0};
    double pages = 0;
    double bytes = 0;
    if (nd_source_look(input->path, &shape) != ND_OK) {
        return ND_OK;
    }
    add_kind(s->sample, shape.format);
    const bool whole = !shape.splittable || shape.bytes <= PIECE_BYTES;
    const uint64_t last = whole ? 0 : shape.bytes - PIECE_BYTES;
    const uint64_t begin = byte < last ? byte : last;
    const uint64_t end = whole ? shape.bytes : begin + PIECE_BYTES;
    ND_TRY(read_range(s, input, begin, end, &pages, &bytes));
    if (bytes > 0) {
        s->density += pages / bytes;
        s->squares += pages / bytes * (pages / bytes);
    }
out:
    return st;
}

static void add_up(sampling *s) {
    nd_input_sample *sample = s->sample;
    const double mean = s->density / PLACES;
    const double variance = fmax(0, s->squares / PLACES - mean * mean);
    double tokens = 0;
    for (size_t i = 0; i < s->pages.count; i++) {
        tokens += s->pages.pages[i].text_tokens;
    }
    sample->sampled = (double)s->pages.count;
    sample->pages = sample->bytes * mean;
    sample->spread = mean > 0 ? sqrt(variance / PLACES) / mean : 0;
    if (s->pages.count > 0) {
        sample->page_bytes = s->html / sample->sampled;
        sample->tokens = tokens / sample->sampled;
        sample->text_bytes = (double)nd_page_store_text_bytes(&s->pages) / sample->sampled;
        sample->name_bytes = (double)nd_page_store_name_bytes(&s->pages) / sample->sampled;
    }
}

nd_status nd_input_sample_take(const nd_input_list *inputs, const nd_reader_options *reader,
                               nd_input_sample *sample) {
    nd_status st = ND_OK;
    nd_spool_folder nowhere = {0}; /* everything stays in memory */
    sampling s = {.inputs = inputs, .reader = *reader, .sample = sample};
    s.pages.folder = &nowhere;
    s.pages.memory = UINT64_MAX;
    s.reader.skip = skip_silently;
    *sample = (nd_input_sample){.files = (double)inputs->count};
    for (size_t i = 0; i < inputs->count; i++) {
        sample->bytes += (double)inputs->inputs[i].bytes;
    }
    double before = 0; /* bytes of the files before `file` */
    size_t file = 0;
    for (int i = 0; i < PLACES && sample->bytes > 0; i++) {
        const double place = sample->bytes * (i + 0.5) / PLACES;
        while (file + 1 < inputs->count && before + (double)inputs->inputs[file].bytes <= place) {
            before += (double)inputs->inputs[file++].bytes;
        }
        ND_TRY(look_at(&s, &inputs->inputs[file], (uint64_t)(place - before)));
    }
    add_up(&s);
out:
    nd_page_maker_free(&s.maker);
    nd_page_store_free(&s.pages);
    return st;
}
