/* From HTML to tokens and sentences. */
#include "src/text/extract.h"
#include "src/text/page.h"
#include "src/text/tag.h"
#include "src/text/token.h"
#include "src/text/unicode.h"
#include "src/text/word_codes.h"
#include "tests/support/check.h"
#include "tests/support/pages.h"

#include <xxhash.h>

/* ---- nd_entity_read: named, legacy and numeric character references. */

enum { NAMES = 2125 }; /* of HTML5, without the 106 that only lack the semicolon */
static void is_entity(const char *text, size_t size, uint32_t first, uint32_t second) {
    uint32_t codes[2] = {1, 1};
    const uint8_t *p = (const uint8_t *)text;
    CU_ASSERT_EQUAL(nd_entity_read(p, p + strlen(text), codes), size);
    CU_ASSERT_EQUAL(codes[0], first);
    CU_ASSERT_EQUAL(codes[1], second);
}

ND_TEST("named") {
    is_entity("&amp;", 5, '&', 0);
    is_entity("&eacute;x", 8, 0xE9, 0);
    is_entity("&CounterClockwiseContourIntegral;", 33, 0x2233, 0);
    is_entity("&NotEqualTilde;", 15, 0x2242, 0x338);
    is_entity("&fjlig;", 7, 'f', 'j');
    is_entity("&zwnj;", 6, 0x200C, 0);
    is_entity("&Aacute;", 8, 0xC1, 0);
    is_entity("&AMP;", 5, '&', 0);
    is_entity("&Afr;", 5, 0x1D504, 0);
}

ND_TEST("legacy names without semicolon") {
    is_entity("&amp", 4, '&', 0);
    is_entity("&copy2026", 5, 0xA9, 0);
    is_entity("&notit;", 4, 0xAC, 0);
    is_entity("&notin;", 7, 0x2209, 0);
    is_entity("&ltx", 3, '<', 0);
    is_entity("&Aacutes;", 7, 0xC1, 0);
}

ND_TEST("numeric") {
    is_entity("&#65;", 5, 'A', 0);
    is_entity("&#65", 4, 'A', 0);
    is_entity("&#x4e2d;", 8, 0x4E2D, 0);
    is_entity("&#X4E2Dg", 7, 0x4E2D, 0);
    is_entity("&#x80;", 6, 0x20AC, 0);
    is_entity("&#147;", 6, 0x201C, 0);
    is_entity("&#129;", 6, 0x81, 0);
    is_entity("&#0;", 4, 0xFFFD, 0);
    is_entity("&#xD800;", 8, 0xFFFD, 0);
    is_entity("&#x110000;", 10, 0xFFFD, 0);
    is_entity("&#99999999999999999999;", 23, 0xFFFD, 0);
}

ND_TEST("no reference") {
    is_entity("&", 0, 1, 1);
    is_entity("& ", 0, 1, 1);
    is_entity("&;", 0, 1, 1);
    is_entity("&#;", 0, 1, 1);
    is_entity("&#x;", 0, 1, 1);
    is_entity("&#xg", 0, 1, 1);
    is_entity("&eacut;", 0, 1, 1);
    is_entity("&zwnj", 0, 1, 1);
    is_entity("&1;", 0, 1, 1);
    is_entity("&ThereIsNoSuchNameAsThisInTheTable;", 0, 1, 1);
}

/* Every name of the table is found, ordered, and read with its semicolon. */
ND_TEST("whole table") {
    for (size_t i = 0; i < NAMES; i++) {
        char text[64];
        size_t size = (size_t)(nd_entity_begins[i + 1] - nd_entity_begins[i]);
        (void)snprintf(text, sizeof text, "&%.*s;", (int)size,
                       nd_entity_names + nd_entity_begins[i]);
        uint32_t value = nd_entity_values[i];
        is_entity(text, size + 2, value & 0x1FFFFF, nd_entity_seconds[value >> 21 & 15]);
    }
    CU_ASSERT_EQUAL(nd_entity_begins[NAMES], strlen(nd_entity_names));
}

ND_TEST("in text") {
    CU_ASSERT_STRING_EQUAL(nd_test_html("&lt;b&gt; caf&eacute; A&#38;B &nosuch; &"),
                           "<b> caf\xC3\xA9 A&B &nosuch; &|");
}

/* ---- nd_token_split through whole pages: words, single characters, folding, marks, hashes. */

static void is_token(const char *text, const char *tokens) {
    CU_ASSERT_STRING_EQUAL(nd_test_text(text), tokens);
}

ND_TEST("words") {
    is_token("Hello, WORLD x86_64 it's 3rd", "hello world x86 64 it s 3rd|");
    is_token("\u00c9COLE Stra\u00dfe \u0416\u0443\u043a \u03a3\u0399\u03a3",
             "\u00e9cole stra\u00dfe \u0436\u0443\u043a \u03c3\u03b9\u03c3|");
    is_token("e\u0301te\u0301 E\u0301", "\u00e9t\u00e9 \u00e9|");
    is_token("\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5|");
    is_token("\u0647\u0630\u0627 \u0643\u062a\u0627\u0628\u064c",
             "\u0647\u0630\u0627 \u0643\u062a\u0627\u0628|");
    is_token("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940|");
    is_token("\u00bd \u2167 \u0663\u0664", "\u00bd viii 34|");
    is_token("\u0130\u1e9e\u023a", "i\u00df\u2c65|");
}

/* URLs in the text are cut at slashes and dots (US 2008/0044016), and at all that is no letter or
 * digit. */
ND_TEST("URLs") {
    is_token("see http://www.Example.org/a-b/c.html?d=1, www.example.org",
             "see http www example org a b c html d 1 www example org|");
}

/* A text whose URLs are something else, one letter for all of a word that stands for a URL. */
static void text_urls_are(nd_text_urls what, const char *text, const char *expected) {
    ND_OWNED(nd_page_free) nd_page page = {.text_urls = what};
    ND_TEST_OK(nd_page_from_text(&page, nd_test_span(text)));
    nd_buffer_append(&page.normalised, "", 1);
    CU_ASSERT_STRING_EQUAL((const char *)page.normalised.data, expected);
}

