/* What a file of JSON lines looks like. */
#include "io/input/jsonl.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <string.h>

/* A first line begins with a brace, has a name or nothing in it, and ends with one, unless it was
 * cut. */
static void test_looks_like_lines(void) {
    static const char *const lines[] = {
        "{", "{\n", "{}", "{ \t}\n{}", "{ \"a\"", " \n{\"a\": 1} \nx", "\xEF\xBB\xBF{\"a\""};
    static const char *const others[] = {
        "",     " \n",          "x{}\n", "{\"a\":\n1}", "{% extends \"a.html\" %}\n<p>Text",
        "{# a", "{{ title }}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        CU_ASSERT(nd_jsonl_looks(nd_test_span(lines[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CU_ASSERT_FALSE(nd_jsonl_looks(nd_test_span(others[i])));
    }
}

/* The text at a way of two names, the second of which has so many letters. */
static size_t found_at(size_t letters) {
    char names[512] = "a.";
    nd_buffer line = {0};
    nd_jsonl *parser = NULL;
    nd_jsonl_page page;
    const char *fault = NULL;
    const nd_jsonl_names fields = {.id = "id", .url = "url", .text = names, .html = "html"};
    const nd_record_limits limits = nd_record_limits_of(1 << 20, 0, 0);
    memset(names + 2, 'b', letters);
    nd_test_print(&line, "{\"a\":{\"%s\":\"text\"}}", names + 2);
    CU_ASSERT_EQUAL_FATAL(nd_jsonl_open(&fields, &limits, &parser), ND_OK);
    const nd_status st = nd_jsonl_parse(parser, nd_buffer_span(&line), &page, &fault);
    CU_ASSERT(st == ND_OK || st == ND_ERR_FORMAT);
    const size_t size = st == ND_OK ? page.text.size : 0;
    nd_jsonl_close(&parser);
    nd_buffer_free(&line);
    return size;
}

/* Names inside of objects are found up to a length. */
static void test_ways(void) {
    CU_ASSERT_EQUAL(found_at(1), 4);
    CU_ASSERT_EQUAL(found_at(255), 4);
    CU_ASSERT_EQUAL(found_at(256), 0);
}

static void check_text(nd_span found, const char *expected) {
    CU_ASSERT_EQUAL_FATAL(found.size, strlen(expected));
    CU_ASSERT(found.size == 0 || memcmp(found.data, expected, found.size) == 0);
}

/* Bytes that are no UTF-8 are replaced in each field by itself. */
static void test_repairs(void) {
    nd_jsonl *parser = NULL;
    nd_jsonl_page page;
    const char *fault = NULL;
    const nd_jsonl_names fields = {
        .id = "id", .url = "url", .date = "date", .text = "text", .html = "html"};
    const nd_record_limits limits = nd_record_limits_of(1 << 20, 0, 0);
    CU_ASSERT_EQUAL_FATAL(nd_jsonl_open(&fields, &limits, &parser), ND_OK);
    const nd_span line = nd_test_span("{\"id\":\"i\xFF\",\"url\":\"u\xFF\",\"date\":\"d\xFF\","
                                      "\"text\":\"t\xFF\"}");
    CU_ASSERT_EQUAL_FATAL(nd_jsonl_parse(parser, line, &page, &fault), ND_OK);
    check_text(page.id, "i\xEF\xBF\xBD");
    check_text(page.url, "u\xEF\xBF\xBD");
    check_text(page.date, "d\xEF\xBF\xBD");
    check_text(page.text, "t\xEF\xBF\xBD");
    nd_jsonl_close(&parser);
}

/* A parser of the usual fields, and what it makes of one line. */
typedef struct reading {
    nd_jsonl *parser;
    nd_jsonl_page page;
    const char *fault;
    nd_status st;
} reading;

static reading read_line(const char *line, size_t size) {
    static const nd_jsonl_names fields = {.id = "id", .url = "url", .text = "text", .html = "html"};
    static nd_record_limits limits;
    reading r = {.fault = NULL};
    limits = nd_record_limits_of(1 << 20, 0, 0);
    CU_ASSERT_EQUAL_FATAL(nd_jsonl_open(&fields, &limits, &r.parser), ND_OK);
    r.st = nd_jsonl_parse(r.parser, (nd_span){(const uint8_t *)line, size}, &r.page, &r.fault);
    return r;
}

/* A number is the text that it is written with, whatever its size. */
static void test_numbers(void) {
    static const char *const kept[] = {"0",
                                       "7",
                                       "-7",
                                       "999999999999999999",
                                       "1000000000000000000",
                                       "9223372036854775808",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "340282366920938463463374607431768211455",
                                       "-9223372036854775809",
                                       "-340282366920938463463374607431768211456",
                                       "-0",
                                       "007",
                                       "-007",
                                       "1.50",
                                       "-0.0",
                                       "1e999",
                                       "1E+5",
                                       "12345678901234567890.5",
                                       "123456789012345678901234567890e-3",
                                       "0.10"};
    /* what stands around it: other numbers, strings with quotes and backslashes before them */
    static const char *const lines[] = {
        "{\"id\":%s,\"text\":\"t\"}",
        "{\"text\":\"t\",\"n\":[98765432109876543210, -0 ],\"id\" : %s }",
        "{\"text\":\"t\",\"a\":\"\\\"340282366920938463463374607431768211455\",\"id\":%s}",
        "{\"text\":\"t\",\"a\":\"\\\\\",\"id\":%s,\"b\":\"\\\\\\\"12345678901234567890123\"}",
        "{\"id\":\"%s\",\"text\":\"t\"}"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
            nd_buffer line = {0};
            nd_test_print(&line, lines[k], kept[i]);
            reading r = read_line((const char *)line.data, line.size);
            CU_ASSERT_EQUAL(r.st, ND_OK);
            check_text(r.page.id, kept[i]);
            check_text(r.page.text, "t");
            nd_jsonl_close(&r.parser);
            nd_buffer_free(&line);
        }
    }
}

