/* The page store gives back what was appended, whatever came after. */
#include "io/page_store.h"
#include "tests/support/in_memory.h"
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
    const nd_document document = nd_test_document(store, index);
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
    CU_ASSERT(document.tokens == nd_test_document(store, index).tokens);
    CU_ASSERT(document.sentences == nd_test_document(store, index).sentences);
    CU_ASSERT(same_text(nd_test_id(store, index), s->id));
    CU_ASSERT(same_text(nd_test_url(store, index), s->url));
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

/* ---- selection */

/* A page whose sentences hold all its tokens, as those of real pages do. */
static void make_page(nd_random *random, sample *s) {
    make_sample(nd_random_next(random), nd_random_next(random), s);
    s->page.sentence_count = (uint32_t)nd_random_below(random, MOST_SENTENCES + 1);
    s->page.token_count = 0;
    for (uint32_t i = 0; i < s->page.sentence_count; i++) {
        s->sentences[i].token_count = (uint32_t)nd_random_below(random, 7); /* 0 too */
        s->page.token_count += s->sentences[i].token_count;
    }
    for (uint32_t i = 0; i < s->page.token_count; i++) {
        s->tokens[i] = (uint32_t)nd_random_next(random);
    }
    s->page.text_tokens = s->page.token_count;
}

/* What should be left of a page. */
static void select_sample(sample *s, const bool *keep) {
    uint32_t sentences = 0;
    uint32_t tokens = 0;
    uint32_t token = 0;
    for (uint32_t i = 0; i < s->page.sentence_count; i++) {
        const nd_sentence_digest sentence = s->sentences[i];
        for (uint32_t k = 0; k < sentence.token_count; k++, token++) {
            if (keep[i]) {
                s->tokens[tokens++] = s->tokens[token];
            }
        }
        if (keep[i]) {
            s->sentences[sentences++] = sentence;
        }
    }
    s->page.sentence_count = sentences;
    s->page.token_count = tokens;
}

/* Select twice: what is left by the first is a store like any other; pages can be appended. */
static void check_selection(nd_random *random, uint64_t share) {
    enum { SELECTED = 40 };
    static sample samples[SELECTED + 1];
    bool keep[SELECTED * MOST_SENTENCES] = {false};
    nd_page_store store = {0};
    for (size_t i = 0; i < SELECTED; i++) {
        make_page(random, &samples[i]);
        CU_ASSERT_EQUAL(append(&store, &samples[i]), ND_OK);
    }
    for (int round = 0; round < 2; round++) {
        uint64_t sentence = 0;
        for (size_t i = 0; i < SELECTED; i++) {
            CU_ASSERT_EQUAL(nd_page_store_first_sentence(&store, i), sentence);
            sentence += samples[i].page.sentence_count;
        }
        CU_ASSERT_EQUAL(nd_page_store_sentence_count(&store), sentence);
        for (uint64_t i = 0; i < sentence; i++) {
            keep[i] = nd_random_below(random, 8) < share;
        }
        sentence = 0;
        for (size_t i = 0; i < SELECTED; i++) {
            const uint32_t count = samples[i].page.sentence_count;
            select_sample(&samples[i], keep + sentence);
            sentence += count;
        }
        nd_page_store_select(&store, keep);
        CU_ASSERT_EQUAL(store.count, SELECTED);
        for (size_t i = 0; i < SELECTED; i++) {
            check_page(&store, i, &samples[i]);
            CU_ASSERT_EQUAL(store.pages[i].text_tokens, samples[i].page.text_tokens);
        }
    }
    make_page(random, &samples[SELECTED]);
    CU_ASSERT_EQUAL(append(&store, &samples[SELECTED]), ND_OK);
    for (size_t i = 0; i <= SELECTED; i++) {
        check_page(&store, i, &samples[i]);
    }
    nd_page_store_free(&store);
}

static void test_select(void) {
    nd_random random = nd_test_random("select");
    for (uint64_t trial = 0; trial < 90; trial++) {
        check_selection(&random, trial % 9); /* none to all */
    }
}

static void test_select_from_nothing(void) {
    nd_page_store store = {0};
    sample s;
    CU_ASSERT_EQUAL(nd_page_store_sentence_count(&store), 0);
    nd_page_store_select(&store, NULL);
    CU_ASSERT_EQUAL(store.count, 0);
    make_sample(1, 0, &s); /* without text */
    CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
    nd_page_store_select(&store, NULL);
    check_page(&store, 0, &s);
    nd_page_store_free(&store);
}

static const nd_test tests[] = {
    {"append and read", test_append_and_read},
    {"use again", test_use_again},
    {"select", test_select},
    {"select from nothing", test_select_from_nothing},
};

ND_TEST_MAIN("page store", tests)
