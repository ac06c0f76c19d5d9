/* nd_token_split through whole pages: words, single characters, folding, marks, hashes. */
#include "src/text/token.h"
#include "src/text/unicode.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static void is(const char *text, const char *tokens) {
    CU_ASSERT_STRING_EQUAL(nd_test_text(text), tokens);
}

static void test_words(void) {
    is("Hello, WORLD x86_64 it's 3rd", "hello world x86 64 it s 3rd|");
    is("\u00c9COLE Stra\u00dfe \u0416\u0443\u043a \u03a3\u0399\u03a3",
       "\u00e9cole stra\u00dfe \u0436\u0443\u043a \u03c3\u03b9\u03c3|");
    is("e\u0301te\u0301 E\u0301", "\u00e9t\u00e9 \u00e9|");
    is("\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5|");
    is("\u0647\u0630\u0627 \u0643\u062a\u0627\u0628\u064c",
       "\u0647\u0630\u0627 \u0643\u062a\u0627\u0628|");
    is("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940|");
    is("\u00bd \u2167 \u0663\u0664", "\u00bd viii 34|");
    is("\u0130\u1e9e\u023a", "i\u00df\u2c65|");
}

/* URLs in the text are cut at slashes and dots (US 2008/0044016), and at all that is no letter or
 * digit. */
static void test_urls(void) {
    is("see http://www.Example.org/a-b/c.html?d=1, www.example.org",
       "see http www example org a b c html d 1 www example org|");
}

static void test_scripts_without_spaces(void) {
    is("\u4e2d\u6587abc\u5b57", "\u4e2d \u6587 abc \u5b57|");
    is("\u3042\u30a2\uff71\u3105", "\u3042 \u30a2 \u30a2 \u3105|");
    is("\u0e01\u0e34\u0e19", "\u0e01\u0e34 \u0e19|");
    is("\u0e81\u0eb4\u0e99", "\u0e81\u0eb4 \u0e99|");
    is("\u1780\u17b6\u1781", "\u1780\u17b6 \u1781|");
    is("\u1000\u102d\u1001", "\u1000\u102d \u1001|");
    is("\u304b\u3099\uff76\uff9e", "\u304c \u30ac|");
    is("\U00020000\U0002a6df\U00030000\U00031350\U000323af\U0002f800\uf900\u3007\u3005",
       "\U00020000 \U0002a6df \U00030000 \U00031350 \U000323af \u4e3d \u8c48 \u3007 \u3005|");
}

static void test_folding(void) {
    is("\uff21\uff42\uff11\uff0bx", "ab1 x|");
    is("\uff4d\uff33\u4e2d", "ms \u4e2d|");
}

static void test_ignored(void) {
    is("co\u00adop\u200berate \ufeffa\u2060b", "cooperate ab|");
    is("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
       "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645|");
    is("\u0915\u094d\u200d\u0937", "\u0915\u094d\u0937|");
    is("\u263a\ufe0f \u8fbb\U000e0100", "\u8fbb|");
    is("\u200b\u200d", "");
}

static void test_hashes(void) {
    nd_page page = {0};
    const char *text = "The \u4e2d\u00c9";
    CU_ASSERT_EQUAL(nd_page_from_text(&page, (nd_span){(const uint8_t *)text, strlen(text)}),
                    ND_OK);
    CU_ASSERT_EQUAL_FATAL(page.token_count, 3);
    CU_ASSERT_EQUAL(page.tokens[0], XXH3_64bits("the", 3));
    CU_ASSERT_EQUAL(page.tokens[1], XXH3_64bits("\u4e2d", 3));
    CU_ASSERT_EQUAL(page.tokens[2], XXH3_64bits("\u00e9", 2));
    page.hash_seed = UINT64_C(0x123456789ABCDEF0);
    CU_ASSERT_EQUAL(nd_page_from_text(&page, (nd_span){(const uint8_t *)text, strlen(text)}),
                    ND_OK);
    CU_ASSERT_EQUAL(page.tokens[0], XXH3_64bits_withSeed("the", 3, page.hash_seed));
    CU_ASSERT_EQUAL(page.tokens[1], XXH3_64bits_withSeed("\u4e2d", 3, page.hash_seed));
    CU_ASSERT_EQUAL(page.tokens[2], XXH3_64bits_withSeed("\u00e9", 2, page.hash_seed));
    nd_page_free(&page);
}

/* A page keeps nothing of the one before. */
static void test_page_is_replaced(void) {
    nd_page page = {0};
    nd_span first = {(const uint8_t *)"a. b c\n\nd", 9};
    CU_ASSERT_EQUAL(nd_page_from_text(&page, first), ND_OK);
    CU_ASSERT_EQUAL(nd_page_from_text(&page, (nd_span){(const uint8_t *)"e", 1}), ND_OK);
    CU_ASSERT_STRING_EQUAL(nd_test_sentences(&page), "e|");
    CU_ASSERT_EQUAL(page.token_count, 1);
    CU_ASSERT_EQUAL(nd_page_from_text(&page, (nd_span){NULL, 0}), ND_OK);
    CU_ASSERT_EQUAL(page.token_count + page.sentence_count + page.block_count, 0);
    nd_page_free(&page);
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
static void test_canonical_equivalence(void) {
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
    is("a \u0301b", "a b|"); /* a mark is part of the letter before it, or of nothing */
    is("\u0301", "");
    is("\u4e2d\u0301a", "\u4e2d\u0301 a|");
    is("\u1161\u11a8", "\u1161\u11a8|");
}

/* Any number of marks, each before one that is to come after it. */
static void test_many_marks(void) {
    enum { MARKS = 4000 };
    char up[4 * MARKS + 4] = "xe", down[4 * MARKS + 4] = "xe";
    for (size_t i = 0; i < MARKS; i++) {
        memcpy(up + 2 + 4 * i, "\u0323\u0301", 4);
        memcpy(down + 2 + 2 * i, "\u0301", 2);
        memcpy(down + 2 + 2 * MARKS + 2 * i, "\u0323", 2);
    }
    nd_page a = {0}, b = {0};
    CU_ASSERT_EQUAL(nd_page_from_text(&a, (nd_span){(uint8_t *)up, strlen(up)}), ND_OK);
    CU_ASSERT_EQUAL(nd_page_from_text(&b, (nd_span){(uint8_t *)down, strlen(down)}), ND_OK);
    CU_ASSERT_EQUAL_FATAL(a.token_count + b.token_count, 2);
    CU_ASSERT_EQUAL(a.tokens[0], b.tokens[0]);
    CU_ASSERT_EQUAL(a.sentences[0].end, 1 + 3 + 2 * (2 * MARKS - 1)); /* one is in the letter */
    nd_page_free(&a);
    nd_page_free(&b);
}

/* Forms of one letter or digit, as unicode.h says. */
static void test_compatibility(void) {
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
    is("Foo\u2122 2\u2103 \u2474 \u00bd stra\u00dfe \u0153",
       "foo 2 \u2474 \u00bd stra\u00dfe \u0153|");
}

/* What a character is folded to stands for itself. */
static void test_table(void) {
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

static const nd_test tests[] = {
    {"words", test_words},
    {"URLs", test_urls},
    {"scripts without spaces", test_scripts_without_spaces},
    {"folding", test_folding},
    {"ignored characters", test_ignored},
    {"hashes", test_hashes},
    {"a page is replaced", test_page_is_replaced},
    {"canonical equivalence", test_canonical_equivalence},
    {"many marks", test_many_marks},
    {"compatibility forms", test_compatibility},
    {"table", test_table},
};
ND_SUITE(t_token, tests)
