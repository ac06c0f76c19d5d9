/* Records of archives: their headers, where they begin and end. */
#include "io/input/archive_header.h"
#include "io/input/fields.h"
#include "io/input/reader.h"
#include "io/input/record_limits.h"
#include "tests/support/check.h"
#include "tests/support/sources.h"

#include <time.h>

/* ---- Which record a request or a metadata record is of. */

static nd_capture_names names(const char *id, const char *url, const char *with) {
    return nd_capture_names_of(nd_test_span(id), nd_test_span(url), nd_test_span(with));
}

ND_TEST("sides") {
    const nd_capture_names before = names("b", "u", "");
    const nd_capture_names after = names("a", "v", "");
    const nd_capture_names same = names("s", "u", "");
    const nd_capture_names names_q = names("n", "w", "q");
    const struct {
        nd_capture_names companion;
        const nd_capture_names *before, *after;
        nd_capture_side side;
    } cases[] = {
        {names("q", "", "b"), &before, &after, ND_CAPTURE_BEFORE},
        {names("q", "", "a"), &before, &after, ND_CAPTURE_AFTER},
        {names("q", "u", "a"), &before, &after, ND_CAPTURE_AFTER}, /* a name before a URL */
        {names("q", "u", ""), &before, &names_q, ND_CAPTURE_AFTER},
        {names("q", "v", ""), &names_q, &after, ND_CAPTURE_BEFORE},
        {names("q", "u", ""), &before, &after, ND_CAPTURE_BEFORE},
        {names("q", "v", ""), &before, &after, ND_CAPTURE_AFTER},
        {names("q", "u", ""), &before, &same, ND_CAPTURE_BEFORE},
        {names("q", "u", "s"), &before, &same, ND_CAPTURE_AFTER},
        {names("q", "x", "y"), &before, &after, ND_CAPTURE_NONE},
        {names("", "", ""), &before, &after, ND_CAPTURE_NONE},
        {names("q", "u", ""), NULL, &after, ND_CAPTURE_NONE},
        {names("q", "u", ""), NULL, &same, ND_CAPTURE_AFTER},
        {names("q", "v", "b"), &before, NULL, ND_CAPTURE_BEFORE},
        {names("q", "v", "a"), NULL, NULL, ND_CAPTURE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_EQUAL(nd_capture_side_of(&cases[i].companion, cases[i].before, cases[i].after),
                        cases[i].side);
    }
    const nd_capture_names none = names("", "", "");
    CU_ASSERT_EQUAL(nd_capture_side_of(&none, &none, &none), ND_CAPTURE_NONE);
}

/* Keys of one name in two kinds, and of a place at two times, are others; what is missing has none.
 */
ND_TEST("keys") {
    const nd_span a = nd_test_span("a"), none = nd_test_span("");
    const uint64_t keys[] = {nd_capture_id_key(a), nd_capture_place_key(a, 1),
                             nd_capture_place_key(a, 2), nd_capture_payload_key(a),
                             nd_capture_id_key(nd_test_span("A"))};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    for (size_t i = 0; i < KEYS; i++) {
        CU_ASSERT_NOT_EQUAL(keys[i], 0);
        for (size_t j = 0; j < i; j++) {
            CU_ASSERT_NOT_EQUAL(keys[i], keys[j]);
        }
    }
    CU_ASSERT_EQUAL(nd_capture_payload_key(nd_test_span("sha1:aB")),
                    nd_capture_payload_key(nd_test_span("SHA1:Ab")));
    CU_ASSERT_NOT_EQUAL(nd_capture_payload_key(nd_test_span("a1")),
                        nd_capture_payload_key(nd_test_span("b1"))); /* the first byte counts */
    char long_digest[300] = "";
    memset(long_digest, 'a', 256);
    CU_ASSERT_NOT_EQUAL(nd_capture_payload_key(nd_test_span(long_digest)), 0);
    long_digest[256] = 'a'; /* no digest is so long */
    CU_ASSERT_EQUAL(nd_capture_payload_key(nd_test_span(long_digest)), 0);
    CU_ASSERT_EQUAL(nd_capture_id_key(none) | nd_capture_place_key(none, 1) |
                        nd_capture_place_key(a, 0) | nd_capture_payload_key(none),
                    0);
}

/* ---- Dates as inputs write them: every form, what is none, random ones against the C library's
 * calendar, and that readers hand them on. */

static void check(const char *text, uint64_t seconds) {
    const uint64_t got = nd_date_read(nd_test_span(text));
    if (got != seconds) {
        printf("%s: %llu, not %llu\n", text, (unsigned long long)got, (unsigned long long)seconds);
        CU_FAIL("date");
    }
}

ND_TEST("every form") {
    check("2024-02-29T12:34:56Z", 1709210096);
    check("2024-02-29t12:34:56z", 1709210096);
    check(" 2024-02-29 12:34:56 ", 1709210096);
    check("2024-02-29T12:34:56.789123Z", 1709210096);
    check("2024-02-29T13:34:56+01:00", 1709210096);
    check("2024-02-29T13:34:56 +0100", 1709210096);
    check("2024-02-29T04:34:56-08", 1709210096);
    check("2024-02-29T12:34Z", 1709210040);
    check("2024-02-29", 1709164800);
    check("2024-02", 1706745600);
    check("2024", 1704067200);
    check("20240229123456", 1709210096);
    check("202402291234", 1709210040);
    check("20240229", 1709164800);
    check("1709210096", 1709210096);
    check("1709210096.25", 1709210096);
    check("999999999", 999999999);
    check("2016-12-31T23:59:60Z", 1483228800);
    check("9999-12-31T23:59:59Z", ND_LAST_DATE);
    check("1970-01-01T00:00:01Z", 1);
}

ND_TEST("what is no date") {
    const char *texts[64];
    const size_t count = ND_TEST_LIST(
        "|-|yesterday|2024-|2024-0|2024-01-|2024-01-0|2024-01-01T|2024-01-01T1|2024-01-01T12:|"
        "2024-01-01T12:3|2024-01-01T12:30:|2024-01-01T12:30:5|2024-01-01T12:30:00+24:00|"
        "2024-01-01T12:30:00+01:60|2024-01-01T12:30:00+01:5|2024-01-01T12:30:00+01:000|2024/01/01|"
        "1709210096.x|999999999999|2024-02-30|2023-02-29|2024-13-01|2024-00-01|2024-01-00|"
        "2024-1-1|2024-01-01T24:00:00Z|2024-01-01T12|2024-01-01T12:60Z|2024-01-01T12:00:61Z|"
        "2024-01-01T12:00:00X|2024-01-01T12:00:00+1|2024-01-01T12:00:00Z!|1969-12-31T23:59:59Z|"
        "1970-01-01T00:30:00+01:00|9999-12-31T23:59:59-01:00|1900-02-29|12345|1234567|"
        "0000000000000000000000000000|17092100961709210096|17092100960000|20241301|"
        "2024-01-01T12:00:00+24:00",
        texts);
    for (size_t i = 0; i < count; i++) {
        check(texts[i], 0);
    }
}

ND_TEST("random dates, by the calendar") {
    nd_random random = nd_test_random("dates");
    for (int i = 0; i < 200000; i++) {
        char text[64];
        struct tm parts;
        const time_t seconds = (time_t)(1 + nd_random_below(&random, ND_LAST_DATE));
        (void)gmtime_r(&seconds, &parts);
        (void)strftime(text, sizeof text, i % 2 == 0 ? "%Y-%m-%dT%H:%M:%SZ" : "%Y%m%d%H%M%S",
                       &parts);
        check(text, (uint64_t)seconds);
    }
}

/* The dates of a file's pages, in their order. */
static void check_pages(const char *name, const nd_buffer *file, const char *field,
                        const uint64_t *dates, size_t count) {
    const nd_reader_options options = {.jsonl_date = field};
    ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
    nd_record record;
    size_t pages = 0;
    const char *path = nd_test_write(name, nd_buffer_span(file));
    ND_TEST_MUST(nd_reader_open(path, "", 0, file->size, &options, &reader));
    while (nd_reader_next(reader, &record) == ND_OK && pages < count) {
        CU_ASSERT_EQUAL(record.date, dates[pages]);
        pages++;
    }
    CU_ASSERT_EQUAL(pages, count);
}

ND_TEST("dates of records") {
    static const char http[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text";
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    /* a line that begins with a space or a tab goes on with the one before */
    const char *const dates[] = {"WARC-Date: 2024-02-29T12:34:56Z\r\n",
                                 "",
                                 "warc-date: soon\r\n",
                                 "WARC-Date:\r\n\t2024-02-29T12:34:56Z\r\n",
                                 "WARC-Date:\r\n 2024-02-29T12:34:56Z\r\n",
                                 "WARC-Date:\r\nX\t2024-02-29T12:34:56Z\r\nX 1999\r\n"};
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        nd_test_print(&file,
                      "WARC/1.0\r\nWARC-Type: response\r\n%sWARC-Target-URI: http://a/\r\n"
                      "WARC-Record-ID: <urn:%zu>\r\nContent-Length: %zu\r\n\r\n%s\r\n\r\n",
                      dates[i], i, strlen(http), http);
    }
    check_pages("date.warc", &file, NULL,
                (const uint64_t[]){1709210096, 0, 0, 1709210096, 1709210096, 0}, 6);
    file.size = 0;
    nd_test_print(&file, "http://a/ 1.2.3.4 20240229123456 text/html %zu\n%s\n", strlen(http),
                  http);
    check_pages("date.arc", &file, NULL, (const uint64_t[]){1709210096}, 1);
    file.size = 0;
    nd_test_print(&file, "{\"text\":\"a\",\"when\":\"2024-02-29T12:34:56Z\"}\n"
                         "{\"text\":\"a\",\"when\":1709210096}\n"
                         "{\"text\":\"a\",\"when\":1709210096.5}\n"
                         "{\"text\":\"a\",\"when\":[1]}\n{\"text\":\"a\"}\n");
    check_pages("date.jsonl", &file, "when",
                (const uint64_t[]){1709210096, 1709210096, 1709210096, 0, 0}, 5);
    check_pages("date.jsonl", &file, NULL, (const uint64_t[]){0, 0, 0, 0, 0}, 5);
}

/* ---- Records that are good but rare, or whose lengths are wrong: each costs itself alone. */

/* The pages of a source as lines of URL and text, and what is said of others. */
static void check_odd(const char *name, const nd_buffer *file, const char *expected) {
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_TRUE(nd_test_logs(name, nd_buffer_span(file), NULL, "ut", expected, &log));
}

/* ARC's second version has more fields; a line that has not those of either begins no record. */
ND_TEST("versions of ARC") {
    static const char *const none[] = {
        "http://a/ 1.2.3.4 20200102030405 text/html x\n", /* no length */
        "http://a/ 1.2.3.4 2020 text/html 5\n",
        "http://a/ text/html\n",
        " 1.2.3.4 20200102030405 text/html 5\n",
        "http://a/ 1.2.3.4 20200102030405 text/html 5",
        "no scheme 1.2.3.4 20200102030405 text/html 5\n",
        ""};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    nd_archive_header header;
    nd_test_print(&file, "filedesc://a 0.0.0.0 20200101000000 text/plain 200 - - 0 a.arc 2\n2\n\n");
    nd_test_print(&file,
                  "http://a/ 1.2.3.4 20200102030405 text/html 200 sha1 http://b/ 0 a.arc 41\n"
                  "HTTP/1.1 200\r\nContent-Type:text/html\r\n\r\nx\n");
    nd_test_arc_record(&file, "http://b/", "text/html",
                       nd_test_span("HTTP/1.1 200\r\nContent-Type:text/html\r\n\r\ny"));
    check_odd("2.arc", &file, "http://a/ x\nhttp://b/ y\n");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CU_ASSERT_FALSE(nd_arc_begins(nd_test_span(none[i])));
    }
    ND_TEST_OK(nd_arc_parse(nd_test_span(none[0]), &header));
    CU_ASSERT_STRING_EQUAL(header.fault, "ARC header whose length is no number");
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[2]), &header), ND_ERR_FORMAT);
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[4]), &header), ND_END);
    CU_ASSERT_EQUAL(nd_arc_parse(nd_test_span(none[5]), &header), ND_ERR_FORMAT);
    CU_ASSERT_TRUE(nd_arc_may_begin(nd_test_span(none[0])));
    CU_ASSERT_FALSE(nd_arc_may_begin(nd_test_span(none[4]))); /* nothing comes after it */
    CU_ASSERT_FALSE(nd_arc_may_begin(nd_test_span(none[5])));
}

