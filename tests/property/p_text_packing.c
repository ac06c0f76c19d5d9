/* Packed texts: any are given back, whole or masked, in any order, whatever of them repeats; and a
 * record that is damaged gives a text or a failure, never more than the page has. */
#include "io/store/packing.h"
#include "src/base/util.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 400 };

/* A page's text, and where its record is. */
typedef struct packed_page {
    nd_document document; /* its arrays are the page's own */
    uint64_t place;
} packed_page;

typedef struct corpus {
    packed_page pages[MOST_PAGES];
    size_t count;
    nd_buffer bytes; /* all records, one after the other */
} corpus;

static nd_status give(void *context, uint64_t place, size_t most, nd_span *bytes) {
    const corpus *c = context;
    *bytes = (nd_span){NULL, 0};
    if (place < c->bytes.size) {
        *bytes = (nd_span){c->bytes.data + place, (size_t)nd_min(most, c->bytes.size - place)};
    }
    return ND_OK;
}

/* The sentences are a page's tokens as a rule. Those of few seeds repeat, on a page and on others;
 * a page may have none, or very many. */
static void make_page(nd_random *random, uint64_t seeds, packed_page *page) {
    const uint64_t kind = nd_random_below(random, 12);
    const uint32_t sentences =
        kind == 0 ? 0 : (uint32_t)nd_random_below(random, kind == 1 ? 4000 : 60);
    nd_sentence_digest *digests = calloc(sentences + 1U, sizeof *digests);
    uint32_t *tokens = NULL;
    size_t capacity = 0;
    uint32_t count = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(digests);
    for (uint32_t k = 0; k < sentences; k++) {
        nd_random own = {nd_mix64(nd_random_below(random, seeds))};
        uint64_t words[2] = {nd_random_next(&own), nd_random_next(&own)};
        nd_sentence_digest *s = &digests[k];
        memcpy(&s->digest, words, sizeof s->digest);
        s->masked = nd_random_below(&own, 3) == 0 ? 0 : nd_random_next(&own);
        s->token_count = (uint32_t)nd_random_below(&own, nd_random_below(&own, 50) == 0 ? 500 : 30);
        s->flags = nd_random_below(random, 40) == 0 ? (uint32_t)nd_random_next(random)
                                                    : (uint32_t)nd_random_below(random, 32);
        nd_grow(&tokens, &capacity, count + s->token_count + 1, sizeof *tokens);
        for (uint32_t i = 0; i < s->token_count; i++) {
            tokens[count++] = (uint32_t)nd_random_next(&own);
        }
    }
    if (kind == 2 && sentences > 0) { /* sentences of another text */
        digests[0].token_count++;
    }
    page->document = (nd_document){
        .tokens = tokens, .token_count = count, .sentences = digests, .sentence_count = sentences};
}

static void make_corpus(nd_random *random, corpus *c, uint64_t seeds, uint64_t window) {
    nd_text_packer packer;
    *c = (corpus){.count = 1 + nd_random_below(random, MOST_PAGES)};
    nd_text_packer_open(&packer, window, nd_random_below(random, 2) == 0 ? 0 : 4 << 20);
    for (size_t i = 0; i < c->count; i++) {
        packed_page *page = &c->pages[i];
        nd_span record;
        make_page(random, seeds, page);
        page->place = c->bytes.size;
        CU_ASSERT_EQUAL_FATAL(nd_text_pack(&packer, page->place, &page->document, &record), ND_OK);
        nd_buffer_append(&c->bytes, record.data, record.size);
    }
    nd_text_packer_close(&packer);
}

static void free_corpus(corpus *c) {
    for (size_t i = 0; i < c->count; i++) {
        free((void *)(uintptr_t)c->pages[i].document.tokens);
        free((void *)(uintptr_t)c->pages[i].document.sentences);
    }
    nd_buffer_free(&c->bytes);
}

/* What a mask leaves of a page. */
static uint32_t masked_tokens(const nd_document *d, const uint8_t *mask, nd_buffer *tokens,
                              nd_buffer *sentences) {
    const uint32_t *from = d->tokens;
    tokens->size = sentences->size = 0;
    for (uint32_t k = 0; k < d->sentence_count; k++) {
        const nd_sentence_digest *s = &d->sentences[k];
        if ((mask[k / 8] >> k % 8 & 1) == 1) {
            const size_t size = s->token_count * sizeof *from;
            nd_buffer_append(tokens, from, size);
            nd_buffer_append(sentences, s, sizeof *s);
        }
        from = s->token_count > 0 ? from + s->token_count : from;
    }
    return (uint32_t)(tokens->size / sizeof *from);
}

static bool same(const nd_buffer *bytes, const void *expected, size_t size) {
    return bytes->size == size && (size == 0 || memcmp(bytes->data, expected, size) == 0);
}