ND_TEST("URLs in texts are left out") {
    text_urls_are(ND_TEXT_URLS_NONE,
                  "See http://a.example/b.html?c=1#d. Or (www.e.example), or not.",
                  "see or or not ");
    text_urls_are(ND_TEXT_URLS_NONE,
                  "\xe8\xa7\x81HTTPS://a.example/b\xe3\x80\x82"
                  "c ftp://d",
                  "\xe8\xa7\x81 c ");
    text_urls_are(ND_TEXT_URLS_NONE, "www. http:// https://. awww.b.example mailto:a@b.example",
                  "www http https awww b example mailto a b example ");
    text_urls_are(ND_TEXT_URLS_NONE, "http://a.example", "");
}

ND_TEST("URLs in texts are one word") {
    ND_OWNED(nd_page_free) nd_page page = {.text_urls = ND_TEXT_URLS_TERM};
    const char *const text =
        "A http://a.example/b c. D http://a.example/b, http://a.example/c! www.a E";
    ND_TEST_OK(nd_page_from_text(&page, nd_test_span(text)));
    CU_ASSERT_EQUAL_FATAL(page.token_count, 8);
    CU_ASSERT_EQUAL(page.tokens[1], page.tokens[4]);
    CU_ASSERT_NOT_EQUAL(page.tokens[1], page.tokens[5]);
    CU_ASSERT_NOT_EQUAL(page.tokens[5], page.tokens[6]);
}

ND_TEST("scripts without spaces") {
    is_token("\u4e2d\u6587abc\u5b57", "\u4e2d \u6587 abc \u5b57|");
    is_token("\u3042\u30a2\uff71\u3105", "\u3042 \u30a2 \u30a2 \u3105|");
    is_token("\u0e01\u0e34\u0e19", "\u0e01\u0e34 \u0e19|");
    is_token("\u0e81\u0eb4\u0e99", "\u0e81\u0eb4 \u0e99|");
    is_token("\u1780\u17b6\u1781", "\u1780\u17b6 \u1781|");
    is_token("\u1000\u102d\u1001", "\u1000\u102d \u1001|");
    is_token("\u304b\u3099\uff76\uff9e", "\u304c \u30ac|");
    is_token("\U00020000\U0002a6df\U00030000\U00031350\U000323af\U0002f800\uf900\u3007\u3005",
             "\U00020000 \U0002a6df \U00030000 \U00031350 \U000323af \u4e3d \u8c48 \u3007 \u3005|");
}

ND_TEST("folding") {
    is_token("\uff21\uff42\uff11\uff0bx", "ab1 x|");
    is_token("\uff4d\uff33\u4e2d", "ms \u4e2d|");
}

ND_TEST("ignored characters") {
    is_token("co\u00adop\u200berate \ufeffa\u2060b", "cooperate ab|");
    is_token("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
             "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645|");
    is_token("\u0915\u094d\u200d\u0937", "\u0915\u094d\u0937|");
    is_token("\u263a\ufe0f \u8fbb\U000e0100", "\u8fbb|");
    is_token("\u200b\u200d", "");
}

ND_TEST("hashes") {
    ND_OWNED(nd_page_free) nd_page page = {0};
    const char *text = "The \u4e2d\u00c9";
    ND_TEST_OK(nd_page_from_text(&page, nd_test_span(text)));
    CU_ASSERT_EQUAL_FATAL(page.token_count, 3);
    CU_ASSERT_EQUAL(page.tokens[0], XXH3_64bits("the", 3));
    CU_ASSERT_EQUAL(page.tokens[1], XXH3_64bits("\u4e2d", 3));
    CU_ASSERT_EQUAL(page.tokens[2], XXH3_64bits("\u00e9", 2));
    page.hash_seed = UINT64_C(0x123456789ABCDEF0);
    ND_TEST_OK(nd_page_from_text(&page, nd_test_span(text)));
    CU_ASSERT_EQUAL(page.tokens[0], XXH3_64bits_withSeed("the", 3, page.hash_seed));
    CU_ASSERT_EQUAL(page.tokens[1], XXH3_64bits_withSeed("\u4e2d", 3, page.hash_seed));
    CU_ASSERT_EQUAL(page.tokens[2], XXH3_64bits_withSeed("\u00e9", 2, page.hash_seed));
}

/* A page keeps nothing of the one before. */
ND_TEST("a page is replaced") {
    ND_OWNED(nd_page_free) nd_page page = {0};
    nd_span first = {(const uint8_t *)"a. b c\n\nd", 9};
    ND_TEST_OK(nd_page_from_text(&page, first));
    ND_TEST_OK(nd_page_from_text(&page, (nd_span){(const uint8_t *)"e", 1}));
    CU_ASSERT_STRING_EQUAL(nd_test_sentences(&page), "e|");
    CU_ASSERT_EQUAL(page.token_count, 1);
    ND_TEST_OK(nd_page_from_text(&page, (nd_span){NULL, 0}));
    CU_ASSERT_EQUAL(page.token_count + page.sentence_count + page.block_count, 0);
}

/* Pairs of texts of the same tokens. */
static void same(const char *const (*pairs)[2], size_t count) {
    for (size_t i = 0; i < count; i++) {
        char first[512];
        (void)snprintf(first, sizeof first, "%s", nd_test_text(pairs[i][0]));
        const char *second = nd_test_text(pairs[i][1]);
        CU_ASSERT_STRING_EQUAL(first, second);
        if (strcmp(first, second) != 0) {
            printf("\"%s\" gives %s, \"%s\" %s\n", pairs[i][0], first, pairs[i][1], second);
        }
        CU_ASSERT_EQUAL(
            nd_token_count((nd_span){(const uint8_t *)pairs[i][0], strlen(pairs[i][0])}),
            nd_token_count((nd_span){(const uint8_t *)pairs[i][1], strlen(pairs[i][1])}));
    }
}

