#include "io/page_store.h"

#include <stdlib.h>
#include <string.h>

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

static nd_status new_part(nd_page_parts *parts, uint64_t first, nd_page_part **part) {
    nd_status st = nd_grow(&parts->parts, &parts->capacity, parts->count + 1, sizeof *parts->parts);
    if (st == ND_OK) {
        *part = &parts->parts[parts->count++];
        (*part)->first = first;
    }
    return st;
}

static void parts_free(nd_page_parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        nd_spool_close(&parts->parts[i].spool);
    }
    free(parts->parts);
    *parts = (nd_page_parts){0};
}

/* Names take a small part of what tokens and sentences take. */
static uint64_t share_of(const nd_page_store *store, const nd_page_parts *parts) {
    const uint64_t eighth = (store->folder == NULL ? UINT64_MAX : store->memory) / 8;
    return parts == &store->names ? eighth : parts == &store->text ? 4 * eighth : 3 * eighth;
}

/* The part that is appended to: the last one. */
static nd_status open_part(nd_page_store *store, nd_page_parts *parts, nd_page_part **part) {
    nd_status st = ND_OK;
    if (parts->count == 0) {
        ND_TRY(new_part(parts, 0, part));
        nd_spool_open(&(*part)->spool, store->folder, share_of(store, parts));
    }
    *part = &parts->parts[parts->count - 1];
out:
    return st;
}

nd_status nd_page_store_add_part(nd_page_store *store, nd_page_parts *parts, uint64_t first,
                                 const char *path, uint64_t size) {
    nd_page_part *part = NULL;
    nd_status st = new_part(parts, first, &part);
    return st != ND_OK ? st : nd_spool_open_kept(&part->spool, store->folder, path, size);
}

