/* Records that are good but rare, or whose lengths are wrong: each costs itself alone. */
#include "io/input/archive_header.h"
#include "io/input/fields.h"
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void log_skip(void *context, uint64_t offset, const char *reason) {
    nd_test_print(context, "! %" PRIu64 " %s\n", offset, reason);
}

/* The pages of a source as lines of URL and text, and what is said of others. */
static void check_log(const char *name, const nd_buffer *file, const char *expected) {
    nd_buffer log = {0};
    nd_reader *reader = NULL;
    nd_record record;
    nd_status st = ND_OK;
    const nd_reader_options options = {.skip = log_skip, .skip_context = &log};
    const char *path = nd_test_write(name, nd_buffer_span(file));
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, file->size, &options, &reader), ND_OK);
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_test_print(&log, "%.*s %.*s\n", (int)record.url.size, (const char *)record.url.data,
                      (int)record.text.size, (const char *)record.text.data);
    }
    CU_ASSERT_EQUAL(st, ND_END);
    nd_buffer_append(&log, "", 1);
    CU_ASSERT_STRING_EQUAL((const char *)log.data, expected);
    nd_reader_close(&reader);
    nd_buffer_free(&log);
}

/* ARC's second version has more fields; a line that has not those of either begins no record. */
static void test_arc_versions(void) {
    static const char *const none[] = {
        "http://a/ 1.2.3.4 20200102030405 text/html x\n", /* no length */
        "http://a/ 1.2.3.4 2020 text/html 5\n",
        "http://a/ text/html\n",
        " 1.2.3.4 20200102030405 text/html 5\n",
        "http://a/ 1.2.3.4 20200102030405 text/html 5",
        "no scheme 1.2.3.4 20200102030405 text/html 5\n",
        ""};
    nd_buffer file = {0};
    nd_archive_header header;
    nd_test_print(&file, "filedesc://a 0.0.0.0 20200101000000 text/plain 200 - - 0 a.arc 2\n2\n\n");
    nd_test_print(&file,
                  "http://a/ 1.2.3.4 20200102030405 text/html 200 sha1 http://b/ 0 a.arc 41\n"
                  "HTTP/1.1 200\r\nContent-Type:text/html\r\n\r\nx\n");
    nd_test_arc_record(&file, "http://b/", "text/html",
                       nd_test_span("HTTP/1.1 200\r\nContent-Type:text/html\r\n\r\ny"));
    check_log("2.arc", &file, "http://a/ x\nhttp://b/ y\n");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CU_ASSERT_FALSE(nd_arc_begins(nd_test_span(none[i])));
    }
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[0]), &header), ND_OK);
    CU_ASSERT_STRING_EQUAL(header.fault, "ARC header whose length is no number");
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[2]), &header), ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[4]), &header), ND_END);
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[5]), &header), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(nd_arc_may_begin(nd_test_span(none[0])));
    CU_ASSERT_FALSE(nd_arc_may_begin(nd_test_span(none[4]))); /* nothing comes after it */
    CU_ASSERT_FALSE(nd_arc_may_begin(nd_test_span(none[5])));
    nd_buffer_free(&file);
}

/* Blanks in the URL and in the media type, none there, a type that is missing, addresses of any
 * form: what stands where is known by the date. */
