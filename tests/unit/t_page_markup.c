/* Markup of synthetic pages: as much of it as asked for, as compressible as that of real pages, the
 * same on all pages of a site's design, and nothing of it in what the extractor finds. */
#include "src/synth/markup.h"

#include "src/text/page.h"
#include "tests/support/check.h"
#include "tests/support/made_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PAGES = 1200 };

static void open_corpus(nd_made_pages *c, uint64_t page_bytes, double text) {
    const nd_corpus_options options = {.pages = PAGES,
                                       .seed = 21,
                                       .page_bytes = page_bytes,
                                       .text = text,
                                       .sites = 30,
                                       .hot_key = .1};
    nd_made_pages_open(c, &options);
}

static bool equal(nd_span a, nd_span b) {
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* ---- what is extracted */

static bool same_blocks(const nd_page *a, const nd_page *b) {
    return a->block_count == b->block_count &&
           memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0;
}

static bool same_tokens(const nd_page *a, const nd_page *b) {
    return a->token_count == b->token_count && a->sentence_count == b->sentence_count &&
           memcmp(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) == 0;
}

/* Every page, with markup and without: text, blocks, links and tokens are the same. */
static void check_extracted(uint64_t page_bytes, double percent) {
    nd_made_pages with, without;
    nd_page a = {0}, b = {0};
    uint64_t seen[ND_PAGE_CLASSES] = {0};
    open_corpus(&with, page_bytes, percent);
    open_corpus(&without, nd_markup_share_of(page_bytes, percent).plain_bytes, 0);
    for (uint64_t i = 0; i < PAGES; i++) {
        const nd_span marked = nd_made_pages_make(&with, i);
        const nd_span plain = nd_made_pages_make(&without, i);
        CU_ASSERT_TRUE(percent > 30 || marked.size > plain.size);
        CU_ASSERT_EQUAL(nd_page_from_html(&a, marked), ND_OK);
        CU_ASSERT_EQUAL(nd_page_from_html(&b, plain), ND_OK);
        const bool same = equal(nd_buffer_span(&a.text), nd_buffer_span(&b.text)) &&
                          same_blocks(&a, &b) && same_tokens(&a, &b);
        CU_ASSERT_TRUE(same);
        CU_ASSERT_TRUE(
            equal(nd_buffer_span(&with.page.cluster), nd_buffer_span(&without.page.cluster)));
        seen[with.page.plan.class]++;
        if (!same) {
            (void)printf("%g percent, page %llu, class %s\n", percent, (unsigned long long)i,
                         nd_page_class_get(with.page.plan.class)->name);
        }
    }
    for (int i = 0; i < ND_PAGE_CLASSES; i++) {
        CU_ASSERT_TRUE(seen[i] > 0);
    }
    nd_page_free(&a);
    nd_page_free(&b);
    nd_made_pages_close(&with);
    nd_made_pages_close(&without);
}

static void test_extracted(void) {
    check_extracted(23000, 20);
    check_extracted(44000, ND_TEXT_LEAST);
    check_extracted(8000, ND_TEXT_MOST);
}

/* ---- how much there is, and how it packs */

/* Means over the pages of a corpus. */
typedef struct means {
    double bytes, text, tokens, packed;
} means;

/* Bytes of text without white space around the blocks. */
static size_t text_bytes(const nd_page *page) {
    size_t bytes = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        bytes += page->blocks[i].end - page->blocks[i].begin;
    }
    return bytes;
}

