/* Extraction against a slow one and libxml2; edits of stories. */
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/lcs/lcs.h"
#include "src/synth/story.h"
#include "src/text/extract.h"
#include "tests/support/check.h"
#include "tests/support/extract_oracle.h"

/* ---- The extractor against a slow reference that walks the page character by character, on random
 * tag soup; then facts that hold for any bytes at all. */

enum { ROUNDS = 20000, LONGEST_SOUP = 60, MOST_PIECES = 150 };
static const char piece_list[] =
    "<p>|</p>|<P class=\"a>b\">|<b>|</b>|<span title='<p>'>|</span>|<img src=x/>|<img src=x>|"
    "<img src=\"http://a.org/b\">|<base href=http://b.org/>|<br/>|<a href=x>|"
    "<a href='?a=\"&amp;b'>|<A HREF=y>|<a name=z>|</a>|<div>|</div>|<div class=comments>|"
    "<div id=a CLASS=\"x my-Breadcrumbs_2\">|<div class='comma xcomments'>|"
    "<ul class=x class=comments>|<body class=comments>|<ul ID='x comments' id=breadcrumb>|"
    "<table role='main' class>|<div Role=\"x Dialog\" class=\"breadcrumb\">|"
    "<div role/class=comments>|<div role = complementary role=main>|<main>|</main>|<form>|</form>|"
    "<table>|</table>|<nav>|</nav>|<footer >|</footer>|<select>|</select>|<option>|<button>|"
    "</button>|<body>|</body>|</html>|<script>|</script>|<script/>|<style>|</style >|<svg>|<svg/>|"
    "</svg>|<object a='>'>|</object b>|<textarea>|</textarea>|<iframe x=y/>|</iframe>|<title>|"
    "</title>|<o:p>|</o:p>|<x-y>|<sVg|<p|<!--|-->|--!>|<!-->|<!--->|<!DOCTYPE html>|<![CDATA[|]]>|"
    "<?php ?>|</ x>|</>|<|>|=|\"|'|/|&|;|&amp;|&lt;p&gt;|&nbsp;|&copy|&notit;|&notin;|&nosuch;|"
    "&#65;|&#x4E2D|&#0;|&#128;|&#xD800;|&#;|&NotEqualTilde;| |  |\n|\t\r\n|\f|\v|\x01|\xC2\xA0|"
    "\xE3\x80\x80|\xE2\x80\x89|a|bc|word|Some longer text of words, |12345678|\xC3\xA9|"
    "\xE4\xB8\xAD\xE6\x96\x87|\xF0\x9F\x98\x80|\xC2\xAD|\xE2\x80\x8C|\x7F";

static void add_piece(nd_random *random, nd_buffer *soup) {
    static const char *pieces[MOST_PIECES];
    static size_t count = 0;
    count = count > 0 ? count : ND_TEST_LIST(piece_list, pieces);
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
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_TEST_MUST(nd_extract_html(&page, nd_buffer_span(soup), NULL));
    bool same = same_bytes(&page.text, &asked->text) && page.block_count == asked->block_count;
    for (size_t i = 0; same && i < page.block_count; i++) {
        nd_block block = asked->blocks[i];
        block.flags &= ~(uint32_t)(ND_BLOCK_BESIDE | ND_BLOCK_BESIDE_FIRST);
        same = memcmp(&block, &page.blocks[i], sizeof block) == 0;
    }
    return same;
}

