/* Why an input gave no page: what is said of each kind, and of the fields that lines of JSON have.
 */
#include "io/input/input_survey.h"
#include "tests/support/check.h"
#include "tests/support/failing_calls.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

static const char *path; /* of the input */

/* \param[in] says  what follows the path */
static void check_explained(const nd_reader_options *options, const nd_reader_counts *counts,
                            const char *says) {
    char reason[ND_UNUSED_SIZE], expected[2 * ND_UNUSED_SIZE];
    CU_ASSERT_EQUAL(nd_unused_input_explain(path, options, counts, reason), ND_OK);
    (void)snprintf(expected, sizeof expected, "%s: %s", path, says);
    if (strcmp(reason, expected) != 0) {
        printf("it says: %s\n", reason);
    }
    CU_ASSERT_STRING_EQUAL(reason, expected);
}

static void put(const char *name, const char *text) {
    path = nd_test_write(name, nd_test_span(text));
}

static const nd_reader_options usual = {0};
static const nd_reader_counts lines = {.records = 2, .skipped = 2, .bytes = 99};

static void test_fields(void) {
    put("a.jsonl",
        "{\"id\": \"1\", \"raw\": \"some text\", \"n\": 3}\n{\"id\": \"2\", \"raw\": \"x\"}\n");
    check_explained(
        &usual, &lines,
        "give --jsonl-text raw: no text in a field \"text\" or \"html\"; fields here: id, "
        "raw, n");
    put("a.jsonl", "{\"doc\": {\"main text\": \"<html><p>page</p></html>\", \"n\": 1}, \"url\": "
                   "\"http://a.example/a/very/long/url/that/is/no/text/of/a/page\"}\n");
    check_explained(&usual, &lines,
                    "give --jsonl-html 'doc.main text': no text in a field \"text\" or \"html\"; "
                    "fields here: doc.main text, doc.n, url");
    put("a.jsonl", "{\"n\": 1, \"list\": [\"a\"]}\n[1]\nno JSON\n");
    const nd_reader_options named = {.jsonl_text = "a\tb", .jsonl_html = "body"};
    check_explained(&named, &lines, "no text in a field \"a?b\" or \"body\"; fields here: n, list");
    put("a.jsonl", "{\"it's\": \"a text whose name cannot be quoted\"}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: it's");
    put("a.jsonl", "{}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: none");
    put("a.jsonl",
        "{\"a0123456789012345678901234567890123456789012345678901234567890123456789\": 1}\n");
    check_explained(&usual, &lines, "no text in a field \"text\" or \"html\"; fields here: ...");
}

static void check_hint(const nd_reader_options *options, const char *text, const char *option) {
    char hint[ND_UNUSED_SIZE];
    put("a.jsonl", text);
    CU_ASSERT_EQUAL(nd_unused_url_explain(path, options, hint), ND_OK);
    if (option == NULL ? hint[0] != '\0' : strstr(hint, option) == NULL) {
        printf("%s: '%s'\n", text, hint);
        CU_FAIL("hint");
    }
}

/* A field that looks like the pages' URL is named where they have none. */
static void test_urls(void) {
#define URL "\"http://a.example/1\""
    check_hint(&usual, "{\"text\":\"t\",\"meta\":{\"url\":" URL "}}\n",
               "a.jsonl: give --jsonl-url meta.url ");
    check_hint(&usual, "{\"text\":\"t\",\"source\":\"https://a.example/\"}",
               " --jsonl-url source ");
    check_hint(&usual, "{\"image\":" URL ",\"link\":\"www.a.example/1\"}", " --jsonl-url link ");
    check_hint(&usual, "{\"text\":\"t\",\"warc target\":" URL "}", " --jsonl-url 'warc target' ");
    check_hint(&usual, "{\"url\":\"\",\"link\":" URL "}", " --jsonl-url link ");
    check_hint(&usual, "{\"url\":null,\"link\":" URL "}", " --jsonl-url link ");
    /* there is one, or a field is something else, or few records have it, or no record is JSON */
    check_hint(&usual, "{\"url\":\"x\",\"link\":" URL "}", NULL);
    check_hint(&usual, "{\"id\":" URL ",\"text\":" URL "}", NULL);
    check_hint(&usual, "{\"title\":\"http://a.example/ is a page\",\"link\":\"home\"}", NULL);
    check_hint(&usual, "{\"link\":" URL "}\n{\"text\":\"t\"}\n{\"text\":\"t\"}\n", NULL);
    check_hint(&usual, "<p>" URL "</p>", NULL);
    check_hint(&(nd_reader_options){.jsonl_url = "/meta/url"}, "{\"meta\":{\"url\":" URL "}}",
               NULL);
#undef URL
}

