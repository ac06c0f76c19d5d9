/* Dates as inputs write them: every form, what is none, random ones against the C library's
 * calendar, and that readers hand them on. */
#include "io/input/fields.h"
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void check(const char *text, uint64_t seconds) {
    const uint64_t got = nd_date_read(nd_test_span(text));
    if (got != seconds) {
        printf("%s: %llu, not %llu\n", text, (unsigned long long)got, (unsigned long long)seconds);
        CU_FAIL("date");
    }
}

static void test_forms(void) {
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

static void test_none(void) {
    static const char *const texts[] = {"",
                                        "-",
                                        "yesterday",
                                        "2024-",
                                        "2024-0",
                                        "2024-01-",
                                        "2024-01-0",
                                        "2024-01-01T",
                                        "2024-01-01T1",
                                        "2024-01-01T12:",
                                        "2024-01-01T12:3",
                                        "2024-01-01T12:30:",
                                        "2024-01-01T12:30:5",
                                        "2024-01-01T12:30:00+24:00",
                                        "2024-01-01T12:30:00+01:60",
                                        "2024-01-01T12:30:00+01:5",
                                        "2024-01-01T12:30:00+01:000",
                                        "2024/01/01",
                                        "1709210096.x",
                                        "999999999999",
                                        "2024-02-30",
                                        "2023-02-29",
                                        "2024-13-01",
                                        "2024-00-01",
                                        "2024-01-00",
                                        "2024-1-1",
                                        "2024-01-01T24:00:00Z",
                                        "2024-01-01T12",
                                        "2024-01-01T12:60Z",
                                        "2024-01-01T12:00:61Z",
                                        "2024-01-01T12:00:00X",
                                        "2024-01-01T12:00:00+1",
                                        "2024-01-01T12:00:00Z!",
                                        "1969-12-31T23:59:59Z",
                                        "1970-01-01T00:30:00+01:00",
                                        "9999-12-31T23:59:59-01:00",
                                        "1900-02-29",
                                        "12345",
                                        "1234567",
                                        "0000000000000000000000000000",
                                        "17092100961709210096",
                                        "17092100960000",
                                        "20241301",
                                        "2024-01-01T12:00:00+24:00"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check(texts[i], 0);
    }
}

static void test_calendar(void) {
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
    nd_reader *reader = NULL;
    nd_record record;
    size_t pages = 0;
    const char *path = nd_test_write(name, nd_buffer_span(file));
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, file->size, &options, &reader), ND_OK);
    while (nd_reader_next(reader, &record) == ND_OK && pages < count) {
        CU_ASSERT_EQUAL(record.date, dates[pages]);
        pages++;
    }
    CU_ASSERT_EQUAL(pages, count);
    nd_reader_close(&reader);
}

static void test_readers(void) {
    static const char http[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text";
    nd_buffer file = {0};
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
    nd_buffer_free(&file);
}

static const nd_test tests[] = {{"every form", test_forms},
                                {"what is no date", test_none},
                                {"random dates, by the calendar", test_calendar},
                                {"dates of records", test_readers}};

ND_SUITE(t_date, tests)
