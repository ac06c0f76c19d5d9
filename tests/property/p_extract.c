/* The extractor against a slow reference that walks the page character by character, on random tag
 * soup; then facts that hold for any bytes at all. */
#include "src/base/printable.h"
#include "src/text/extract.h"
#include "tests/support/check.h"
#include "tests/support/slow_extract.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, LONGEST_SOUP = 60 };

static const char *const pieces[] = {"<p>",
                                     "</p>",
                                     "<P class=\"a>b\">",
                                     "<b>",
                                     "</b>",
                                     "<span title='<p>'>",
                                     "</span>",
                                     "<img src=x/>",
                                     "<img src=x>",
                                     "<img src=\"http://a.org/b\">",
                                     "<base href=http://b.org/>",
                                     "<br/>",
                                     "<a href=x>",
                                     "<a href='?a=\"&amp;b'>",
                                     "<A HREF=y>",
                                     "<a name=z>",
                                     "</a>",
                                     "<div>",
                                     "</div>",
                                     "<div class=comments>",
                                     "<div id=a CLASS=\"x my-Breadcrumbs_2\">",
                                     "<div class='comma xcomments'>",
                                     "<ul class=x class=comments>",
                                     "<body class=comments>",
                                     "<ul ID='x comments' id=breadcrumb>",
                                     "<table role='main' class>",
                                     "<div Role=\"x Dialog\" class=\"breadcrumb\">",
                                     "<div role/class=comments>",
                                     "<div role = complementary role=main>",
                                     "<main>",
                                     "</main>",
                                     "<form>",
                                     "</form>",
                                     "<table>",
                                     "</table>",
                                     "<nav>",
                                     "</nav>",
                                     "<footer >",
                                     "</footer>",
                                     "<select>",
                                     "</select>",
                                     "<option>",
                                     "<button>",
                                     "</button>",
                                     "<body>",
                                     "</body>",
                                     "</html>",
                                     "<script>",
                                     "</script>",
                                     "<script/>",
                                     "<style>",
                                     "</style >",
                                     "<svg>",
                                     "<svg/>",
                                     "</svg>",
                                     "<object a='>'>",
                                     "</object b>",
                                     "<textarea>",
                                     "</textarea>",
                                     "<iframe x=y/>",
                                     "</iframe>",
                                     "<title>",
                                     "</title>",
                                     "<o:p>",
                                     "</o:p>",
                                     "<x-y>",
                                     "<sVg",
                                     "<p",
                                     "<!--",
                                     "-->",
                                     "--!>",
                                     "<!-->",
                                     "<!--->",
                                     "<!DOCTYPE html>",
                                     "<![CDATA[",
                                     "]]>",
                                     "<?php ?>",
                                     "</ x>",
                                     "</>",
                                     "<",
                                     ">",
                                     "=",
                                     "\"",
                                     "'",
                                     "/",
                                     "&",
                                     ";",
                                     "&amp;",
                                     "&lt;p&gt;",
                                     "&nbsp;",
                                     "&copy",
                                     "&notit;",
                                     "&notin;",
                                     "&nosuch;",
                                     "&#65;",
                                     "&#x4E2D",
                                     "&#0;",
                                     "&#128;",
                                     "&#xD800;",
                                     "&#;",
                                     "&NotEqualTilde;",
                                     " ",
                                     "  ",
                                     "\n",
                                     "\t\r\n",
                                     "\f",
                                     "\v",
                                     "\x01",
                                     "\xC2\xA0",
                                     "\xE3\x80\x80",
                                     "\xE2\x80\x89",
                                     "a",
                                     "bc",
                                     "word",
                                     "Some longer text of words, ",
                                     "12345678",
                                     "\xC3\xA9",
                                     "\xE4\xB8\xAD\xE6\x96\x87",
                                     "\xF0\x9F\x98\x80",
                                     "\xC2\xAD",
                                     "\xE2\x80\x8C",
                                     "\x7F"};

