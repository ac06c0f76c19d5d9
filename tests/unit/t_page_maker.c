#include "io/input/page_maker.h"
#include "src/text/address.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"
#include "tests/support/slow.h"

#include <xxhash.h>

static void add(nd_page_maker *maker, nd_page_store *store, nd_content_kind content,
                const char *text, const char *url) {
    const nd_record record = {.content = content,
                              .text = nd_test_span(text),
                              .id = nd_test_span("the id"),
                              .url = nd_test_span(url),
                              .offset = 1000 + store->count};
    ND_TEST_OK(nd_page_maker_add(maker, &record, 3, 4, store));
}

/* The sentence is `text`, normalised, of that many tokens; with digits masked it is `masked`. */
static void check_sentence(const nd_sentence_digest *s, const char *text, uint32_t tokens,
                           const char *masked, uint32_t flags) {
    nd_md5 digest;
    nd_slow_md5(nd_test_span(text), &digest);
    CU_ASSERT_EQUAL(memcmp(&s->digest, &digest, sizeof digest), 0);
    CU_ASSERT_EQUAL(s->token_count, tokens);
    CU_ASSERT_EQUAL(s->masked, nd_test_masked(masked));
    CU_ASSERT_EQUAL(s->flags, flags);
}

/* Tokens are the low halves of the hashes of these words, and the text's hash is that of the words
 * themselves. */
static void check_tokens(const nd_page_store *store, size_t index, const char *const *words,
                         uint32_t count) {
    const uint32_t *tokens = nd_test_document(store, index).tokens;
    char text[1024] = "";
    CU_ASSERT_EQUAL_FATAL(store->pages[index].token_count, count);
    for (uint32_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(tokens[i], (uint32_t)XXH3_64bits(words[i], strlen(words[i])));
        (void)strcat(strcat(text, words[i]), " ");
    }
    const XXH128_hash_t all = XXH3_128bits(text, strlen(text));
    CU_ASSERT(store->pages[index].text_hash.high == all.high64 &&
              store->pages[index].text_hash.low == all.low64);
}

ND_TEST("html") {
    static const char *const words[] = {"a",  "title", "home", "page", "12",  "of",
                                        "20", "text",  "one",  "two",  "here"};
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    add(&maker, &store, ND_CONTENT_HTML,
        "<html><head><title>A Title</title></head><body><nav>Home</nav>"
        "<p>Page 12 of 20. Text!</p><ul><li><a href='x'>One two</a> here</li></ul></body></html>",
        "http://User@Example.ORG:8080/path");
    const nd_stored_page *page = &store.pages[0];
    const nd_sentence_digest *sentences = nd_test_document(&store, 0).sentences;
    check_tokens(&store, 0, words, 11);
    CU_ASSERT_EQUAL(page->text_tokens, 11);
    CU_ASSERT_EQUAL_FATAL(page->sentence_count, 5);
    check_sentence(&sentences[0], "a title", 2, "a title", ND_SENTENCE_TITLE);
    check_sentence(&sentences[1], "home", 1, "home", ND_SENTENCE_NAVIGATION);
    check_sentence(&sentences[2], "page 12 of 20", 4, "page 0 of 0", 0);
    check_sentence(&sentences[3], "text", 1, "text", 0);
    check_sentence(&sentences[4], "one two here", 3, "one two here", ND_SENTENCE_LINKS);
    CU_ASSERT_EQUAL(page->site, nd_site_hash(nd_test_span("example.org"), 0));
    CU_ASSERT(page->offset == 1000 && page->source == 3 && page->collection == 4);
    CU_ASSERT(nd_test_is(nd_test_id(&store, 0), "the id"));
    CU_ASSERT(nd_test_is(nd_test_url(&store, 0), "http://User@Example.ORG:8080/path"));
}

/* Navigation is not stored where nobody asks for it; the whole text's hash and length are as ever.
 */
