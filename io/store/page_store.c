#include "io/store/page_store.h"

#include "src/base/contract.h"
#include "src/base/order.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

uint64_t nd_page_store_text_bytes(const nd_page_store *store) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < store->count; i++) {
        bytes += store->pages[i].token_count * sizeof(uint32_t) +
                 store->pages[i].sentence_count * sizeof(nd_sentence_digest);
    }
    return bytes;
}

uint64_t nd_page_store_token_count(const nd_page_store *store) {
    uint64_t tokens = 0;
    for (size_t i = 0; i < store->count; i++) {
        tokens += store->pages[i].token_count;
    }
    return tokens;
}

uint64_t nd_page_store_name_bytes(const nd_page_store *store) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < store->count; i++) {
        bytes += (uint64_t)store->pages[i].id_size + store->pages[i].url_size;
    }
    return bytes;
}

/* ---- parts */

nd_status nd_page_parts_add(nd_page_parts *parts, uint64_t first, nd_page_part **part) {
    ND_ASSERT(parts->count == 0 || first >= parts->parts[parts->count - 1].first, first,
              parts->count);
    nd_status st = nd_grow(&parts->parts, &parts->capacity, parts->count + 1, sizeof *parts->parts);
    if (st == ND_OK) {
        *part = &parts->parts[parts->count++];
        (*part)->first = first;
    }
    return st;
}

void nd_page_parts_free(nd_page_parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        nd_spool_close(&parts->parts[i].spool);
    }
    free(parts->parts);
    *parts = (nd_page_parts){0};
}

/* A process may have so many files open, of which a store has less than half for its three kinds:
 * network connections are files too. */
static size_t most_open(void) {
    enum { SHARES = 8, LEAST = 4, MOST = 512 };
    struct rlimit limit;
    const rlim_t files = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
    return (size_t)nd_min(nd_max(files / SHARES, LEAST), MOST);
}

/* Let one more file be opened: those that have been open for the longest time are closed. */
static void make_room(nd_page_parts *parts) {
    const size_t most = most_open();
    while (parts->open >= most) {
        nd_spool *spool = &parts->parts[parts->oldest].spool;
        if (spool->kept && spool->descriptor >= 0) {
            nd_spool_rest(spool);
            parts->open--;
        }
        parts->oldest = (parts->oldest + 1) % parts->count;
    }
}

nd_status nd_page_store_add_part(nd_page_store *store, nd_page_parts *parts, uint64_t first,
                                 const char *path, uint64_t size) {
    nd_page_part *part = NULL;
    nd_status st = nd_page_parts_add(parts, first, &part);
    if (st == ND_OK) {
        nd_spool_open(&part->spool, store->folder, 0);
        make_room(parts);
        st = nd_spool_open_kept(&part->spool, store->folder, path, size);
        parts->open += st == ND_OK;
    }
    return st;
}

static nd_status read_bytes(nd_page_parts *parts, uint64_t first, uint64_t size, nd_buffer *scratch,
                            const uint8_t **bytes) {
    *bytes = NULL;
    if (size == 0) {
        return ND_OK;
    }
    size_t next =
        0; /* the part after the one that holds the first byte; there is none before [0] */
    ND_FIND_FIRST(next, 1, parts->count, parts->parts[next].first > first);
    ND_ASSERT(parts->count > 0, first, size);
    nd_page_part *part = &parts->parts[next - 1];
    ND_ASSERT(first >= part->first && first - part->first + size <= part->spool.size, first, size,
              part->spool.size);
    if (part->spool.kept && part->spool.descriptor < 0) {
        make_room(parts);
        const nd_status st = nd_spool_resume(&part->spool);
        if (st != ND_OK) {
            return st;
        }
        parts->open++;
    }
    return nd_spool_read(&part->spool, first - part->first, (size_t)size, scratch, bytes);
}

/* ---- appending */

/* Append to the last part. \param[out] place  of the first byte */
static nd_status append_bytes(nd_page_store *store, nd_page_parts *parts, const void *bytes,
                              size_t size, uint64_t *place) {
    nd_status st = ND_OK;
    /* of the memory, what the pages themselves leave; but however many they are, some is for their
     * texts */
    const uint64_t least = store->memory / 8;
    const uint64_t taken = nd_max(store->expected, store->count) * store->per_page;
    const uint64_t memory = taken < store->memory - least ? store->memory - taken : least;
    const uint64_t share = parts == &store->names  ? ND_PAGE_STORE_NAMES
                           : parts == &store->text ? ND_PAGE_STORE_TEXT
                                                   : ND_PAGE_STORE_SENTENCES;
    nd_page_part *part = NULL;
    if (parts->count == 0) {
        ND_TRY(nd_page_parts_add(parts, 0, &part));
        nd_spool_open(&part->spool, store->folder, 0);
    }
    part = &parts->parts[parts->count - 1];
    nd_spool_allow(&part->spool, memory / ND_PAGE_STORE_PARTS * share);
    *place = part->first + part->spool.size;
    ND_TRY(nd_spool_append(&part->spool, bytes, size));
out:
    return st;
}

nd_status nd_page_store_append_text(nd_page_store *store, nd_stored_page *page,
                                    const uint32_t *tokens, const nd_sentence_digest *sentences) {
    nd_status st = ND_OK;
    ND_TRY(
        append_bytes(store, &store->text, tokens, page->token_count * sizeof *tokens, &page->text));
    ND_TRY(append_bytes(store, &store->sentences, sentences,
                        page->sentence_count * sizeof *sentences, &page->sentences));
out:
    return st;
}