static void add_piece(nd_random *random, nd_buffer *soup) {
    size_t count = sizeof pieces / sizeof *pieces;
    uint64_t number = nd_random_below(random, count + 1);
    if (number < count) {
        nd_buffer_append_text(soup, pieces[number]);
    } else {
        uint8_t byte = (uint8_t)nd_random_below(random, 256);
        nd_buffer_append(soup, &byte, 1);
    }
}

static void make_soup(nd_random *random, nd_buffer *soup) {
    soup->size = 0;
    for (uint64_t left = nd_random_below(random, LONGEST_SOUP); left > 0; left--) {
        add_piece(random, soup);
    }
    nd_buffer_append(soup, "\0\0\0\0", 4);
    soup->size -= 4;
}

static void dump_page(nd_buffer *dump, const nd_page *page) {
    dump->size = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        CU_ASSERT_FATAL(block->end > block->begin && block->end <= page->text.size);
        nd_test_dump_block(dump, block->flags, block->link_bytes, page->text.data + block->begin,
                           block->end - block->begin);
    }
}

static bool same_bytes(const nd_buffer *a, const nd_buffer *b) {
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* In full: a soup may have any byte, also NUL. */
static void print_bytes(const char *name, const nd_buffer *bytes) {
    printf("  %s ", name);
    for (size_t i = 0; i < bytes->size; i++) {
        uint8_t byte = bytes->data[i];
        printf(byte < ' ' || byte == 0x7F ? "\\x%02X" : "%c", byte);
    }
    printf("\n");
}

/* Nobody who does not ask learns what stands beside the content, and all else is the same. */
static bool same_unasked(const nd_page *asked, const nd_buffer *soup) {
    nd_page page = {0};
    CU_ASSERT_EQUAL_FATAL(nd_extract_html(&page, nd_buffer_span(soup), NULL), ND_OK);
    bool same = same_bytes(&page.text, &asked->text) && page.block_count == asked->block_count;
    for (size_t i = 0; same && i < page.block_count; i++) {
        nd_block block = asked->blocks[i];
        block.flags &= ~(uint32_t)(ND_BLOCK_BESIDE | ND_BLOCK_BESIDE_FIRST);
        same = memcmp(&block, &page.blocks[i], sizeof block) == 0;
    }
    nd_page_free(&page);
    return same;
}

/* Whether both extractors agree on a page; else it is printed. Both dumps are replaced. */
static bool agree(nd_page *page, const nd_buffer *soup, nd_buffer *got, nd_buffer *wanted) {
    nd_test_slow_extract(wanted, nd_buffer_span(soup));
    const nd_html_options options = {.beside = true};
    CU_ASSERT_EQUAL_FATAL(nd_extract_html(page, nd_buffer_span(soup), &options), ND_OK);
    dump_page(got, page);
    bool equal = same_bytes(got, wanted) && same_unasked(page, soup);
    if (!equal) {
        printf("\n");
        print_bytes("soup:", soup);
        print_bytes("got: ", got);
        print_bytes("not: ", wanted);
    }
    return equal;
}

static void test_soup(void) {
    nd_random random = nd_test_random("extract soup");
    nd_page page = {0};
    nd_buffer soup = {0};
    nd_buffer got = {0};
    nd_buffer wanted = {0};
    bool equal = true;
    for (int round = 0; round < nd_test_rounds(ROUNDS) && equal; round++) {
        make_soup(&random, &soup);
        equal = agree(&page, &soup, &got, &wanted);
        CU_ASSERT(equal);
    }
    nd_page_free(&page);
    nd_buffer_free(&soup);
    nd_buffer_free(&got);
    nd_buffer_free(&wanted);
}

/* Is it the word of an image? The soup's own "img" has a space after it. */
static bool is_image(const nd_page *page, const nd_sentence *sentence, size_t token) {
    const uint8_t *p = page->normalised.data + sentence->begin;
    const uint8_t *end = page->normalised.data + sentence->end;
    for (; token > 0; token--) {
        p = (const uint8_t *)memchr(p, ' ', (size_t)(end - p)) + 1;
    }
    return end - p >= ND_IMAGE_TERM_SIZE && memcmp(p, "img", 3) == 0 && p[3] >= 'a';
}

/* The tokens of a page but for the words of its images. */
static size_t other_tokens(const nd_page *page, uint64_t *tokens) {
    size_t count = 0;
    for (size_t s = 0; s < page->sentence_count; s++) {
        for (size_t i = 0; i < page->sentences[s].token_count; i++) {
            if (!is_image(page, &page->sentences[s], i)) {
                tokens[count++] = page->tokens[page->sentences[s].first_token + i];
            }
        }
    }
    return count;
}

/* Images as words: the other words are those of the page without images. */
static void test_images(void) {
    enum { MOST_TOKENS = 20 * LONGEST_SOUP };
    nd_random random = nd_test_random("images");
    const nd_html_options options = {.images = true, .url = {(const uint8_t *)"http://a.org/", 13}};
    nd_page plain = {0};
    nd_page with_images = {0};
    nd_buffer soup = {0};
    size_t images = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS / 4); round++) {
        static uint64_t tokens[MOST_TOKENS];
        make_soup(&random, &soup);
        CU_ASSERT_EQUAL_FATAL(nd_page_from_html(&plain, nd_buffer_span(&soup)), ND_OK);
        CU_ASSERT_EQUAL_FATAL(nd_page_from_html_with(&with_images, nd_buffer_span(&soup), &options),
                              ND_OK);
        CU_ASSERT_FATAL(with_images.token_count <= MOST_TOKENS);
        const size_t count = other_tokens(&with_images, tokens);
        images += with_images.token_count - count;
        CU_ASSERT_EQUAL_FATAL(count, plain.token_count);
        CU_ASSERT(count == 0 || memcmp(tokens, plain.tokens, count * sizeof *tokens) == 0);
    }
    CU_ASSERT((int)images > nd_test_rounds(ROUNDS) / 40);
    nd_page_free(&plain);
    nd_page_free(&with_images);
    nd_buffer_free(&soup);
}