/* Blanks in the URL and in the media type, none there, a type that is missing, addresses of any
 * form: what stands where is known by the date. */
ND_TEST("blanks of ARC") {
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
        ND_OWNED(nd_buffer_free) nd_buffer line = {0};
        nd_archive_header header;
        nd_test_print(&line, "%s\n", lines[i].line);
        ND_TEST_OK(nd_arc_parse(nd_buffer_span(&line), &header));
        CU_ASSERT(header.length == 7 && header.fault == NULL);
        CU_ASSERT_EQUAL(nd_date_read(header.date), 1096071013);
        CU_ASSERT(nd_test_is(header.url, lines[i].url));
        CU_ASSERT(nd_test_is(header.content_type, lines[i].type));
        CU_ASSERT_TRUE(nd_arc_begins(nd_buffer_span(&line)));
    }
}

/* A record of which nothing says what it is is named, and costs no other. */
ND_TEST("no type") {
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
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
    check_odd("typeless.warc", &file,
              "http://a/ x\n! 213 WARC header without WARC-Type\n! 319 WARC header without "
              "WARC-Type\nhttp://c/ x\n");
}

/* A block that is not there, is said to be longer than any file, or has a header without end. */
ND_TEST("odd lengths") {
    enum { LONG = 1100 << 10 };
    ND_OWNED(nd_buffer_free) nd_buffer file = {0}, record = {0}, good = {0};
    nd_test_warc_record(&good, "conversion", "http://a/", "2", "text/plain", nd_test_span("two"));
    nd_test_print(&record, "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <1>\r\n"
                           "Content-Type: text/plain\r\nContent-Length: 10\r\n\r\n");
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&good));
    check_odd("none.warc.gz", &file, "! 0 record is cut off after its header\nhttp://a/ two\n");
    file.size = record.size = 0;
    nd_test_print(
        &record,
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <1>\r\n"
        "Content-Type: text/plain\r\nContent-Length: 18446744073709551615\r\n\r\nx\r\n\r\n");
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&record));
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&good));
    check_odd("past.warc", &file,
              "! 0 record is cut off: 1 of 18446744073709551615 bytes are there\n"
              " x\nhttp://a/ two\n");
    file.size = 0;
    nd_test_print(&file, "WARC/1.0\r\nWARC-Type: conversion\r\nX: ");
    nd_buffer_reserve(&file, LONG);
    memset(file.data + file.size, 'x', LONG);
    file.size += LONG;
    nd_test_print(&file, "\r\nContent-Length: 1\r\n\r\nx\r\n\r\n");
    nd_test_pack(&file, ND_TEST_PLAIN, nd_buffer_span(&good));
    check_odd("long.warc", &file,
              "! 0 record header of more than 1048576 bytes, the limit\nhttp://a/ two\n");
}

