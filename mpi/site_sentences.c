#include "mpi/site_sentences.h"

#include "mpi/record_stream.h"
#include "src/base/random.h"

#include <stdlib.h>

/* ---- which pages are wanted */

typedef struct sample_source {
    const nd_site_page *sample;
    uint64_t next, count;
} sample_source;

static nd_status next_pages(void *context, void *records, uint64_t room, uint64_t *count) {
    sample_source *from = context;
    uint64_t *pages = records;
    for (*count = 0; *count < room && from->next < from->count; (*count)++) {
        pages[*count] = from->sample[from->next++].page;
    }
    return ND_OK;
}

/* This rank's pages: true for those in a sample. */
typedef struct wanted_pages {
    bool *wanted;
    uint64_t first;
} wanted_pages;

static nd_status mark_wanted(void *context, const void *records, uint64_t count) {
    const wanted_pages *to = context;
    const uint64_t *pages = records;
    for (uint64_t i = 0; i < count; i++) {
        to->wanted[pages[i] - to->first] = true;
    }
    return ND_OK;
}

static nd_status find_wanted(nd_job *job, const nd_site_page *sample, uint64_t count,
                             bool *wanted) {
    sample_source source = {.sample = sample, .count = count};
    wanted_pages to = {wanted, nd_job_own_first(job)};
    const nd_stream stream = {.comm = &job->comm,
                              .record_size = sizeof(uint64_t),
                              .owner = nd_stream_owner_of_item,
                              .owner_context = job->first,
                              .sink = mark_wanted,
                              .sink_context = &to};
    return nd_stream_run(&stream, next_pages, &source);
}

/* ---- their sentences */

typedef struct fragment_source {
    nd_job *job;
    const bool *wanted;
    nd_sentence_kind kind;
    const void *context;
    size_t page;       /* that is read, or comes next */
    uint32_t sentence; /* that comes next */
    uint32_t part;
} fragment_source;

static void next_page(fragment_source *from) {
    from->page++;
    from->sentence = 0;
    from->part = 0;
}

/* Fill one fragment from the present page, as far as it goes. */
static void fill(fragment_source *from, const nd_document *document, nd_site_fragment *fragment) {
    const nd_job *job = from->job;
    *fragment = (nd_site_fragment){.site = job->pages.pages[from->page].site,
                                   .page = nd_job_own_first(job) + from->page,
                                   .part = from->part++};
    for (;
         from->sentence < document->sentence_count && fragment->count < ND_SITE_FRAGMENT_SENTENCES;
         from->sentence++) {
        const nd_sentence_digest *sentence = &document->sentences[from->sentence];
        uint32_t kind = ND_SITE_SENTENCE_KEPT;
        if (from->kind(from->context, sentence, &kind)) {
            fragment->masked[fragment->count] = sentence->masked;
            fragment->tokens[fragment->count] = sentence->token_count;
            fragment->links |= (uint16_t)((kind == ND_SITE_SENTENCE_LINK) << fragment->count);
            fragment->count++;
        }
    }
}

/* A page without sentences still counts as a page of its site: it gets an empty fragment. */
static nd_status next_fragments(void *context, void *records, uint64_t room, uint64_t *count) {
    nd_status st = ND_OK;
    fragment_source *from = context;
    nd_site_fragment *fragments = records;
    nd_document document;
    nd_page_store *store = &from->job->pages;
    *count = 0;
    while (*count < room && from->page < store->count) {
        if (!from->wanted[from->page]) {
            next_page(from);
            continue;
        }
        ND_TRY(nd_page_store_document(store, from->page, &document));
        do {
            fill(from, &document, &fragments[(*count)++]);
        } while (*count < room && from->sentence < document.sentence_count);
        if (from->sentence >= document.sentence_count) {
            next_page(from);
        }
    }
out:
    return st;
}

static int site_owner(const void *record, int size, const void *context) {
    (void)context;
    return nd_comm_hash_owner(nd_mix64(((const nd_site_fragment *)record)->site), size);
}

static int compare_fragments(const void *a, const void *b) {
    const nd_site_fragment *x = a;
    const nd_site_fragment *y = b;
    if (x->site != y->site) {
        return x->site < y->site ? -1 : 1;
    }
    if (x->page != y->page) {
        return x->page < y->page ? -1 : 1;
    }
    return (x->part > y->part) - (x->part < y->part);
}