/* Names that random bytes make. A NUL in a name makes it another name: such a tag is not listed, so
 * it is white space only. */
static void test_rare_names(void) {
    static const struct {
        const char *html; /* the array's own NUL and three more follow */
        size_t size;
        const char *blocks;
    } cases[] = {
#define CASE(html, blocks) {html "\0\0\0", sizeof(html) - 1, blocks}
        CASE("a<p\0>b", "[0]a b|"),
        CASE("a<p\0 p>b<nav\0>c</\0p>d", "[0]a b cd|"),
        CASE("<a href\0=x>a</a><a \0href>b</a><a href>c", "[1]abc|"),
        CASE("<a x\0=x href=x>a</a><script\0>b</script>", "[1]a b|"),
        CASE("a<q\f<b>b<i>c</I>d<S >e<u>f<em>g<tt>h", "[0]abcdefgh|"),
        CASE("a<H1>b</h6>c<dl>d<li>e<tr>f<hr>g", "[0]a|[0]b|[0]c|[0]d|[0]e|[0]f|[0]g|"),
        CASE("<ol><nav></ol>a<nav><ul></nav>b", "[0]a|[0]b|"),
#undef CASE
    };
    nd_page page = {0};
    nd_buffer got = {0};
    nd_buffer wanted = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_buffer soup = {0};
        nd_buffer_append(&soup, cases[i].html, cases[i].size + 4);
        soup.size -= 4;
        CU_ASSERT(agree(&page, &soup, &got, &wanted));
        CU_ASSERT_EQUAL(got.size, strlen(cases[i].blocks));
        CU_ASSERT(memcmp(got.data, cases[i].blocks, got.size) == 0);
        nd_buffer_free(&soup);
    }
    nd_page_free(&page);
    nd_buffer_free(&got);
    nd_buffer_free(&wanted);
}