/* ---- The limits of a record: their defaults, what little memory makes of them, and the words. */

static void check_refusal(const nd_record_limits *limits, nd_record_limit limit, const char *text) {
    char refusal[256];
    CU_ASSERT_STRING_EQUAL(nd_record_limits_refuse(limits, limit, refusal, sizeof refusal), text);
}

/* Without a bound on the memory, and from 2 GiB on, the limits are those of the list. */
ND_TEST("defaults") {
    const nd_record_limits none = nd_record_limits_of(0, 0, 0);
    const nd_record_limits enough = nd_record_limits_of(0, 0, UINT64_C(2) << 30);
    for (size_t i = 0; i < ND_LIMITS; i++) {
        CU_ASSERT_EQUAL(none.most[i], enough.most[i]);
        CU_ASSERT_FALSE(enough.by_memory[i]);
        CU_ASSERT_TRUE(none.most[i] > 0);
    }
    CU_ASSERT_EQUAL(none.most[ND_LIMIT_PAGE], 128 << 20);
    CU_ASSERT_EQUAL(none.most[ND_LIMIT_EXPANSION], 200);
}

ND_TEST("what memory allows") {
    static const uint64_t least[ND_LIMITS] = {
        [ND_LIMIT_PAGE] = 1 << 20,      [ND_LIMIT_TOKENS] = 64 << 10,
        [ND_LIMIT_SENTENCES] = 8 << 10, [ND_LIMIT_JSON_VALUES] = 4 << 10,
        [ND_LIMIT_WINDOW] = 8 << 20,
    };
    const nd_record_limits usual = nd_record_limits_of(0, 0, 0);
    const nd_record_limits fewest = nd_record_limits_of(0, 0, 1);
    for (size_t i = 0; i < ND_LIMITS; i++) {
        CU_ASSERT_EQUAL(fewest.most[i], least[i] > 0 ? least[i] : usual.most[i]);
    }
    const nd_record_limits small = nd_record_limits_of(0, 0, 240 << 20);
    CU_ASSERT_EQUAL(small.most[ND_LIMIT_PAGE], 20 << 20);
    CU_ASSERT_TRUE(small.by_memory[ND_LIMIT_PAGE]);
    check_refusal(
        &small, ND_LIMIT_PAGE,
        "page of more than 20971520 bytes, the limit for this memory (--memory 1536M takes "
        "what --max-page allows)");
    const nd_record_limits asked = nd_record_limits_of(10 << 20, 7, 240 << 20);
    CU_ASSERT_FALSE(asked.by_memory[ND_LIMIT_PAGE]);
    check_refusal(&asked, ND_LIMIT_PAGE,
                  "page of more than 10485760 bytes, the limit (--max-page raises it)");
    check_refusal(&asked, ND_LIMIT_EXPANSION,
                  "record that unpacks to more than 7 times its bytes, the limit (--max-expansion "
                  "raises it)");
    check_refusal(&asked, ND_LIMIT_CODINGS, "body in more than 4 content codings, the limit");
    /* offsets in a page fit 32 bits, whatever is asked for */
    CU_ASSERT_EQUAL(nd_record_limits_of(UINT64_C(1) << 40, 0, 0).most[ND_LIMIT_PAGE], 1 << 30);
}

