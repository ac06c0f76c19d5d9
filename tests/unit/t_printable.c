/* What is printed of texts that strangers wrote, for messages, fields and JSON. */
#include "src/base/printable.h"
#include "src/base/status.h"
#include "tests/support/check.h"

#include <stdbool.h>
#include <string.h>

typedef struct example {
    const char *text, *message, *field, *json;
} example;

/* A text is the same where NULL. */
static const example examples[] = {
    {"", NULL, NULL, NULL},
    {"http://a.example/?q=1&r=%20", NULL, NULL, NULL},
    {"gr\xC3\xBC\xC3\x9F \xE6\xB1\x89 \xF0\x9F\x98\x80 \xEF\xBF\xBD", NULL, NULL, NULL},
    {"a\tb\nc\rd\\e", "a\\tb\\nc\\rd\\e", "a\\tb\\nc\\rd\\\\e", "a\tb\nc\rd\\e"},
    {"\x1B[31m\x07\x7F", "\\x1b[31m\\x07\\x7f", "\\x1b[31m\\x07\\x7f", "\x1B[31m\x07\\u007f"},
    {"\xC2\x9B"
     "2J\xC2\x85\xC2\xA0",
     "\\u009b2J\\u0085\xC2\xA0", "\\u009b2J\\u0085\xC2\xA0", "\\u009b2J\\u0085\xC2\xA0"},
    {"\xE2\x80\xAE"
     "fdp\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C",
     "\\u202efdp\\u2066\\u200f\\u061c", "\\u202efdp\\u2066\\u200f\\u061c",
     "\\u202efdp\\u2066\\u200f\\u061c"},
    {"\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\xE2\x80\x8B", "\\u2028\\u2029\\ufeff\\u200b",
     "\\u2028\\u2029\\ufeff\\u200b", "\\u2028\\u2029\\ufeff\\u200b"},
    {"\xF3\xA0\x80\x81", "\\U000e0001", "\\U000e0001", "\\udb40\\udc01"},
    {"x\x9By\xE2\x80", "x\\x9by\\xe2\\x80", "x\\x9by\\xe2\\x80", "x\\ufffdy\\ufffd"},
    {"\xED\xA0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80", "\\ufffd\\ufffd\\ufffd"},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static nd_span span_of(const char *text) {
    return (nd_span){(const uint8_t *)text, strlen(text)};
}

/* In the room that is always enough, and in all smaller ones, of which none is written beyond. */
static void check_one(nd_printable kind, const char *text, const char *expected) {
    char got[256];
    const nd_span span = span_of(text);
    expected = expected != NULL ? expected : text;
    CU_ASSERT_FATAL(span.size * ND_PRINTABLE_GROWTH < sizeof got);
    for (size_t room = span.size * ND_PRINTABLE_GROWTH + 1; room > 0; room--) {
        const size_t fits = strlen(expected) < room ? strlen(expected) : room - 1;
        memset(got, '#', sizeof got);
        CU_ASSERT_EQUAL(nd_printable_put(kind, span, got, room), fits);
        CU_ASSERT(memcmp(got, expected, fits) == 0 && got[fits] == '\0' && got[fits + 1] == '#');
    }
    CU_ASSERT_EQUAL(nd_printable_put(kind, span, got, sizeof got), strlen(expected));
}

static void test_examples(void) {
    for (size_t i = 0; i < EXAMPLES; i++) {
        const example *e = &examples[i];
        check_one(ND_PRINTABLE_MESSAGE, e->text, e->message);
        check_one(ND_PRINTABLE_FIELD, e->text, e->field);
        check_one(ND_PRINTABLE_JSON, e->text, e->json);
        if (e->message != NULL) {
            check_one(ND_PRINTABLE_MESSAGE, e->message, NULL); /* once more changes nothing */
        }
    }
}

static void test_nul(void) {
    static const uint8_t bytes[] = {'a', 0, 'b'};
    char got[32];
    (void)nd_printable_put(ND_PRINTABLE_FIELD, (nd_span){bytes, 3}, got, sizeof got);
    CU_ASSERT_STRING_EQUAL(got, "a\\x00b");
}

/* Every byte, alone and after a byte that begins a character: nothing is left that is not text. */
static void test_all_bytes(void) {
    for (unsigned value = 0; value < 0x10000; value++) {
        const uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};
        uint8_t got[32];
        const size_t size =
            nd_printable_put(ND_PRINTABLE_FIELD, (nd_span){bytes, 2}, (char *)got, sizeof got);
        for (size_t i = 0; i < size; i++) {
            CU_ASSERT(got[i] >= 0x20 && got[i] != 0x7F);
        }
        const bool two = size == 2 && got[0] >= 0x80;
        CU_ASSERT(!two || (bytes[0] >= 0xC2 && bytes[0] < 0xE0 && bytes[1] >= 0x80));
    }
}

static void test_room(void) {
    char room[8];
    nd_printable_message("abc\x1B", 4, room, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "abc\\x1b");
    nd_printable_message("abcd\x1Bx", 6, room, sizeof room);
    CU_ASSERT_STRING_EQUAL(room, "abcd\\x1");
    nd_printable_message("abc", 3, room, 1);
    CU_ASSERT_STRING_EQUAL(room, "");
}

static void test_failures(void) {
    CU_ASSERT_EQUAL(nd_fail(ND_ERR_IO, "%s: cannot be opened", "a\n\x1B[2Jneardup: done"),
                    ND_ERR_IO);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "a\\n\\x1b[2Jneardup: done: cannot be opened");
    CU_ASSERT_EQUAL(nd_fail(ND_ERR_IO, "rank 1: %s", nd_fail_text()), ND_ERR_IO);
    CU_ASSERT_STRING_EQUAL(nd_fail_text(), "rank 1: a\\n\\x1b[2Jneardup: done: cannot be opened");
}

static void test_stream(void) {
    char got[64] = "";
    FILE *file = fmemopen(got, sizeof got, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    nd_print_line(file, "%s|%d", "a\nb", 7);
    nd_print_padded(file, span_of("\x07"), 6);
    nd_print_words(file, ND_PRINTABLE_FIELD, "\\");
    nd_print_text(file, ND_PRINTABLE_MESSAGE, (nd_span){NULL, 0});
    CU_ASSERT_EQUAL(fclose(file), 0);
    CU_ASSERT_STRING_EQUAL(got, "a\\nb|7\n\\x07  \\\\");
}

/* Of an HTML page, where blanks are blanks and five characters mean something. */
static void test_html(void) {
    check_one(ND_PRINTABLE_HTML, "<a href=\"x\" id='y'>&amp;</a>",
              "&#60;a href=&#34;x&#34; id=&#39;y&#39;&#62;&#38;amp;&#60;/a&#62;");
    check_one(ND_PRINTABLE_HTML, "a\tb\r\nc\\d", "a b  c\\d");
    check_one(ND_PRINTABLE_HTML, "\x1b[1m\xE2\x80\xAE<\x9B", "\\x1b[1m\\u202e&#60;\\x9b");
    check_one(ND_PRINTABLE_HTML, "gr\xC3\xBC\xC3\x9F", NULL);
}

static const nd_test tests[] = {
    {"examples", test_examples}, {"NUL", test_nul},           {"all bytes", test_all_bytes},
    {"room", test_room},         {"failures", test_failures}, {"streams", test_stream},
    {"html", test_html},
};

ND_SUITE(t_printable, tests)
