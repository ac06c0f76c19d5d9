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
    CU_ASSERT(memcmp(found.data, expected, found.size) == 0);
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

static const nd_test tests[] = {{"looks like lines", test_looks_like_lines},
                                {"ways of names", test_ways},
                                {"bytes that are no UTF-8", test_repairs}};
ND_SUITE(t_jsonl, tests)