/* ---- Where records end whose lengths are wrong, and where the next ones begin. */

/* The pages of a source as lines of id and text, and what is said of others. */
static void check_framed(const char *name, nd_span bytes, const char *expected, uint64_t gaps) {
    ND_OWNED(nd_test_log_free) nd_test_log log;
    CU_ASSERT_TRUE(nd_test_logs(name, bytes, NULL, "it", expected, &log));
    CU_ASSERT_EQUAL(log.counts.gaps, gaps);
}

/* A record cut off gives what is there, and this is told; too long a length swallows no other. */
ND_TEST("cut records") {
    static const char cut[] =
        "1 one\n! %zu record is cut off: 7 of 10 bytes are there\n2 0123456\n";
    ND_OWNED(nd_buffer_free) nd_buffer warc = {0};
    ND_OWNED(nd_buffer_free) nd_buffer gzip = {0};
    char expected[200];
    nd_test_warc_record(&warc, "conversion", "http://a/", "1", "text/plain", nd_test_span("one"));
    const size_t first = warc.size;
    nd_test_pack(&gzip, ND_TEST_GZIP, nd_buffer_span(&warc));
    const size_t second = gzip.size;
    nd_test_warc_record(&warc, "conversion", "http://a/", "2", "text/plain",
                        nd_test_span("0123456789"));
    nd_test_pack(&gzip, ND_TEST_GZIP_STORED, (nd_span){warc.data + first, warc.size - first});
    (void)snprintf(expected, sizeof expected, cut, first);
    check_framed("cut.warc", (nd_span){warc.data, warc.size - 7}, expected, 1);
    (void)snprintf(expected, sizeof expected, cut, second);
    check_framed("cut.warc.gz", (nd_span){gzip.data, gzip.size - 8 - 7}, expected, 1);
    uint8_t *length = (uint8_t *)strstr((char *)warc.data, "Length: 3") + strlen("Length: ");
    *length = '9';
    check_framed("long.warc", nd_buffer_span(&warc),
                 "! 0 record is cut off: 3 of 9 bytes are there\n1 one\n2 0123456789\n", 1);
    *length = '1'; /* too short: what follows belongs to no record */
    (void)snprintf(expected, sizeof expected,
                   "1 o\n! %zu no record starts where one should: 6 bytes passed over\n"
                   "2 0123456789\n",
                   first - strlen("ne\r\n\r\n"));
    check_framed("short.warc", nd_buffer_span(&warc), expected, 1);
}

