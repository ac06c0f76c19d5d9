#include "io/store/page_store.h"

#include "src/base/status.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ==== pages */

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

nd_page_part *nd_page_parts_add(nd_page_parts *parts, uint64_t first) {
    ND_ASSERT(parts->count == 0 || first >= parts->parts[parts->count - 1].first, first,
              parts->count);
    nd_grow(&parts->parts, &parts->capacity, parts->count + 1, sizeof *parts->parts);
    nd_page_part *part = &parts->parts[parts->count++];
    *part = (nd_page_part){.first = first};
    return part;
}

static void forget_words(nd_page_part *part) {
    if (part->words != NULL) {
        nd_text_words_free(part->words);
        free(part->words);
        part->words = NULL;
    }
}

/* Close the spools of all parts. */
static void page_parts_free(nd_page_parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        nd_spool_close(&parts->parts[i].spool);
        forget_words(&parts->parts[i]);
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
            forget_words(&parts->parts[parts->oldest]);
            parts->open--;
        }
        parts->oldest = (parts->oldest + 1) % parts->count;
    }
}

void nd_page_store_add_part(nd_page_store *store, nd_page_parts *parts, uint64_t first,
                            const nd_kept_file *file) {
    nd_spool_open_kept(&nd_page_parts_add(parts, first)->spool, store->folder, file);
}

/* The part that holds a byte: the last that begins before it; there is none before [0]. */
static size_t part_at(const nd_page_parts *parts, uint64_t first) {
    size_t next = 0;
    ND_FIND_FIRST(next, 1, parts->count, parts->parts[next].first > first);
    ND_ASSERT(parts->count > 0, first);
    return next - 1;
}

/* Let the file of a part be open, if it has one of an earlier time. */
static nd_status enter_part(nd_page_parts *parts, size_t number) {
    nd_status st = ND_OK;
    nd_spool *spool = &parts->parts[number].spool;
    if (spool->kept && spool->descriptor < 0) {
        make_room(parts);
        ND_TRY(nd_spool_resume(spool));
        parts->open++;
    }
out:
    return st;
}

/* Bytes of a part, which are there. */
static nd_status read_part(nd_page_parts *parts, size_t number, uint64_t offset, uint64_t size,
                           nd_buffer *scratch, const uint8_t **bytes) {
    const nd_status st = enter_part(parts, number);
    return st != ND_OK
               ? st
               : nd_spool_read(&parts->parts[number].spool, offset, (size_t)size, scratch, bytes);
}

static nd_status read_bytes(nd_page_parts *parts, uint64_t first, uint64_t size, nd_buffer *scratch,
                            const uint8_t **bytes) {
    *bytes = NULL;
    if (size == 0) {
        return ND_OK;
    }
    const size_t number = part_at(parts, first);
    const nd_page_part *part = &parts->parts[number];
    ND_ASSERT(first >= part->first && first - part->first + size <= part->spool.size, first, size,
              part->spool.size);
    return read_part(parts, number, first - part->first, size, scratch, bytes);
}

/* ---- appending */

/* Parts of the memory that so many pages leave; but however many they are, some is for their texts.
 */
static uint64_t parts_of(uint64_t memory, uint64_t pages, uint64_t per_page, uint64_t parts) {
    const uint64_t least = memory / 8;
    const uint64_t taken = pages * per_page;
    const uint64_t left = taken < memory - least ? memory - taken : least;
    return left / ND_PAGE_STORE_PARTS * parts;
}

static uint64_t memory_of(const nd_page_store *store, uint64_t parts) {
    return parts_of(store->memory, nd_max(store->most_expected, store->count), store->per_page,
                    parts);
}

/* Append to the last part. \param[in] memory  bytes the part may take there
 * \param[out] place  of the first byte */
static nd_status append_bytes(nd_page_store *store, nd_page_parts *parts, uint64_t memory,
                              const void *bytes, size_t size, uint64_t *place) {
    nd_status st = ND_OK;
    nd_page_part *part = NULL;
    if (parts->count == 0) {
        nd_spool_open(&nd_page_parts_add(parts, 0)->spool, store->folder, 0);
    }
    part = &parts->parts[parts->count - 1];
    nd_spool_allow(&part->spool, memory);
    *place = part->first + part->spool.size;
    ND_TRY(nd_spool_append(&part->spool, bytes, size));
out:
    return st;
}

