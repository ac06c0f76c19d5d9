/* What a sentence is said to be, and which sentences have the same masked hash. */
#include "src/text/page.h"
#include "src/text/token.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { MOST = 64 };

static nd_span span(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

static size_t describe(const char *html, nd_content_sentence *sentences) {
    nd_page page = {0};
    const nd_html_options options = {.beside = true};
    CU_ASSERT_EQUAL_FATAL(nd_page_from_html_with(&page, span(html), &options), ND_OK);
    CU_ASSERT_FATAL(page.sentence_count <= MOST);
    nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, sentences);
    size_t count = page.sentence_count;
    nd_page_free(&page);
    return count;
}

/* The masked hash of a text of one sentence, and that of its masked form written out. */
static void is_masked(const char *text, const char *masked) {
    nd_content_sentence sentences[MOST];
    CU_ASSERT_EQUAL_FATAL(describe(text, sentences), 1);
    bool same = sentences[0].masked == XXH3_64bits(masked, strlen(masked));
    CU_ASSERT(same);
    if (!same) {
        printf("%s is not %s\n", text, masked);
    }
}

static void test_digits_are_masked(void) {
    is_masked("No digits at all here", "no digits at all here");
    is_masked("7", "0");
    is_masked("12345678901234567890", "0");
    is_masked("Posted 2024-11-07 12:30, 4 comments", "posted 0 0 0 0 0 0 comments");
    is_masked("abcdefgh12 x86abcdefghijk 3", "abcdefgh0 x0abcdefghijk 0");
    is_masked("v2beta10", "v0beta0");
    is_masked("\uff11\uff12a", "0a"); /* full width */
}

static void test_other_digits_are_masked(void) {
    is_masked("\u0661\u0662\u0663 \u0627", "0 \u0627");                    /* Arabic */
    is_masked("\u06f1\u06f4\u06f0\u06f2 \u06a9", "0 \u06a9");              /* Persian */
    is_masked("\u0967\u0966a \u0915", "0a \u0915");                        /* Devanagari */
    is_masked("\u4e2d2024\u5e748\u6708", "\u4e2d 0 \u5e74 0 \u6708");      /* Chinese */
    is_masked("a\U0001d7ce9\U0001d7ff b \u066e \u0660", "a0 b \u066e 0");  /* mathematical */
    is_masked("caf\u00e9 5 \u00b2 \u2466", "caf\u00e9 0 0 0");             /* raised, in a circle */
    is_masked("\u4e00\u4e8c\u5341 \u00bd", "\u4e00 \u4e8c \u5341 \u00bd"); /* no decimal digits */
}

/* A sentence that is too long for a copy is hashed piece by piece, to the same. */
static void test_long_masked(void) {
    enum { WORDS = 1000 };
    char text[4 * WORDS + 1] = "";
    char masked[3 * WORDS + 1] = "";
    for (size_t i = 0; i < WORDS; i++) {
        memcpy(text + 4 * i, "a27 ", 5);
        memcpy(masked + 3 * i, "a0 ", 4);
    }
    masked[3 * WORDS - 1] = '\0';
    is_masked(text, masked);
}

/* A sentence's normalised ASCII, masked byte by byte, and hashed. */
static uint64_t hash_by_bytes(const nd_page *page, const nd_sentence *sentence) {
    char masked[640];
    size_t size = 0;
    for (size_t i = sentence->begin; i < sentence->end; i++) {
        const uint8_t byte = page->normalised.data[i];
        const bool digit = byte >= '0' && byte <= '9';
        if (!digit || i == sentence->begin || masked[size - 1] != '0') {
            masked[size++] = digit ? '0' : (char)byte;
        }
    }
    return XXH3_64bits(masked, size);
}

/* Sentences with and without digits, next to one another. */
static void test_sentences_of_a_page_are_masked(void) {
    static const char *const pieces[] = {
        "some words ", "12 ",   "v3",    "and more text than a block has ",
        "9. ",         "one. ", "end! ", "x7y88"};
    nd_random random = nd_test_random("masked sentences");
    nd_page page = {0};
    for (int i = 0; i < 5000; i++) {
        char text[640] = "";
        nd_content_sentence sentences[MOST];
        for (size_t n = nd_random_below(&random, 20); n > 0; n--) {
            (void)strcat(text, pieces[nd_random_below(&random, sizeof pieces / sizeof pieces[0])]);
        }
        CU_ASSERT_EQUAL_FATAL(nd_page_from_text(&page, span(text)), ND_OK);
        nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, sentences);
        for (size_t k = 0; k < page.sentence_count; k++) {
            CU_ASSERT_EQUAL(sentences[k].masked, hash_by_bytes(&page, &page.sentences[k]));
        }
    }
    nd_page_free(&page);
}