/* Canonically equivalent texts (Unicode, 3.7): all that p_canonical draws at random, by kinds. */
ND_TEST("canonical equivalence") {
    static const char *const pairs[][2] = {
        {"\u00e9l\u00e8ve na\u00efve \u0152UVRE \u00c7a",
         "e\u0301le\u0300ve nai\u0308ve \u0152UVRE C\u0327a"},
        {"Vi\u1ec7t Nam \u1ea5y \u1edf", "Vie\u0323\u0302t Nam a\u0302\u0301y o\u031b\u0309"},
        {"Vi\u1ec7t", "Vi\u00ea\u0323t"},  /* as windows-1258 has it */
        {"Vi\u1ec7t", "Vie\u0302\u0323t"}, /* marks the other way round */
        {"a\u0316\u0301\u0323x", "a\u0301\u0316\u0323x"},
        {"\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165 "
                                            "\u1106\u116e\u11ab\u110c\u1161\u11bc"},
        {"\uac01", "\uac00\u11a8"},
        {"\u304c\u3071\u30f4\u309e", "\u304b\u3099\u306f\u309a\u30a6\u3099\u309d\u3099"},
        {"\u212b \u2126 \u212a \u1fbe", "\u00c5 \u03a9 K \u03b9"},
        {"\u0958\u095c \u09df", "\u0915\u093c\u0921\u093c \u09af\u09bc"}, /* never composed */
        {"\u0928\u093c\u0942", "\u0929\u0942"},
        {"\u09cb \u0bca \u0ddd", "\u09c7\u09be \u0bc6\u0bbe \u0dd9\u0dcf\u0dca"},
        {"\u0622 \u0623 \u0624", "\u0627\u0653 \u0627\u0654 \u0648\u0654"},
        {"\uf900\ufa19 \U0002f81a", "\u8c48\u795e \u51ac"},
        {"\u0344a\u0344", "a\u0308\u0301"},
        {"\u0390 \u1f82", "\u03b9\u0308\u0301 \u03b1\u0313\u0300\u0345"},
        {"\u0130stanbul \u012ei", "I\u0307stanbul I\u0328i"},
        {"a \u2260 b \u226d",
         "a =\u0338 b \u224d\u0338"}, /* symbols, and marks on them, are none */
        {"x\u0f73\u0f71", "x\u0f71\u0f71\u0f72"},
        {"e\u200d\u0301 e\u0323\u00ad\u0302",
         "\u00e9 \u1ec7"}, /* what is invisible parts nothing */
    };
    same(pairs, sizeof pairs / sizeof pairs[0]);
    is_token("a \u0301b", "a b|"); /* a mark is part of the letter before it, or of nothing */
    is_token("\u0301", "");
    is_token("\u4e2d\u0301a", "\u4e2d\u0301 a|");
    is_token("\u1161\u11a8", "\u1161\u11a8|");
}

/* Any number of marks, each before one that is to come after it. */
ND_TEST("many marks") {
    enum { MARKS = 4000 };
    char up[4 * MARKS + 4] = "xe", down[4 * MARKS + 4] = "xe";
    for (size_t i = 0; i < MARKS; i++) {
        memcpy(up + 2 + 4 * i, "\u0323\u0301", 4);
        memcpy(down + 2 + 2 * i, "\u0301", 2);
        memcpy(down + 2 + 2 * MARKS + 2 * i, "\u0323", 2);
    }
    ND_OWNED(nd_page_free) nd_page a = {0}, b = {0};
    ND_TEST_OK(nd_page_from_text(&a, nd_test_span(up)));
    ND_TEST_OK(nd_page_from_text(&b, nd_test_span(down)));
    CU_ASSERT_EQUAL_FATAL(a.token_count + b.token_count, 2);
    CU_ASSERT_EQUAL(a.tokens[0], b.tokens[0]);
    CU_ASSERT_EQUAL(a.sentences[0].end, 1 + 3 + 2 * (2 * MARKS - 1)); /* one is in the letter */
}

/* Forms of one letter or digit, as unicode.h says. */
ND_TEST("compatibility forms") {
    static const char *const pairs[][2] = {
        {"\uff76\uff9e\uff83\uff9a\uff8b\uff9e \uff8a\uff9f", "\u30ac\u30c6\u30ec\u30d3 \u30d1"},
        {"\ufe8d\ufedf\ufea4\ufe9f\ufeae \ufefb", "\u0627\u0644\u062d\u062c\u0631 \u0644\u0627"},
        {"\u0627\u0644\u0640\u0640\u062d\u062c\u0631", "\u0627\u0644\u062d\u062c\u0631"},
        {"\u0627\u064e\u0644\u0652\u062d\u0650\u0651\u062c\u0670\u0631 \ufe70\u0646",
         "\u0627\u0644\u062d\u062c\u0631 \u0646"},
        {"\u05d4\u05b7\u05d0\u05b6\u0591\u05d1\u05b6\u05df \ufb2a",
         "\u05d4\u05d0\u05d1\u05df \u05e9"},
        {"\u0661\u0662\u0663 \u096a\u096b \u0e51\u0e52 \uff17", "123 45 12 7"},
        {"\ufb01ne \ufb04 \u01c6 \u0133 \u017ftill", "fine ffl d\u017e ij still"},
        {"\U0001d428\U0001d425\U0001d41d \u210c\u2460x\u00b2", "old H1x2"},
        {"\uff33\uff34\uff11", "st1"},
        {"\u2f08\u2f14 \u3392", "\u4eba\u5315 \u3392"}, /* radicals; what is a symbol stays one */
        {"\u0e99\u0eb3 \u0e19\u0e49\u0e33 \u309f\u30ff",
         "\u0e99\u0ecd\u0eb2 \u0e19\u0e49\u0e4d\u0e32 \u3088\u308a\u30b3\u30c8"},
        {"\u3131\u314f\u3134", "\uac00\u1102"},
    };
    same(pairs, sizeof pairs / sizeof pairs[0]);
    is_token("Foo\u2122 2\u2103 \u2474 \u00bd stra\u00dfe \u0153",
             "foo 2 \u2474 \u00bd stra\u00dfe \u0153|");
}

/* What a character is folded to stands for itself. */
ND_TEST("table") {
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        const nd_unicode_record *record = nd_unicode(code);
        if (record->class == ND_UNICODE_MAPPED) {
            for (const uint32_t *text = nd_unicode_texts + record->fold; *text != 0; text++) {
                CU_ASSERT_EQUAL(nd_unicode(*text)->fold, 0);
            }
        } else {
            const nd_unicode_record *folded = nd_unicode((uint32_t)((int32_t)code + record->fold));
            CU_ASSERT(folded->fold == 0 && folded->class == record->class &&
                      folded->order == record->order && folded->joins == record->joins);
        }
    }
    for (uint32_t code = 'A'; code <= 'Z'; code++) {
        CU_ASSERT_EQUAL(nd_unicode(code)->fold, 32);
    }
    CU_ASSERT_EQUAL(nd_unicode(0xD800)->class, ND_UNICODE_OTHER);
}