/* What is to stay in memory as it is was found to fit: more is allowed, but not taken. */
static uint64_t plain_memory(const nd_page_store *store) {
    enum { MARGIN = 4 << 20 };
    return 2 * memory_of(store, ND_PAGE_STORE_PLAIN) + MARGIN;
}

nd_status nd_page_store_append_text(nd_page_store *store, nd_stored_page *page,
                                    const uint32_t *tokens, const nd_sentence_digest *sentences) {
    nd_status st = ND_OK;
    const uint64_t memory = plain_memory(store);
    ND_TRY(append_bytes(store, &store->text, memory, tokens, page->token_count * sizeof *tokens,
                        &page->text));
    ND_TRY(append_bytes(store, &store->sentences, memory, sentences,
                        page->sentence_count * sizeof *sentences, &page->sentences));
out:
    return st;
}

/* Of what is in memory of packed texts while pages are compared, the part that common sentences may
 * take. */
enum { COMMON_PART = 8 };

/* Blocks of packed texts that may be in memory. \param[in] lent  while there is what was lent */
static size_t most_blocks(const nd_page_store *store, bool lent) {
    enum { LEAST = 4 };
    const uint64_t pages = nd_max(store->expected, store->count);
    const uint64_t parts = store->keeps ? ND_PAGE_STORE_READ_KEPT : ND_PAGE_STORE_READ;
    const uint64_t memory = lent ? parts_of(store->memory + store->lent, pages,
                                            store->per_page - store->lent_per_page, parts)
                                 : parts_of(store->memory, pages, store->per_page, parts);
    return (size_t)nd_max(memory / (ND_PAGE_STORE_BLOCK + sizeof *store->blocks), LEAST);
}

/* The same, packed. */
static nd_status page_store_pack_text(nd_page_store *store, nd_stored_page *page,
                                      const uint32_t *tokens, const nd_sentence_digest *sentences) {
    nd_status st = ND_OK;
    const nd_document document = {.tokens = tokens,
                                  .token_count = page->token_count,
                                  .sentences = sentences,
                                  .sentence_count = page->sentence_count};
    const nd_page_parts *packed = &store->packed;
    const nd_spool *spool = packed->count == 0 ? NULL : &packed->parts[packed->count - 1].spool;
    nd_span record;
    if (page->token_count == 0 && page->sentence_count == 0) {
        page->text = page->sentences = 0;
        return ND_OK;
    }
    if (store->packer.most_sets == 0) {
        /* while texts that are kept are packed, few pages are here, and nothing is read */
        nd_text_packer_open(&store->packer, 0,
                            store->keeps
                                ? store->memory / ND_PAGE_STORE_PARTS * ND_PAGE_STORE_PACKER_KEPT
                                : memory_of(store, ND_PAGE_STORE_PACKER));
    }
    /* the more pages are expected, the less of it readers will have in memory: who goes through all
     * in order, and who reads a page here and there, to whom it is a common sentence that comes
     * again */
    store->packer.window = (most_blocks(store, true) - 1) * ND_PAGE_STORE_BLOCK;
    store->packer.most_common =
        store->keeps ? most_blocks(store, false) * ND_PAGE_STORE_BLOCK / COMMON_PART : 0;
    ND_TRY(nd_text_pack(&store->packer, spool == NULL ? 0 : spool->size, &document, &record));
    ND_TRY(append_bytes(store, &store->packed,
                        store->keeps ? 0 : memory_of(store, ND_PAGE_STORE_PACKED), record.data,
                        record.size, &page->text));
    page->sentences = ND_PAGE_WHOLE;
out:
    return st;
}

nd_status nd_page_store_end_texts(nd_page_store *store) {
    nd_status st = ND_OK;
    uint64_t place = 0;
    if (store->packed.count > 0) {
        nd_text_packer *packer = &store->packer;
        ND_TRY(append_bytes(store, &store->packed, 0, packer->common.data, packer->common.size,
                            &place));
        packer->record.size = 0;
        nd_text_packer_end(packer, &packer->record);
        ND_TRY(append_bytes(store, &store->packed, 0, packer->record.data, packer->record.size,
                            &place));
    }
out:
    return st;
}

static uint64_t size_of(const nd_page_parts *parts) {
    return parts->count == 0 ? 0 : parts->parts[0].spool.size;
}

