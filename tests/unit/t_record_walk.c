/* Walks over records, where the memory is limited. */
#include "io/input/records.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>

static const nd_reader_options no_bound = {.memory = 0};

/* Walk over a source until a page is met, at that place; or past all that is in it.
 * \param[in] kind  what is to be there */
static nd_status walk_to(const char *path, const nd_reader_options *options, uint64_t page,
                         nd_walked_kind kind) {
    nd_status st = ND_OK;
    nd_walk *walk = NULL;
    nd_walked walked = {.begin = UINT64_MAX};
    ND_TRY(nd_walk_open(path, options, &walk));
    while (st == ND_OK && walked.begin != page) {
        st = nd_walk_next(walk, page, &walked);
    }
    CU_ASSERT_TRUE(st != ND_OK || walked.kind == kind);
out:
    nd_walk_close(&walk);
    return st;
}

/* The second record's frame asks for a window that the memory cannot hold. */
static void test_window(void) {
    nd_buffer file = {0};
    nd_buffer record = {0};
    const nd_reader_options options = {.memory = 64 << 20};
    nd_test_warc_record(&record, "conversion", "http://c/", "urn:c", "text/plain",
                        nd_test_span("text"));
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    const size_t page = file.size;
    nd_test_pack(&file, ND_TEST_ZSTD, nd_buffer_span(&record));
    CU_ASSERT_EQUAL(file.data[page + 4], 0x20); /* one segment: the byte after it is the size */
    file.data[page + 4] = 0;                    /* several: it is the window */
    file.data[page + 5] = (26 - 10) << 3;
    const char *path = nd_test_write("window.warc.zst", nd_buffer_span(&file));
    CU_ASSERT_EQUAL(walk_to(path, &options, page, ND_WALKED_RECORD), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(nd_fail_text(), "cannot be read again: zstd frame with a window"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--memory 1024M takes more"));
    CU_ASSERT_EQUAL(walk_to(path, &no_bound, page, ND_WALKED_RECORD), ND_OK);
    nd_buffer_free(&file);
    nd_buffer_free(&record);
}

/* A line that the memory cannot hold is none of a walk's pages: where the run had one, this is said
 * with the cure. */
static void test_line(void) {
    enum { LINE = 3 << 19, NEXT = LINE + 10 };
    nd_buffer file = {0};
    const nd_reader_options options = {.memory = 12 << 20};
    nd_test_print(&file, "{\"text\":\"%*s\"}\n", 1, "x");
    const size_t page = file.size;
    nd_buffer_append_text(&file, "{\"text\":\"");
    nd_buffer_reserve(&file, NEXT);
    memset(file.data + file.size, 'x', LINE);
    file.size += LINE;
    nd_buffer_append_text(&file, "\"}\n");
    const char *path = nd_test_write("line.jsonl", nd_buffer_span(&file));
    CU_ASSERT_EQUAL(walk_to(path, &options, page, ND_WALKED_RECORD), ND_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(nd_fail_text(), "cannot be read again: page of more than 1048576"));
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "--memory 1536M takes what --max-page allows"));
    CU_ASSERT_EQUAL(walk_to(path, &options, UINT64_MAX - 1, 0), ND_END); /* passed over */
    CU_ASSERT_EQUAL(walk_to(path, &no_bound, page, ND_WALKED_RECORD), ND_OK);
    nd_buffer_free(&file);
}

/* What a source is, by its content; one that no run reads is a file, as a page in one is. */
static void test_kinds(void) {
    static const struct {
        const char *name, *text;
        nd_walk_form form;
        bool archive, warc, jsonl;
    } kinds[] = {
        {"a.warc", "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
         ND_WALK_RAW, true, true, false},
        {"a.arc", "filedesc://a 0.0.0.0 20200101000000 text/plain 5\n1 0 x\n", ND_WALK_RAW, true,
         false, false},
        {"a.jsonl", "{\"text\":\"a\"}\n", ND_WALK_RAW, false, false, true},
        {"a.html", "<html>a", ND_WALK_FILE, false, false, false},
        {"a.png", "\x89PNG\r\n\x1a\n", ND_WALK_FILE, false, false, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nd_walk *walk = NULL;
        const char *path = nd_test_write(kinds[i].name, nd_test_span(kinds[i].text));
        CU_ASSERT_EQUAL_FATAL(nd_walk_open(path, &no_bound, &walk), ND_OK);
        if (nd_walk_form_of(walk) != kinds[i].form ||
            nd_walk_is_archive(walk) != kinds[i].archive ||
            nd_walk_is_warc(walk) != kinds[i].warc || nd_walk_is_jsonl(walk) != kinds[i].jsonl ||
            nd_walk_codec(walk) != ND_CODEC_PLAIN) {
            printf("%s\n", kinds[i].name);
            CU_FAIL("kind");
        }
        nd_walk_close(&walk);
    }
}

/* A companion names the record of its capture as one that was captured with it, or else as the one
 * that it refers to; what a page refers to is of another capture. */
static void test_companions(void) {
    static const struct {
        const char *type, *names, *with;
    } records[] = {
        {"conversion", "WARC-Refers-To: <urn:r>\r\n", ""},
        {"metadata", "WARC-Refers-To: <urn:r>\r\n", "urn:r"},
        {"request", "WARC-Refers-To: <urn:r>\r\nWARC-Concurrent-To: <urn:c>\r\n", "urn:c"},
        {"metadata", "", ""},
    };
    enum { RECORDS = sizeof records / sizeof records[0] };
    nd_buffer file = {0};
    nd_walk *walk = NULL;
    nd_walked walked;
    for (size_t i = 0; i < RECORDS; i++) {
        nd_test_print(&file, "WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: 1\r\n\r\nx\r\n\r\n",
                      records[i].type, records[i].names);
    }
    const char *path = nd_test_write("companions.warc", nd_buffer_span(&file));
    CU_ASSERT_EQUAL_FATAL(nd_walk_open(path, &no_bound, &walk), ND_OK);
    for (size_t i = 0; i < RECORDS; i++) {
        CU_ASSERT_EQUAL_FATAL(nd_walk_next(walk, UINT64_MAX, &walked), ND_OK);
        CU_ASSERT_EQUAL(walked.kind, i == 0 ? ND_WALKED_RECORD : ND_WALKED_COMPANION);
        const nd_span with = nd_test_span(records[i].with);
        CU_ASSERT_EQUAL(walked.with.size, with.size);
        CU_ASSERT_TRUE(with.size == 0 || memcmp(walked.with.data, with.data, with.size) == 0);
    }
    CU_ASSERT_EQUAL(nd_walk_next(walk, UINT64_MAX, &walked), ND_END);
    nd_walk_close(&walk);
    nd_buffer_free(&file);
}

static const nd_test tests[] = {{"kinds", test_kinds},
                                {"companions", test_companions},
                                {"window", test_window},
                                {"line", test_line}};
ND_SUITE(t_record_walk, tests)
