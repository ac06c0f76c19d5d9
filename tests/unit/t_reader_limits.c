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
    CU_ASSERT_EQUAL_FATAL(nd_buffer_reserve(&content, CONTENT + 1000), ND_OK);
    (void)nd_buffer_append_text(&content, before);
    memset(content.data + content.size, ' ', CONTENT);
    content.size += CONTENT;
    (void)nd_buffer_append_text(&content, after);
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
    (void)nd_buffer_append(&log, "", 1);
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

static const nd_test tests[] = {
    {"page file", test_page_file},
    {"line", test_line},
    {"archive", test_archive},
    {"two limits", test_two_limits},
};
ND_TEST_MAIN("reader limits", tests)
