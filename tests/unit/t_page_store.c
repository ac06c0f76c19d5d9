/* The page store gives back what was appended, whatever came after. */
#include "io/page_store.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAGES = 500, MOST_TOKENS = 40, MOST_SENTENCES = 6, MOST_TEXT = 64 };

/* A page that can be made again from its number. Every fifth has no text, some no id or URL. */
typedef struct sample {
    nd_stored_page page;
    uint32_t tokens[MOST_TOKENS];
    nd_sentence_digest sentences[MOST_SENTENCES];
    char id[MOST_TEXT];
    char url[MOST_TEXT];
} sample;

static void make_sample(uint64_t seed, uint64_t number, sample *s) {
    nd_random random = {nd_mix64(seed + number)};
    memset(s, 0, sizeof *s);
    s->page = (nd_stored_page){
        .text_hash = {nd_random_next(&random), nd_random_next(&random)},
        .offset = nd_random_next(&random),
        .source = (uint32_t)nd_random_next(&random),
        .token_count = number % 5 == 0 ? 0 : (uint32_t)nd_random_below(&random, MOST_TOKENS + 1),
        .sentence_count =
            number % 5 == 0 ? 0 : (uint32_t)nd_random_below(&random, MOST_SENTENCES + 1),
        .collection = (uint16_t)nd_random_next(&random),
    };
    for (uint32_t i = 0; i < s->page.token_count; i++) {
        s->tokens[i] = (uint32_t)nd_random_next(&random);
    }
    for (uint32_t i = 0; i < s->page.sentence_count; i++) {
        s->sentences[i].token_count = (uint32_t)nd_random_next(&random);
        for (size_t k = 0; k < sizeof(nd_md5); k++) {
            ((uint8_t *)&s->sentences[i].digest)[k] = (uint8_t)nd_random_next(&random);
        }
    }
    if (number % 3 != 0) {
        (void)snprintf(s->id, sizeof s->id, "id %llx", (unsigned long long)number * number);
    }
    if (number % 4 != 0) {
        (void)snprintf(s->url, sizeof s->url, "http://host%llu/", (unsigned long long)number);
    }
}

static nd_span text_of(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

static nd_status append(nd_page_store *store, const sample *s) {
    return nd_page_store_append(store, &s->page, s->tokens, s->sentences, text_of(s->id),
                                text_of(s->url));
}

static bool same_text(nd_span span, const char *text) {
    return span.size == strlen(text) && (span.size == 0 || memcmp(span.data, text, span.size) == 0);
}

static void check_page(const nd_page_store *store, size_t index, const sample *s) {
    const nd_stored_page *page = &store->pages[index];
    const nd_document document = nd_page_store_document(store, index);
    CU_ASSERT(page->text_hash.high == s->page.text_hash.high &&
              page->text_hash.low == s->page.text_hash.low);
    CU_ASSERT(page->offset == s->page.offset && page->source == s->page.source &&
              page->collection == s->page.collection);
    CU_ASSERT_EQUAL(document.token_count, s->page.token_count);
    CU_ASSERT_EQUAL(document.sentence_count, s->page.sentence_count);
    CU_ASSERT(document.token_count == 0 ||
              memcmp(document.tokens, s->tokens, document.token_count * sizeof *s->tokens) == 0);
    CU_ASSERT(document.sentence_count == 0 ||
              memcmp(document.sentences, s->sentences,
                     document.sentence_count * sizeof *s->sentences) == 0);
    CU_ASSERT(document.tokens == nd_page_store_tokens(store, index));
    CU_ASSERT(document.sentences == nd_page_store_sentences(store, index));
    CU_ASSERT(same_text(nd_page_store_id(store, index), s->id));
    CU_ASSERT(same_text(nd_page_store_url(store, index), s->url));
}

static void test_append_and_read(void) {
    const uint64_t seed = nd_test_random("page store").state;
    nd_page_store store = {0};
    sample s;
    for (uint64_t i = 0; i < PAGES; i++) {
        make_sample(seed, i, &s);
        CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
    }
    CU_ASSERT_EQUAL(store.count, PAGES);
    for (uint64_t i = 0; i < PAGES; i++) {
        make_sample(seed, i, &s);
        check_page(&store, i, &s);
    }
    nd_page_store_free(&store);
    CU_ASSERT(store.count == 0 && store.pages == NULL && store.tokens == NULL);
}

/* Freed is empty, and an empty store can be freed and used. */
static void test_use_again(void) {
    nd_page_store store = {0};
    sample s;
    nd_page_store_free(&store);
    for (uint64_t number = 0; number < 3; number++) { /* the first without any text */
        make_sample(1, number * 5, &s);
        CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
        CU_ASSERT_EQUAL(store.count, 1);
        check_page(&store, 0, &s);
        nd_page_store_free(&store);
    }
}

static const nd_test tests[] = {
    {"append and read", test_append_and_read},
    {"use again", test_use_again},
};

ND_TEST_MAIN("page store", tests)