/* Whether both extractors agree on a page; else it is printed. Both dumps are replaced. */
static bool agree(nd_page *page, const nd_buffer *soup, nd_buffer *got, nd_buffer *wanted) {
    nd_test_slow_extract(wanted, nd_buffer_span(soup));
    const nd_html_options options = {.beside = true};
    ND_TEST_MUST(nd_extract_html(page, nd_buffer_span(soup), &options));
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

ND_TEST("tag soup against a slow reference") {
    nd_random random = nd_test_random("extract soup");
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_OWNED(nd_buffer_free) nd_buffer soup = {0};
    ND_OWNED(nd_buffer_free) nd_buffer got = {0};
    ND_OWNED(nd_buffer_free) nd_buffer wanted = {0};
    bool equal = true;
    for (int round = 0; round < nd_test_rounds(ROUNDS) && equal; round++) {
        make_soup(&random, &soup);
        equal = agree(&page, &soup, &got, &wanted);
        CU_ASSERT(equal);
    }
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
ND_TEST("images as words") {
    enum { MOST_TOKENS = 20 * LONGEST_SOUP };
    nd_random random = nd_test_random("images");
    const nd_html_options options = {.images = true, .url = {(const uint8_t *)"http://a.org/", 13}};
    ND_OWNED(nd_page_free) nd_page plain = {0};
    ND_OWNED(nd_page_free) nd_page with_images = {0};
    ND_OWNED(nd_buffer_free) nd_buffer soup = {0};
    size_t images = 0;
    for (int round = 0; round < nd_test_rounds(ROUNDS / 4); round++) {
        static uint64_t tokens[MOST_TOKENS];
        make_soup(&random, &soup);
        ND_TEST_MUST(nd_page_from_html(&plain, nd_buffer_span(&soup)));
        ND_TEST_MUST(nd_page_from_html_with(&with_images, nd_buffer_span(&soup), &options));
        CU_ASSERT_FATAL(with_images.token_count <= MOST_TOKENS);
        const size_t count = other_tokens(&with_images, tokens);
        images += with_images.token_count - count;
        CU_ASSERT_EQUAL_FATAL(count, plain.token_count);
        CU_ASSERT(count == 0 || memcmp(tokens, plain.tokens, count * sizeof *tokens) == 0);
    }
    CU_ASSERT((int)images > nd_test_rounds(ROUNDS) / 40);
}

/* Names that random bytes make. A NUL in a name makes it another name: such a tag is not listed, so
 * it is white space only. */
ND_TEST("names that random bytes make") {
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
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_OWNED(nd_buffer_free) nd_buffer got = {0};
    ND_OWNED(nd_buffer_free) nd_buffer wanted = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ND_OWNED(nd_buffer_free) nd_buffer soup = {0};
        nd_buffer_append(&soup, cases[i].html, cases[i].size + 4);
        soup.size -= 4;
        CU_ASSERT(agree(&page, &soup, &got, &wanted));
        CU_ASSERT_EQUAL(got.size, strlen(cases[i].blocks));
        CU_ASSERT(memcmp(got.data, cases[i].blocks, got.size) == 0);
    }
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
    ND_OWNED(nd_page_free) nd_page again = {0};
    ND_OWNED(nd_buffer_free) nd_buffer paragraphs = {0};
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        nd_buffer_append(&paragraphs, page->text.data + block->begin, block->end - block->begin);
        nd_buffer_append_text(&paragraphs, "\n\n");
    }
    ND_TEST_OK(nd_page_from_text(&again, nd_buffer_span(&paragraphs)));
    CU_ASSERT(same_words(page, &again));
    CU_ASSERT_EQUAL(page->sentence_count, again.sentence_count);
}

ND_TEST("facts of any bytes") {
    const nd_html_options with_images = {.images = true};
    nd_random random = nd_test_random("extract bytes");
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_OWNED(nd_buffer_free) nd_buffer soup = {0};
    for (int round = 0; round < nd_test_rounds(ROUNDS / 10); round++) {
        make_soup(&random, &soup);
        for (uint64_t left = nd_random_below(&random, 20); left > 0 && soup.size > 0; left--) {
            soup.data[nd_random_below(&random, soup.size)] = (uint8_t)nd_random_next(&random);
        }
        /* An exact copy on the heap, so that reading beyond the end is seen. */
        ND_OWNED(nd_buffer_free) nd_buffer exact = {malloc(soup.size + 1), soup.size, soup.size};
        CU_ASSERT_PTR_NOT_NULL_FATAL(exact.data);
        memcpy(exact.data + 1, soup.data, soup.size);
        ND_TEST_OK(nd_page_from_text(&page, (nd_span){exact.data + 1, soup.size}));
        check_page(&page);
        check_blocks(&page);
        ND_TEST_OK(nd_page_from_html(&page, (nd_span){exact.data + 1, soup.size}));
        check_page(&page);
        check_blocks(&page);
        ND_TEST_OK(
            nd_page_from_html_with(&page, (nd_span){exact.data + 1, soup.size}, &with_images));
        check_page(&page);
        check_blocks(&page);
    }
}

/* ---- The extractor's words are libxml2's: on all pages of the folder NEARDUP_GUIDES (the nine
 * installation-guide-* packages of Debian, unpacked), and on two small pages everywhere. */

ND_TEST("installation guides") {
    const char *folder = getenv("NEARDUP_GUIDES");
    nd_oracle oracle = {0};
    if (folder == NULL) {
        printf("\nSKIPPED: NEARDUP_GUIDES names no folder of pages\n");
        return;
    }
    ND_TEST_OK(nd_oracle_walk(&oracle, folder));
    CU_ASSERT(oracle.pages > 0);
    CU_ASSERT_EQUAL(oracle.equal, oracle.pages);
}

