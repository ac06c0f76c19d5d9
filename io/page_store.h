/** \file io/page_store.h
 * The pages of one rank between the stages: for each page its tokens, its sentences' MD5 digests,
 * the hash of its text, its id, its URL and where it came from. Pages are appended in order and
 * then only read, by local index. Everything is held in memory; nothing is compared here.
 */
#ifndef ND_IO_PAGE_STORE_H
#define ND_IO_PAGE_STORE_H

#include "src/base/buffer.h"
#include "src/method/document.h"

#include <stdbool.h>

/** Hash of the whole token sequence; equal for two pages if and only if (but for collisions of 128
 * bits) their texts are equal. */
typedef struct nd_text_hash {
    uint64_t high;
    uint64_t low;
} nd_text_hash;

/** What is known of a stored page besides its bytes. */
typedef struct nd_stored_page {
    nd_text_hash text_hash;    /**< of the whole text */
    nd_text_hash content_hash; /**< of what is compared; set by content selection */
    uint64_t site;             /**< hash of the URL's host */
    uint64_t offset;           /**< where its record starts in the source */
    uint32_t source;           /**< row of the sorted list of inputs */
    uint32_t text_tokens;      /**< length of the whole text */
    uint32_t token_count;      /**< of what is kept of it */
    uint32_t sentence_count;
    uint16_t collection;
} nd_stored_page;

/** All zero is a valid empty store. */
typedef struct nd_page_store {
    nd_stored_page *pages;
    uint64_t *token_end; /**< running totals: page i owns tokens [token_end[i-1], token_end[i]) */
    uint64_t *sentence_end;
    uint64_t *id_end;
    uint64_t *url_end;
    uint32_t *tokens;
    nd_sentence_digest *sentences;
    nd_buffer ids;
    nd_buffer urls;
    size_t count;
    size_t page_capacity, token_end_capacity, sentence_end_capacity, id_end_capacity,
        url_end_capacity, token_capacity, sentence_capacity;
} nd_page_store;

/** Append one page; everything is copied. On failure the store is as before.
 * \param[in] page       token_count and sentence_count give the lengths of the two arrays
 * \return ND_OK or ND_ERR_MEMORY */
nd_status nd_page_store_append(nd_page_store *store, const nd_stored_page *page,
                               const uint32_t *tokens, const nd_sentence_digest *sentences,
                               nd_span id, nd_span url);

/** Drop sentences, with their tokens, from all pages; the pages' counts follow.
 * \param[in] keep  one entry per sentence of the store, in order: false drops it */
void nd_page_store_select(nd_page_store *store, const bool *keep);

/** Sentences of the whole store, and where those of page `index` begin among them. */
uint64_t nd_page_store_sentence_count(const nd_page_store *store);
uint64_t nd_page_store_first_sentence(const nd_page_store *store, size_t index);

/** Tokens of page `index`, borrowed until the next append; store->pages[index].token_count of them.
 */
const uint32_t *nd_page_store_tokens(const nd_page_store *store, size_t index);

/** Sentences of page `index`, in order, borrowed likewise. */
const nd_sentence_digest *nd_page_store_sentences(const nd_page_store *store, size_t index);

/** Page `index` as a method sees it, borrowed likewise. */
nd_document nd_page_store_document(const nd_page_store *store, size_t index);

/** Id and URL of page `index`, borrowed likewise. */
nd_span nd_page_store_id(const nd_page_store *store, size_t index);
nd_span nd_page_store_url(const nd_page_store *store, size_t index);

/** Free everything; the store is empty. */
void nd_page_store_free(nd_page_store *store);

#endif