static void check_page(nd_text_reader *reader, nd_random *random, const packed_page *page) {
    const nd_document *d = &page->document;
    nd_buffer tokens = {0}, sentences = {0}, left = {0}, left_sentences = {0};
    CU_ASSERT_EQUAL(nd_text_reader_enter(reader, page->place), ND_OK);
    CU_ASSERT_EQUAL_FATAL(reader->sentences, d->sentence_count);
    CU_ASSERT_EQUAL(nd_text_unpack(reader, NULL, d->token_count, &tokens, &sentences), ND_OK);
    CU_ASSERT(same(&tokens, d->tokens, d->token_count * sizeof *d->tokens));
    CU_ASSERT(same(&sentences, d->sentences, d->sentence_count * sizeof *d->sentences));
    CU_ASSERT_EQUAL(nd_text_unpack(reader, NULL, d->token_count, &tokens, NULL), ND_OK);
    CU_ASSERT(same(&tokens, d->tokens, d->token_count * sizeof *d->tokens));
    CU_ASSERT_EQUAL(nd_text_unpack(reader, NULL, d->token_count + 1, &tokens, NULL), ND_ERR_FORMAT);
    if (!reader->loose) {
        uint8_t *mask = calloc(d->sentence_count / 8 + 1U, 1);
        CU_ASSERT_PTR_NOT_NULL_FATAL(mask);
        for (uint32_t k = 0; k < d->sentence_count / 8 + 1U; k++) {
            mask[k] = (uint8_t)(nd_random_next(random) & nd_random_next(random));
        }
        const uint32_t count = masked_tokens(d, mask, &left, &left_sentences);
        CU_ASSERT_EQUAL(nd_text_unpack(reader, mask, count, &tokens, &sentences), ND_OK);
        CU_ASSERT(same(&tokens, left.data, left.size));
        CU_ASSERT(same(&sentences, left_sentences.data, left_sentences.size));
        free(mask);
    }
    nd_buffer_free(&tokens);
    nd_buffer_free(&sentences);
    nd_buffer_free(&left);
    nd_buffer_free(&left_sentences);
}

static void test_any(void) {
    static corpus c;
    nd_random random = nd_test_random("text packing");
    for (int trial = 0; trial < 24; trial++) {
        const uint64_t seeds = UINT64_C(1) << nd_random_below(&random, 20);
        const uint64_t window = UINT64_C(1) << nd_random_below(&random, 24);
        nd_text_reader reader = {.source = give, .context = &c};
        make_corpus(&random, &c, seeds, window);
        for (size_t i = 0; i < 2 * c.count; i++) { /* in order, and in any */
            check_page(&reader, &random,
                       &c.pages[i < c.count ? i : nd_random_below(&random, c.count)]);
        }
        nd_text_reader_close(&reader);
        free_corpus(&c);
    }
}

static bool are_tokens(const nd_document *d) {
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < d->sentence_count; k++) {
        tokens += d->sentences[k].token_count;
    }
    return tokens == d->token_count;
}

/* Of pages that repeat the same sentences, hardly more is kept than of one. */
static void test_repeats(void) {
    nd_random random = nd_test_random("repeated texts");
    static corpus c;
    nd_text_packer packer;
    nd_span record;
    do {
        free_corpus(&c);
        c = (corpus){.count = 1};
        make_page(&random, UINT64_C(1) << 40, &c.pages[0]);
    } while (c.pages[0].document.sentence_count < 20 || !are_tokens(&c.pages[0].document));
    const packed_page *page = &c.pages[0];
    nd_text_packer_open(&packer, 1 << 20, 1 << 20);
    CU_ASSERT_EQUAL(nd_text_pack(&packer, 0, &page->document, &record), ND_OK);
    const size_t first = record.size;
    CU_ASSERT_EQUAL(nd_text_pack(&packer, first, &page->document, &record), ND_OK);
    CU_ASSERT(record.size < 4 + 8 * page->document.sentence_count + 8);
    CU_ASSERT_EQUAL(nd_text_pack(&packer, 4 << 20, &page->document, &record), ND_OK);
    CU_ASSERT(record.size > first / 2); /* the window does not reach so far */
    nd_text_packer_close(&packer);
    free_corpus(&c);
}

static void test_damage(void) {
    static corpus c;
    nd_random random = nd_test_random("damaged texts");
    uint64_t refused = 0;
    for (int trial = 0; trial < 6; trial++) {
        nd_buffer tokens = {0}, sentences = {0};
        nd_text_reader reader = {.source = give, .context = &c};
        make_corpus(&random, &c, 200, 1 << 24);
        for (int i = 0; i < 3000; i++) {
            const packed_page *page = &c.pages[nd_random_below(&random, c.count)];
            const uint64_t at =
                nd_min(page->place + nd_random_below(&random, 64), c.bytes.size - 1);
            const uint8_t right = c.bytes.data[at];
            c.bytes.data[at] = (uint8_t)nd_random_next(&random);
            nd_status st = nd_text_reader_enter(&reader, page->place);
            st = st != ND_OK ? st
                             : nd_text_unpack(&reader, NULL, page->document.token_count, &tokens,
                                              &sentences);
            CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
            CU_ASSERT(st != ND_OK || tokens.size == page->document.token_count * sizeof(uint32_t));
            refused += st == ND_ERR_FORMAT;
            c.bytes.data[at] = right;
        }
        CU_ASSERT_EQUAL(nd_text_reader_enter(&reader, c.bytes.size), ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(nd_text_reader_enter(&reader, UINT64_MAX - 2), ND_ERR_FORMAT);
        nd_text_reader_close(&reader);
        nd_buffer_free(&tokens);
        nd_buffer_free(&sentences);
        free_corpus(&c);
    }
    CU_ASSERT(refused > 1000);
}

static const nd_test tests[] = {
    {"any texts", test_any},
    {"repeated texts", test_repeats},
    {"damaged texts", test_damage},
};

ND_SUITE(p_text_packing, tests)