/* ---- torn archives, in each form */

enum { WORDS = 200, ALL = -1, LAST = ND_TORN_RECORDS - 1, MIDDLE = 5 };

/* Where an edit is made: from the end of a record's block on, or from the end of a field's name. */
typedef struct variant {
    const char *name;
    const char *field; /* NULL: at the end of the block */
    size_t at, removed;
    const char *put_in;
    size_t put_size;
    bool is_wanted, is_told;
} variant;
#define PUT(text) text, sizeof(text) - 1
static size_t place_of(const nd_torn_record *r, const variant *v) {
    size_t at = 0;
    while (v->field != NULL && at + strlen(v->field) < r->bytes.size &&
           memcmp(r->bytes.data + at, v->field, strlen(v->field)) != 0) {
        at++;
    }
    return (v->field == NULL ? r->block_end : at + strlen(v->field)) + v->at;
}

/* Pack the source in each form, and read it back. */
static void check_forms(const char *name, nd_torn_source *source, bool told) {
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        ND_OWNED(nd_buffer_free) nd_buffer file = {0};
        char path_name[64];
        nd_torn_pack(source, form, &file);
        (void)snprintf(path_name, sizeof path_name, "torn%s", nd_torn_ending(form, source->arc));
        const char *path = nd_test_write(path_name, nd_buffer_span(&file));
        const char *broken = nd_torn_check(source, path, file.size, told);
        if (broken != NULL) {
            printf("%s, form %d: %s\n", name, (int)form, broken);
        }
        CU_ASSERT_PTR_NULL(broken);
    }
}