/* Digits in other strings stay as they are, and so do lines that are no JSON. */
static void test_no_numbers(void) {
    static const struct {
        const char *line, *id, *text;
    } rows[] = {
        {"{\"id\":\"a\",\"text\":\"98765432109876543210\"}", "a", "98765432109876543210"},
        {"{\"id\":\"98765432109876543210\\\"\",\"text\":98765432109876543210}",
         "98765432109876543210\"", "98765432109876543210"},
        {"{\"id\":'98765432109876543210\"',\"text\":\"t\"}", "98765432109876543210\"", "t"},
        {"{\"id\":5/* \" 98765432109876543210 */,\"text\":\"t 98765432109876543210\"}", "5",
         "t 98765432109876543210"},
        {"{\"id\":98765432109876543210,", NULL, NULL},
        {"{\"id\":98765432109876543210", NULL, NULL},
        {"{\"id\":\"98765432109876543210", NULL, NULL},
        {"{\"id\":--98765432109876543210,\"text\":\"t\"}", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        reading r = read_line(rows[i].line, strlen(rows[i].line));
        CU_ASSERT_EQUAL(r.st, rows[i].id != NULL ? ND_OK : ND_ERR_FORMAT);
        if (r.st == ND_OK && rows[i].id != NULL) {
            check_text(r.page.id, rows[i].id);
            check_text(r.page.text, rows[i].text);
        }
        nd_jsonl_close(&r.parser);
    }
}

/* Other kinds of ids: strings as they are meant, and what is neither string nor number is none. */
static void test_other_ids(void) {
    static const char *const rows[][2] = {{"\"\"", ""},
                                          {"\"a\\u00e9\\n\\\"\"", "a\xC3\xA9\n\""},
                                          {"null", ""},
                                          {"true", ""},
                                          {"false", ""},
                                          {"[98765432109876543210]", ""},
                                          {"{\"$oid\":\"x\"}", ""},
                                          {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nd_buffer line = {0};
        nd_test_print(&line, "{\"id\":%s,\"text\":\"t\"}", rows[i][0]);
        reading r = read_line((const char *)line.data, line.size);
        CU_ASSERT_EQUAL(r.st, ND_OK);
        check_text(r.page.id, rows[i][1]);
        nd_jsonl_close(&r.parser);
        nd_buffer_free(&line);
    }
}

/* HTML without anything in it does not hide the text; any other does. */
static void test_blank_html(void) {
    static const char *const blank[] = {"\"\"",
                                        "\"  \\n\\t\\r\"",
                                        "\"\\u00a0\"",
                                        "\"&nbsp; &#160;&#xa0;\"",
                                        "\"\\u3000\\u200b\\ufeff\"",
                                        "null",
                                        "false",
                                        "[]"};
    static const char *const html[] = {"\"<p>x\"", "\" x\"", "\"&amp;\"", "0", "\"\\ufffd\""};
    for (size_t i = 0; i < sizeof blank / sizeof blank[0] + sizeof html / sizeof html[0]; i++) {
        const bool is_blank = i < sizeof blank / sizeof blank[0];
        const char *value = is_blank ? blank[i] : html[i - sizeof blank / sizeof blank[0]];
        for (int order = 0; order < 2; order++) {
            nd_buffer line = {0};
            nd_test_print(&line,
                          order == 0 ? "{\"html\":%s,\"text\":\"the text\"}"
                                     : "{\"text\":\"the text\",\"html\":%s}",
                          value);
            reading r = read_line((const char *)line.data, line.size);
            CU_ASSERT_EQUAL(r.st, ND_OK);
            CU_ASSERT_EQUAL(r.page.html, !is_blank);
            CU_ASSERT_EQUAL(r.page.text.size == strlen("the text") &&
                                memcmp(r.page.text.data, "the text", r.page.text.size) == 0,
                            is_blank);
            nd_jsonl_close(&r.parser);
            nd_buffer_free(&line);
        }
    }
}

/* A line with nothing but a blank field of either kind is a page without text, and one with neither
 * is none. */
static void test_blank_both(void) {
    static const char *const pages[] = {
        "{\"html\":\"\"}", "{\"text\":\" \"}", "{\"html\":\"\\n\",\"text\":\"\"}",
        "{\"html\":null,\"text\":\"\"}", "{\"html\":\" \",\"text\":null}"};
    static const char *const none[] = {"{}", "{\"html\":null}", "{\"html\":false,\"text\":[]}"};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        reading r = read_line(pages[i], strlen(pages[i]));
        CU_ASSERT_EQUAL(r.st, ND_OK);
        CU_ASSERT(r.page.text.size <= 1);
        nd_jsonl_close(&r.parser);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        reading r = read_line(none[i], strlen(none[i]));
        CU_ASSERT_EQUAL(r.st, ND_ERR_FORMAT);
        nd_jsonl_close(&r.parser);
    }
}

static const nd_test tests[] = {{"looks like lines", test_looks_like_lines},
                                {"ways of names", test_ways},
                                {"bytes that are no UTF-8", test_repairs},
                                {"numbers as they are written", test_numbers},
                                {"digits that are no numbers", test_no_numbers},
                                {"ids of other kinds", test_other_ids},
                                {"blank HTML beside text", test_blank_html},
                                {"blank HTML and blank text", test_blank_both}};
ND_SUITE(t_jsonl, tests)