/* Facts of any page: offsets in order and in range, all text and all sentences valid. */
static void check_page(const nd_page *page) {
    uint32_t code = 0;
    for (size_t i = 0; i < page->text.size;) {
        size_t size = nd_utf8_read(page->text.data + i, page->text.data + page->text.size, &code);
        CU_ASSERT_FATAL(code != ND_UTF8_REPLACEMENT || size == 3);
        i += size;
    }
    size_t tokens = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        CU_ASSERT_FATAL(sentence->first_token == tokens && sentence->token_count > 0);
        CU_ASSERT_FATAL(sentence->begin == bytes && sentence->end > bytes);
        CU_ASSERT_FATAL(page->normalised.data[sentence->end] == ' ');
        CU_ASSERT_FATAL(sentence->block < page->block_count);
        CU_ASSERT_FATAL(i == 0 || sentence->block >= page->sentences[i - 1].block);
        tokens += sentence->token_count;
        bytes = sentence->end + 1;
    }
    CU_ASSERT_FATAL(tokens == page->token_count && bytes == page->normalised.size);
}

static bool same_words(const nd_page *a, const nd_page *b) {
    return a->token_count == b->token_count && a->normalised.size == b->normalised.size &&
           (a->token_count == 0 ||
            (memcmp(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) == 0 &&
             memcmp(a->normalised.data, b->normalised.data, a->normalised.size) == 0));
}

/* Text of text is the same text: each block read as plain text gives its own words again. */
static void check_blocks(const nd_page *page) {
    nd_page again = {0};
    nd_buffer paragraphs = {0};
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        nd_buffer_append(&paragraphs, page->text.data + block->begin, block->end - block->begin);
        nd_buffer_append_text(&paragraphs, "\n\n");
    }
    CU_ASSERT_EQUAL(nd_page_from_text(&again, nd_buffer_span(&paragraphs)), ND_OK);
    CU_ASSERT(same_words(page, &again));
    CU_ASSERT_EQUAL(page->sentence_count, again.sentence_count);
    nd_page_free(&again);
    nd_buffer_free(&paragraphs);
}

static void test_any_bytes(void) {
    const nd_html_options with_images = {.images = true};
    nd_random random = nd_test_random("extract bytes");
    nd_page page = {0};
    nd_buffer soup = {0};
    for (int round = 0; round < nd_test_rounds(ROUNDS / 10); round++) {
        make_soup(&random, &soup);
        for (uint64_t left = nd_random_below(&random, 20); left > 0 && soup.size > 0; left--) {
            soup.data[nd_random_below(&random, soup.size)] = (uint8_t)nd_random_next(&random);
        }
        /* An exact copy on the heap, so that reading beyond the end is seen. */
        nd_buffer exact = {malloc(soup.size + 1), soup.size, soup.size};
        CU_ASSERT_PTR_NOT_NULL_FATAL(exact.data);
        memcpy(exact.data + 1, soup.data, soup.size);
        CU_ASSERT_EQUAL(nd_page_from_text(&page, (nd_span){exact.data + 1, soup.size}), ND_OK);
        check_page(&page);
        check_blocks(&page);
        CU_ASSERT_EQUAL(nd_page_from_html(&page, (nd_span){exact.data + 1, soup.size}), ND_OK);
        check_page(&page);
        check_blocks(&page);
        CU_ASSERT_EQUAL(
            nd_page_from_html_with(&page, (nd_span){exact.data + 1, soup.size}, &with_images),
            ND_OK);
        check_page(&page);
        check_blocks(&page);
        nd_buffer_free(&exact);
    }
    nd_page_free(&page);
    nd_buffer_free(&soup);
}

static const nd_test tests[] = {
    {"tag soup against a slow reference", test_soup},
    {"images as words", test_images},
    {"names that random bytes make", test_rare_names},
    {"facts of any bytes", test_any_bytes},
};
ND_SUITE(p_extract, tests)