ND_TEST("words of libxml2") {
    static const char *const pages[] = {
        "<title>a</title><p>wo<b>rd</b> <a href='x>y'>b</a>&eacute;t&#233;",
        "<script>a<b</script><style></style>c<!-- d --><br>e &amp; f"};
    nd_oracle oracle = {0};
    for (size_t i = 0; i < 2; i++) {
        ND_TEST_OK(nd_oracle_compare(&oracle, pages[i], nd_test_span(pages[i])));
        CU_ASSERT_EQUAL(oracle.equal, i + 1);
    }
}

/* ---- Each class of edit does to the words what it promises, seen by other means: the words
 * compared as sequences and as multisets, and by the exact LCS. */

enum { STORIES = 60, TRIALS = 6 };
typedef struct trial {
    nd_vocabulary *vocabulary;
    nd_story original, copy;
    nd_story_source source;
    nd_lcs_work work;
    uint64_t common; /* as the edit said */
} trial;

static void start(trial *t, nd_random *random) {
    const nd_language language = (nd_language)nd_random_below(random, ND_LANGUAGES);
    t->source = (nd_story_source){.vocabulary = t->vocabulary,
                                  .language = language,
                                  .topic = {nd_random_next(random)},
                                  .topic_share = .1,
                                  .random = {nd_random_next(random)}};
    nd_story_clear(&t->original, language);
    nd_story_draw_head(&t->original, &t->source);
    nd_story_draw_body(&t->original, &t->source, nd_draw_between(random, 60, 2000));
    CU_ASSERT_TRUE(t->original.paragraphs.count >= 3);
    CU_ASSERT_EQUAL(t->original.paragraphs.items[t->original.paragraphs.count - 1],
                    t->original.sentences.count);
    CU_ASSERT_EQUAL(t->original.sentences.items[t->original.sentences.count - 1],
                    t->original.words.count);
}

static void edit(trial *t, nd_page_class class) {
    t->common = nd_story_edit(&t->copy, &t->original, class, &t->source);
    CU_ASSERT_TRUE(t->copy.words.count > 0);
}

static uint64_t tokens_of(const trial *t, const nd_story *story) {
    return nd_story_tokens(story, t->vocabulary, 0, story->words.count);
}

/* Commas are no words. */
static void drop_commas(nd_story *story) {
    for (size_t i = 0; i < story->words.count; i++) {
        story->words.items[i] &= ~ND_WORD_COMMA;
    }
}

static uint64_t lcs(trial *t) {
    uint64_t length = 0;
    drop_commas(&t->original);
    drop_commas(&t->copy);
    nd_lcs_length(t->original.words.items, t->original.words.count, t->copy.words.items,
                  t->copy.words.count, 0, &t->work, &length);
    return length;
}

static bool same_list(const nd_word_list *a, const nd_word_list *b) {
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

/* ---- the classes */

static void check_same(trial *t) {
    static const nd_page_class classes[] = {ND_PAGE_ORIGINAL, ND_PAGE_SAME, ND_PAGE_STAMPED,
                                            ND_PAGE_NOISY};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        edit(t, classes[i]);
        CU_ASSERT_TRUE(same_list(&t->original.words, &t->copy.words));
        CU_ASSERT_TRUE(same_list(&t->original.sentences, &t->copy.sentences));
        CU_ASSERT_TRUE(same_list(&t->original.paragraphs, &t->copy.paragraphs));
        CU_ASSERT_TRUE(same_list(&t->original.title, &t->copy.title));
        CU_ASSERT_EQUAL(t->common, tokens_of(t, &t->original));
    }
}

static void check_inserted(trial *t) {
    edit(t, ND_PAGE_INSERTED);
    const uint64_t words = t->original.words.count;
    const uint64_t more = t->copy.words.count - words;
    CU_ASSERT_TRUE(t->copy.paragraphs.count > t->original.paragraphs.count);
    CU_ASSERT_TRUE(more >= 8 && more <= words / 5);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, &t->original));
    CU_ASSERT_EQUAL(lcs(t), words); /* all of it, in order */
}