ND_TEST("no navigation") {
    static const char *const html = "<title>A title</title><nav>Home<p>Up</nav><p>One two. Three!"
                                    "<footer>All rights</footer><ul><li><a href='x'>Next</a></ul>";
    static const char *const kept[] = {"a", "title", "one", "two", "three", "next"};
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {.no_navigation = true};
    ND_OWNED(nd_page_maker_free) nd_page_maker whole = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    add(&maker, &store, ND_CONTENT_HTML, html, "");
    add(&whole, &store, ND_CONTENT_HTML, html, "");
    add(&maker, &store, ND_CONTENT_HTML, "<nav>Home</nav>", "");
    const nd_stored_page *pages = store.pages;
    CU_ASSERT_EQUAL_FATAL(pages[0].token_count, 6);
    for (size_t i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL(nd_test_document(&store, 0).tokens[i],
                        (uint32_t)XXH3_64bits(kept[i], strlen(kept[i])));
    }
    CU_ASSERT_EQUAL(pages[1].token_count, 10);
    CU_ASSERT_EQUAL(pages[0].text_tokens, 10);
    CU_ASSERT_EQUAL(memcmp(&pages[0].text_hash, &pages[1].text_hash, sizeof pages[0].text_hash), 0);
    const nd_sentence_digest *sentences = nd_test_document(&store, 0).sentences;
    CU_ASSERT_EQUAL_FATAL(pages[0].sentence_count, 4);
    check_sentence(&sentences[0], "a title", 2, "a title", ND_SENTENCE_TITLE);
    check_sentence(&sentences[1], "one two", 2, "one two", 0);
    check_sentence(&sentences[2], "three", 1, "three", 0);
    check_sentence(&sentences[3], "next", 1, "next", ND_SENTENCE_LINKS);
    CU_ASSERT(pages[2].token_count == 1 && pages[2].sentence_count == 1); /* it has nothing else */
    CU_ASSERT_EQUAL(pages[2].text_tokens, 1);
}

/* On request the URLs of images are tokens, on the own host their file names. */
ND_TEST("images") {
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {.images = true};
    ND_OWNED(nd_page_maker_free) nd_page_maker plain = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    static const char *const words[] = {"a", "b"};
    add(&maker, &store, ND_CONTENT_HTML, "a<img src=/x/c.png>b", "http://one.example/");
    add(&maker, &store, ND_CONTENT_HTML, "a<img src=c.png>b", "http://two.example/p/q");
    add(&maker, &store, ND_CONTENT_HTML, "a<img src=http://one.example/x/c.png>b",
        "http://two.example/");
    add(&plain, &store, ND_CONTENT_HTML, "a<img src=c.png>b", "http://one.example/");
    const uint32_t *tokens[3];
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL_FATAL(store.pages[i].token_count, 3);
        tokens[i] = nd_test_document(&store, i).tokens;
    }
    CU_ASSERT_EQUAL(tokens[0][1], tokens[1][1]);
    CU_ASSERT_NOT_EQUAL(tokens[0][1], tokens[2][1]);
    check_tokens(&store, 3, words, 2);
}

/* Text is not HTML; a record without text is a page all the same. */
ND_TEST("text") {
    static const char *const words[] = {"b", "1", "b", "x"};
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    add(&maker, &store, ND_CONTENT_TEXT, "<b>1</b>\n\nx", "");
    add(&maker, &store, ND_CONTENT_TEXT, " - \n", "");
    add(&maker, &store, ND_CONTENT_HTML, "", "file:///tmp/x.html");
    check_tokens(&store, 0, words, 4);
    CU_ASSERT_EQUAL(store.pages[0].sentence_count, 2);
    for (size_t i = 1; i < 3; i++) {
        check_tokens(&store, i, NULL, 0);
        CU_ASSERT(store.pages[i].sentence_count == 0 && store.pages[i].text_tokens == 0);
        CU_ASSERT_EQUAL(store.pages[i].offset, 1000 + i);
    }
    /* a text is of a site by the URL that its input gives, not by its folder */
    add(&maker, &store, ND_CONTENT_TEXT, "x", "file://texts/x.txt");
    add(&maker, &store, ND_CONTENT_HTML, "x", "file://pages/x.html");
    add(&maker, &store, ND_CONTENT_TEXT, "x", "http://a.example/x.txt");
    CU_ASSERT_EQUAL(store.pages[0].site, 0);
    CU_ASSERT_EQUAL(store.pages[3].site, 0);
    CU_ASSERT_EQUAL(store.pages[4].site, nd_site_hash(nd_test_span("pages"), 0));
    CU_ASSERT_EQUAL(store.pages[5].site, nd_site_hash(nd_test_span("a.example"), 0));
}

/* Where nobody asks for MD5 or masks, sentences are distinguished all the same, and all else is as
 * ever. */
