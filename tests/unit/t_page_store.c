/* Pages in memory and packed. */
#include "io/store/packing.h"
#include "io/store/page_store.h"
#include "src/base/util.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <sys/resource.h>
#include <unistd.h>

/* ---- The page store gives back what was appended, whatever came after. */

enum { PAGES = 5000, SELECTED = 2500, MOST_TOKENS = 40, MOST_SENTENCES = 6, MOST_TEXT = 64 };

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

static nd_spool_folder folder;

/* A store that holds as little as it can in memory, or everything. */
static nd_page_store new_store(bool spills) {
    folder = (nd_spool_folder){.path = nd_test_folder(), .next = folder.next};
    return spills ? (nd_page_store){.folder = &folder, .memory = 1} : (nd_page_store){0};
}

static uint64_t bytes_in(const nd_page_parts *parts) {
    return parts->count > 0 ? parts->parts[0].spool.size : 0;
}

static void append_and_read(uint64_t seed, bool spills) {
    nd_page_store store = new_store(spills);
    sample s;
    for (uint64_t i = 0; i < PAGES; i++) {
        const nd_page_claim claim = {i % 3, i % 2, i % 5}; /* 0: nothing is said */
        make_sample(seed, i, &s);
        CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
        CU_ASSERT_EQUAL(nd_page_store_append_claim(&store, &claim), ND_OK);
    }
    CU_ASSERT_EQUAL(store.count, PAGES);
    for (uint64_t i = 0; i < PAGES; i++) {
        nd_page_claim claim;
        make_sample(seed, i, &s);
        check_page(&store, i, &s);
        CU_ASSERT_EQUAL(nd_page_store_claim(&store, i, &claim), ND_OK);
        CU_ASSERT(claim.payload == i % 3 && claim.refers_id == i % 2 &&
                  claim.refers_place == i % 5);
    }
    for (uint64_t i = 0; i < PAGES; i++) { /* and in any order */
        const uint64_t number = nd_mix64(seed + i) % PAGES;
        make_sample(seed, number, &s);
        check_page(&store, number, &s);
    }
    const nd_page_parts *const parts[] = {&store.text, &store.sentences, &store.packed};
    for (int k = 0; k < 3; k++) { /* either as they are and in memory, or packed */
        CU_ASSERT_EQUAL(bytes_in(parts[k]) > 0, spills == (k == 2));
    }
    CU_ASSERT_EQUAL((spills ? &store.packed : &store.text)->parts[0].spool.in_file > 0, spills);
    nd_page_store_drop_texts(&store);
    for (uint64_t i = 0; i < PAGES; i++) {
        make_sample(seed, i, &s);
        CU_ASSERT(same_text(nd_test_id(&store, i), s.id));
    }
    CU_ASSERT(store.blocks == NULL && store.text.count == 0 && store.packed.count == 0);
    CU_ASSERT_EQUAL(store.names.parts[0].spool.in_file > 0, spills);
    nd_page_store_free(&store);
    CU_ASSERT(store.count == 0 && store.pages == NULL && store.text.count == 0 &&
              store.sentences.count == 0 && store.packed.count == 0 && store.names.count == 0);
}

ND_TEST("append and read") {
    const uint64_t seed = nd_test_random("page store").state;
    append_and_read(seed, false);
    append_and_read(seed, true);
}

/* Pages [begin, end) in files of their own, as a rank would have kept them. */
static void keep_in_files(uint64_t seed, uint64_t begin, uint64_t end, nd_page_store *to) {
    enum { KINDS = 2 };
    nd_page_store from = new_store(true);
    sample s;
    from.keeps = true;
    for (uint64_t i = begin; i < end; i++) {
        make_sample(seed, i, &s);
        CU_ASSERT_EQUAL(append(&from, &s), ND_OK);
    }
    CU_ASSERT_EQUAL(nd_page_store_end_texts(&from), ND_OK);
    nd_page_parts *const sources[KINDS] = {&from.packed, &from.names};
    nd_page_parts *const parts[KINDS] = {&to->packed, &to->names};
    uint64_t first[KINDS] = {0, 0};
    for (int k = 0; k < KINDS; k++) {
        char path[256];
        uint64_t checksum = 0;
        const nd_page_part *last =
            parts[k]->count > 0 ? &parts[k]->parts[parts[k]->count - 1] : NULL;
        first[k] = last == NULL ? 0 : last->first + last->spool.size;
        if (sources[k]->count > 0) {
            nd_spool *spool = &sources[k]->parts[0].spool;
            (void)snprintf(path, sizeof path, "%s/%d-%llu", nd_test_folder(), k,
                           (unsigned long long)begin);
            CU_ASSERT_EQUAL(nd_spool_keep(spool, path, &checksum), ND_OK);
            const nd_kept_file file = {
                .path = path, .size = spool->size, .checksum = checksum, .cure = ""};
            nd_page_store_add_part(to, parts[k], first[k], &file);
        }
    }
    nd_grow(&to->pages, &to->capacity, end, sizeof *to->pages);
    for (uint64_t i = begin; i < end; i++) {
        to->pages[i] = from.pages[i - begin];
        to->pages[i].text += first[0];
        to->pages[i].names += first[1];
    }
    to->count = end;
    nd_page_store_free(&from);
}