/* As it is or packed? Once one is packed, those after it are. */
static nd_status append_either(nd_page_store *store, nd_stored_page *page, const uint32_t *tokens,
                               const nd_sentence_digest *sentences) {
    const bool has_folder = store->folder != NULL && store->folder->path != NULL;
    const uint64_t plain = size_of(&store->text) + size_of(&store->sentences) +
                           page->token_count * sizeof *tokens +
                           page->sentence_count * sizeof *sentences;
    const bool packs = has_folder && (store->keeps || store->packed.count > 0 ||
                                      plain > memory_of(store, ND_PAGE_STORE_PLAIN));
    return packs ? page_store_pack_text(store, page, tokens, sentences)
                 : nd_page_store_append_text(store, page, tokens, sentences);
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
    nd_grow(&store->pages, &store->capacity, store->count + 1, sizeof *store->pages);
    ND_TRY(append_either(store, &stored, tokens, sentences));
    const uint64_t memory = memory_of(store, ND_PAGE_STORE_NAMES);
    ND_TRY(append_bytes(store, &store->names, memory, id.data, id.size, &stored.names));
    ND_TRY(append_bytes(store, &store->names, memory, url.data, url.size,
                        &url_place)); /* right after it */
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
    const nd_status st = append_bytes(store, &store->names, memory_of(store, ND_PAGE_STORE_NAMES),
                                      claim, size, &place);
    ND_ASSERT(st != ND_OK || place == page->names + page->id_size + page->url_size, place,
              page->names, page->id_size);
    page->claim_size = (uint16_t)size;
    return st;
}

/* ---- reading */

static nd_status damaged(void) {
    return nd_fail(ND_ERR_FORMAT, "work folder: damaged: a packed text");
}

/* Of bytes that could not be read that was said already. */
static nd_status unless_damaged(const nd_page_store *store, nd_status st) {
    return st == ND_ERR_FORMAT && !store->misread ? damaged() : st;
}

/* A block's name has its part's number in so many bits. */
enum { PART_BITS = 24 };

/* Where a block of a part is held. Blocks of common sentences have their own places, up to half of
 * all, where none that are read once push them out. */
static nd_page_block *slot_of(nd_page_store *store, size_t number, uint64_t block) {
    enum { STRIDE = 40503 };
    const nd_page_part *part = &store->packed.parts[number];
    const uint64_t common =
        part->words == NULL ? UINT64_MAX : part->words->common / ND_PAGE_STORE_BLOCK;
    const uint64_t end = part->spool.size / ND_PAGE_STORE_BLOCK + 1;
    const uint64_t own = common < end ? nd_min(end - common, store->block_count / 2) : 0;
    return store->blocks + (block < common
                                ? own + (block + number * STRIDE) % (store->block_count - own)
                                : (block - common) % own);
}

/* A block of a part, out of a file, or as it was read last. */
static nd_status read_block(nd_page_store *store, size_t number, uint64_t block, size_t size,
                            const uint8_t **bytes) {
    nd_status st = ND_OK;
    if (store->blocks == NULL) {
        const size_t count = most_blocks(store, true);
        nd_new(&store->blocks, count, sizeof *store->blocks);
        store->block_count = count;
    }
    nd_page_block *slot = slot_of(store, number, block);
    const uint64_t name = (block << PART_BITS) + number + 1;
    if (slot->number != name || slot->bytes.size < size) {
        slot->number = 0;
        ND_TRY(read_part(&store->packed, number, block * ND_PAGE_STORE_BLOCK, size, &slot->bytes,
                         bytes));
        slot->number = name;
        slot->bytes.size = size;
    }
    *bytes = slot->bytes.data;
out:
    return st;
}

/* Bytes of the part that is entered. Out of a file they come by blocks, as the next page, or one
 * that names a sentence of this, is read from the same; long ones do not, which would push out all
 * others.
 */
