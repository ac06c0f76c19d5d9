/* nd_sentence_end through whole pages: full stops of every script, and what is none. */
#include "src/text/token.h"
#include "tests/support/check.h"
#include "tests/support/page_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void is(const char *text, const char *sentences) {
    CU_ASSERT_STRING_EQUAL(nd_test_text(text), sentences);
}

static void test_latin(void) {
    is("One two. Three! Four? Five", "one two|three|four|five|");
    is("Version 3.14 of a.b.c is out.", "version 3 14 of a b c is out|");
    is("What?! No... Yes.", "what|no|yes|");
    is("Wait\u2026 go\u2026on", "wait|go on|");
    is("... !? .", "");
}

static void test_east_asian(void) {
    is("\u4e2d\u3002\u6587\uff01\u5b57\uff1f\u7b26\uff1b\u5b8c",
       "\u4e2d|\u6587|\u5b57|\u7b26|\u5b8c|");
    is("\uff21\uff0e\uff22\uff0e \uff23", "a b|c|");
    is("\u30a2\uff61\u30a4", "\u30a2|\u30a4|");
    is("\u4e2d\uff0c\u6587", "\u4e2d \u6587|");
}

static void test_other_scripts(void) {
    is("\u0915\u0964\u0916\u0965\u0917", "\u0915|\u0916|\u0917|");
    is("\u0628\u061f\u062a\u06d4\u062b", "\u0628|\u062a|\u062b|");
    is("\u1000\u104b\u1001", "\u1000|\u1001|");
    is("\u1780\u17d4\u1781", "\u1780|\u1781|");
    is("\u1200\u1362\u1201", "\u1200|\u1201|");
    is("a\u203cb", "a|b|");
}

static void test_block_of_a_sentence(void) {
    nd_page page = {0};
    const char *html = "<p>...</p><p>a. b</p>c";
    CU_ASSERT_EQUAL(nd_page_from_html(&page, (nd_span){(const uint8_t *)html, strlen(html)}),
                    ND_OK);
    CU_ASSERT_EQUAL_FATAL(page.sentence_count, 3);
    CU_ASSERT_EQUAL(page.block_count, 3);
    CU_ASSERT_EQUAL(page.sentences[0].block, 1);
    CU_ASSERT_EQUAL(page.sentences[1].block, 1);
    CU_ASSERT_EQUAL(page.sentences[2].block, 2);
    CU_ASSERT_EQUAL(page.sentences[2].first_token, 2);
    nd_page_free(&page);
}

/* The reference of the variants finds the end that reading character by character does, and reads
 * nothing behind the text: each text is in memory of its own size. */
static void test_ends(void) {
    static const char *const texts[] = {"",
                                        "a",
                                        ".",
                                        "one. two",
                                        "one.two",
                                        "one!",
                                        "what?!",
                                        "no stop at all in this long text of words",
                                        "3.14 and 15",
                                        "\u4e2d\u3002\u6587",
                                        "\u4e2d\u6587\u5b57\uff01x",
                                        "caf\u00e9s \u2026 x",
                                        "\u0430\u0431\u0432\u0964x",
                                        "end.",
                                        "\xe4",
                                        "\xe4\xb8",
                                        "\xf0\x9f",
                                        "a\xff. b",
                                        "\u1362 x",
                                        "\u06d4",
                                        "........",
                                        "abcdefgh.",
                                        "abcdefghijklmnop? q"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t size = strlen(texts[i]);
        uint8_t *copy = malloc(size + (size == 0));
        CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
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
        free(copy);
    }
}

static const nd_test tests[] = {
    {"ends", test_ends},
    {"latin", test_latin},
    {"east asian", test_east_asian},
    {"other scripts", test_other_scripts},
    {"block of a sentence", test_block_of_a_sentence},
};
ND_SUITE(t_sentence, tests)
