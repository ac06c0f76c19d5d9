#include "tests/support/pages.h"
#include "io/input/charset.h"
#include "io/input/records.h"
#include "tests/support/check.h"

#include <xxhash.h>

/* ---- made pages */

void nd_made_pages_open(nd_made_pages *p, const nd_corpus_options *options) {
    *p = (nd_made_pages){.plan = NULL};
    CU_ASSERT_EQUAL_FATAL(nd_corpus_plan_new(options, &p->plan), ND_OK);
    p->vocabulary = nd_vocabulary_new();
    p->factory.plan = p->plan;
    p->factory.vocabulary = p->vocabulary;
}

void nd_made_pages_close(nd_made_pages *p) {
    nd_page_factory_free(&p->factory);
    nd_synthetic_page_free(&p->page);
    nd_vocabulary_free(&p->vocabulary);
    nd_corpus_plan_free(&p->plan);
}

nd_span nd_made_pages_make(nd_made_pages *p, uint64_t number) {
    nd_synthetic_page_make(&p->factory, number, &p->page);
    return nd_buffer_span(&p->page.html);
}

/* ---- same page */

/* Of all hashes: its halves differ, and none is 0. */
static const uint64_t SEED = UINT64_C(0xF0E1D2C3B4A59687);

nd_status nd_test_make_page(const nd_text_variant *variant, nd_span document, bool html,
                            nd_test_made_page *made) {
    nd_page *page = &made->page;
    nd_status st = ND_OK;
    nd_content_options content = ND_CONTENT_DEFAULTS;
    content.hash_seed = page->hash_seed = SEED;
    nd_text_variant_use(variant);
    made->valid_bytes = nd_utf8_valid_bytes(document);
    ND_TRY(html ? nd_page_from_html(page, document) : nd_page_from_text(page, document));
    nd_grow(&made->sentences, &made->capacity, page->sentence_count, sizeof *made->sentences);
    nd_content_sentences(page, &content, made->sentences);
out:
    nd_text_variant_use(NULL);
    return st;
}

static bool is_same_bytes(const void *left, const void *right, size_t size) {
    return size == 0 || memcmp(left, right, size) == 0;
}

bool nd_test_same_page(const nd_test_made_page *left, const nd_test_made_page *right) {
    const nd_page *a = &left->page, *b = &right->page;
    return left->valid_bytes == right->valid_bytes && a->text.size == b->text.size &&
           a->normalised.size == b->normalised.size && a->block_count == b->block_count &&
           a->sentence_count == b->sentence_count && a->token_count == b->token_count &&
           is_same_bytes(a->text.data, b->text.data, a->text.size) &&
           is_same_bytes(a->normalised.data, b->normalised.data, a->normalised.size) &&
           is_same_bytes(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) &&
           is_same_bytes(a->sentences, b->sentences, a->sentence_count * sizeof *a->sentences) &&
           is_same_bytes(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) &&
           is_same_bytes(left->sentences, right->sentences,
                         a->sentence_count * sizeof *left->sentences);
}

void nd_test_made_page_free(nd_test_made_page *made) {
    nd_page_free(&made->page);
    free(made->sentences);
    *made = (nd_test_made_page){.capacity = 0};
}

/* ---- page dump */

static nd_buffer dump;

static void add(const void *bytes, size_t size) {
    nd_buffer_append(&dump, bytes, size);
}

static const char *finish(void) {
    add("", 1);
    return (const char *)dump.data;
}

const char *nd_test_blocks(const nd_page *page) {
    dump.size = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        add("T:", (block->flags & ND_BLOCK_TITLE) != 0 ? 2 : 0);
        add("N:", (block->flags & ND_BLOCK_NAVIGATION) != 0 ? 2 : 0);
        add("M:", (block->flags & ND_BLOCK_MAIN) != 0 ? 2 : 0);
        add("A:", (block->flags & ND_BLOCK_APART) != 0 ? 2 : 0);
        add("B:", (block->flags & ND_BLOCK_BESIDE) != 0 ? 2 : 0);
        add(page->text.data + block->begin, block->end - block->begin);
        add("|", 1);
    }
    return finish();
}

const char *nd_test_sentences(const nd_page *page) {
    dump.size = 0;
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        add(page->normalised.data + sentence->begin, sentence->end - sentence->begin);
        add("|", 1);
    }
    return finish();
}

const char *nd_test_html_bytes(const char *html, size_t size) {
    ND_OWNED(nd_page_free) nd_page page = {0};
    if (nd_page_from_html(&page, (nd_span){(const uint8_t *)html, size}) != ND_OK) {
        return nd_fail_text();
    }
    const char *blocks = nd_test_blocks(&page);
    return blocks;
}

const char *nd_test_html(const char *html) {
    return nd_test_html_bytes(html, strlen(html));
}

const char *nd_test_text(const char *text) {
    ND_OWNED(nd_page_free) nd_page page = {0};
    if (nd_page_from_text(&page, nd_test_span(text)) != ND_OK) {
        return nd_fail_text();
    }
    const char *sentences = nd_test_sentences(&page);
    return sentences;
}

/* ---- met pages */

static uint64_t hash_of(nd_span id, nd_span url) {
    return XXH3_64bits_withSeed(url.data, url.size, XXH3_64bits(id.data, id.size));
}

void nd_met_pages_add(nd_met_pages *met, const nd_record *record) {
    nd_grow(&met->pages, &met->capacity, met->count + 1, sizeof *met->pages);
    met->pages[met->count++] =
        (nd_met_page){record->offset, hash_of(record->id, record->url), record->checksum};
}