static nd_status give_packed(void *context, uint64_t place, size_t most, nd_span *bytes) {
    enum { BLOCK = ND_PAGE_STORE_BLOCK, FEW = 4 * BLOCK };
    nd_status st = ND_OK;
    nd_page_store *store = context;
    const size_t number = store->entered_part;
    const nd_spool *spool = &store->packed.parts[number].spool;
    nd_buffer *scratch = &store->packed_scratch;
    *bytes = (nd_span){NULL, 0};
    if (place >= spool->size) {
        return ND_OK;
    }
    const uint64_t file = spool->held.size; /* where it begins */
    const size_t size = (size_t)nd_min(most, spool->size - place);
    if (place / BLOCK * BLOCK < file || place + size > file + spool->in_file || size > FEW) {
        ND_TRY(read_part(&store->packed, number, place, size, scratch, &bytes->data));
        bytes->size = size;
        goto out;
    }
    scratch->size = 0;
    for (uint64_t block = place / BLOCK; bytes->size < size; block++) {
        const uint64_t begin = block * BLOCK;
        const size_t whole = (size_t)nd_min(BLOCK, file + spool->in_file - begin);
        const uint8_t *read = NULL;
        ND_TRY(read_block(store, number, block, whole, &read));
        const size_t skip = (size_t)(place + bytes->size - begin);
        const size_t now = nd_min(whole - skip, size - bytes->size);
        if (now == size) {
            *bytes = (nd_span){read + skip, size};
        } else { /* goes on in the next */
            nd_buffer_append(scratch, read + skip, now);
            *bytes = (nd_span){scratch->data, scratch->size};
        }
    }
out:
    store->misread = st != ND_OK;
    return st;
}

/* The mask of the page that is entered; NULL: it has none. */
static nd_status read_mask(nd_page_store *store, const nd_stored_page *page, const uint8_t **mask) {
    const uint64_t first = page->sentences & ~ND_PAGE_PACKED;
    const uint64_t size = (store->reader.sentences + UINT64_C(7)) / 8;
    *mask = NULL;
    if (!nd_stored_page_is_masked(page)) {
        return ND_OK;
    }
    const nd_page_part *part = &store->masks.parts[part_at(&store->masks, first)];
    if (first < part->first || part->spool.size < size ||
        first - part->first > part->spool.size - size) {
        return damaged();
    }
    return read_bytes(&store->masks, first, size, &store->mask_scratch, mask);
}

/* The words of the part that is entered: those of a file are read once. */
static nd_status enter_words(nd_page_store *store, const nd_text_words **words) {
    nd_status st = ND_OK;
    nd_page_part *part = &store->packed.parts[store->entered_part];
    *words = part->spool.kept ? part->words : &store->packer.words;
    if (*words == NULL) {
        nd_new(&part->words, 1, sizeof *part->words);
        st = nd_text_words_take(part->words, give_packed, store, part->spool.size);
        if (st != ND_OK) {
            forget_words(part);
        }
        *words = part->words;
    }
    return st;
}

/* \param[in] sentences  are wanted too */
static nd_status unpack(nd_page_store *store, size_t index, bool sentences, nd_document *document) {
    nd_status st = ND_OK;
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *mask = NULL;
    nd_text_reader *reader = &store->reader;
    store->entered = index;
    store->entered_part = part_at(&store->packed, page->text);
    reader->source = give_packed;
    reader->context = store;
    ND_TRY(enter_part(&store->packed, store->entered_part)); /* a damaged file names itself */
    ND_TRY(unless_damaged(store, enter_words(store, &reader->words)));
    ND_TRY(unless_damaged(
        store,
        nd_text_reader_enter(reader, page->text - store->packed.parts[store->entered_part].first)));
    ND_TRY(read_mask(store, page, &mask));
    ND_TRY(
        unless_damaged(store, nd_text_unpack(reader, mask, page->token_count, &store->text_scratch,
                                             sentences ? &store->sentence_scratch : NULL)));
    document->tokens = (const uint32_t *)(const void *)store->text_scratch.data;
    if (sentences) {
        document->sentences =
            (const nd_sentence_digest *)(const void *)store->sentence_scratch.data;
        st = store->sentence_scratch.size == page->sentence_count * sizeof(nd_sentence_digest)
                 ? ND_OK
                 : damaged();
    }
out:
    return st;
}

static nd_document document_of(const nd_stored_page *page, const uint32_t *tokens,
                               const nd_sentence_digest *sentences) {
    return (nd_document){.tokens = tokens,
                         .token_count = page->token_count,
                         .sentences = sentences,
                         .sentence_count = page->sentence_count,
                         .hash = page->content_hash,
                         .origin = nd_stored_page_origin(page)};
}

