/* What a record unpacks to beyond the limit is not left out of it: the record is refused, once, as
 * a whole, and what follows it in members of their own is read. */
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

enum { CONTENT = 70 << 20 };

static void log_skip(void *context, uint64_t offset, const char *reason) {
    nd_test_print(context, "%llu %s\n", (unsigned long long)offset, reason);
}

/* \param[in] before, after  of so many blanks in one record
 * \param[in] good           a record after it, in a member of its own; "": none
 * \param[in] max_page       0: the usual one; else the record is longer than that, too */
static void check_refused(const char *name, const char *before, const char *after, const char *good,
                          uint64_t max_page) {
    nd_buffer content = {0};
    nd_buffer packed = {0};
    nd_buffer log = {0};
    nd_reader *reader = NULL;
    nd_record record;
    const nd_reader_options options = {
        .max_page_bytes = max_page, .skip = log_skip, .skip_context = &log};
    nd_buffer_reserve(&content, CONTENT + 1000);
    nd_buffer_append_text(&content, before);
    memset(content.data + content.size, ' ', CONTENT);
    content.size += CONTENT;
    nd_buffer_append_text(&content, after);
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&content));
    if (good[0] != '\0') {
        nd_test_pack(&packed, ND_TEST_GZIP, nd_test_span(good));
    }
    const char *path = nd_test_write(name, nd_buffer_span(&packed));
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, UINT64_MAX, &options, &reader), ND_OK);
    if (good[0] != '\0') {
        CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_OK);
        CU_ASSERT(record.text.size == 4 && memcmp(record.text.data, "good", 4) == 0);
    }
    CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_END);
    nd_reader_close(&reader);
    nd_buffer_append(&log, "", 1);
    CU_ASSERT_STRING_EQUAL((const char *)log.data,
                           max_page > 0
                               ? "0 page of more than 1048576 bytes, the limit (--max-page raises "
                                 "it)\n"
                               : "0 record that unpacks to more than 200 times its bytes, the "
                                 "limit (--max-expansion raises it)\n");
    nd_buffer_free(&content);
    nd_buffer_free(&packed);
    nd_buffer_free(&log);
}

static void test_page_file(void) {
    check_refused("x.html.gz", "<html>", "", "", 0);
}

static void test_line(void) {
    check_refused("x.jsonl.gz", "{\"text\":\"", "\"}\n", "", 0);
}

static void check_archive(const char *name, uint64_t max_page) {
    check_refused(name,
                  "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\n"
                  "Content-Type: text/plain\r\nContent-Length: 73400320\r\n\r\n",
                  "\r\n\r\n",
                  "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://b/\r\n"
                  "Content-Type: text/plain\r\nContent-Length: 4\r\n\r\ngood\r\n\r\n",
                  max_page);
}

static void test_archive(void) {
    check_archive("x.warc.gz", 0);
}

/* It is too long by its header, and while it is passed over it unpacks to too much. */
static void test_two_limits(void) {
    check_archive("y.warc.gz", 1 << 20);
}

/* ---- each limit by itself */

/* What reading this file gives: ids of pages and reasons of what is skipped, a line each. */
static void check_log(const char *name, nd_span bytes, const nd_reader_options *with,
                      const char *expected) {
    nd_buffer log = {0};
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_options options = *with;
    options.skip = log_skip;
    options.skip_context = &log;
    CU_ASSERT_EQUAL_FATAL(
        nd_reader_open(nd_test_write(name, bytes), "", 0, UINT64_MAX, &options, &reader), ND_OK);
    while (nd_reader_next(reader, &record) == ND_OK) {
        nd_test_print(&log, "%.*s\n", (int)record.id.size, (const char *)record.id.data);
    }
    nd_reader_close(&reader);
    nd_buffer_append(&log, "", 1);
    if (strcmp((const char *)log.data, expected) != 0) {
        printf("%s gives:\n%s", name, (const char *)log.data);
        CU_FAIL("limits");
    }
    nd_buffer_free(&log);
}

/* Values of JSON: those in strings are none. */
static void test_json_values(void) {
    enum { MEMORY = 64 << 20 };
    const nd_reader_options options = {.memory = MEMORY};
    const nd_record_limits limits = nd_record_limits_of(0, 0, MEMORY);
    const uint64_t most = limits.most[ND_LIMIT_JSON_VALUES];
    CU_ASSERT_FATAL(most < 1 << 22);
    for (int over = 0; over < 2; over++) {
        nd_buffer line = {0};
        nd_test_print(&line, "{\"id\":\"1\",\"text\":\"a,[{\\\",,\",\"n\":[1");
        for (uint64_t i = 4; i < most + (uint64_t)over; i++) {
            nd_buffer_append(&line, ",1", 2);
        }
        nd_test_print(&line, "]}\n{\"id\":\"2\",\"text\":\"b\"}\n");
        char expected[256];
        (void)snprintf(expected, sizeof expected,
                       over == 0 ? "1\n2\n"
                                 : "0 JSON line of more than %llu values, the limit for this "
                                   "memory (--memory 1024M takes more)\n2\n",
                       (unsigned long long)most);
        check_log("values.jsonl", nd_buffer_span(&line), &options, expected);
        nd_buffer_free(&line);
    }
}