/* Is it the page, and known by its checksum alone? Of lines only that is known. */
static const char *compare(nd_walk *walk, const nd_walked *walked, const nd_met_page *page,
                           bool *is_page) {
    bool same = false;
    bool other = false;
    *is_page = !nd_walk_is_archive(walk) || hash_of(walked->id, walked->url) == page->names;
    return !*is_page || (nd_walk_compare(walk, walked, page->checksum, &same) == ND_OK && same &&
                         nd_walk_compare(walk, walked, ~page->checksum, &other) == ND_OK && !other)
               ? NULL
               : "the record of a page has its checksum, and no other";
}

const char *nd_met_pages_walk(const nd_met_pages *met, const char *path,
                              const nd_reader_options *options) {
    const char *broken = NULL;
    nd_walk *walk = NULL;
    nd_walked walked;
    nd_status st = ND_OK;
    size_t page = 0;
    uint64_t before = 0;
    if (nd_walk_open(path, options, &walk) != ND_OK) {
        return "a source that can be read can be walked";
    }
    const bool whole = nd_walk_form_of(walk) == ND_WALK_FILE;
    while (broken == NULL) {
        const uint64_t place = page < met->count ? met->pages[page].offset : UINT64_MAX;
        st = nd_walk_next(walk, place, &walked);
        if (st != ND_OK) {
            break;
        }
        if (walked.begin < before || walked.begin > place) {
            broken = "records ascend, and none hides a page";
        }
        before = walked.begin;
        if (walked.kind != ND_WALKED_RECORD || walked.begin != place) {
            continue;
        }
        bool is_page = false;
        broken = compare(walk, &walked, &met->pages[page], &is_page);
        page += is_page;
    }
    if (broken != NULL) {
        /* said already */
    } else if (st != ND_END || page != met->count || !(whole || nd_walk_end(walk) >= before)) {
        broken = "each page is met, up to the end";
    }
    nd_walk_close(&walk);
    return broken;
}

void nd_met_pages_free(nd_met_pages *met) {
    free(met->pages);
    *met = (nd_met_pages){0};
}

/* ---- in memory */

static void must(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "test: %s\n", nd_fail_text());
        abort();
    }
}

/* Reading changes no more than the store's scratch memory, which a store in memory never uses. */
static nd_page_store *writable(const nd_page_store *store) {
    return (nd_page_store *)(uintptr_t)store;
}

nd_document nd_test_document(const nd_page_store *store, size_t index) {
    nd_document document;
    must(nd_page_store_document(writable(store), index, &document));
    return document;
}

nd_span nd_test_id(const nd_page_store *store, size_t index) {
    nd_span id;
    nd_span url;
    must(nd_page_store_names(writable(store), index, &id, &url));
    return id;
}

nd_span nd_test_url(const nd_page_store *store, size_t index) {
    nd_span id;
    nd_span url;
    must(nd_page_store_names(writable(store), index, &id, &url));
    return url;
}

uint64_t nd_test_first_sentence(const nd_page_store *store, size_t index) {
    uint64_t sentences = 0;
    for (size_t i = 0; i < index; i++) {
        sentences += store->pages[i].sentence_count;
    }
    return sentences;
}

/* ---- method use */

nd_method_options nd_test_options(const nd_method *method) {
    nd_method_options options;
    must(nd_method_own_options(method, &options));
    return options;
}

nd_text_hash nd_test_hash(const uint32_t *tokens, size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(tokens, count * sizeof *tokens);
    return (nd_text_hash){hash.high64, hash.low64};
}

size_t nd_test_sign(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, uint64_t *keys) {
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    size_t count = 0;
    method->sign(options, &work, document, keys, &count);
    return count;
}

void nd_test_digest(const nd_method *method, const nd_method_options *options,
                    const nd_document *document, void *digest) {
    ND_OWNED(nd_method_work_free) nd_method_work work = {0};
    method->digest(options, &work, document, digest);
}

double nd_test_bound(const nd_method *method, const nd_method_options *options,
                     const nd_document *a, const nd_document *b) {
    const size_t size = method->sizes(options, 0).digest;
    ND_FREED uint8_t *digests = NULL;
    nd_new(&digests, 2, size);
    nd_test_digest(method, options, a, digests);
    nd_test_digest(method, options, b, digests + size);
    const double bound = method->bound(options, digests, digests + size);
    return bound;
}

uint64_t nd_test_masked(const char *masked) {
    enum { MOST = 1024 };
    uint32_t words[MOST];
    size_t count = 0;
    if (strpbrk(masked, "0123456789") != NULL) {
        return XXH3_64bits(masked, strlen(masked));
    }
    while (*masked != '\0' && count < MOST) {
        const size_t size = strcspn(masked, " ");
        words[count++] = (uint32_t)XXH3_64bits(masked, size);
        masked += size + (masked[size] == ' ');
    }
    return XXH3_128bits(words, count * sizeof *words).low64;
}

double nd_test_similarity(const nd_method *method, const nd_method_options *options,
                          const nd_document *a, const nd_document *b, double threshold) {
    ND_OWNED(nd_method_work_free) nd_method_work of_a = {0};
    ND_OWNED(nd_method_work_free) nd_method_work of_b = {0};
    ND_OWNED(nd_buffer_free) nd_buffer scratch_a = {0};
    ND_OWNED(nd_buffer_free) nd_buffer scratch_b = {0};
    nd_span x;
    nd_span y;
    double similarity = -1;
    nd_method_payload(method, options, &of_a, a, &scratch_a, &x);
    nd_method_payload(method, options, &of_b, b, &scratch_b, &y);
    nd_method_similarity(method, options, &of_a, x, y, threshold, &similarity);
    return similarity;
}