/* site, page, then the part */
static const nd_record_order by_site_page_part = {
    .word_count = 2, .words = {0, 1}, .compare = compare_fragments};

static nd_status read_ahead(nd_site_reader *reader) {
    return nd_external_sort_take(&reader->sorted, &reader->ahead, &reader->has_ahead);
}

static nd_status start_reading(nd_site_reader *reader) {
    const nd_status st = nd_external_sort_finish(&reader->sorted);
    return st != ND_OK ? st : read_ahead(reader);
}

nd_status nd_site_sentences(nd_job *job, const nd_site_page *sample, uint64_t sample_count,
                            nd_sentence_kind kind, const void *context, nd_site_reader *reader) {
    nd_status st = ND_OK;
    bool *wanted = NULL;
    *reader = (nd_site_reader){0};
    nd_external_sort_open(&reader->sorted, &job->folder, sizeof(nd_site_fragment),
                          &by_site_page_part, job->options.memory.sort);
    ND_TRY(nd_comm_agree(&job->comm, nd_new(&wanted, job->pages.count, sizeof *wanted)));
    ND_TRY(find_wanted(job, sample, sample_count, wanted));
    fragment_source source = {.job = job, .wanted = wanted, .kind = kind, .context = context};
    const nd_stream stream = {.comm = &job->comm,
                              .record_size = sizeof(nd_site_fragment),
                              .owner = site_owner,
                              .sink = nd_stream_into_sort,
                              .sink_context = &reader->sorted};
    ND_TRY(nd_stream_run(&stream, next_fragments, &source));
    ND_TRY(nd_comm_agree(&job->comm, start_reading(reader)));
out:
    free(wanted);
    return st;
}

nd_status nd_site_reader_next(nd_site_reader *reader) {
    nd_status st = ND_OK;
    const uint64_t site = reader->ahead.site;
    reader->count = 0;
    while (reader->has_ahead && reader->ahead.site == site) {
        ND_TRY(nd_grow(&reader->fragments, &reader->capacity, reader->count + 1,
                       sizeof *reader->fragments));
        reader->fragments[reader->count++] = reader->ahead;
        ND_TRY(read_ahead(reader));
    }
out:
    return st;
}

void nd_site_reader_close(nd_site_reader *reader) {
    nd_external_sort_close(&reader->sorted);
    free(reader->fragments);
    *reader = (nd_site_reader){0};
}

/* ---- the way back */

static int verdict_owner(const void *record, int size, const void *context) {
    return nd_comm_range_owner(context, size, ((const nd_site_verdict *)record)->page);
}

static int compare_verdicts(const void *a, const void *b) {
    const nd_site_verdict *x = a;
    const nd_site_verdict *y = b;
    if (x->page != y->page) {
        return x->page < y->page ? -1 : 1;
    }
    return (x->part > y->part) - (x->part < y->part);
}

/* page, then the part */
static const nd_record_order by_page_then_part = {
    .word_count = 1, .words = {0}, .compare = compare_verdicts};

nd_status nd_site_verdicts(nd_job *job, const nd_spool *verdicts, nd_external_sort *sorted) {
    nd_status st = ND_OK;
    nd_spool_reader reader;
    const nd_stream stream = {.comm = &job->comm,
                              .record_size = sizeof(nd_site_verdict),
                              .owner = verdict_owner,
                              .owner_context = job->first,
                              .sink = nd_stream_into_sort,
                              .sink_context = sorted};
    nd_external_sort_open(sorted, &job->folder, sizeof(nd_site_verdict), &by_page_then_part,
                          job->options.memory.sort);
    nd_spool_reader_open(&reader, verdicts, sizeof(nd_site_verdict), 0,
                         verdicts->size / sizeof(nd_site_verdict), 0);
    ND_TRY(nd_stream_run(&stream, nd_stream_from_spool, &reader));
    ND_TRY(nd_comm_agree(&job->comm, nd_external_sort_finish(sorted)));
out:
    nd_spool_reader_close(&reader);
    return st;
}