static void check_variant(const variant *v, bool arc, int record) {
    static const char *const where[] = {"all", "first", "middle", "last"};
    nd_random random = {7};
    ND_OWNED(nd_torn_free) nd_torn_source source;
    char name[200];
    nd_torn_make(&source, arc, WORDS, &random);
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        if (record == ALL || i == (size_t)record) {
            const nd_span put = {(const uint8_t *)v->put_in, v->put_size};
            nd_torn_edit(&source, i, place_of(&source.records[i], v), v->removed, put);
            source.records[i].is_wanted = v->is_wanted;
        }
    }
    (void)snprintf(name, sizeof name, "%s, %s: %s", arc ? "ARC" : "WARC",
                   where[record == ALL    ? 0
                         : record == 0    ? 1
                         : record == LAST ? 3
                                          : 2],
                   v->name);
    check_forms(name, &source, v->is_told);
}

/* Each at one place, or at all. */
static void check_variants(const char *name, const variant *variants, size_t count, bool arc) {
    static const int places[] = {MIDDLE, 0, LAST, ALL};
    enum { PLACES = sizeof places / sizeof places[0] };
    nd_random random = nd_test_random(name);
    for (size_t i = 0; i < count; i++) {
        const int most = variants[i].is_wanted ? PLACES : PLACES - 1;
        for (int j = 0; j < nd_test_rounds(most); j++) {
            check_variant(&variants[i], arc, places[nd_test_case(&random, j, most)]);
        }
    }
}

#define LENGTH "Content-Length: "
static const variant of_warc[] = {
    /* bytes between records, from none at all to what looks like a record */
    {"a NUL before the line ends", NULL, 0, 0, PUT("\0"), true, true},
    {"a NUL between the line ends", NULL, 2, 0, PUT("\0"), true, true},
    {"a NUL after the line ends", NULL, 4, 0, PUT("\0"), true, true},
    {"words", NULL, 0, 0, PUT("some words and\na line\n"), true, true},
    {"other bytes", NULL, 4, 0, PUT("\xff\xfe\x80\x1f\x8b\x08 \x28\xb5\x2f\xfd zz"), true, true},
    {"half a version line", NULL, 4, 0, PUT("WARC/"), true, true},
    {"a version line", NULL, 4, 0, PUT("WARC/1.0\r\n"), true, true},
    {"a header that is cut off", NULL, 4, 0, PUT("WARC/1.0\r\nWARC-Type: respo"), true, true},
    {"a header without a length", NULL, 4, 0, PUT("WARC/1.0\r\nWARC-Type: metadata\r\n\r\n"), true,
     true},
    {"a header with a wrong length", NULL, 4, 0,
     PUT("WARC/1.0\nWARC-Type:a\nContent-Length:99\n\n"), true, true},
    {"no line ends", NULL, 0, 4, PUT(""), true, false},
    {"a line end alone", NULL, 0, 4, PUT("\n"), true, false},
    {"more line ends", NULL, 0, 0, PUT("\r\n\n\n\r\n"), true, false},
    /* wrong lengths, of which digits are put before, after, and in place of others */
    {"ten times as long", LENGTH, 1, 0, PUT("0"), true, true},
    {"much longer", LENGTH, 0, 0, PUT("7"), true, true},
    {"longer than any file", LENGTH, 0, 0, PUT("9999999999"), true, true},
    {"longer than any number", LENGTH, 0, 0, PUT("99999999999999999999"), false, true},
    {"shorter", LENGTH, 0, 1, PUT(""), false, true},
    {"0", LENGTH, 0, 0, PUT("0 "), false, true},
    {"negative", LENGTH, 0, 0, PUT("-"), false, true},
    {"no number", LENGTH, 0, 0, PUT("x"), false, true},
    {"a fraction", LENGTH, 1, 0, PUT("."), false, true},
    {"absent", LENGTH, 0, 0, PUT("\r\nX: "), false, true},
    {"another name", "Content-Le", 0, 0, PUT("e"), false, true},
};