static nd_status read_page(nd_page_store *store, size_t index, bool sentences,
                           nd_document *document) {
    nd_status st = ND_OK;
    ND_ASSERT(index < store->count, index, store->count);
    const nd_stored_page *page = &store->pages[index];
    const uint8_t *bytes = NULL;
    nd_document read = {0};
    sentences = sentences && page->sentence_count > 0;
    *document = read;
    if (nd_stored_page_is_packed(page)) {
        ND_TRY(page->token_count > 0 || sentences ? unpack(store, index, sentences, &read) : ND_OK);
    } else {
        ND_TRY(read_bytes(&store->text, page->text, page->token_count * sizeof(uint32_t),
                          &store->text_scratch, &bytes));
        read.tokens = (const uint32_t *)(const void *)bytes;
    }
    if (sentences && !nd_stored_page_is_packed(page)) {
        ND_TRY(read_bytes(&store->sentences, page->sentences,
                          page->sentence_count * sizeof(nd_sentence_digest),
                          &store->sentence_scratch, &bytes));
        read.sentences = (const nd_sentence_digest *)(const void *)bytes;
    }
    *document = document_of(page, read.tokens, read.sentences);
    document->sentence_count = sentences ? page->sentence_count : 0;
out:
    return st;
}

nd_status nd_page_store_tokens(nd_page_store *store, size_t index, nd_document *document) {
    return read_page(store, index, false, document);
}

nd_status nd_page_store_document(nd_page_store *store, size_t index, nd_document *document) {
    return read_page(store, index, true, document);
}

/* ---- masks */

/* Mask the text of a page, which is packed: only some of its sentences count from now on.
 * \param[in] keep  of each sentence that counts so far \return as above */
static nd_status page_store_mask(nd_page_store *store, size_t index, const nd_document *document,
                                 const bool *keep) {
    nd_status st = ND_OK;
    nd_stored_page *page = &store->pages[index];
    const uint8_t *before = NULL;
    uint8_t *mask = NULL;
    uint64_t place = 0;
    uint32_t sentences = 0;
    uint32_t next = 0; /* of those that counted so far */
    const uint32_t all = store->reader.sentences;
    ND_ASSERT(nd_stored_page_is_packed(page), index);
    if (document->sentence_count == 0) {
        return ND_OK;
    }
    ND_ASSERT(store->entered == index && document->sentence_count <= all, index, store->entered,
              all);
    ND_TRY(read_mask(store, page, &before));
    nd_new(&mask, (all + UINT64_C(7)) / 8, 1);
    for (uint32_t k = 0; k < all; k++) {
        if (before != NULL && (before[k / 8] >> k % 8 & 1) == 0) {
            continue;
        }
        if (keep[next]) {
            mask[k / 8] = (uint8_t)(mask[k / 8] | 1U << k % 8);
            sentences++;
        }
        next++;
    }
    ND_ASSERT(next == document->sentence_count, next, document->sentence_count);
    if (sentences < document->sentence_count) {
        enum { MEMORY = 2 << 20 };
        ND_TRY(append_bytes(store, &store->masks, MEMORY, mask, (all + UINT64_C(7)) / 8, &place));
        page->sentences = ND_PAGE_PACKED | place;
    }
out:
    free(mask);
    return st;
}

/* ---- sentences */

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

static void free_blocks(nd_page_store *store) {
    for (size_t i = 0; i < store->block_count; i++) {
        nd_buffer_free(&store->blocks[i].bytes);
    }
    free(store->blocks);
    store->blocks = NULL;
    store->block_count = 0;
}

void nd_page_store_give_back(nd_page_store *store) {
    nd_page_block *blocks = store->blocks;
    const size_t count = store->block_count;
    store->lent = store->lent_per_page = 0;
    if (blocks == NULL) {
        return;
    }
    store->block_count = most_blocks(store, false);
    nd_new(&store->blocks, store->block_count, sizeof *store->blocks);
    for (size_t i = 0; i < count; i++) { /* all that have a place where there are fewer */
        const uint64_t name = blocks[i].number - 1;
        const size_t part = (size_t)(name & ((UINT64_C(1) << PART_BITS) - 1));
        nd_page_block *slot = blocks[i].number > 0 ? slot_of(store, part, name >> PART_BITS) : NULL;
        if (slot != NULL && slot->number == 0) {
            *slot = blocks[i];
        } else {
            nd_buffer_free(&blocks[i].bytes);
        }
    }
    free(blocks);
}