static double packed_bytes(nd_span html) {
    enum { LEVEL = 6 };
    uLongf size = compressBound(html.size);
    Bytef *packed = malloc(size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(packed);
    CU_ASSERT_EQUAL(compress2(packed, &size, html.data, html.size, LEVEL), Z_OK);
    free(packed);
    return (double)size;
}

static means means_of(uint64_t page_bytes, double percent) {
    nd_made_pages c;
    nd_page page = {0};
    means m = {0};
    open_corpus(&c, page_bytes, percent);
    for (uint64_t i = 0; i < PAGES; i += 2) {
        const nd_span html = nd_made_pages_make(&c, i);
        CU_ASSERT_EQUAL(nd_page_from_html(&page, html), ND_OK);
        m.bytes += (double)html.size / (PAGES / 2);
        m.text += (double)text_bytes(&page) / (PAGES / 2);
        m.tokens += (double)page.token_count / (PAGES / 2);
        m.packed += packed_bytes(html) / (PAGES / 2);
    }
    nd_page_free(&page);
    nd_made_pages_close(&c);
    return m;
}

static void test_share(void) {
    static const struct {
        uint64_t page_bytes;
        double percent;
    } corpora[] = {{44000, ND_TEXT_LEAST}, {23000, 10},           {23000, 20},
                   {12000, 30.5},          {23000, ND_TEXT_MOST}, {100000, 15}};
    for (size_t i = 0; i < sizeof corpora / sizeof corpora[0]; i++) {
        const double wanted = (double)corpora[i].page_bytes;
        const means m = means_of(corpora[i].page_bytes, corpora[i].percent);
        const double percent = 100 * m.text / m.bytes;
        CU_ASSERT_DOUBLE_EQUAL(m.bytes, wanted, wanted / 10);
        CU_ASSERT_DOUBLE_EQUAL(percent, corpora[i].percent, corpora[i].percent / 10);
        (void)printf("%.0f bytes for %.0f, %.1f %% text for %.1f, packs %.2f : 1\n", m.bytes,
                     wanted, percent, corpora[i].percent, m.bytes / m.packed);
    }
}

/* As real pages of that share of text. */
static void test_packing(void) {
    const means m = means_of(23000, 20);
    CU_ASSERT_TRUE(m.bytes / m.packed > 4 && m.bytes / m.packed < 5);
    CU_ASSERT_TRUE(1000 * m.tokens / m.bytes > 35 && 1000 * m.tokens / m.bytes < 50);
    const means plain = means_of(23000, 0);
    CU_ASSERT_TRUE(plain.bytes / plain.packed < 3.2);
}

/* ---- the site's own */

/* The page from its first style sheet to the end of its head; empty if it has none. */
static nd_span head(nd_made_pages *c, uint64_t page) {
    (void)nd_made_pages_make(c, page);
    nd_buffer_append(&c->page.html, "", 1); /* makes it a string */
    const char *html = (const char *)c->page.html.data;
    const char *begin = strstr(html, "<style");
    const char *end = begin == NULL ? NULL : strstr(begin, "</head>");
    return end == NULL ? (nd_span){NULL, 0}
                       : (nd_span){(const uint8_t *)begin, (size_t)(end - begin)};
}

/* The style sheets of one design are the same on all its pages, those of others are not. */
static void test_site(void) {
    nd_made_pages a, b;
    uint64_t same_design = 0, other_design = 0;
    open_corpus(&a, 23000, 20);
    open_corpus(&b, 23000, 20);
    const nd_span first = head(&a, 0);
    CU_ASSERT_TRUE(first.size > 1000);
    for (uint64_t i = 1; i < PAGES; i++) {
        const nd_span other = head(&b, i);
        const bool same = a.page.plan.site == b.page.plan.site &&
                          a.page.plan.redesigned == b.page.plan.redesigned;
        CU_ASSERT_EQUAL(equal(first, other), same);
        same_design += same;
        other_design += !same;
    }
    CU_ASSERT_TRUE(same_design > 5 && other_design > 5);
    nd_made_pages_close(&a);
    nd_made_pages_close(&b);
}

static const nd_test tests[] = {
    {"nothing of it is extracted", test_extracted},
    {"as much as asked for", test_share},
    {"it packs as real pages do", test_packing},
    {"the site's own", test_site},
};

ND_SUITE(t_page_markup, tests)