/* Each sentence's flags as a letter. */
static void flags_are(const char *html, const char *expected) {
    nd_content_sentence sentences[MOST];
    char letters[MOST + 1] = "";
    size_t count = describe(html, sentences);
    for (size_t i = 0; i < count; i++) {
        letters[i] = ".TN#L###K#######B###b"[sentences[i].flags]; /* b: links too */
        letters[i + 1] = '\0';
    }
    CU_ASSERT_STRING_EQUAL(letters, expected);
}

static void test_flags(void) {
    flags_are("<title>A title. Two</title><p>Text. More.</p><nav>Home</nav>end", "TT..N.");
    flags_are("<p><a href=x>one two three</a> four</p>", "L");
    flags_are("<p><a href=x>one two</a> three four</p>", ".");
    flags_are("<p><a href=x>one two three</a> four five</p>", "L"); /* 3 of 5: .6 */
    flags_are("<p>One <a href=x>two. Three. Four five</a>.</p>", "LLL");
    flags_are("<p><a href=x>a</a> | <a href=x>b</a> | <a href=x>c</a> | d</p>", "L");
    flags_are("<a href=x><p>one two</p>three</a><p>four", "LL.");
    flags_are("<p>one two <a href=x>three four</p>five</a><p>six <a>seven</a>", ".L.");
    flags_are("<p><a name=x>one two three</a></p>", ".");
}

static void test_long_block_of_links_is_text(void) {
    char html[2048] = "<p><a href=x>";
    for (int i = 0; i < 59; i++) {
        (void)strcat(html, "word ");
    }
    flags_are(html, "L");
    (void)strcat(html, "word ");
    flags_are(html, "K");
}

/* A paragraph of so many words. */
static const char *words(int count) {
    static char text[4][4096];
    static int next = 0;
    char *to = text[next++ % 4];
    (void)strcpy(to, "<p>");
    for (int i = 0; i < count; i++) {
        (void)strcat(to, "word ");
    }
    return to;
}

static void beside_are(const char *expected, const char *format, int first, int second) {
    char html[16384];
    (void)snprintf(html, sizeof html, format, words(first), words(second));
    flags_are(html, expected);
}

/* What stands beside the content is known as such where half of the text is left. */
static void test_beside(void) {
    beside_are(".B", "%s<div class=\"x comments\">%s</div>", 10, 10);
    beside_are("..", "%s<div class=comments>%s</div>", 10, 11);
    beside_are(".", "%s<form>%s</form>", 0, 10);
    beside_are(".B", "%s<form>%s</form>", 1, 1);
    beside_are(".B", "%s<div id=comments>%s</div>", 10, 10);
    beside_are("..", "%s<div title=comments>%s</div>", 10, 10);
    beside_are("T.B", "<title>a</title>%s<div class=share-1>%s</div>", 10, 10);
    beside_are(".b", "%s<ul class=related><li><a href=x>%s</a></ul>", 10, 3);
    beside_are("B.", "<div role=banner>%s</div>%s", 100, 1);
}

/* An element of more than half of the text is the content, and the others stand beside it. */
static void test_element_of_most_text(void) {
    beside_are(".B", "<form>%s</form><div class=share>%s</div>", 11, 10);
    beside_are("..", "<form>%s</form><div class=share>%s</div>", 10, 10);
    beside_are("B.", "<ul class=share>%s</ul><form>%s</form>", 10, 11);
    beside_are(".B", "<form>%s</form><div class=share><p>-</p>%s</div>", 20, 10); /* no sentence */
    beside_are("..", "<form>%s<div class=share>%s</div></form>", 20, 10);         /* inside it */
    beside_are("B.", "<form>%s</form><main><div id=x-comments>%s</div></main>", 100, 200);
}

