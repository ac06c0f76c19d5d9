/* nd_token_split through whole pages: words, single characters, folding, marks, hashes. */
#include "src/text/token.h"
#include "src/text/unicode.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <string.h>
#include <xxhash.h>

static void is(const char *text, const char *tokens) {
    CU_ASSERT_STRING_EQUAL(nd_test_text(text), tokens);
}

static void test_words(void) {
    is("Hello, WORLD x86_64 it's 3rd", "hello world x86 64 it s 3rd|");
    is("\u00c9COLE Stra\u00dfe \u0416\u0443\u043a \u03a3\u0399\u03a3",
       "\u00e9cole stra\u00dfe \u0436\u0443\u043a \u03c3\u03b9\u03c3|");
    is("e\u0301te\u0301 E\u0301", "e\u0301te\u0301 e\u0301|");
    is("\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5|");
    is("\u0647\u0630\u0627 \u0643\u062a\u0627\u0628\u064c",
       "\u0647\u0630\u0627 \u0643\u062a\u0627\u0628\u064c|");
    is("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940|");
    is("\u00bd \u2167 \u0663\u0664", "\u00bd \u2177 \u0663\u0664|");
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
    is("\u3042\u30a2\uff71\u3105", "\u3042 \u30a2 \uff71 \u3105|");
    is("\u0e01\u0e34\u0e19", "\u0e01\u0e34 \u0e19|");
    is("\u0e81\u0eb4\u0e99", "\u0e81\u0eb4 \u0e99|");
    is("\u1780\u17b6\u1781", "\u1780\u17b6 \u1781|");
    is("\u1000\u102d\u1001", "\u1000\u102d \u1001|");
    is("\u304b\u3099\uff76\uff9e", "\u304b\u3099 \uff76\uff9e|");
    is("\U00020000\U0002a6df\U00030000\U00031350\U000323af\U0002f800\uf900\u3007\u3005",
       "\U00020000 \U0002a6df \U00030000 \U00031350 \U000323af \U0002f800 \uf900 \u3007 \u3005|");
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

/* Folding twice is folding once, and ASCII is what one expects. */
static void test_table(void) {
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        uint32_t folded = (uint32_t)((int32_t)code + nd_unicode(code)->fold);
        CU_ASSERT(folded <= 0x10FFFF);
        if (nd_unicode(folded)->fold != 0) {
            printf("U+%04X\n", code);
        }
        CU_ASSERT_EQUAL(nd_unicode(folded)->fold, 0);
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
    {"table", test_table},
};
ND_SUITE(t_token, tests)