/* ARC's lengths are the last field of a line. */
static const variant of_arc[] = {
    {"a NUL before the line end", NULL, 0, 0, PUT("\0"), true, true},
    {"a NUL after the line end", NULL, 1, 0, PUT("\0"), true, true},
    {"letters", NULL, 1, 0, PUT("abc"), true, true},
    {"words", NULL, 1, 0, PUT("some words and\na line\n"), true, true},
    {"other bytes", NULL, 1, 0, PUT("\xff\xfe\x80\x1f\x8b\x08 \x28\xb5\x2f\xfd zz"), true, true},
    {"a header that is cut off", NULL, 1, 0, PUT("http://b/ 1.2.3.4 2020\n"), true, true},
    {"no line end", NULL, 0, 1, PUT(""), true, false},
    {"more line ends", NULL, 1, 0, PUT("\r\n\n"), true, false},
    {"ten times as long", "text/html ", 1, 0, PUT("0"), true, true},
    {"longer than any file", "text/html ", 0, 0, PUT("9999999999"), true, true},
    {"shorter", "text/html ", 0, 1, PUT(""), false, true},
    {"negative", "text/html ", 0, 0, PUT("-"), false, true},
    {"no number", "text/html ", 0, 0, PUT("x"), false, true},
    {"absent", "text/html", 0, 4, PUT(""), false, true},
};

ND_TEST("torn WARC") {
    check_variants("torn WARC", of_warc, sizeof of_warc / sizeof of_warc[0], false);
}

ND_TEST("torn ARC") {
    check_variants("torn ARC", of_arc, sizeof of_arc / sizeof of_arc[0], true);
}

/* A length off by so much, of one record or of all. */
static void check_step(int step, bool arc, int record) {
    static const variant in_warc = {.field = LENGTH}, in_arc = {.field = "text/html "};
    nd_random random = {9};
    ND_OWNED(nd_torn_free) nd_torn_source source;
    char name[64];
    nd_torn_make(&source, arc, WORDS, &random);
    for (size_t i = 0; i < ND_TORN_RECORDS; i++) {
        if (record != ALL && i != (size_t)record) {
            continue;
        }
        nd_torn_record *r = &source.records[i];
        const size_t at = place_of(r, arc ? &in_arc : &in_warc);
        const char *digits = (const char *)r->bytes.data + at;
        char *end = NULL;
        char length[32];
        (void)snprintf(length, sizeof length, "%ld", strtol(digits, &end, 10) + step);
        nd_torn_edit(&source, i, at, (size_t)(end - digits), nd_test_span(length));
        r->is_wanted = true;
    }
    (void)snprintf(name, sizeof name, "%s, record %d: length off by %d", arc ? "ARC" : "WARC",
                   record, step);
    check_forms(name, &source, step < 0 || step > 4);
}

ND_TEST("small steps") {
    static const int steps[] = {-40, -7, -2, -1, 1, 2, 4, 5, 6, 9, 40, 64, 100};
    static const int places[] = {MIDDLE, 0, LAST, ALL};
    enum { PLACES = sizeof places / sizeof places[0] };
    nd_random random = nd_test_random("small steps");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (int j = 0; j < nd_test_rounds(2 * PLACES); j++) {
            const uint64_t which = nd_test_case(&random, j, 2 * PLACES);
            check_step(steps[i], which % 2 == 1, places[which / 2]);
        }
    }
}

/* Bytes that are gone from the end of a block: the length is too long by as many. */
ND_TEST("ends gone") {
    enum { MOST = 40 };
    nd_random random = nd_test_random("ends gone");
    for (int i = 0; i < nd_test_rounds(2 * MOST); i++) {
        const uint64_t which = nd_test_case(&random, i, 2 * MOST);
        const size_t gone = 1 + (size_t)which / 2;
        ND_OWNED(nd_torn_free) nd_torn_source source;
        char name[64];
        nd_torn_make(&source, which % 2 == 1, WORDS, &random);
        nd_torn_record *r = &source.records[MIDDLE];
        nd_torn_edit(&source, MIDDLE, r->block_end - gone, gone, (nd_span){NULL, 0});
        r->is_wanted = true;
        (void)snprintf(name, sizeof name, "%s: %zu bytes gone before the block's end",
                       source.arc ? "ARC" : "WARC", gone);
        check_forms(name, &source, gone > 4);
    }
}

/* Bytes before the first record cost it nothing. */
ND_TEST("before the first record") {
    static const char *const before[] = {
        "\n\n", "x", "some words\n", "\xef\xbb\xbf", "\x01\x02\x03", "{\"a\": 1}\n"};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        for (int arc = 0; arc < 2; arc++) {
            nd_random random = {i};
            ND_OWNED(nd_torn_free) nd_torn_source source;
            nd_torn_make(&source, arc == 1, WORDS, &random);
            nd_torn_edit(&source, 0, 0, 0, nd_test_span(before[i]));
            check_forms(before[i], &source, before[i][0] != '\n');
        }
    }
}