/* An edited word is lost, new, or both: it costs one or two. */
static void check_words(trial *t, nd_page_class class, double least, double most) {
    edit(t, class);
    const double words = (double)t->original.words.count;
    const double unchanged = (double)lcs(t);
    const double cost = words + (double)t->copy.words.count - 2 * unchanged;
    CU_ASSERT_TRUE(cost > 0);
    CU_ASSERT_TRUE(cost <= 2 * most * words);
    /* a word may find its like elsewhere, but not many can */
    CU_ASSERT_TRUE(cost >= .7 * (least * words - 1));
    CU_ASSERT_TRUE(t->common <= tokens_of(t, &t->original));
    CU_ASSERT_TRUE(t->common <= tokens_of(t, &t->copy));
    if (t->original.language == ND_LANGUAGE_SPACED) { /* where a word is a token */
        const double said = words + (double)t->copy.words.count - 2 * (double)t->common;
        CU_ASSERT_TRUE(said >= least * words - 1 && said <= 2 * most * words);
        CU_ASSERT_TRUE(unchanged >= (double)t->common);
    }
}

static void check_extended(trial *t) {
    edit(t, ND_PAGE_EXTENDED);
    const uint64_t words = t->original.words.count;
    const uint64_t other = t->copy.words.count;
    CU_ASSERT_FALSE(same_list(&t->original.title, &t->copy.title));
    CU_ASSERT_TRUE(other <= words + words / 10 && words <= other + words / 10);
    CU_ASSERT_EQUAL(lcs(t), words < other ? words : other);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, words < other ? &t->original : &t->copy));
}

/* Each paragraph of the copy is one of the original, each is there once, not all in place. */
static void check_reordered(trial *t) {
    edit(t, ND_PAGE_REORDERED);
    const nd_story *a = &t->original;
    const nd_story *b = &t->copy;
    CU_ASSERT_EQUAL(a->paragraphs.count, b->paragraphs.count);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, a));
    CU_ASSERT_FALSE(same_list(&a->words, &b->words));
    for (size_t p = 0; p < b->paragraphs.count; p++) {
        const size_t begin = nd_story_first_word(b, nd_story_first_sentence(b, p));
        const size_t size = b->sentences.items[b->paragraphs.items[p] - 1] - begin;
        size_t found = 0;
        for (size_t q = 0; q < a->paragraphs.count; q++) {
            const size_t from = nd_story_first_word(a, nd_story_first_sentence(a, q));
            const size_t length = a->sentences.items[a->paragraphs.items[q] - 1] - from;
            found += length == size && memcmp(a->words.items + from, b->words.items + begin,
                                              size * sizeof *b->words.items) == 0;
        }
        CU_ASSERT_EQUAL(found, 1);
    }
    nd_sort(t->original.words.items, a->words.count, sizeof *a->words.items, nd_test_by_u32);
    nd_sort(t->copy.words.items, b->words.count, sizeof *b->words.items, nd_test_by_u32);
    CU_ASSERT_TRUE(same_list(&a->words, &b->words));
}

static bool contains(const nd_story *whole, const nd_story *part) {
    for (size_t i = 0; i + part->words.count <= whole->words.count; i++) {
        if (memcmp(whole->words.items + i, part->words.items,
                   part->words.count * sizeof *part->words.items) == 0) {
            return true;
        }
    }
    return false;
}

static void check_partial(trial *t) {
    edit(t, ND_PAGE_PARTIAL);
    const bool excerpt = t->copy.words.count < t->original.words.count;
    CU_ASSERT_TRUE(excerpt ? contains(&t->original, &t->copy) : contains(&t->copy, &t->original));
    CU_ASSERT_TRUE(excerpt || t->copy.words.count >= 2 * t->original.words.count);
    CU_ASSERT_EQUAL(t->common, tokens_of(t, excerpt ? &t->copy : &t->original));
}

static void check_revised(trial *t) {
    check_words(t, ND_PAGE_REVISED, .01, .1);
}

static void check_rewritten(trial *t) {
    check_words(t, ND_PAGE_REWRITTEN, .1, .4);
}

/* In the order of the classes: P0, P1 and P5 are one. */
ND_TEST("edits of stories") {
    static void (*const checks[])(trial *) = {check_same,     check_inserted,  check_revised,
                                              check_extended, check_reordered, check_rewritten,
                                              check_partial};
    nd_random random = nd_test_random("edits of stories");
    trial t = {.vocabulary = nd_vocabulary_new()};
    for (size_t i = 0; i < STORIES * TRIALS * sizeof checks / sizeof checks[0]; i++) {
        const unsigned failed = CU_get_number_of_failures();
        const size_t class = i % (sizeof checks / sizeof checks[0]);
        start(&t, &random);
        checks[class](&t);
        if (CU_get_number_of_failures() > failed) {
            printf("check %zu of a story\n", class);
        }
    }
    nd_story_free(&t.original);
    nd_story_free(&t.copy);
    nd_lcs_work_free(&t.work);
    nd_vocabulary_free(&t.vocabulary);
}