static void test_arc_blanks(void) {
    static const struct {
        const char *line, *url, *type;
    } lines[] = {
        {"http://a/ 1.2.3.4 20040925001013 text/html 7", "http://a/", "text/html"},
        {"http://a/ 1.2.3.4 20040925001013 text/html; charset=utf-8 7", "http://a/",
         "text/html; charset=utf-8"},
        {"http://a/ 1.2.3.4 20040925001013 text/html, application/x-javascript 7", "http://a/",
         "text/html, application/x-javascript"},
        {"http://a/ 1.2.3.4 20040925001013 a b c d e f g h 7", "http://a/", "a b c d e f g h"},
        {"http://a/ 1.2.3.4 20040925001013  7", "http://a/", ""},
        {"http://a/ 1.2.3.4 20040925001013 7", "http://a/", ""},
        {"http://a/ 1.2.3.4 20040925001013   7", "http://a/", ""},
        {"http://a/b c 1.2.3.4 20040925001013 text/html; x 7", "http://a/b c", "text/html; x"},
        {"http://a/20040925001012 1.2.3.4 20040925001013 a 7", "http://a/20040925001012", "a"},
        {"http://a/? 20040925001012 1.2.3.4 20040925001013 a 7", "http://a/? 20040925001012", "a"},
        {"http://a/ ::1 20040925001013 text/html; charset=x 7", "http://a/",
         "text/html; charset=x"},
        {"http://a/ - 20040925001013 text/html; charset=x 7", "http://a/", "text/html; charset=x"},
        {"http://a/ host 20040925001013 text/html 7", "http://a/", "text/html"},
        {"http://a/ 1.2.3.4 20040925001013 a; b 200 sha1 - 5 a.arc 7", "http://a/", "a; b"},
        {"http://a/ 1.2.3.4 20040925001013  200 - - 0 a.arc 7", "http://a/", ""}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        nd_buffer line = {0};
        nd_archive_header header;
        nd_test_print(&line, "%s\n", lines[i].line);
        CU_ASSERT_EQUAL(nd_arc_parse(nd_buffer_span(&line), &header), ND_OK);
        CU_ASSERT(header.length == 7 && header.fault == NULL);
        CU_ASSERT_EQUAL(nd_date_read(header.date), 1096071013);
        CU_ASSERT(header.url.size == strlen(lines[i].url) &&
                  memcmp(header.url.data, lines[i].url, header.url.size) == 0);
        CU_ASSERT(header.content_type.size == strlen(lines[i].type) &&
                  (header.content_type.size == 0 ||
                   memcmp(header.content_type.data, lines[i].type, header.content_type.size) == 0));
        CU_ASSERT_TRUE(nd_arc_begins(nd_buffer_span(&line)));
        nd_buffer_free(&line);
    }
}

/* A record of which nothing says what it is is named, and costs no other. */
static void test_no_type(void) {
    nd_buffer file = {0};
    static const char block[] = "HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\nx";
    nd_test_warc_record(&file, "response", "http://a/", "1", "application/http",
                        nd_test_span(block));
    for (int i = 0; i < 2; i++) {
        nd_test_print(&file,
                      "WARC/1.0\r\n%sWARC-Target-URI: http://b/\r\nContent-Length: %zu\r\n\r\n"
                      "%s\r\n\r\n",
                      i == 0 ? "" : "WARC-Type: \r\n", strlen(block), block);
    }
    nd_test_warc_record(&file, "response", "http://c/", "1", "application/http",
                        nd_test_span(block));
    check_log("typeless.warc", &file,
              "http://a/ x\n! 213 WARC header without WARC-Type\n! 319 WARC header without "
              "WARC-Type\nhttp://c/ x\n");
    nd_buffer_free(&file);
}

/* A block that is not there, is said to be longer than any file, or has a header without end. */
static void test_odd_lengths(void) {
    enum { LONG = 1100 << 10 };
    nd_buffer file = {0}, record = {0}, good = {0};
    nd_test_warc_record(&good, "conversion", "http://a/", "2", "text/plain", nd_test_span("two"));
    nd_test_print(&record, "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <1>\r\n"
                           "Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n");
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&good));
    check_log("none.warc.gz", &file, "! 0 record is cut off after its header\nhttp://a/ two\n");
    file.size = record.size = 0;
    nd_test_print(
        &record,
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <1>\r\n"
        "Content-Type: text/plain\r\nContent-Length: 18446744073709551615\r\n\r\nx\r\n\r\n");
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&record));
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&good));
    check_log("past.warc", &file,
              "! 0 record is cut off: 1 of 18446744073709551615 bytes are there\n"
              " x\nhttp://a/ two\n");
    file.size = 0;
    nd_test_print(&file, "WARC/1.0\r\nWARC-Type: conversion\r\nX: ");
    nd_buffer_reserve(&file, LONG);
    memset(file.data + file.size, 'x', LONG);
    file.size += LONG;
    nd_test_print(&file, "\r\nContent-Length: 1\r\n\r\nx\r\n\r\n");
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&good));
    check_log("long.warc", &file,
              "! 0 record header of more than 1048576 bytes, the limit\nhttp://a/ two\n");
    nd_buffer_free(&file);
    nd_buffer_free(&record);
    nd_buffer_free(&good);
}

static const nd_test tests[] = {{"versions of ARC", test_arc_versions},
                                {"blanks of ARC", test_arc_blanks},
                                {"no type", test_no_type},
                                {"odd lengths", test_odd_lengths}};
ND_SUITE(t_odd_records, tests)