/* A file that is cut off gives all that is there, and this is told. */
ND_TEST("cut files") {
    enum { LONG_WORDS = 9000, CUTS = 4 };
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        for (unsigned cut = 0; cut < CUTS; cut++) {
            nd_random random = {cut};
            ND_OWNED(nd_torn_free) nd_torn_source source;
            ND_OWNED(nd_buffer_free) nd_buffer file = {0}, last = {0};
            char name[64];
            const bool whole = form == ND_TORN_GZIP_WHOLE || form == ND_TORN_ZSTD_WHOLE;
            nd_torn_make(&source, cut % 2 == 1, LONG_WORDS, &random);
            nd_torn_pack(&source, form, &file);
            /* of a block of zstd nothing is given that is not there whole */
            for (size_t i = whole ? ND_TORN_RECORDS / 3 : LAST; i < ND_TORN_RECORDS; i++) {
                source.records[i].is_torn = true;
            }
            nd_torn_source alone = {.arc = source.arc};
            alone.records[0] = source.records[LAST];
            nd_torn_pack(&alone, whole ? ND_TORN_GZIP_MEMBERS : form, &last);
            /* some bytes at least of the page are there, and some are not */
            const size_t most = whole ? file.size / 40 : last.size - last.size / 10 - 200;
            const size_t least = form == ND_TORN_PLAIN ? 5 : 1;
            const size_t left = file.size - least - (most - least) * cut / (CUTS - 1);
            (void)snprintf(name, sizeof name, "cut%s", nd_torn_ending(form, source.arc));
            const char *path = nd_test_write(name, (nd_span){file.data, left});
            const char *broken = nd_torn_check(&source, path, left, true);
            if (broken != NULL) {
                printf("form %d, cut off at byte %zu of %zu: %s\n", (int)form, left, file.size,
                       broken);
            }
            CU_ASSERT_PTR_NULL(broken);
        }
    }
}

/* Blocks that are not wanted, and longer than what is held of such, swallow nothing either, however
 * many have wrong lengths; one that is right may hold what looks like a record. */
ND_TEST("long blocks") {
    enum { BLOCKS = 18, LONG = (1 << 20) + 1000 };
    for (nd_torn_form form = 0; form < ND_TORN_FORMS; form++) {
        ND_OWNED(nd_torn_free) nd_torn_source source = {.arc = false};
        ND_OWNED(nd_reader_close) nd_reader *reader = NULL;
        nd_record record;
        nd_reader_counts counts;
        ND_OWNED(nd_buffer_free) nd_buffer block = {0}, file = {0};
        nd_random random = {3};
        uint64_t pages = 0;
        nd_torn_make(&source, false, WORDS, &random);
        const size_t fake = source.records[0].bytes.size; /* at the end of the first block */
        nd_buffer_reserve(&block, LONG);
        memset(block.data, ' ', LONG);
        block.size = LONG - fake;
        nd_test_pack(&block, ND_TEST_PLAIN, nd_buffer_span(&source.records[0].bytes));
        for (size_t i = 0; i < BLOCKS; i++) { /* each with a page after it */
            nd_buffer *to = &source.records[i % ND_TORN_RECORDS].bytes;
            nd_test_print(to,
                          "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: image/png\r\n"
                          "Content-Length: %zu\r\n\r\n",
                          i == 0 ? block.size : block.size + (i % 2 == 0 ? 20 : SIZE_MAX / 4));
            const size_t size = i == 0 ? block.size : block.size - fake;
            nd_test_pack(to, ND_TEST_PLAIN, nd_span_part(nd_buffer_span(&block), 0, size));
            nd_test_print(to, "\r\n\r\n");
            nd_test_warc_record(to, "conversion", "http://b/", "2", "text/plain",
                                nd_test_span("a page"));
        }
        nd_torn_pack(&source, form, &file);
        const char *path = nd_test_write("long", nd_buffer_span(&file));
        ND_TEST_MUST(nd_reader_open(path, "", 0, file.size, NULL, &reader));
        while (nd_reader_next(reader, &record) == ND_OK) {
            pages++;
        }
        nd_reader_get_counts(reader, &counts);
        CU_ASSERT_EQUAL(pages, ND_TORN_RECORDS + BLOCKS);
        CU_ASSERT_EQUAL(counts.other, BLOCKS);
        CU_ASSERT_EQUAL(counts.gaps, BLOCKS - 1);
    }
}