static void test_json_depth(void) {
    const nd_reader_options options = {0};
    nd_buffer line = {0};
    const nd_record_limits limits = nd_record_limits_of(0, 0, 0);
    nd_test_print(&line, "{\"id\":\"1\",\"text\":\"a\",\"n\":");
    for (uint64_t i = 0; i < limits.most[ND_LIMIT_JSON_DEPTH]; i++) {
        nd_buffer_append(&line, "[", 1);
    }
    nd_test_print(&line, "\n{\"id\":\"2\",\"text\":\"b\"}\n");
    char expected[256];
    (void)snprintf(expected, sizeof expected,
                   "0 JSON line nested more than %llu deep, the limit\n2\n",
                   (unsigned long long)limits.most[ND_LIMIT_JSON_DEPTH]);
    check_log("deep.jsonl", nd_buffer_span(&line), &options, expected);
    nd_buffer_free(&line);
}

/* Bytes that are no UTF-8 take three in its place: then a page is too long that was not. */
static void test_text_as_utf8(void) {
    const nd_reader_options options = {.max_page_bytes = 100};
    static const char says[] = "0 page of more than 100 bytes, the limit (--max-page raises it)\n";
    char text[80];
    nd_buffer file = {0};
    memset(text, 0xff, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nd_test_print(&file, "{\"id\":\"1\",\"text\":\"%.70s\"}\n", text);
    check_log("bad.jsonl", nd_buffer_span(&file), &options, says);
    file.size = 0;
    nd_test_print(&file, "<html>%.70s", text);
    nd_buffer warc = {0};
    nd_test_warc_record(&warc, "resource", "http://a/", "urn:1", "text/html; charset=utf-8",
                        nd_buffer_span(&file));
    check_log("bad.warc", nd_buffer_span(&warc), &options, says);
    check_log("bad.html", nd_buffer_span(&file), &options, says);
    /* and so may another charset: a character of Latin 1 takes two */
    file.size = warc.size = 0;
    memset(text, 0xe9, sizeof text - 1);
    nd_test_print(&file, "<html>%.70s", text);
    nd_test_warc_record(&warc, "resource", "http://a/", "urn:1", "text/html; charset=iso-8859-1",
                        nd_buffer_span(&file));
    check_log("latin.warc", nd_buffer_span(&warc), &options, says);
    nd_buffer_free(&file);
    nd_buffer_free(&warc);
}

/* An HTTP body: its codings, what they unpack to, and its header. */
static void test_http(void) {
    const nd_reader_options options = {.max_page_bytes = 5000};
    nd_buffer block = {0}, warc = {0}, body = {0}, packed = {0};
    nd_test_http(&block, 200, "text/html", "Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\n",
                 nd_test_span("x"));
    nd_test_warc_record(&warc, "response", "http://a/", "urn:1", "application/http",
                        nd_buffer_span(&block));
    for (int i = 0; i < 600; i++) {
        nd_test_print(&body, "<p>some text");
    }
    nd_test_pack(&packed, ND_TEST_GZIP, nd_buffer_span(&body));
    block.size = 0;
    nd_test_http(&block, 200, "text/html", "Content-Encoding: gzip\r\n", nd_buffer_span(&packed));
    nd_test_warc_record(&warc, "response", "http://b/", "urn:2", "application/http",
                        nd_buffer_span(&block));
    nd_test_warc_record(&warc, "conversion", "http://c/", "urn:3", "text/plain",
                        nd_test_span("good"));
    check_log("codings.warc", nd_buffer_span(&warc), &options,
              "0 body in more than 4 content codings, the limit\n"
              "272 page of more than 5000 bytes, the limit (--max-page raises it)\nurn:3\n");
    nd_buffer_free(&block);
    nd_buffer_free(&warc);
    nd_buffer_free(&body);
    nd_buffer_free(&packed);
}

static const nd_test tests[] = {
    {"values of JSON", test_json_values},
    {"depth of JSON", test_json_depth},
    {"text as UTF-8", test_text_as_utf8},
    {"HTTP", test_http},

    {"page file", test_page_file},
    {"line", test_line},
    {"archive", test_archive},
    {"two limits", test_two_limits},
};
ND_SUITE(t_reader_limits, tests)