/* ---- nd_sentence_end through whole pages: full stops of every script, and what is none. */

static void is_sentence(const char *text, const char *sentences) {
    CU_ASSERT_STRING_EQUAL(nd_test_text(text), sentences);
}

ND_TEST("latin") {
    is_sentence("One two. Three! Four? Five", "one two|three|four|five|");
    is_sentence("Version 3.14 of a.b.c is out.", "version 3 14 of a b c is out|");
    is_sentence("What?! No... Yes.", "what|no|yes|");
    is_sentence("Wait\u2026 go\u2026on", "wait|go on|");
    is_sentence("... !? .", "");
}

ND_TEST("east asian") {
    is_sentence("\u4e2d\u3002\u6587\uff01\u5b57\uff1f\u7b26\uff1b\u5b8c",
                "\u4e2d|\u6587|\u5b57|\u7b26|\u5b8c|");
    is_sentence("\uff21\uff0e\uff22\uff0e \uff23", "a b|c|");
    is_sentence("\u30a2\uff61\u30a4", "\u30a2|\u30a4|");
    is_sentence("\u4e2d\uff0c\u6587", "\u4e2d \u6587|");
}

ND_TEST("other scripts") {
    is_sentence("\u0915\u0964\u0916\u0965\u0917", "\u0915|\u0916|\u0917|");
    is_sentence("\u0628\u061f\u062a\u06d4\u062b", "\u0628|\u062a|\u062b|");
    is_sentence("\u1000\u104b\u1001", "\u1000|\u1001|");
    is_sentence("\u1780\u17d4\u1781", "\u1780|\u1781|");
    is_sentence("\u1200\u1362\u1201", "\u1200|\u1201|");
    is_sentence("a\u203cb", "a|b|");
}

ND_TEST("block of a sentence") {
    ND_OWNED(nd_page_free) nd_page page = {0};
    const char *html = "<p>...</p><p>a. b</p>c";
    ND_TEST_OK(nd_page_from_html(&page, nd_test_span(html)));
    CU_ASSERT_EQUAL_FATAL(page.sentence_count, 3);
    CU_ASSERT_EQUAL(page.block_count, 3);
    CU_ASSERT_EQUAL(page.sentences[0].block, 1);
    CU_ASSERT_EQUAL(page.sentences[1].block, 1);
    CU_ASSERT_EQUAL(page.sentences[2].block, 2);
    CU_ASSERT_EQUAL(page.sentences[2].first_token, 2);
}

/* The reference of the variants finds the end that reading character by character does, and reads
 * nothing behind the text: each text is in memory of its own size. */
ND_TEST("ends") {
    const char *texts[64];
    const size_t count = ND_TEST_LIST(
        "|a|.|one. two|one.two|one!|what?!|no stop at all in this long text of words|3.14 and 15|"
        "\u4e2d\u3002\u6587|\u4e2d\u6587\u5b57\uff01x|caf\u00e9s \u2026 x|"
        "\u0430\u0431\u0432\u0964x|end.|\xe4|\xe4\xb8|\xf0\x9f|a\xff. b|\u1362 x|\u06d4|........|"
        "abcdefgh.|abcdefghijklmnop? q",
        texts);
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(texts[i]);
        ND_FREED uint8_t *copy = nd_alloc(size + (size == 0), 1);
        memcpy(copy, texts[i], size);
        for (size_t begin = 0; begin <= size; begin++) {
            const uint8_t *p = copy + begin, *end = copy + size;
            bool stops = false;
            if (begin < size && (copy[begin] & 0xC0) == 0x80) {
                continue; /* inside of a character */
            }
            while (p < end && !stops) {
                p = nd_sentence_read(p, end, &stops);
            }
            if (nd_sentence_end_portable(copy + begin, end) != p) {
                printf("%s from %zu\n", texts[i], begin);
                CU_FAIL("end");
            }
        }
    }
}

/* ---- nd_extract_html and nd_extract_text: what is text, where blocks end, what is navigation. */

static void is_extract(const char *html, const char *blocks) {
    const char *got = nd_test_html(html);
    if (strcmp(got, blocks) != 0) {
        printf("\n  of  %s\n  got %s\n  not %s\n", html, got, blocks);
    }
    CU_ASSERT_STRING_EQUAL(got, blocks);
}

ND_TEST("tag classes") {
    is_extract("wo<b>rd</b> <SPAN class=x>t</SPAN>wo", "word two|");
    is_extract("<a>b</a><abbr>c</abbr><wbr>d<kbd>e</kbd><nobr>f", "bcdef|");
    is_extract("one<img src=x>two<unknown>three<o:p>four", "one two three four|");
    is_extract("a<br>b<br/>c<hr>d<p>e</p>f<div>g<td>h<li>i<H3>j</H3>k", "a|b|c|d|e|f|g|h|i|j|k|");
    is_extract("a<dt>b<dd>c<option>d<tr>e<th>f<pre>g</pre>h", "a|b|c|d|e|f|g|h|");
    is_extract("<math><mi>x</mi><mo>=</mo></math>", "x =|");
    is_extract("", "");
    is_extract(" <p> </p> ", "");
}

ND_TEST("dropped content") {
    is_extract("a<script>if (a<b) \"</p>\"</script>b<STYLE>p{}</style >c", "a b c|");
    is_extract("a<noscript>n<b>o</b></noscript>b<template>x<template>y</template>z</template>c",
               "a b c|");
    is_extract("a<svg><title>no</title><svg/>no</svg>b<iframe>no</iframe>c<object>no</object>d",
               "a b c d|");
    is_extract("a<textarea><p>no</p></textarea>b<script src=x />c<svg/>d", "a b c d|");
    is_extract("a<object>no<object>no</object>no</object>b", "a b|");
    is_extract("a<script></script>b<svg></svg>c<title></title>d", "a b c|d|");
    is_extract("a<!-- <p> -- > x -->b<!-->c<!--->d<!-- x --!>e<!---->f", "abcdef|");
    is_extract("<!DOCTYPE html \"x\"><?xml version='1.0'?>a<![CDATA[b>c]]></ x>d</>e", "ac]]>de|");
}