ND_TEST("other digests") {
    ND_OWNED(nd_page_maker_free) nd_page_maker usual = {0};
    ND_OWNED(nd_page_maker_free) nd_page_maker other = {.any_digest = true, .unmasked = true};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    ND_OWNED(nd_page_store_free) nd_page_store alone = {0};
    const char *const html = "<nav>Home</nav><p>Page 12. Page 13. Page 12.</p>";
    add(&usual, &store, ND_CONTENT_HTML, html, "");
    add(&other, &alone, ND_CONTENT_HTML, html, "");
    const nd_sentence_digest *x = nd_test_document(&store, 0).sentences;
    const nd_sentence_digest *y = nd_test_document(&alone, 0).sentences;
    CU_ASSERT_EQUAL_FATAL(alone.pages[0].sentence_count, 4);
    CU_ASSERT_EQUAL(memcmp(&store.pages[0].text_hash, &alone.pages[0].text_hash,
                           sizeof store.pages[0].text_hash),
                    0);
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT(y[i].token_count == x[i].token_count && y[i].flags == x[i].flags);
        CU_ASSERT_EQUAL(y[i].masked, 0);
        for (size_t k = 0; k < 4; k++) {
            const bool equal = memcmp(&x[i].digest, &x[k].digest, sizeof x[i].digest) == 0;
            CU_ASSERT_EQUAL(memcmp(&y[i].digest, &y[k].digest, sizeof y[i].digest) == 0, equal);
        }
    }
}

/* With another seed all hashes but MD5 are others, and the same bytes still have the same. */
ND_TEST("seed") {
    const uint64_t seed = UINT64_C(0x123456789ABCDEF0);
    nd_page_maker makers[] = {
        {.any_digest = true}, {.any_digest = true, .hash_seed = seed}, {.hash_seed = seed}};
    nd_page_store stores[] = {{.count = 0}, {.count = 0}, {.count = 0}};
    const char *const html = "<p>Page 12. Page 13. Page 12.</p>";
    for (size_t i = 0; i < 3; i++) {
        add(&makers[i], &stores[i], ND_CONTENT_HTML, html, "");
        CU_ASSERT_EQUAL_FATAL(stores[i].pages[0].sentence_count, 3);
    }
    const nd_document zero = nd_test_document(&stores[0], 0);
    const nd_document seeded = nd_test_document(&stores[1], 0);
    const nd_document md5 = nd_test_document(&stores[2], 0);
    nd_md5 digest;
    nd_slow_md5(nd_test_span("page 12"), &digest);
    CU_ASSERT_EQUAL(memcmp(&md5.sentences[0].digest, &digest, sizeof digest), 0);
    CU_ASSERT_NOT_EQUAL(stores[0].pages[0].text_hash.low, stores[1].pages[0].text_hash.low);
    CU_ASSERT_EQUAL(stores[1].pages[0].text_hash.low, stores[2].pages[0].text_hash.low);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_NOT_EQUAL(zero.tokens[2 * i], seeded.tokens[2 * i]);
        CU_ASSERT_EQUAL(seeded.tokens[2 * i], md5.tokens[2 * i]);
        CU_ASSERT_NOT_EQUAL(zero.sentences[i].masked, seeded.sentences[i].masked);
        CU_ASSERT_EQUAL(seeded.sentences[i].masked, md5.sentences[i].masked);
        CU_ASSERT_NOT_EQUAL(
            memcmp(&zero.sentences[i].digest, &seeded.sentences[i].digest, sizeof digest), 0);
    }
    for (size_t i = 0; i < 3; i++) {
        nd_page_store_free(&stores[i]);
        nd_page_maker_free(&makers[i]);
    }
}