/* A page of sentences of which there are few, but which seldom come again within a window. */
static nd_document make_common(uint64_t seed, uint64_t number, uint32_t *tokens,
                               nd_sentence_digest *sentences) {
    enum { KINDS = 400, SENTENCES = 8, LENGTH = 12 };
    for (uint32_t k = 0; k < SENTENCES; k++) {
        const uint64_t kind = nd_mix64(seed + number * SENTENCES + k) % KINDS;
        sentences[k] = (nd_sentence_digest){.token_count = LENGTH, .flags = k};
        for (uint32_t i = 0; i < LENGTH; i++) {
            tokens[k * LENGTH + i] = (uint32_t)nd_mix64(kind * LENGTH + i);
        }
    }
    return (nd_document){.tokens = tokens,
                         .token_count = SENTENCES * LENGTH,
                         .sentences = sentences,
                         .sentence_count = SENTENCES};
}

/* Readers find common sentences of two files, each in its own, in any order. */
ND_TEST("common sentences") {
    enum { EACH = 1000, FILES = 2, TOKENS = 96, SENTENCES = 8 };
    const uint64_t seed = nd_test_random("common sentences").state;
    nd_page_store to = new_store(true);
    uint32_t tokens[TOKENS];
    nd_sentence_digest sentences[SENTENCES];
    to.keeps = true;
    for (uint64_t f = 0; f < FILES; f++) {
        char path[256];
        uint64_t checksum = 0;
        const uint64_t first =
            f == 0 ? 0 : to.packed.parts[0].first + to.packed.parts[0].spool.size;
        nd_page_store from = new_store(true);
        from.keeps = true;
        for (uint64_t i = f * EACH; i < (f + 1) * EACH; i++) {
            const nd_document d = make_common(seed, i, tokens, sentences);
            const nd_stored_page page = {.token_count = d.token_count,
                                         .sentence_count = d.sentence_count};
            CU_ASSERT_EQUAL(
                nd_page_store_append(&from, &page, tokens, sentences, text_of(""), text_of("")),
                ND_OK);
        }
        const size_t common = from.packer.common.size;
        CU_ASSERT(common > 1000 && common < from.packer.most_common + 100);
        CU_ASSERT_EQUAL(nd_page_store_end_texts(&from), ND_OK);
        nd_spool *spool = &from.packed.parts[0].spool;
        (void)snprintf(path, sizeof path, "%s/common-%d", nd_test_folder(), (int)f);
        CU_ASSERT_EQUAL(nd_spool_keep(spool, path, &checksum), ND_OK);
        const nd_kept_file file = {
            .path = path, .size = spool->size, .checksum = checksum, .cure = ""};
        nd_page_store_add_part(&to, &to.packed, first, &file);
        nd_grow(&to.pages, &to.capacity, to.count + EACH, sizeof *to.pages);
        for (uint64_t i = 0; i < EACH; i++) {
            to.pages[to.count] = from.pages[i];
            to.pages[to.count++].text += first;
        }
        nd_page_store_free(&from);
    }
    to.lent = 64 << 10;
    for (uint64_t i = 0; i < 2 * to.count; i++) {
        const uint64_t number = i < to.count ? i : nd_mix64(seed + i) % to.count;
        if (i == to.count) { /* fewer blocks, but those that were read last are still there */
            const size_t lent = to.block_count;
            size_t kept = 0;
            nd_page_store_give_back(&to);
            for (size_t b = 0; b < to.block_count; b++) {
                kept += to.blocks[b].number > 0;
            }
            CU_ASSERT(to.block_count < lent && kept > 0 && to.lent == 0);
        }
        const nd_document expected = make_common(seed, number, tokens, sentences);
        const nd_document document = nd_test_document(&to, number);
        CU_ASSERT(document.token_count == expected.token_count &&
                  memcmp(document.tokens, tokens, sizeof tokens) == 0);
        CU_ASSERT(document.sentence_count == expected.sentence_count &&
                  memcmp(document.sentences, sentences, sizeof sentences) == 0);
    }
    nd_page_store_free(&to);
}