void nd_page_store_drop_sentences(nd_page_store *store) {
    page_parts_free(&store->sentences);
    nd_buffer_free(&store->sentence_scratch);
    for (size_t i = 0; i < store->count; i++) {
        store->pages[i].sentence_count = 0;
    }
}

void nd_page_store_drop_texts(nd_page_store *store) {
    page_parts_free(&store->text);
    page_parts_free(&store->packed);
    page_parts_free(&store->masks);
    free_blocks(store);
    nd_text_packer_close(&store->packer);
    nd_buffer_free(&store->text_scratch);
    nd_buffer_free(&store->packed_scratch);
}

/* ---- names */

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
    nd_page_store_drop_texts(store);
    free(store->pages);
    page_parts_free(&store->sentences);
    page_parts_free(&store->names);
    nd_text_reader_close(&store->reader);
    nd_buffer_free(&store->mask_scratch);
    nd_buffer_free(&store->sentence_scratch);
    nd_buffer_free(&store->name_scratch);
    *store = (nd_page_store){.folder = store->folder,
                             .memory = store->memory,
                             .keeps = store->keeps,
                             .per_page = store->per_page,
                             .lent = store->lent,
                             .lent_per_page = store->lent_per_page,
                             .expected = store->expected,
                             .most_expected = store->most_expected};
}

/* ==== sentences that are kept */

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
    nd_grow(&p->keep, &p->keep_capacity, sentences, sizeof *p->keep);
    nd_grow(&p->tokens, &p->token_capacity, document->token_count, sizeof *p->tokens);
    nd_grow(&p->sentences, &p->sentence_capacity, sentences, sizeof *p->sentences);
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

/* Move what is kept of a page to where it goes, which may be where it came from; its counts follow.
 */
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

static nd_status select_page(selecting *s, size_t index, nd_sentence_choice choose,
                             nd_content_sink take, void *context) {
    nd_status st = ND_OK;
    packing *p = &s->p;
    nd_document document;
    nd_stored_page *page = &s->store->pages[index];
    const bool packed = nd_stored_page_is_packed(page);
    const bool moves = s->moves && !packed;
    ND_TRY(nd_page_store_document(s->store, index, &document));
    ND_TRY(ask(p, index, &document, choose, context));
    uint32_t *tokens = p->tokens;
    nd_sentence_digest *sentences = p->sentences;
    if (packed) {
        ND_TRY(page_store_mask(s->store, index, &document, p->keep));
    } else if (moves) {
        tokens = place_for(&s->text, document.token_count * sizeof *tokens, tokens);
        sentences =
            place_for(&s->sentences, document.sentence_count * sizeof *sentences, sentences);
    }
    pack(p->keep, &document, tokens, sentences, page);
    if (moves) {
        ND_TRY(take_bytes(&s->text, tokens, page->token_count * sizeof *tokens, &page->text));
        ND_TRY(take_bytes(&s->sentences, sentences, page->sentence_count * sizeof *sentences,
                          &page->sentences));
    } else if (!packed) {
        ND_TRY(page_store_pack_text(s->store, page, tokens, sentences));
    }
    if (take != NULL) {
        const nd_document content = document_of(page, tokens, sentences);
        ND_TRY(take(context, index, &content));
    }
out:
    return st;
}

nd_status nd_page_store_select(nd_page_store *store, nd_sentence_choice choose,
                               nd_content_sink take, void *context) {
    nd_status st = ND_OK;
    selecting s = {.store = store, .moves = can_move_up(store)};
    start_moving(&s.text, &store->text, store->folder);
    start_moving(&s.sentences, &store->sentences, store->folder);
    for (size_t i = 0; i < store->count; i++) {
        ND_TRY(select_page(&s, i, choose, take, context));
    }
    if (s.moves) {
        end_moving(&s.text);
        end_moving(&s.sentences);
    } else {
        page_parts_free(&store->text);
        page_parts_free(&store->sentences);
    }
    nd_text_packer_rest(&store->packer);
    nd_page_store_give_back(store);
out:
    nd_spool_close(&s.text.rest);
    nd_spool_close(&s.sentences.rest);
    free(s.p.keep);
    free(s.p.tokens);
    free(s.p.sentences);
    return st;
}
