#include "tests/support/corpus.h"

#include "io/input_list.h"
#include "io/reader.h"
#include "src/base/sort.h"
#include "src/text/page.h"

#include <stdlib.h>
#include <xxhash.h>

/* Memory reused from page to page. */
typedef struct scratch {
    nd_corpus *corpus;
    nd_page page;
    nd_span *messages;
    nd_md5 *digests;
    nd_sentence_digest *sentences;
    uint32_t *tokens;
    size_t message_capacity, digest_capacity, sentence_capacity, token_capacity;
} scratch;

static nd_status reserve(scratch *s) {
    nd_status st = ND_OK;
    const size_t count = s->page.sentence_count;
    ND_TRY(nd_grow(&s->messages, &s->message_capacity, count, sizeof *s->messages));
    ND_TRY(nd_grow(&s->digests, &s->digest_capacity, count, sizeof *s->digests));
    ND_TRY(nd_grow(&s->sentences, &s->sentence_capacity, count, sizeof *s->sentences));
    ND_TRY(nd_grow(&s->tokens, &s->token_capacity, s->page.token_count, sizeof *s->tokens));
out:
    return st;
}

static nd_status add_page(scratch *s, const nd_record *record, uint32_t source) {
    nd_status st = ND_OK;
    nd_page *page = &s->page;
    ND_TRY(record->content == ND_CONTENT_HTML ? nd_page_from_html(page, record->text)
                                              : nd_page_from_text(page, record->text));
    ND_TRY(reserve(s));
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        s->messages[i] =
            (nd_span){page->normalised.data + sentence->begin, sentence->end - sentence->begin};
    }
    nd_md5_batch(s->messages, page->sentence_count, s->digests);
    for (size_t i = 0; i < page->sentence_count; i++) {
        s->sentences[i] = (nd_sentence_digest){s->digests[i], page->sentences[i].token_count};
    }
    for (size_t i = 0; i < page->token_count; i++) {
        s->tokens[i] = (uint32_t)page->tokens[i];
    }
    const XXH128_hash_t hash = XXH3_128bits(page->tokens, page->token_count * sizeof *page->tokens);
    const nd_stored_page stored = {.text_hash = {hash.high64, hash.low64},
                                   .offset = record->offset,
                                   .source = source,
                                   .token_count = (uint32_t)page->token_count,
                                   .sentence_count = (uint32_t)page->sentence_count};
    ND_TRY(nd_page_store_append(&s->corpus->pages, &stored, s->tokens, s->sentences, record->id,
                                record->url));
out:
    return st;
}

static void count_skipped(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)reason;
    ((nd_corpus *)context)->skipped++;
}

static nd_status read_source(scratch *s, const nd_input *input, uint32_t source) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    const nd_reader_options options = {.skip = count_skipped, .skip_context = s->corpus};
    ND_TRY(nd_source_look(input->path, &shape));
    ND_TRY(nd_reader_open(input->path, input->url, 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(add_page(s, &record, source));
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_reader_close(&reader);
    if (st == ND_ERR_IO || st == ND_ERR_FORMAT) { /* the program goes on after these, too */
        s->corpus->skipped++;
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

static nd_status number_texts(nd_corpus *corpus) {
    nd_status st = ND_OK;
    const size_t pages = corpus->pages.count;
    size_t count = 0;
    text_record *records = NULL;
    ND_TRY(nd_new(&records, pages, sizeof *records));
    ND_TRY(nd_new(&corpus->text_of, pages, sizeof *corpus->text_of));
    ND_TRY(nd_new(&corpus->first_page, pages, sizeof *corpus->first_page));
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
out:
    free(records);
    return st;
}

nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    nd_input_list list = {0};
    scratch s = {.corpus = corpus};
    *corpus = (nd_corpus){0};
    ND_TRY(nd_input_list_resolve(&list, words, count));
    for (size_t i = 0; i < list.count; i++) {
        ND_TRY(read_source(&s, &list.inputs[i], (uint32_t)i));
        if (corpus->pages.count >= ND_NO_TEXT) {
            st = nd_fail(ND_ERR_LIMIT, "more pages than one process can number");
            goto out;
        }
    }
    ND_TRY(number_texts(corpus));
out:
    nd_input_list_free(&list);
    nd_page_free(&s.page);
    free(s.messages);
    free(s.digests);
    free(s.sentences);
    free(s.tokens);
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
