#include "io/store/page_select.h"

#include "src/base/status.h"

#include <stdlib.h>
#include <string.h>

/* A page's text while it is packed; scratch, reused. */
typedef struct packing {
    bool *keep;
    uint32_t *tokens;
    nd_sentence_digest *sentences;
    size_t keep_capacity, token_capacity, sentence_capacity;
} packing;

/* Ask which sentences of a page are kept, and make room for them. */
static nd_status ask(packing *p, size_t index, const nd_document *document,
                     nd_sentence_choice choose, void *context) {
    nd_status st = ND_OK;
    const uint32_t sentences = document->sentence_count;
    ND_TRY(nd_page_check_sentences(document));
    ND_TRY(nd_grow(&p->keep, &p->keep_capacity, sentences, sizeof *p->keep));
    ND_TRY(nd_grow(&p->tokens, &p->token_capacity, document->token_count, sizeof *p->tokens));
    ND_TRY(nd_grow(&p->sentences, &p->sentence_capacity, sentences, sizeof *p->sentences));
    if (sentences > 0) {
        memset(p->keep, 0, sentences * sizeof *p->keep);
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
            if (length > 0) { /* a page may have sentences and no tokens */
                move(tokens + page->token_count, from, length * sizeof *from);
            }
            move(sentences + page->sentence_count, document->sentences + k,
                 (end - k) * sizeof *sentences);
            page->token_count += length;
            page->sentence_count += end - k;
        }
        from = length > 0 ? from + length : from;
    }
    ND_ASSERT((size_t)(from - document->tokens) == document->token_count, from - document->tokens,
              document->token_count); /* the sentences are the page */
}

/* ---- in place */

/* Bytes on their way up: to the front of the spool's held bytes as far as these go, the rest to a
 * spool of its own. What is written over was read before, for nothing moves down. */
typedef struct moving {
    nd_page_parts *parts; /* of one part */
    uint64_t size;        /* moved */
    bool has_rest;
    nd_spool rest;
} moving;

static void start_moving(moving *m, nd_page_parts *parts, nd_spool_folder *folder) {
    enum { REST_MEMORY = 2 << 20 };
    *m = (moving){.parts = parts};
    nd_spool_open(&m->rest, folder, REST_MEMORY);
}

/* Where the next bytes, at most so many, are to be put: in place, or into scratch. */
static void *place_for(moving *m, size_t most, void *scratch) {
    const nd_long_buffer *held = &m->parts->parts[0].spool.held;
    m->has_rest = m->has_rest || m->size + most > held->size;
    return m->has_rest || most == 0 ? scratch : held->data + m->size;
}

/* Bytes were put there. \param[out] place  of the first of them */
static nd_status take_bytes(moving *m, const void *bytes, size_t size, uint64_t *place) {
    ND_ASSERT(m->has_rest || m->size + size <= m->parts->parts[0].spool.held.size, m->size, size);
    *place = m->parts->parts[0].first + m->size;
    m->size += size;
    return m->has_rest ? nd_spool_append(&m->rest, bytes, size) : ND_OK;
}

/* What is in place is all that stays of the old part; the rest is a part after it. */
static void end_moving(moving *m) {
    nd_page_part *part = &m->parts->parts[0];
    ND_ASSERT(m->rest.size <= m->size, m->rest.size, m->size);
    const uint64_t in_place = m->size - m->rest.size;
    nd_spool_cut(&part->spool, in_place);
    if (m->has_rest) {
        nd_page_parts_add(m->parts, part->first + in_place)->spool = m->rest;
        m->rest = (nd_spool){.folder = m->rest.folder};
    }
}

/* ---- whichever can be */

static bool holds_some(const nd_page_parts *parts) {
    return parts->count == 1 && parts->parts[0].spool.held.size > 0;
}

/* Do the texts that lie there as they are follow one another as the pages do? */
static bool can_move_up(const nd_page_store *store) {
    uint64_t text = 0;
    uint64_t sentences = 0;
    for (size_t i = 0; i < store->count; i++) {
        const nd_stored_page *page = &store->pages[i];
        if (nd_stored_page_is_packed(page) || page->sentence_count == 0) {
            continue;
        }
        if (page->text < text || page->sentences < sentences) {
            return false;
        }
        text = page->text;
        sentences = page->sentences;
    }
    return holds_some(&store->text) && holds_some(&store->sentences);
}

typedef struct selecting {
    nd_page_store *store;
    packing p;
    moving text, sentences;
    bool moves; /* up; texts that cannot are packed, where that is little */
} selecting;

static nd_status select_page(selecting *s, size_t index, nd_sentence_choice choose, void *context) {
    nd_status st = ND_OK;
    packing *p = &s->p;
    nd_document document;
    nd_stored_page *page = &s->store->pages[index];
    ND_TRY(nd_page_store_document(s->store, index, &document));
    ND_TRY(ask(p, index, &document, choose, context));
    if (nd_stored_page_is_packed(page)) {
        ND_TRY(nd_page_store_mask(s->store, index, &document, p->keep));
    } else if (s->moves) {
        uint32_t *const tokens =
            place_for(&s->text, document.token_count * sizeof *tokens, p->tokens);
        nd_sentence_digest *const sentences =
            place_for(&s->sentences, document.sentence_count * sizeof *sentences, p->sentences);
        pack(p->keep, &document, tokens, sentences, page);
        ND_TRY(take_bytes(&s->text, tokens, page->token_count * sizeof *tokens, &page->text));
        ND_TRY(take_bytes(&s->sentences, sentences, page->sentence_count * sizeof *sentences,
                          &page->sentences));
    } else {
        pack(p->keep, &document, p->tokens, p->sentences, page);
        ND_TRY(nd_page_store_pack_text(s->store, page, p->tokens, p->sentences));
    }
out:
    return st;
}

nd_status nd_page_store_select(nd_page_store *store, nd_sentence_choice choose, void *context) {
    nd_status st = ND_OK;
    selecting s = {.store = store, .moves = can_move_up(store)};
    start_moving(&s.text, &store->text, store->folder);
    start_moving(&s.sentences, &store->sentences, store->folder);
    for (size_t i = 0; i < store->count; i++) {
        ND_TRY(select_page(&s, i, choose, context));
    }
    if (s.moves) {
        end_moving(&s.text);
        end_moving(&s.sentences);
    } else {
        nd_page_parts_free(&store->text);
        nd_page_parts_free(&store->sentences);
    }
    nd_text_packer_close(&store->packer); /* nothing is appended as a rule */
out:
    nd_spool_close(&s.text.rest);
    nd_spool_close(&s.sentences.rest);
    free(s.p.keep);
    free(s.p.tokens);
    free(s.p.sentences);
    return st;
}