static nd_status read_bytes(const nd_page_parts *parts, uint64_t first, uint64_t size,
                            nd_buffer *scratch, const uint8_t **bytes) {
    size_t low = 0;
    size_t high = parts->count;
    *bytes = NULL;
    if (size == 0) {
        return ND_OK;
    }
    while (high - low > 1) { /* the last part that starts at or before the byte */
        const size_t middle = low + (high - low) / 2;
        if (parts->parts[middle].first <= first) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const nd_page_part *part = &parts->parts[low];
    return nd_spool_read(&part->spool, first - part->first, (size_t)size, scratch, bytes);
}

/* ---- appending */

static nd_status append_bytes(nd_page_store *store, nd_page_parts *parts, const void *bytes,
                              size_t size, uint64_t *place) {
    nd_status st = ND_OK;
    nd_page_part *part = NULL;
    ND_TRY(open_part(store, parts, &part));
    *place = part->first + part->spool.size;
    ND_TRY(nd_spool_append(&part->spool, bytes, size));
out:
    return st;
}

static nd_status append_text(nd_page_store *store, nd_stored_page *page, const uint32_t *tokens,
                             const nd_sentence_digest *sentences) {
    nd_status st = ND_OK;
    ND_TRY(
        append_bytes(store, &store->text, tokens, page->token_count * sizeof *tokens, &page->text));
    ND_TRY(append_bytes(store, &store->sentences, sentences,
                        page->sentence_count * sizeof *sentences, &page->sentences));
out:
    return st;
}

static nd_status append_names(nd_page_store *store, nd_stored_page *page, nd_span id, nd_span url) {
    nd_status st = ND_OK;
    uint64_t url_place = 0;
    if (id.size > UINT32_MAX || url.size > UINT32_MAX) {
        return nd_fail(ND_ERR_LIMIT, "an id or URL of %zu bytes is too long",
                       id.size > url.size ? id.size : url.size);
    }
    page->id_size = (uint32_t)id.size;
    page->url_size = (uint32_t)url.size;
    ND_TRY(append_bytes(store, &store->names, id.data, id.size, &page->names));
    ND_TRY(append_bytes(store, &store->names, url.data, url.size, &url_place)); /* right behind */
out:
    return st;
}

nd_status nd_page_store_append(nd_page_store *store, const nd_stored_page *page,
                               const uint32_t *tokens, const nd_sentence_digest *sentences,
                               nd_span id, nd_span url) {
    nd_status st = ND_OK;
    nd_stored_page stored = *page;
    ND_TRY(nd_grow(&store->pages, &store->capacity, store->count + 1, sizeof *store->pages));
    ND_TRY(append_text(store, &stored, tokens, sentences));
    ND_TRY(append_names(store, &stored, id, url));
    store->pages[store->count++] = stored;
out:
    return st;
}

/* ---- reading */

nd_status nd_page_store_tokens(nd_page_store *store, size_t index, nd_document *document) {
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    *document = (nd_document){0};
    const nd_status st = read_bytes(&store->text, page->text, page->token_count * sizeof(uint32_t),
                                    &store->text_scratch, &bytes);
    if (st == ND_OK) {
        document->tokens = (const uint32_t *)(const void *)bytes;
        document->token_count = page->token_count;
        document->site = page->site;
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

void nd_page_store_drop_sentences(nd_page_store *store) {
    parts_free(&store->sentences);
    nd_buffer_free(&store->sentence_scratch);
    for (size_t i = 0; i < store->count; i++) {
        store->pages[i].sentence_count = 0;
    }
}

nd_status nd_page_store_names(nd_page_store *store, size_t index, nd_span *id, nd_span *url) {
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    const nd_status st =
        read_bytes(&store->names, page->names, (uint64_t)page->id_size + page->url_size,
                   &store->name_scratch, &bytes);
    *id = (nd_span){bytes, st == ND_OK ? page->id_size : 0};
    *url =
        (nd_span){bytes == NULL ? NULL : bytes + page->id_size, st == ND_OK ? page->url_size : 0};
    return st;
}

/* ---- selection */

/* A page's text while it is packed; scratch, reused. */
typedef struct packing {
    bool *keep;
    uint32_t *tokens;
    nd_sentence_digest *sentences;
    size_t keep_capacity, token_capacity, sentence_capacity;
} packing;

/* Ask which sentences of a page are kept. */
static nd_status ask(packing *p, size_t index, const nd_document *document,
                     nd_sentence_choice choose, void *context) {
    nd_status st = ND_OK;
    ND_TRY(nd_grow(&p->keep, &p->keep_capacity, document->sentence_count, sizeof *p->keep));
    if (document->sentence_count > 0) {
        memset(p->keep, 0, document->sentence_count * sizeof *p->keep);
    }
    ND_TRY(choose(context, index, document, p->keep));
out:
    return st;
}

/* Of most pages everything is kept, and as long as of all, nothing has to be moved. */
static void move(void *to, const void *from, size_t size) {
    if (size > 0 && to != from) {
        memmove(to, from, size);
    }
}

/* Move what is kept of a page to where it goes, which may be where it came from. */
static void pack(const bool *keep, const nd_document *document, uint32_t *tokens,
                 nd_sentence_digest *sentences, nd_stored_page *page) {
    const uint32_t *from = document->tokens;
    page->token_count = 0;
    page->sentence_count = 0;
    for (uint32_t k = 0, end = 0; k < document->sentence_count; k = end) {
        uint32_t length = 0;
        for (; end < document->sentence_count && keep[end] == keep[k]; end++) {
            length += document->sentences[end].token_count;
        }
        if (keep[k]) {
            move(tokens + page->token_count, from, length * sizeof *from);
            move(sentences + page->sentence_count, document->sentences + k,
                 (end - k) * sizeof *sentences);
            page->token_count += length;
            page->sentence_count += end - k;
        }
        from += length;
    }
}

static nd_status select_page(nd_page_store *from, nd_page_store *to, size_t index, packing *p,
                             nd_sentence_choice choose, void *context) {
    nd_status st = ND_OK;
    nd_document document;
    ND_TRY(nd_page_store_document(from, index, &document));
    ND_TRY(nd_grow(&p->tokens, &p->token_capacity, document.token_count, sizeof *p->tokens));
    ND_TRY(nd_grow(&p->sentences, &p->sentence_capacity, document.sentence_count,
                   sizeof *p->sentences));
    ND_TRY(ask(p, index, &document, choose, context));
    pack(p->keep, &document, p->tokens, p->sentences, &from->pages[index]);
    ND_TRY(append_text(to, &from->pages[index], p->tokens, p->sentences));
out:
    return st;
}

static nd_status select_to_another(nd_page_store *store, packing *p, nd_sentence_choice choose,
                                   void *context) {
    nd_status st = ND_OK;
    nd_page_store selected = {.folder = store->folder, .memory = store->memory};
    for (size_t i = 0; i < store->count; i++) {
        ND_TRY(select_page(store, &selected, i, p, choose, context));
    }
    parts_free(&store->text);
    parts_free(&store->sentences);
    store->text = selected.text;
    store->sentences = selected.sentences;
    selected.text = (nd_page_parts){0};
    selected.sentences = (nd_page_parts){0};
out:
    nd_page_store_free(&selected);
    return st;
}

/* The bytes of parts that lie in memory, one after the other; NULL if they do not. */
static uint8_t *memory_of(const nd_page_parts *parts) {
    return parts->count == 1 ? nd_spool_memory(&parts->parts[0].spool) : NULL;
}

/* Can what is kept be moved to the front, page by page, without writing over what is still to be
 * read? */
static bool can_move_up(const nd_page_store *store) {
    uint64_t text = 0;
    uint64_t sentences = 0;
    for (size_t i = 0; i < store->count; i++) {
        if (store->pages[i].text < text || store->pages[i].sentences < sentences) {
            return false;
        }
        text = store->pages[i].text;
        sentences = store->pages[i].sentences;
    }
    return memory_of(&store->text) != NULL && memory_of(&store->sentences) != NULL;
}

static nd_status move_up(nd_page_store *store, packing *p, nd_sentence_choice choose,
                         void *context) {
    nd_status st = ND_OK;
    uint8_t *const texts = memory_of(&store->text);
    uint8_t *const digests = memory_of(&store->sentences);
    const uint64_t first_text = store->text.parts[0].first;
    const uint64_t first_digest = store->sentences.parts[0].first;
    uint64_t text = 0;
    uint64_t digest = 0;
    for (size_t i = 0; i < store->count; i++) {
        nd_document document;
        nd_stored_page *page = &store->pages[i];
        ND_TRY(nd_page_store_document(store, i, &document));
        ND_TRY(ask(p, i, &document, choose, context));
        /* malloc aligned them, and both grow by whole items */
        pack(p->keep, &document, (uint32_t *)(void *)(texts + text),
             (nd_sentence_digest *)(void *)(digests + digest), page);
        page->text = first_text + text;
        page->sentences = first_digest + digest;
        text += page->token_count * sizeof(uint32_t);
        digest += page->sentence_count * sizeof(nd_sentence_digest);
    }
    nd_spool_cut(&store->text.parts[0].spool, text);
    nd_spool_cut(&store->sentences.parts[0].spool, digest);
out:
    return st;
}

nd_status nd_page_store_select(nd_page_store *store, nd_sentence_choice choose, void *context) {
    packing p = {0};
    const nd_status st = can_move_up(store) ? move_up(store, &p, choose, context)
                                            : select_to_another(store, &p, choose, context);
    free(p.keep);
    free(p.tokens);
    free(p.sentences);
    return st;
}

void nd_page_store_free(nd_page_store *store) {
    free(store->pages);
    parts_free(&store->text);
    parts_free(&store->sentences);
    parts_free(&store->names);
    nd_buffer_free(&store->text_scratch);
    nd_buffer_free(&store->sentence_scratch);
    nd_buffer_free(&store->name_scratch);
    *store = (nd_page_store){.folder = store->folder, .memory = store->memory};
}