/* Text for readers without scripts is the page's where it is most of it, and not little. */
ND_TEST("noscript") {
    static char html[8192], blocks[8192], filler[2048];
    memset(filler, 'x', 1024);
    (void)snprintf(html, sizeof html,
                   "<p>Load</p><noscript><p>a<b>b</b><script>no</script><p>%s</noscript>end",
                   filler);
    (void)snprintf(blocks, sizeof blocks, "Load|ab|%s|end|", filler);
    is_extract(html, blocks);
    is_extract("a<noscript>1 < 2, <> 3</noscript>b", "a b|");
    memset(filler, 'x', 1021); /* with "ab" one byte too little */
    filler[1021] = '\0';
    (void)snprintf(html, sizeof html, "<noscript><p>ab<style>%s</style><p>%s</noscript>", filler,
                   filler);
    is_extract(html, "");
    memset(filler, 'x', 2000);
    (void)snprintf(html, sizeof html, "%s<noscript>%s</noscript>", filler, filler);
    (void)snprintf(blocks, sizeof blocks, "%s|", filler);
    is_extract(html, blocks); /* no more than the rest, whose block ends in a byte of its own */
    (void)snprintf(html, sizeof html, "%s<noscript>%s</noscript>z<noscript>y</noscript>",
                   filler + 2, filler);
    (void)snprintf(blocks, sizeof blocks, "%s|%s|z|y|", filler + 2, filler);
    is_extract(html, blocks);
    (void)snprintf(html, sizeof html, "a<noscript>b<img alt='%s'><!--<p>%s--><style>%s</noscript>c",
                   filler, filler, filler);
    is_extract(html, "a c|");
}

ND_TEST("markup left open") {
    is_extract("a<!-- b <p>c", "a|");
    is_extract("a<script>b <p>c", "a|");
    is_extract("a<script>b</scriptx><p>c", "a|");
    is_extract("a<svg>b<p>c", "a b|c|");
    is_extract("a<object>b<object>c</object>d", "a d|");
    is_extract("a<svg>b</svg>c<svg>d<p>e</p><svg>f</svg>g<svg>h</svg>i", "a c g i|");
    is_extract("a<textarea>b<p>c", "a b|c|");
    is_extract("a<p class=\"b>c", "a|");
    is_extract("a<p", "a|");
    is_extract("a<", "a<|");
    is_extract("a</", "a|");
    is_extract("a&", "a&|");
    is_extract("<title>a<p>b", "T:a|b|");
}

ND_TEST("attributes") {
    is_extract("a<p title=\">\">b<p title='>\">'>c<p title = \">\" x=y>d", "a|b|c|d|");
    is_extract("a<p title=x\"y>b\">c", "a|b\">c|");
    is_extract("a<p \"x>b\">c", "a|b\">c|");
    is_extract("a<p =\"x>b\">c", "a|b\">c|");
    is_extract("a<p x=>b<p/x=\"/>\"/>c", "a|b|c|");
}

ND_TEST("less-than as text") {
    is_extract("1 < 2 <3 a<=b <-", "1 < 2 <3 a<=b <-|");
    is_extract("<<b>x</b>", "<x|");
}

ND_TEST("title") {
    is_extract("<title>a <b>&amp; c</title>d", "T:a <b>& c|d|");
    is_extract("<TITLE>a</TITLE ><title>b</title>", "T:a|T:b|");
    is_extract("<title/>a", "a|");
}

ND_TEST("white space") {
    is_extract("  a \t\n b\f\rc\xC2\xA0\xC2\xA0"
               "d\xE3\x80\x80"
               "e\xE2\x80\x83"
               "f\x01g ",
               "a b c d e f g|");
    is_extract("<p> a </p> <b> b </b> c", "a|b c|");
    is_extract("a&nbsp;b&#32;&#10;c&#x3000;", "a b c|");
    is_extract("12345678 12345678  12345678<b>1234567</b> 8",
               "12345678 12345678 123456781234567 8|");
}

ND_TEST("odd bytes") {
    CU_ASSERT_STRING_EQUAL(nd_test_html_bytes("a\0b<p\0>c", 8), "ab c|");
    is_extract("a\xFF"
               "b\xE4\xB8"
               "c\xED\xA0\x80",
               "a\xEF\xBF\xBD"
               "b\xEF\xBF\xBD"
               "c\xEF\xBF\xBD"
               "\xEF\xBF\xBD\xEF\xBF\xBD|");
    is_extract("\xE4\xB8\xAD\xF0\x9F\x98\x80\xC3\xA9", "\xE4\xB8\xAD\xF0\x9F\x98\x80\xC3\xA9|");
    is_extract("\xEF\xBB\xBFw", "w|");
    is_extract("\xF4\x90\x80\x80\xC0\x80",
               "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
               "\xEF\xBF\xBD|");
}

ND_TEST("navigation") {
    is_extract("a<nav>b<p>c</nav>d<footer>e</footer>f", "a|N:b|N:c|d|N:e|f|");
    is_extract("<aside><div>a<nav>b</nav>c</div></aside>d", "N:a|N:b|N:c|d|");
    is_extract("<div><nav>a</div>b", "N:a|b|");
    is_extract("<table><tr><td><nav>a</table>b", "N:a|b|");
    is_extract("<body><nav>a<div>b</body>c", "N:a|N:b|c|");
    is_extract("<nav><table><tr><td>a</nav>b</table></nav>c", "N:a|N:b|c|");
    is_extract("a<select><option>b<option>c</select>d<button>e<button>f</button>g",
               "a|N:b|N:c|d|N:e|N:f|g|");
    is_extract("<nav>a</div>b</nav>c", "N:a|N:b|c|");
}

ND_TEST("deep nesting") {
    ND_OWNED(nd_buffer_free) nd_buffer html = {0};
    for (int i = 0; i < 2000; i++) {
        nd_buffer_append_text(&html, "<div>");
    }
    nd_buffer_append_text(&html, "a</div>b");
    CU_ASSERT_STRING_EQUAL(nd_test_html_bytes((const char *)html.data, html.size), "a|b|");
}

static void links_are(const char *html, size_t block, uint32_t bytes) {
    ND_OWNED(nd_page_free) nd_page page = {0};
    ND_TEST_OK(nd_page_from_html(&page, nd_test_span(html)));
    CU_ASSERT_FATAL(block < page.block_count);
    CU_ASSERT_EQUAL(page.blocks[block].link_bytes, bytes);
}