/* More fields than are named. */
static void test_many_fields(void) {
    nd_buffer text = {0};
    char reason[ND_UNUSED_SIZE];
    nd_test_print(&text, "{\"f\": 1");
    for (int i = 0; i < 100; i++) {
        nd_test_print(&text, ", \"f%d\": 1", i);
    }
    nd_test_print(&text, "}\n");
    path = nd_test_write("a.jsonl", nd_buffer_span(&text));
    CU_ASSERT_EQUAL(nd_unused_input_explain(path, &usual, &lines, reason), ND_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "fields here: f, f0, f1"));
    CU_ASSERT_STRING_EQUAL(reason + strlen(reason) - 10, ", f14, ..."); /* the 16th */
    CU_ASSERT_PTR_NULL(strstr(reason, "f99"));
    nd_buffer_free(&text);
}

static void test_others(void) {
    nd_buffer text = {0};
    const nd_reader_counts none = {
        .records = 3, .other = 3, .others = {[ND_OTHER_ABOUT] = 2, [ND_OTHER_IMAGE] = 1}};
    const nd_reader_counts skipped = {.records = 3, .other = 1, .skipped = 2};
    const nd_reader_counts unusable = {.records = 2, .skipped = 2};
    const nd_reader_counts some = {.records = 2, .pages = 1};
    const nd_reader_counts failed = {.skipped = 1};
    const nd_reader_counts nothing = {0};
    nd_test_warc_record(&text, "warcinfo", "", "urn:info", "application/warc-fields",
                        nd_test_span("software: test\r\n"));
    path = nd_test_write("a.warc", nd_buffer_span(&text));
    check_explained(&usual, &none,
                    "3 records, none of them a page: 2 request, metadata or warcinfo, 1 content "
                    "type of images");
    check_explained(&usual, &skipped, "3 records, none of them a page");
    check_explained(&usual, &unusable, "2 records, none of which could be used");
    check_explained(&usual, &some, "could not be read to its end");
    check_explained(&usual, &failed, "could not be opened, though it can be now");
    put("a.warc", "");
    check_explained(&usual, &nothing, "empty");
    put("a.css", "p { }");
    check_explained(&usual, &nothing, "no page was found in it");
    path = "/no/such/input";
    check_explained(&usual, &nothing, "cannot be opened: No such file or directory");
    nd_buffer_free(&text);
}

static void test_refused(void) {
    put("a.jsonl", "{\"raw\": \"some text\"}\n");
    nd_input_list list = {0};
    CU_ASSERT_EQUAL_FATAL(nd_input_list_resolve(&list, &path, 1), ND_OK);
    CU_ASSERT_EQUAL(nd_unused_inputs_refuse(&list, &usual), ND_ERR_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "no page was found where it was looked for: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--jsonl-text raw"));
    nd_input_list_free(&list);
}

/* Only memory that is lacking is a failure: any other is what is to be said of the input. */
static nd_status explain(void) {
    char reason[ND_UNUSED_SIZE];
    const nd_status st = nd_unused_input_explain(path, &usual, &lines, reason);
    CU_ASSERT(st == ND_OK || st == ND_ERR_MEMORY);
    if (st == ND_OK && strstr(reason, "--jsonl-text raw") == NULL) {
        return ND_ERR_INPUT; /* it could not be looked at again: nd_fail_text() has why */
    }
    return st;
}

static void test_failures(void) {
    put("a.jsonl", "{\"raw\": \"some text\"}\n");
    CU_ASSERT(nd_test_all_failures(explain, NULL) >= 5);
}

static const nd_test tests[] = {
    {"fields", test_fields},           {"fields that look like URLs", test_urls},
    {"many fields", test_many_fields}, {"others", test_others},
    {"refused", test_refused},         {"failures", test_failures}};
ND_SUITE(t_unused_input, tests)
