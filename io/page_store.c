#include "io/page_store.h"

#include <stdlib.h>
#include <string.h>

static uint64_t begin_of(const uint64_t *end, size_t index) {
    return index == 0 ? 0 : end[index - 1];
}

static nd_status reserve(nd_page_store *store, const nd_stored_page *page, nd_span id,
                         nd_span url) {
    nd_status st = ND_OK;
    const size_t count = store->count;
    const size_t tokens = (size_t)begin_of(store->token_end, count) + page->token_count;
    const size_t sentences = (size_t)begin_of(store->sentence_end, count) + page->sentence_count;
    ND_TRY(nd_grow(&store->pages, &store->page_capacity, count + 1, sizeof *store->pages));
    ND_TRY(nd_grow(&store->token_end, &store->token_end_capacity, count + 1, sizeof(uint64_t)));
    ND_TRY(
        nd_grow(&store->sentence_end, &store->sentence_end_capacity, count + 1, sizeof(uint64_t)));
    ND_TRY(nd_grow(&store->id_end, &store->id_end_capacity, count + 1, sizeof(uint64_t)));
    ND_TRY(nd_grow(&store->url_end, &store->url_end_capacity, count + 1, sizeof(uint64_t)));
    ND_TRY(nd_grow(&store->tokens, &store->token_capacity, tokens, sizeof *store->tokens));
    ND_TRY(
        nd_grow(&store->sentences, &store->sentence_capacity, sentences, sizeof *store->sentences));
    ND_TRY(nd_buffer_reserve(&store->ids, id.size));
    ND_TRY(nd_buffer_reserve(&store->urls, url.size));
out:
    return st;
}

nd_status nd_page_store_append(nd_page_store *store, const nd_stored_page *page,
                               const uint32_t *tokens, const nd_sentence_digest *sentences,
                               nd_span id, nd_span url) {
    nd_status st = reserve(store, page, id, url);
    if (st != ND_OK) {
        return st;
    }
    const size_t index = store->count;
    const uint64_t first_token = begin_of(store->token_end, index);
    const uint64_t first_sentence = begin_of(store->sentence_end, index);
    if (page->token_count > 0) {
        memcpy(store->tokens + first_token, tokens, page->token_count * sizeof *tokens);
    }
    if (page->sentence_count > 0) {
        memcpy(store->sentences + first_sentence, sentences,
               page->sentence_count * sizeof *sentences);
    }
    (void)nd_buffer_append(&store->ids, id.data, id.size); /* reserved above */
    (void)nd_buffer_append(&store->urls, url.data, url.size);
    store->pages[index] = *page;
    store->token_end[index] = first_token + page->token_count;
    store->sentence_end[index] = first_sentence + page->sentence_count;
    store->id_end[index] = store->ids.size;
    store->url_end[index] = store->urls.size;
    store->count++;
    return ND_OK;
}

const uint32_t *nd_page_store_tokens(const nd_page_store *store, size_t index) {
    return store->tokens + begin_of(store->token_end, index);
}

const nd_sentence_digest *nd_page_store_sentences(const nd_page_store *store, size_t index) {
    return store->sentences + begin_of(store->sentence_end, index);
}

nd_document nd_page_store_document(const nd_page_store *store, size_t index) {
    return (nd_document){.tokens = nd_page_store_tokens(store, index),
                         .token_count = store->pages[index].token_count,
                         .sentences = nd_page_store_sentences(store, index),
                         .sentence_count = store->pages[index].sentence_count};
}

nd_span nd_page_store_id(const nd_page_store *store, size_t index) {
    const uint64_t begin = begin_of(store->id_end, index);
    return (nd_span){store->ids.data + begin, (size_t)(store->id_end[index] - begin)};
}

nd_span nd_page_store_url(const nd_page_store *store, size_t index) {
    const uint64_t begin = begin_of(store->url_end, index);
    return (nd_span){store->urls.data + begin, (size_t)(store->url_end[index] - begin)};
}

uint64_t nd_page_store_first_sentence(const nd_page_store *store, size_t index) {
    return begin_of(store->sentence_end, index);
}

uint64_t nd_page_store_sentence_count(const nd_page_store *store) {
    return begin_of(store->sentence_end, store->count);
}

/* How far the store has been packed; what is packed never lies behind what is still to be read. */
typedef struct packing {
    uint64_t token, sentence;         /* next free places */
    uint64_t old_token, old_sentence; /* next to be read */
} packing;

static void pack_page(nd_page_store *store, size_t index, const bool *keep, packing *at) {
    nd_stored_page *page = &store->pages[index];
    const uint64_t first_token = at->token;
    const uint64_t first_sentence = at->sentence;
    for (uint32_t s = 0; s < page->sentence_count; s++, at->old_sentence++) {
        const nd_sentence_digest sentence = store->sentences[at->old_sentence];
        if (keep[at->old_sentence]) {
            memmove(store->tokens + at->token, store->tokens + at->old_token,
                    sentence.token_count * sizeof *store->tokens);
            at->token += sentence.token_count;
            store->sentences[at->sentence++] = sentence;
        }
        at->old_token += sentence.token_count;
    }
    page->token_count = (uint32_t)(at->token - first_token);
    page->sentence_count = (uint32_t)(at->sentence - first_sentence);
    store->token_end[index] = at->token;
    store->sentence_end[index] = at->sentence;
}

void nd_page_store_select(nd_page_store *store, const bool *keep) {
    packing at = {0};
    for (size_t i = 0; i < store->count; i++) {
        pack_page(store, i, keep, &at);
    }
}

void nd_page_store_free(nd_page_store *store) {
    free(store->pages);
    free(store->token_end);
    free(store->sentence_end);
    free(store->id_end);
    free(store->url_end);
    free(store->tokens);
    free(store->sentences);
    nd_buffer_free(&store->ids);
    nd_buffer_free(&store->urls);
    *store = (nd_page_store){0};
}