/* Where main has half of the text, and not little, the rest is beside it. */
static void test_main(void) {
    beside_are("TB.", "<title>a</title>%s<main>%s</main>", 200, 200);
    beside_are("..", "%s<main>%s</main>", 201, 200);
    beside_are("..", "%s<main>%s</main>", 10, 199);
    beside_are("B.", "%s<div role='main'>%s</div>", 10, 200);
    beside_are("B.", "%s<article>%s</article>", 10, 200);
    beside_are(".B", "<main>%s<div class=newsletter>%s</div></main>", 200, 100);
}

/* A page whose text stands in navigation and the like alone keeps it. */
static void test_nothing_else(void) {
    static const char *const elements[] = {"nav",    "aside",  "footer", "select",
                                           "button", "dialog", "search"};
    static const char *const roles[] = {"banner",     "complementary", "contentinfo", "dialog",
                                        "navigation", "search",        "alertdialog"};
    char html[256];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        (void)snprintf(html, sizeof html, "<title>a b</title><%s>one two. Three</%s>", elements[i],
                       elements[i]);
        flags_are(html, "T..");
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        (void)snprintf(html, sizeof html, "<div role=%s>one two<p>Three</div>", roles[i]);
        flags_are(html, "..");
    }
    flags_are("<nav><a href=x>Home</a><main><p>one two</p></main>", "L."); /* left open */
    flags_are("<aside>one two</aside><footer><p>three</p></footer>", "..");
    flags_are("<p><a href=x>Skip</a></p><aside>one two</aside>", "L."); /* but for less of links */
    flags_are("<p><a href=x>one two</a></p><aside>three</aside>", "LN");
    flags_are("<nav><a href=x>one two</a></nav>", "L");
    flags_are("<nav>one two three</nav><p>four", "N."); /* text is there, however little */
}

static void test_tokens_and_options(void) {
    nd_page page = {0};
    nd_content_sentence sentence;
    CU_ASSERT_EQUAL_FATAL(nd_page_from_html(&page, span("<a href=x>a b</a> c d")), ND_OK);
    nd_content_sentences(&page, &(nd_content_options){.link_block = 5, .link_share = .5},
                         &sentence);
    CU_ASSERT_EQUAL(sentence.tokens, 4);
    CU_ASSERT_EQUAL(sentence.flags, ND_SENTENCE_LINKS);
    nd_content_sentences(&page, &(nd_content_options){.link_block = 4, .link_share = .5},
                         &sentence);
    CU_ASSERT_EQUAL(sentence.flags, ND_SENTENCE_LONG_LINKS);
    CU_ASSERT_EQUAL(nd_page_from_text(&page, span("")), ND_OK);
    nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, NULL);
    nd_page_free(&page);
}

static void test_link_tokens_are_those_of_the_splitter(void) {
    static const char *const pieces[] = {"a",      "7",      "Z9",     " ",      "-",      "\u4e2d",
                                         "\u0301", "\u200b", "\u0e01", "\u00e9", "\u00ad", "\xff",
                                         "\u3042", "\u0915", "\u094d", "\u20ac"};
    nd_random random = nd_test_random("token count");
    for (int i = 0; i < 20000; i++) {
        char text[64] = "";
        nd_page page = {0};
        for (size_t n = nd_random_below(&random, 12); n > 0; n--) {
            (void)strcat(text, pieces[nd_random_below(&random, sizeof pieces / sizeof pieces[0])]);
        }
        nd_token_split(&page, span(text));
        CU_ASSERT_EQUAL(nd_token_count(span(text)), page.token_count);
        nd_page_free(&page);
    }
}

static const nd_test tests[] = {
    {"digits are masked", test_digits_are_masked},
    {"other digits are masked", test_other_digits_are_masked},
    {"long sentences are masked", test_long_masked},
    {"sentences of a page are masked", test_sentences_of_a_page_are_masked},
    {"flags", test_flags},
    {"beside the content", test_beside},
    {"element of most text", test_element_of_most_text},
    {"main", test_main},
    {"long block of links is text", test_long_block_of_links_is_text},
    {"nothing else", test_nothing_else},
    {"tokens and options", test_tokens_and_options},
    {"link tokens are those of the splitter", test_link_tokens_are_those_of_the_splitter},
};
ND_SUITE(t_content, tests)