nd_status nd_page_store_append(nd_page_store *store, const nd_stored_page *page,
                               const uint32_t *tokens, const nd_sentence_digest *sentences,
                               nd_span id, nd_span url) {
    nd_status st = ND_OK;
    nd_stored_page stored = *page;
    uint64_t url_place = 0;
    if (id.size > UINT32_MAX || url.size > UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "an id or URL of %zu bytes is too long",
                       (size_t)nd_max(id.size, url.size));
    }
    stored.id_size = (uint32_t)id.size;
    stored.url_size = (uint32_t)url.size;
    ND_TRY(nd_grow(&store->pages, &store->capacity, store->count + 1, sizeof *store->pages));
    ND_TRY(nd_page_store_append_text(store, &stored, tokens, sentences));
    ND_TRY(append_bytes(store, &store->names, id.data, id.size, &stored.names));
    ND_TRY(append_bytes(store, &store->names, url.data, url.size, &url_place)); /* right after it */
    ND_ASSERT(url_place == stored.names + stored.id_size, url_place, stored.names, stored.id_size);
    store->pages[store->count++] = stored;
out:
    return st;
}

nd_status nd_page_store_append_claim(nd_page_store *store, const nd_page_claim *claim) {
    nd_stored_page *page = &store->pages[store->count - 1];
    const bool refers = claim->refers_id != 0 || claim->refers_place != 0;
    uint64_t place = 0;
    /* of most pages the first field says all */
    const size_t size = refers ? sizeof *claim : claim->payload != 0 ? sizeof claim->payload : 0;
    const nd_status st = append_bytes(store, &store->names, claim, size, &place);
    ND_ASSERT(st != ND_OK || place == page->names + page->id_size + page->url_size, place,
              page->names, page->id_size);
    page->claim_size = (uint16_t)size;
    return st;
}

/* ---- reading */

nd_status nd_page_store_tokens(nd_page_store *store, size_t index, nd_document *document) {
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    ND_ASSERT(index < store->count, index, store->count);
    *document = (nd_document){0};
    const nd_status st = read_bytes(&store->text, page->text, page->token_count * sizeof(uint32_t),
                                    &store->text_scratch, &bytes);
    if (st == ND_OK) {
        document->tokens = (const uint32_t *)(const void *)bytes;
        document->token_count = page->token_count;
        document->hash = page->content_hash;
        document->origin = nd_stored_page_origin(page);
    }
    return st;
}

nd_status nd_page_store_document(nd_page_store *store, size_t index, nd_document *document) {
    nd_status st = ND_OK;
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    ND_TRY(nd_page_store_tokens(store, index, document));
    ND_TRY(read_bytes(&store->sentences, page->sentences,
                      page->sentence_count * sizeof(nd_sentence_digest), &store->sentence_scratch,
                      &bytes));
    document->sentences = (const nd_sentence_digest *)(const void *)bytes;
    document->sentence_count = page->sentence_count;
out:
    return st;
}

nd_status nd_page_check_sentences(const nd_document *document) {
    uint64_t tokens = 0;
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        tokens += document->sentences[k].token_count;
    }
    return tokens == document->token_count
               ? ND_OK
               : nd_fail(ND_ERR_FORMAT,
                         "work folder: damaged: sentences: those of a page have %llu words, and "
                         "its text %u",
                         (unsigned long long)tokens, document->token_count);
}

void nd_page_store_drop_sentences(nd_page_store *store) {
    nd_page_parts_free(&store->sentences);
    nd_buffer_free(&store->sentence_scratch);
    for (size_t i = 0; i < store->count; i++) {
        store->pages[i].sentence_count = 0;
    }
}

nd_status nd_page_store_names(nd_page_store *store, size_t index, nd_span *id, nd_span *url) {
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    ND_ASSERT(index < store->count, index, store->count);
    const nd_status st =
        read_bytes(&store->names, page->names, (uint64_t)page->id_size + page->url_size,
                   &store->name_scratch, &bytes);
    *id = (nd_span){bytes, st == ND_OK ? page->id_size : 0};
    *url =
        (nd_span){bytes == NULL ? NULL : bytes + page->id_size, st == ND_OK ? page->url_size : 0};
    return st;
}

nd_status nd_page_store_claim(nd_page_store *store, size_t index, nd_page_claim *claim) {
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    *claim = (nd_page_claim){0};
    const nd_status st = read_bytes(&store->names, page->names + page->id_size + page->url_size,
                                    page->claim_size, &store->name_scratch, &bytes);
    if (bytes != NULL && page->claim_size <= sizeof *claim) {
        memcpy(claim, bytes, page->claim_size);
    }
    return st;
}

void nd_page_store_free(nd_page_store *store) {
    free(store->pages);
    nd_page_parts_free(&store->text);
    nd_page_parts_free(&store->sentences);
    nd_page_parts_free(&store->names);
    nd_buffer_free(&store->text_scratch);
    nd_buffer_free(&store->sentence_scratch);
    nd_buffer_free(&store->name_scratch);
    *store = (nd_page_store){.folder = store->folder,
                             .memory = store->memory,
                             .per_page = store->per_page,
                             .expected = store->expected};
}