/* So few files may be open at once that not all parts can. */
ND_TEST("parts in kept files") {
    enum { FILES = 40 };
    const uint64_t seed = nd_test_random("kept parts").state;
    struct rlimit usual;
    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const struct rlimit few = {.rlim_cur = FILES, .rlim_max = usual.rlim_max};
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (size_t pages = 1; pages <= PAGES; pages = 3 * pages + 1) {
        const size_t count = pages < PAGES / 50 ? 50 * pages : PAGES; /* few files */
        nd_page_store to = new_store(true);
        sample s;
        for (uint64_t i = 0; i < count; i += pages) {
            keep_in_files(seed, i, nd_min(i + pages, count), &to);
        }
        CU_ASSERT(to.packed.count > 1 || pages > count / 2);
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t number = nd_mix64(seed + i) % count;
            make_sample(seed, number, &s);
            check_page(&to, number, &s);
        }
        nd_page_store_free(&to);
    }
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/* Without their sentences pages keep their tokens and names; sums are those of what is left. */
ND_TEST("without sentences") {
    const uint64_t seed = nd_test_random("drop sentences").state;
    for (int spills = 0; spills < 2; spills++) {
        nd_page_store store = new_store(spills == 1);
        sample s;
        uint64_t tokens = 0;
        uint64_t sentences = 0;
        uint64_t names = 0;
        for (uint64_t i = 0; i < PAGES; i++) {
            make_sample(seed, i, &s);
            CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
            tokens += s.page.token_count;
            sentences += s.page.sentence_count;
            names += strlen(s.id) + strlen(s.url);
        }
        CU_ASSERT_EQUAL(nd_page_store_token_count(&store), tokens);
        CU_ASSERT_EQUAL(nd_page_store_name_bytes(&store), names);
        CU_ASSERT_EQUAL(nd_page_store_text_bytes(&store),
                        tokens * sizeof(uint32_t) + sentences * sizeof(nd_sentence_digest));
        nd_page_store_drop_sentences(&store);
        CU_ASSERT_EQUAL(nd_page_store_text_bytes(&store), tokens * sizeof(uint32_t));
        for (uint64_t i = 0; i < PAGES; i++) {
            nd_document document;
            make_sample(seed, i, &s);
            CU_ASSERT_EQUAL(nd_page_store_tokens(&store, i, &document), ND_OK);
            CU_ASSERT(document.sentences == NULL && document.sentence_count == 0);
            s.page.sentence_count = 0;
            check_page(&store, i, &s);
        }
        nd_page_store_free(&store);
    }
}

/* A part that is gone, or has other bytes, is named when a page is first read from it. */
ND_TEST("a part that is not there") {
    for (int k = 0; k < 3; k++) { /* texts, names; texts that are gone */
        nd_page_store store = new_store(true);
        nd_document document;
        nd_span id;
        nd_span url;
        keep_in_files(3, 0, PAGES, &store);
        nd_page_part *part = k == 1 ? store.names.parts : store.packed.parts;
        const char *path = part->spool.path;
        FILE *file = fopen(path, "r+b");
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        CU_ASSERT_EQUAL(fseek(file, -1, SEEK_END), 0);
        const int last = fgetc(file);
        CU_ASSERT_EQUAL(fseek(file, -1, SEEK_END), 0);
        (void)fputc(last ^ 1, file);
        CU_ASSERT_EQUAL(fclose(file), 0);
        CU_ASSERT(k < 2 || unlink(path) == 0);
        const nd_status text = nd_page_store_document(&store, 1, &document);
        CU_ASSERT_EQUAL(text, k == 0 ? ND_ERR_FORMAT : k == 1 ? ND_OK : ND_ERR_IO);
        CU_ASSERT(k == 1 || strstr(nd_fail_text(), path) != NULL);
        const nd_status names = nd_page_store_names(&store, 1, &id, &url);
        CU_ASSERT_EQUAL(names, k == 1 ? ND_ERR_FORMAT : ND_OK);
        CU_ASSERT(k != 1 || strstr(nd_fail_text(), path) != NULL);
        nd_page_store_free(&store);
    }
}