ND_TEST("link bytes") {
    links_are("a <a href=x>bcd</a> e<A HREF='y'>f</A>", 0, 4);
    links_are("a <a name=x>bcd</a>", 0, 0);
    links_are("<a href=x>ab<p>cde</a>f", 0, 2);
    links_are("<a href=x>ab<p>cde</a>f", 1, 3);
    links_are("<div><a href=x>ab</div>cde", 1, 0);
    links_are("<a class=\"href\" title='href=x'>ab</a>", 0, 0);
    links_are("<a href=x>ab<a name=y>cd", 0, 2);
    links_are("<a href=x> ab </a>", 0, 2);
}

ND_TEST("plain text") {
    CU_ASSERT_STRING_EQUAL(nd_test_text("a b\nc\n\nd\r\n \r\ne &amp; <p>f"), "a b c|d|e amp p f|");
    CU_ASSERT_STRING_EQUAL(nd_test_text("\n\n a\n\n\n\n"), "a|");
    CU_ASSERT_STRING_EQUAL(nd_test_text(""), "");
}

ND_TEST("limit") {
    ND_OWNED(nd_page_free) nd_page page = {0};
    uint8_t byte = 'a';
    CU_ASSERT_EQUAL(nd_page_from_html(&page, (nd_span){&byte, ND_EXTRACT_LIMIT + 1}), ND_ERR_LIMIT);
    CU_ASSERT_EQUAL(page.block_count, 0);
}

/* ---- What a sentence is said to be, and which sentences have the same masked hash. */

enum { MOST = 64 };

static size_t describe(const char *html, nd_content_sentence *sentences) {
    ND_OWNED(nd_page_free) nd_page page = {0};
    const nd_html_options options = {.beside = true};
    ND_TEST_MUST(nd_page_from_html_with(&page, nd_test_span(html), &options));
    CU_ASSERT_FATAL(page.sentence_count <= MOST);
    nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, sentences);
    return page.sentence_count;
}

/* The masked hash of a text of one sentence, and that of its masked form written out. */
static void is_masked(const char *text, const char *masked) {
    nd_content_sentence sentences[MOST];
    CU_ASSERT_EQUAL_FATAL(describe(text, sentences), 1);
    bool same = sentences[0].masked == nd_test_masked(masked);
    CU_ASSERT(same);
    if (!same) {
        printf("%s is not %s\n", text, masked);
    }
}

ND_TEST("digits are masked") {
    is_masked("No digits at all here", "no digits at all here");
    is_masked("7", "0");
    is_masked("12345678901234567890", "0");
    is_masked("Posted 2024-11-07 12:30, 4 comments", "posted 0 0 0 0 0 0 comments");
    is_masked("abcdefgh12 x86abcdefghijk 3", "abcdefgh0 x0abcdefghijk 0");
    is_masked("v2beta10", "v0beta0");
    is_masked("\uff11\uff12a", "0a"); /* full width */
}

ND_TEST("other digits are masked") {
    is_masked("\u0661\u0662\u0663 \u0627", "0 \u0627");                    /* Arabic */
    is_masked("\u06f1\u06f4\u06f0\u06f2 \u06a9", "0 \u06a9");              /* Persian */
    is_masked("\u0967\u0966a \u0915", "0a \u0915");                        /* Devanagari */
    is_masked("\u4e2d2024\u5e748\u6708", "\u4e2d 0 \u5e74 0 \u6708");      /* Chinese */
    is_masked("a\U0001d7ce9\U0001d7ff b \u066e \u0660", "a0 b \u066e 0");  /* mathematical */
    is_masked("caf\u00e9 5 \u00b2 \u2466", "caf\u00e9 0 0 0");             /* raised, in a circle */
    is_masked("\u4e00\u4e8c\u5341 \u00bd", "\u4e00 \u4e8c \u5341 \u00bd"); /* no decimal digits */
}

/* A sentence that is too long for a copy is hashed piece by piece, to the same. */
ND_TEST("long sentences are masked") {
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
    char masked[641];
    size_t size = 0;
    for (size_t i = sentence->begin; i < sentence->end; i++) {
        const uint8_t byte = page->normalised.data[i];
        const bool digit = byte >= '0' && byte <= '9';
        if (!digit || i == sentence->begin || masked[size - 1] != '0') {
            masked[size++] = digit ? '0' : (char)byte;
        }
    }
    masked[size] = '\0';
    return nd_test_masked(masked);
}

/* Sentences with and without digits, next to one another. */
ND_TEST("sentences of a page are masked") {
    static const char *const pieces[] = {
        "some words ", "12 ",   "v3",    "and more text than a block has ",
        "9. ",         "one. ", "end! ", "x7y88"};
    nd_random random = nd_test_random("masked sentences");
    ND_OWNED(nd_page_free) nd_page page = {0};
    for (int i = 0; i < 5000; i++) {
        char text[640] = "";
        nd_content_sentence sentences[MOST];
        for (size_t n = nd_random_below(&random, 20); n > 0; n--) {
            (void)strcat(text, pieces[nd_random_below(&random, sizeof pieces / sizeof pieces[0])]);
        }
        ND_TEST_MUST(nd_page_from_text(&page, nd_test_span(text)));
        nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, sentences);
        for (size_t k = 0; k < page.sentence_count; k++) {
            CU_ASSERT_EQUAL(sentences[k].masked, hash_by_bytes(&page, &page.sentences[k]));
        }
    }
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

