#include "tests/support/corpus.h"

#include "io/input/input_list.h"
#include "io/input/page_maker.h"
#include "src/base/sort.h"

#include <stdlib.h>

static void count_skipped(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)reason;
    ((nd_corpus *)context)->skipped++;
}

static nd_status read_source(nd_corpus *corpus, nd_page_maker *maker, const nd_input_list *list,
                             uint32_t source) {
    nd_status st = ND_OK;
    const nd_input *input = &list->inputs[source];
    nd_buffer url = {0};
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    const nd_reader_options options = {.skip = count_skipped, .skip_context = corpus};
    ND_TRY(nd_source_look(input->path, NULL, &shape));
    ND_TRY(nd_input_url(list, input, &url));
    ND_TRY(nd_reader_open(input->path, (const char *)url.data, 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(nd_page_maker_add(maker, &record, source, 0, &corpus->pages));
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_reader_close(&reader);
    nd_buffer_free(&url);
    if (st == ND_ERR_INPUT) { /* the program goes on after it, too */
        corpus->skipped++;
        st = ND_OK;
    }
    return st;
}

typedef struct text_record {
    nd_text_hash hash;
    uint32_t page;
} text_record;

static int by_hash_then_page(const void *a, const void *b) {
    const text_record *x = a;
    const text_record *y = b;
    if (x->hash.high != y->hash.high) {
        return x->hash.high < y->hash.high ? -1 : 1;
    }
    if (x->hash.low != y->hash.low) {
        return x->hash.low < y->hash.low ? -1 : 1;
    }
    return (x->page > y->page) - (x->page < y->page);
}

/* By page: the first page with the same text, kept in text_of until the texts have numbers. */
static void mark_first_pages(nd_corpus *corpus, text_record *records, size_t count) {
    uint32_t first = 0;
    nd_sort(records, count, sizeof *records, by_hash_then_page);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || records[i].hash.high != records[i - 1].hash.high ||
            records[i].hash.low != records[i - 1].hash.low) {
            first = records[i].page;
        }
        corpus->text_of[records[i].page] = first;
    }
}

static void number_texts(nd_corpus *corpus) {
    const size_t pages = corpus->pages.count;
    size_t count = 0;
    text_record *records = NULL;
    nd_new(&records, pages, sizeof *records);
    nd_new(&corpus->text_of, pages, sizeof *corpus->text_of);
    nd_new(&corpus->first_page, pages, sizeof *corpus->first_page);
    for (uint32_t page = 0; page < pages; page++) {
        corpus->text_of[page] = ND_NO_TEXT;
        if (corpus->pages.pages[page].token_count > 0) {
            records[count++] = (text_record){corpus->pages.pages[page].text_hash, page};
        }
    }
    corpus->without_text = pages - count;
    mark_first_pages(corpus, records, count);
    for (uint32_t page = 0; page < pages; page++) {
        const uint32_t first = corpus->text_of[page];
        if (first == page) {
            corpus->first_page[corpus->text_count] = page;
            corpus->text_of[page] = corpus->text_count++;
        } else if (first != ND_NO_TEXT) {
            corpus->text_of[page] = corpus->text_of[first];
        }
    }
    free(records);
}

nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    nd_input_list list = {0};
    nd_page_maker maker = {.hash_seed = ND_CORPUS_HASH_SEED};
    *corpus = (nd_corpus){0};
    ND_TRY(nd_input_list_resolve(&list, words, count));
    for (size_t i = 0; i < list.count; i++) {
        ND_TRY(read_source(corpus, &maker, &list, (uint32_t)i));
        if (corpus->pages.count >= ND_NO_TEXT) {
            st = nd_fail(ND_ERR_LIMIT, "more pages than one process can number");
            goto out;
        }
    }
    number_texts(corpus);
out:
    nd_input_list_free(&list);
    nd_page_maker_free(&maker);
    if (st != ND_OK) {
        nd_corpus_free(corpus);
    }
    return st;
}

void nd_corpus_free(nd_corpus *corpus) {
    nd_page_store_free(&corpus->pages);
    free(corpus->text_of);
    free(corpus->first_page);
    *corpus = (nd_corpus){0};
}