/* What is kept from page to page is scratch: a page is the same whatever came before it. */
ND_TEST("scratch is kept") {
    static char html[1 << 16];
    nd_random random = nd_test_random("scratch");
    ND_OWNED(nd_page_maker_free) nd_page_maker used = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    ND_OWNED(nd_page_store_free) nd_page_store alone = {0};
    for (size_t i = 0; i < 60; i++) {
        ND_OWNED(nd_page_maker_free) nd_page_maker fresh = {0};
        size_t size = 0;
        html[0] = '\0';
        for (uint64_t n = nd_random_below(&random, 300); n > 0; n--) {
            static const char *const pieces[] = {"<p>%llu words.", "<a href=x>link %llu</a> ",
                                                 "<nav>menu %llu</nav>", "more text %llu, "};
            size += (size_t)snprintf(html + size, sizeof html - size,
                                     pieces[nd_random_below(&random, 4)],
                                     (unsigned long long)nd_random_below(&random, 1000));
        }
        add(&used, &store, ND_CONTENT_HTML, html, "http://a.example/");
        add(&fresh, &alone, ND_CONTENT_HTML, html, "http://a.example/");
        const nd_document x = nd_test_document(&store, i);
        const nd_document y = nd_test_document(&alone, i);
        CU_ASSERT(x.token_count == y.token_count && x.sentence_count == y.sentence_count);
        CU_ASSERT(x.token_count == 0 ||
                  memcmp(x.tokens, y.tokens, x.token_count * sizeof *x.tokens) == 0);
        CU_ASSERT(x.sentence_count == 0 ||
                  memcmp(x.sentences, y.sentences, x.sentence_count * sizeof *x.sentences) == 0);
    }
}

/* A page of which more is asked stays, however much it takes; that of others goes. */
ND_TEST("large page") {
    enum { BYTES = 20 << 20 };
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    ND_OWNED(nd_page_maker_free) nd_page_maker shown = {.page_is_used = true};
    ND_OWNED(nd_page_maker_free) nd_page_maker usual = {0};
    nd_buffer_reserve(&text, BYTES);
    memset(text.data, 'a', BYTES);
    for (size_t i = 1; i < BYTES; i += 3) {
        text.data[i] = ' ';
    }
    text.data[BYTES - 1] = '\0';
    add(&shown, &store, ND_CONTENT_TEXT, (const char *)text.data, "");
    add(&usual, &store, ND_CONTENT_TEXT, (const char *)text.data, "");
    CU_ASSERT(shown.page.sentence_count > 0 && shown.page.text.data != NULL);
    CU_ASSERT(usual.page.sentence_count == 0 && usual.page.text.data == NULL);
}

/* A page of more tokens or sentences than are allowed is refused with the limit that it passes. */
ND_TEST("limits") {
    nd_record_limits limits = nd_record_limits_of(0, 0, 0);
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {.limits = &limits};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    const nd_record record = {.content = ND_CONTENT_TEXT,
                              .text = nd_test_span("One two. Three four.\n\nFive.")};
    limits.most[ND_LIMIT_TOKENS] = 5;
    limits.most[ND_LIMIT_SENTENCES] = 3;
    ND_TEST_OK(nd_page_maker_add(&maker, &record, 0, 0, &store));
    limits.most[ND_LIMIT_TOKENS] = 4;
    CU_ASSERT_EQUAL(nd_page_maker_add(&maker, &record, 0, 0, &store), ND_ERR_LIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "page of more than 4 tokens"));
    limits.most[ND_LIMIT_TOKENS] = 5;
    limits.most[ND_LIMIT_SENTENCES] = 1;
    CU_ASSERT_EQUAL(nd_page_maker_add(&maker, &record, 0, 0, &store), ND_ERR_LIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "page of more than 1 sentences"));
    CU_ASSERT_EQUAL(store.count, 1);
}

/* By its host, or by the domain that someone has registered; a revisit says that it is one. */
ND_TEST("sites") {
    nd_page_maker hosts = {.by_domain = false}, domains = {.by_domain = true};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    const nd_record one = {.url = nd_test_span("http://one.a.co.uk/x"), .revisit = true};
    const nd_record two = {.url = nd_test_span("http://two.a.co.uk/y")};
    CU_ASSERT_NOT_EQUAL(nd_page_maker_site(&hosts, &one), nd_page_maker_site(&hosts, &two));
    CU_ASSERT_EQUAL(nd_page_maker_site(&domains, &one), nd_page_maker_site(&domains, &two));
    CU_ASSERT_EQUAL(nd_page_maker_site(&domains, &one), nd_site_hash(nd_test_span("a.co.uk"), 0));
    ND_TEST_OK(nd_page_maker_add(&hosts, &one, 0, 0, &store));
    ND_TEST_OK(nd_page_maker_add(&hosts, &two, 0, 0, &store));
    CU_ASSERT((store.pages[0].flags & ND_PAGE_REVISIT) != 0);
    CU_ASSERT((store.pages[1].flags & ND_PAGE_REVISIT) == 0);
    nd_page_maker_free(&hosts);
}