ND_TEST("flags") {
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

ND_TEST("long block of links is text") {
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
ND_TEST("beside the content") {
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
ND_TEST("element of most text") {
    beside_are(".B", "<form>%s</form><div class=share>%s</div>", 11, 10);
    beside_are("..", "<form>%s</form><div class=share>%s</div>", 10, 10);
    beside_are("B.", "<ul class=share>%s</ul><form>%s</form>", 10, 11);
    beside_are(".B", "<form>%s</form><div class=share><p>-</p>%s</div>", 20, 10); /* no sentence */
    beside_are("..", "<form>%s<div class=share>%s</div></form>", 20, 10);         /* inside it */
    beside_are("B.", "<form>%s</form><main><div id=x-comments>%s</div></main>", 100, 200);
}

/* Where main has half of the text, and not little, the rest is beside it. */
ND_TEST("main") {
    beside_are("TB.", "<title>a</title>%s<main>%s</main>", 200, 200);
    beside_are("..", "%s<main>%s</main>", 201, 200);
    beside_are("..", "%s<main>%s</main>", 10, 199);
    beside_are("B.", "%s<div role='main'>%s</div>", 10, 200);
    beside_are("B.", "%s<article>%s</article>", 10, 200);
    beside_are(".B", "<main>%s<div class=newsletter>%s</div></main>", 200, 100);
}

/* A page whose text stands in navigation and the like alone keeps it. */
ND_TEST("nothing else") {
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

ND_TEST("tokens and options") {
    ND_OWNED(nd_page_free) nd_page page = {0};
    nd_content_sentence sentence;
    ND_TEST_MUST(nd_page_from_html(&page, nd_test_span("<a href=x>a b</a> c d")));
    nd_content_sentences(&page, &(nd_content_options){.link_block = 5, .link_share = .5},
                         &sentence);
    CU_ASSERT_EQUAL(sentence.tokens, 4);
    CU_ASSERT_EQUAL(sentence.flags, ND_SENTENCE_LINKS);
    nd_content_sentences(&page, &(nd_content_options){.link_block = 4, .link_share = .5},
                         &sentence);
    CU_ASSERT_EQUAL(sentence.flags, ND_SENTENCE_LONG_LINKS);
    ND_TEST_OK(nd_page_from_text(&page, nd_test_span("")));
    nd_content_sentences(&page, &ND_CONTENT_DEFAULTS, NULL);
}

ND_TEST("link tokens are those of the splitter") {
    static const char *const pieces[] = {"a",      "7",      "Z9",     " ",      "-",      "\u4e2d",
                                         "\u0301", "\u200b", "\u0e01", "\u00e9", "\u00ad", "\xff",
                                         "\u3042", "\u0915", "\u094d", "\u20ac"};
    nd_random random = nd_test_random("token count");
    for (int i = 0; i < 20000; i++) {
        char text[64] = "";
        ND_OWNED(nd_page_free) nd_page page = {0};
        for (size_t n = nd_random_below(&random, 12); n > 0; n--) {
            (void)strcat(text, pieces[nd_random_below(&random, sizeof pieces / sizeof pieces[0])]);
        }
        nd_token_split(&page, nd_test_span(text));
        CU_ASSERT_EQUAL(nd_token_count(nd_test_span(text)), page.token_count);
    }
}

/* ---- Images as words of a page: whole URL on another host, file name on the page's own; what is
 * taken for the same image and what is not. Source: US 2008/0044016, exceptions to "replace markup
 * by white space". */

static const uint64_t SEED = UINT64_C(0x123456789ABCDEF0);
static const char *const page_url = "http://Example.org:8080/a/b.html";

/* The sentences of a page with its images as words. */
static const char *read(const char *url, const char *html) {
    static nd_page page;
    const nd_html_options options = {.images = true, .url = nd_test_span(url)};
    page.hash_seed = SEED;
    ND_TEST_MUST(nd_page_from_html_with(&page, nd_test_span(html), &options));
    const char *sentences = nd_test_sentences(&page);
    nd_page_free(&page);
    return sentences;
}

/* The word that stands for a URL or a file name. */
static const char *word(const char *text) {
    static char words[4][32];
    static size_t next;
    char *answer = words[next++ % 4];
    const uint64_t hash = XXH3_64bits_withSeed(text, strlen(text), SEED);
    size_t size = (size_t)snprintf(answer, sizeof words[0], "img");
    for (int i = 0; i < 16; i++) {
        answer[size++] = (char)('a' + (hash >> 4 * i & 15));
    }
    answer[size] = '\0';
    return answer;
}

/* An image tag with these attributes on this page gives the word of `text`; NULL: none. */
static void is_on(const char *url, const char *html, const char *text) {
    char expected[64] = "";
    if (text != NULL) {
        (void)snprintf(expected, sizeof expected, "%s|", word(text));
    }
    const char *got = read(url, html);
    if (strcmp(got, expected) != 0) {
        printf("\n  %s on %s: %s, not %s\n", html, url, got, expected);
    }
    CU_ASSERT_STRING_EQUAL(got, expected);
}

static void is_image_term(const char *html, const char *text) {
    is_on(page_url, html, text);
}

ND_TEST("own host") {
    is_image_term("<img src=c.png>", "c.png");
    is_image_term("<IMG alt=x SRC='/d/e/c.png'/>", "c.png");
    is_image_term("<img src=\"../c.png?size=2#top\">", "c.png");
    is_image_term("<img src=http://example.org/x/c.png>", "c.png");
    is_image_term("<img src=https://EXAMPLE.org:99/x/c.png>", "c.png");
    is_image_term("<img src=//example.org/c.png>", "c.png");
    is_image_term("<img src=d\\c.png>", "c.png");
    is_image_term("<img src=C.png>", "C.png");
}

ND_TEST("other host") {
    is_image_term("<img src=http://other.org/x/c.png>", "http://other.org/x/c.png");
    is_image_term("<img src='HTTP://Other.org/X/c.png?size=2#top'>",
                  "http://other.org/X/c.png?size=2");
    is_image_term("<img src=//other.org/c.png>", "http://other.org/c.png");
    is_on("https://example.org/", "<img src=//other.org/c.png>", "https://other.org/c.png");
    is_image_term("<img src=http://www.example.org/c.png>", "http://www.example.org/c.png");
    is_image_term("<img src=http://example.or/c.png>", "http://example.or/c.png");
    is_image_term("<img src=http://example.organ/c.png>", "http://example.organ/c.png");
    is_image_term("<img src=data:image/gif;base64,R0lGOD>", "data:image/gif;base64,R0lGOD");
}

ND_TEST("no image") {
    is_image_term("<img>", NULL);
    is_image_term("<img src>", NULL);
    is_image_term("<img src=''>", NULL);
    is_image_term("<img src=' '>", NULL);
    is_image_term("<img src=#>", NULL);
    is_image_term("<img src=/>", NULL);
    is_image_term("<img src=pictures/>", NULL);
    is_image_term("<img src=http://example.org>", NULL);
    is_image_term("<img data-src=c.png srcset=c.png>", NULL);
    is_image_term("<img src=c.png", NULL);
    is_image_term("</img src=c.png>", NULL);
    is_image_term("<image src=c.png>", NULL);
    is_image_term("<noscript><img src=c.png></noscript><script>'<img src=c.png>'</script>", NULL);
}

ND_TEST("values") {
    is_image_term("<img src=c.png src=d.png>", "c.png");
    is_image_term("<img src=' \n c\t.p\nng '>", "c.png");
    is_image_term("<img src='a&amp;b&#46;png'>", "a&b.png");
    is_image_term("<img src='a&copy=b.png'>", "a&copy=b.png");
    is_image_term("<img src='&eacute;.png'>", "\u00e9.png");
    is_image_term("<img src='a b.png'>", "a b.png");
}

/* A page whose URL is not known, or has no host. */
ND_TEST("unknown host") {
    is_on("", "<img src=d/c.png>", "c.png");
    is_on("", "<img src=http://example.org/c.png>", "http://example.org/c.png");
    is_on("", "<img src=//example.org/c.png>", "http://example.org/c.png");
    is_on("file:///d/e.html", "<img src=c.png>", "c.png");
}

ND_TEST("base") {
    is_image_term("<base href=http://other.org/x/y.html><img src=c.png>",
                  "http://other.org/x/c.png");
    is_image_term("<base href=http://other.org><img src=/c.png>", "http://other.org/c.png");
    is_image_term("<base href=//other.org/x/><img src=/d/c.png>", "http://other.org/d/c.png");
    is_image_term("<base href=http://other.org/x/><img src=//third.org/c.png>",
                  "http://third.org/c.png");
    is_image_term("<base href=https://other.org/x/><img src=//third.org/c.png>",
                  "https://third.org/c.png");
    is_image_term("<base href=http://other.org/x/><img src=http://example.org/d/c.png>", "c.png");
    is_image_term("<base href=http://example.org/x/><img src=c.png>", "c.png");
    is_image_term("<base href=/x/><base href=http://other.org/><img src=c.png>", "c.png");
    is_image_term("<base target=x><base href=http://other.org/><img src=c.png>",
                  "http://other.org/c.png");
}

/* The word stands where the image does, apart from its neighbours. */
ND_TEST("position") {
    char expected[128];
    (void)snprintf(expected, sizeof expected, "one %s two|three %s|", word("c.png"),
                   word("http://other.org/d"));
    CU_ASSERT_STRING_EQUAL(read(page_url, "o<b>ne<img src=c.png>two</b><p>three"
                                          "<a href=x><img src=http://other.org/d></a>"),
                           expected);
}

/* Without the option, and in plain text, there are no such words. */
ND_TEST("off") {
    CU_ASSERT_STRING_EQUAL(nd_test_html("one<img src=c.png>two"), "one two|");
    CU_ASSERT_STRING_EQUAL(nd_test_text("<img src=c.png>"), "img src c png|");
}

/* A page with its images on one host, and its mirror on another. */
ND_TEST("mirror") {
    static const char *const html = "a <img src=/x/c.png> b <img src='d.png'> c";
    char here[128];
    (void)snprintf(here, sizeof here, "%s", read("http://one.org/p", html));
    CU_ASSERT_STRING_EQUAL(
        read("http://two.org/q/r", "a <img src=http://two.org/y/c.png> b <img src=x/d.png> c"),
        here);
    CU_ASSERT_STRING_NOT_EQUAL(
        read("http://two.org/q/r", "a <img src=http://one.org/x/c.png> b <img src=x/d.png> c"),
        here);
}

/* ---- Words as codes. */

enum { WORDS = 500 };

/* The i-th word; 0 is one too. */
static uint32_t word_of(uint64_t i) {
    return i == 1 ? 0 : (uint32_t)nd_mix64(i);
}

/* What was packed comes back; of fewer bytes, or for another size, nothing does. */
static bool packs_right(const nd_word_codes *codes, const uint8_t *bytes, size_t size) {
    ND_FREED uint8_t *packed = nd_alloc(nd_word_codes_most(size) + 1, 1);
    ND_FREED uint8_t *again = nd_alloc(size + 4, 1);
    const size_t count = nd_word_codes_pack(codes, bytes, size, packed);
    bool right = count <= nd_word_codes_most(size);
    right = right && nd_word_codes_unpack(codes, (nd_span){packed, count}, again, size);
    right = right && memcmp(again, bytes, size) == 0;
    right = right && !nd_word_codes_unpack(codes, (nd_span){packed, count}, again, size + 4);
    for (size_t less = 1; right && less <= count && less < 10; less++) {
        ND_FREED uint8_t *part = nd_alloc(count - less + 1, 1);
        memcpy(part, packed, count - less);
        right = !nd_word_codes_unpack(codes, (nd_span){part, count - less}, again, size);
    }
    return right;
}

ND_TEST("packed by codes, and back") {
    static const uint32_t counts[] = {0, 1, 128, 129, 2000, 32640};
    nd_random random = nd_test_random("word codes");
    ND_FREED uint32_t *words = nd_alloc(32640, sizeof *words);
    for (uint32_t i = 0; i < 32640; i++) {
        words[i] = word_of(i);
    }
    for (int r = 0; r < nd_test_rounds(60); r++) {
        nd_word_codes codes;
        uint32_t text[WORDS];
        const uint32_t known = counts[nd_test_case(&random, r, 60) % 6];
        const size_t size = (size_t)nd_random_below(&random, sizeof text);
        nd_word_codes_open(&codes, words, known);
        for (size_t i = 0; i < WORDS; i++) {
            const uint64_t most = nd_random_below(&random, 8) == 0 ? 60000 : 300;
            text[i] = word_of(nd_random_below(&random, most));
        }
        CU_ASSERT(packs_right(&codes, (const uint8_t *)text, size));
        nd_word_codes_close(&codes);
    }
}

/* A code that no word has, and more words than bytes. */
ND_TEST("not packed by codes") {
    nd_word_codes codes;
    uint32_t word = 7;
    uint8_t bytes[8];
    nd_word_codes_open(&codes, &word, 1);
    CU_ASSERT(nd_word_codes_unpack(&codes, (nd_span){(const uint8_t *)"", 1}, bytes, 4));
    CU_ASSERT(!nd_word_codes_unpack(&codes, (nd_span){(const uint8_t *)"\001", 1}, bytes, 4));
    CU_ASSERT(!nd_word_codes_unpack(&codes, (nd_span){(const uint8_t *)"\200\0", 2}, bytes, 4));
    CU_ASSERT(!nd_word_codes_unpack(&codes, (nd_span){NULL, 0}, bytes, 4));
    nd_word_codes_close(&codes);
}