/* Freed is empty, and an empty store can be freed and used. */
ND_TEST("use again") {
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

/* The choice for all pages, as the callback gives it to the store. */
typedef struct choice {
    sample *samples; /* before the selection */
    bool keep[SELECTED][MOST_SENTENCES];
    size_t next;
} choice;

/* Pages come in order, each with what is left of it so far. */
static nd_status choose(void *context, size_t index, const nd_document *document, bool *keep) {
    choice *c = context;
    const sample *s = &c->samples[index];
    CU_ASSERT_EQUAL(index, c->next++);
    CU_ASSERT_EQUAL(document->sentence_count, s->page.sentence_count);
    CU_ASSERT(document->token_count == 0 ||
              memcmp(document->tokens, s->tokens, document->token_count * sizeof *s->tokens) == 0);
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        CU_ASSERT_FALSE(keep[k]);
        keep[k] = c->keep[index][k];
    }
    return ND_OK;
}

/* What is left of a page is handed on right away. */
static nd_status take(void *context, size_t index, const nd_document *content) {
    choice *c = context;
    sample *s = &c->samples[index];
    select_sample(s, c->keep[index]);
    CU_ASSERT_EQUAL(c->next, index + 1);
    CU_ASSERT_EQUAL_FATAL(content->token_count, s->page.token_count);
    CU_ASSERT_EQUAL_FATAL(content->sentence_count, s->page.sentence_count);
    CU_ASSERT(content->token_count == 0 ||
              memcmp(content->tokens, s->tokens, content->token_count * sizeof *s->tokens) == 0);
    CU_ASSERT(content->sentence_count == 0 ||
              memcmp(content->sentences, s->sentences,
                     content->sentence_count * sizeof *s->sentences) == 0);
    CU_ASSERT_EQUAL(content->hash.low, s->page.content_hash.low);
    return ND_OK;
}

/* Select twice: what is left by the first is a store like any other; pages can be appended.
 * \param[in] memory  1: all texts are packed; more: some; 0: none */
static void check_selection(nd_random *random, uint64_t share, uint64_t memory) {
    static sample samples[SELECTED + 1];
    static choice c;
    nd_page_store store = new_store(memory > 0);
    store.memory = memory;
    for (size_t i = 0; i < SELECTED; i++) {
        make_page(random, &samples[i]);
        CU_ASSERT_EQUAL(append(&store, &samples[i]), ND_OK);
    }
    CU_ASSERT_EQUAL(bytes_in(&store.packed) > 0, memory > 0);
    CU_ASSERT_EQUAL(bytes_in(&store.text) > 0, memory != 1);
    for (int round = 0; round < 2; round++) {
        c = (choice){.samples = samples};
        for (size_t i = 0; i < SELECTED * MOST_SENTENCES; i++) {
            c.keep[i / MOST_SENTENCES][i % MOST_SENTENCES] = nd_random_below(random, 8) < share;
        }
        CU_ASSERT_EQUAL(nd_page_store_select(&store, choose, take, &c), ND_OK);
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

ND_TEST("select") {
    nd_random random = nd_test_random("select");
    static const uint64_t memory[] = {0, 1, 800 << 10};
    for (uint64_t trial = 0; trial < 27; trial++) {
        check_selection(&random, trial / 3, memory[trial % 3]); /* none to all */
    }
}

static nd_status refuse(void *context, size_t index, const nd_document *document, bool *keep) {
    size_t *asked = context;
    (void)document;
    (void)keep;
    (*asked)++;
    return index == 1 ? nd_fail(ND_ERR_LIMIT, "not this page") : ND_OK;
}

/* The failure of a choice is the selection's, and ends it. */
ND_TEST("a choice that fails") {
    nd_page_store store = new_store(false);
    sample s;
    size_t asked = 0;
    nd_random random = {1};
    for (uint64_t i = 0; i < 3; i++) {
        make_page(&random, &s);
        CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
    }
    CU_ASSERT_EQUAL(nd_page_store_select(&store, refuse, NULL, &asked), ND_ERR_LIMIT);
    CU_ASSERT_EQUAL(asked, 2);
    nd_page_store_free(&store);
}

/* Sentences that are not the page's text, as in a file that is not ours. */
ND_TEST("sentences of another text") {
    for (int kind = 0; kind < 2; kind++) {
        nd_page_store store = new_store(false);
        sample s;
        size_t asked = 0;
        nd_random random = {1};
        do {
            make_page(&random, &s);
        } while (s.page.token_count == 0);
        if (kind == 0) {
            s.sentences[0].token_count++;
        } else {
            s.page.sentence_count = 0;
        }
        CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
        CU_ASSERT_EQUAL(nd_page_store_select(&store, refuse, NULL, &asked), ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(asked, 0);
        nd_page_store_free(&store);
    }
}

ND_TEST("select from nothing") {
    nd_page_store store = {0};
    sample s;
    choice c = {.samples = &s};
    CU_ASSERT_EQUAL(nd_page_store_select(&store, choose, NULL, &c), ND_OK);
    CU_ASSERT_EQUAL(store.count, 0);
    make_sample(1, 0, &s); /* without text */
    CU_ASSERT_EQUAL(append(&store, &s), ND_OK);
    CU_ASSERT_EQUAL(nd_page_store_select(&store, choose, NULL, &c), ND_OK);
    CU_ASSERT_EQUAL(c.next, 1);
    check_page(&store, 0, &s);
    nd_page_store_free(&store);
}

/* ---- What is packed comes back; what repeats becomes smaller; a block that is cut short, longer
 * or another one is refused, and nothing is written outside the room. */

enum { MOST = 70000 };
static const nd_packing both[] = {ND_PACKING_TOKENS, ND_PACKING_COUNTS};

/* `count` numbers of 32 bits, of `distinct` different ones. */
static uint32_t *numbers_of(nd_random *random, size_t count, uint64_t distinct) {
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = (uint32_t)nd_mix64(nd_random_below(random, distinct));
    }
    return numbers;
}

ND_TEST("what is packed comes back") {
    nd_random random = nd_test_random("back");
    static const size_t counts[] = {1, 2, 255, 4096, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint64_t distinct = 1; distinct <= MOST; distinct *= 41) {
            const size_t size = counts[c] * sizeof(uint32_t);
            uint32_t *numbers = numbers_of(&random, counts[c], distinct);
            uint32_t *back = malloc(size);
            for (size_t p = 0; p < 2; p++) {
                nd_buffer packed = {0};
                CU_ASSERT_EQUAL(nd_pack(both[p], numbers, size, &packed), ND_OK);
                CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){packed.data, packed.size}, back, size),
                                ND_OK);
                CU_ASSERT_EQUAL(memcmp(back, numbers, size), 0);
                nd_buffer_free(&packed);
            }
            free(numbers);
            free(back);
        }
    }
}

/* 2,000 words that occur alike take 11 bits each, and 4 bytes once. */
ND_TEST("what repeats becomes smaller") {
    nd_random random = nd_test_random("size");
    nd_buffer packed = {0};
    uint32_t *numbers = numbers_of(&random, MOST, 2000);
    CU_ASSERT_EQUAL(nd_pack(ND_PACKING_TOKENS, numbers, MOST * sizeof *numbers, &packed), ND_OK);
    CU_ASSERT(packed.size < MOST * 7 / 4);
    free(numbers);
    nd_buffer_free(&packed);
}

ND_TEST("damage is refused") {
    enum { COUNT = 3000, SIZE = COUNT * sizeof(uint32_t) };
    nd_random random = nd_test_random("damage");
    uint32_t *numbers = numbers_of(&random, COUNT, 500);
    static uint8_t back[SIZE + 1];
    for (size_t p = 0; p < 2; p++) {
        nd_buffer packed = {0};
        CU_ASSERT_EQUAL(nd_pack(both[p], numbers, SIZE, &packed), ND_OK);
        nd_buffer_append(&packed, "", 1);
        const nd_span whole = {packed.data, packed.size - 1};
        back[SIZE] = 77;
        for (size_t size = 0; size < whole.size; size += 1 + whole.size / 50) {
            CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){whole.data, size}, back, SIZE),
                            ND_ERR_FORMAT);
        }
        CU_ASSERT_EQUAL(nd_unpack(both[p], (nd_span){whole.data, packed.size}, back, SIZE),
                        ND_ERR_FORMAT);
        CU_ASSERT_EQUAL(nd_unpack(both[p], whole, back, SIZE - 4), ND_ERR_FORMAT);
        for (int i = 0; i < 300; i++) { /* any byte; it may unpack to something else */
            uint8_t *byte = &packed.data[nd_random_below(&random, whole.size)];
            const uint8_t was = *byte;
            *byte = (uint8_t)(was ^ (1 + nd_random_below(&random, 255)));
            const nd_status st = nd_unpack(both[p], whole, back, SIZE);
            CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
            *byte = was;
        }
        CU_ASSERT_EQUAL(back[SIZE], 77);
        nd_buffer_free(&packed);
    }
    free(numbers);
}
