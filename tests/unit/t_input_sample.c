/* Samples of inputs of which everything is known. */
#include "io/input/input_survey.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void folder_of(const char *name, char *path) {
    (void)snprintf(path, 4096, "%s/%s", nd_test_folder(), name);
    (void)mkdir(path, 0777);
}

static void take(const char *path, nd_input_sample *sample) {
    nd_input_list list = {0};
    const nd_reader_options options = {0};
    CU_ASSERT_FATAL(nd_input_list_resolve(&list, &path, 1) == ND_OK);
    CU_ASSERT_FATAL(nd_input_sample_take(&list, &options, false, sample) == ND_OK);
    nd_input_list_free(&list);
}

/* A page of `words` words, 6 bytes each. */
static void put_words(FILE *file, int words) {
    for (int i = 0; i < words; i++) {
        CU_ASSERT(fputs(i % 10 == 9 ? "end. \n" : "words ", file) >= 0);
    }
}

/* Files of pages: 300 of 60 bytes and 100 of 6,000. A place falls into a long one 33 times as often
 * as into a short one; the estimate must not. */
static void test_page_files(void) {
    char folder[4096];
    char path[4200];
    nd_input_sample sample;
    folder_of("pages", folder);
    for (int i = 0; i < 400; i++) {
        (void)snprintf(path, sizeof path, "%s/%03d.txt", folder, i);
        FILE *file = fopen(path, "w");
        CU_ASSERT_FATAL(file != NULL);
        put_words(file, i % 4 == 0 ? 1000 : 10);
        CU_ASSERT(fclose(file) == 0);
    }
    take(folder, &sample);
    CU_ASSERT(sample.files == 400 && sample.bytes == 300 * 60 + 100 * 6000);
    CU_ASSERT(sample.kind_count == 1 && strcmp(sample.kinds[0], "txt") == 0);
    CU_ASSERT(sample.sampled <= 256);
    if (fabs(sample.pages - 400) > 3 * sample.spread * 400 + 1) {
        printf("%g pages, spread %g\n", sample.pages, sample.spread);
        CU_FAIL("pages");
    }
    CU_ASSERT(fabs(sample.page_bytes * sample.pages - sample.bytes) < 1e-6 * sample.bytes);
    /* six bytes a word, of which five and a space, or a full stop and a line end */
    CU_ASSERT(fabs(sample.tokens * 6 - sample.page_bytes) < .02 * sample.page_bytes);
    CU_ASSERT(sample.text_bytes > .5 * sample.page_bytes &&
              sample.text_bytes < 12 * sample.page_bytes);
}

/* A file of many pages: read in part, said to a few per cent. */
static void test_large_file(void) {
    char path[4096];
    nd_input_sample sample;
    enum { PAGES = 60000 };
    (void)snprintf(path, sizeof path, "%s/large.jsonl", nd_test_folder());
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL);
    for (int i = 0; i < PAGES; i++) {
        CU_ASSERT(fprintf(file, "{\"id\":\"p%d\",\"url\":\"http://s%d.example/\",\"text\":\"", i,
                          i % 7) > 0);
        for (int k = 0; k < 60 + i % 100; k++) {
            CU_ASSERT(fputs("words ", file) >= 0);
        }
        CU_ASSERT(fputs("\"}\n", file) >= 0);
    }
    CU_ASSERT(fclose(file) == 0);
    take(path, &sample);
    CU_ASSERT(sample.sampled < 0.7 * (double)PAGES);
    CU_ASSERT(fabs(sample.pages / (double)PAGES - 1) < 0.02);
    CU_ASSERT(fabs(sample.tokens / 109.5 - 1) < 0.02);
    CU_ASSERT(fabs(sample.name_bytes / (5.8 + 18) - 1) < 0.05);
}

/* Bytes that this process has read so far. */
static long long bytes_read(void) {
    long long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    CU_ASSERT_FATAL(file != NULL && fscanf(file, "rchar: %lld", &bytes) == 1);
    CU_ASSERT(fclose(file) == 0);
    return bytes;
}

/* A record of 96 MiB, which no place of 24 reads to its end, be it to learn what the file is (it
 * is the first) or to pass it over. \param[in] alone  in a member of its own, so that the file may
 * be entered behind it */
static void check_giant(const char *name, bool alone) {
    enum { PIECE = 1 << 20, PIECES = 96, PAGES = 400 };
    nd_buffer file = {0};
    nd_buffer record = {0};
    nd_input_sample sample;
    nd_buffer_reserve(&record, (size_t)(PIECES + 1) * PIECE);
    nd_test_print(&record,
                  "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\n"
                  "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n",
                  PIECES * PIECE);
    memset(record.data + record.size, 'a', (size_t)PIECES * PIECE);
    record.size += (size_t)PIECES * PIECE;
    nd_test_print(&record, "\r\n\r\n");
    for (int i = 0; i < PAGES; i++) {
        if (alone) {
            nd_test_pack(&file, ND_TEST_GZIP_STORED, nd_buffer_span(&record));
            record.size = 0;
        }
        nd_test_warc_record(&record, "conversion", "http://b/", "urn:b", "text/plain",
                            nd_test_span("some words"));
    }
    nd_test_pack(&file, ND_TEST_GZIP_STORED, nd_buffer_span(&record));
    const char *path = nd_test_write(name, nd_buffer_span(&file));
    const long long before = bytes_read();
    take(path, &sample);
    const long long bytes = bytes_read() - before;
    CU_ASSERT(sample.kind_count == 1 && strcmp(sample.kinds[0], "warc.gz") == 0);
    if (bytes > 64 << 20) {
        printf("%s: %lld bytes were read\n", name, bytes);
        CU_FAIL("bytes");
    }
    nd_buffer_free(&file);
    nd_buffer_free(&record);
}

static void test_giant(void) {
    check_giant("alone.warc.gz", true);
    check_giant("one.warc.gz", false);
}

/* A file that is gone when it is looked at is left out. */
static void test_gone(void) {
    char folder[4096];
    char path[2][4200];
    const char *argument = folder;
    nd_input_list list = {0};
    nd_input_sample sample;
    const nd_reader_options options = {0};
    folder_of("gone", folder);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%d.txt", folder, i);
        FILE *file = fopen(path[i], "w");
        CU_ASSERT_FATAL(file != NULL);
        put_words(file, 100);
        CU_ASSERT(fclose(file) == 0);
    }
    CU_ASSERT_FATAL(nd_input_list_resolve(&list, &argument, 1) == ND_OK);
    CU_ASSERT_EQUAL(remove(path[1]), 0);
    CU_ASSERT_EQUAL(nd_input_sample_take(&list, &options, false, &sample), ND_OK);
    CU_ASSERT(sample.files == 2 && sample.sampled >= 1);
    CU_ASSERT(sample.pages > .9 && sample.pages < 2.1);
    nd_input_list_free(&list);
}

static void test_nothing(void) {
    char path[4096];
    nd_input_sample sample;
    (void)snprintf(path, sizeof path, "%s/empty.txt", nd_test_folder());
    FILE *file = fopen(path, "w");
    CU_ASSERT_FATAL(file != NULL && fclose(file) == 0);
    take(path, &sample);
    CU_ASSERT(sample.sampled == 0 && sample.pages == 0 && sample.bytes == 0);
}

static const nd_test tests[] = {
    {"files of pages", test_page_files}, {"a large file", test_large_file},
    {"a giant record", test_giant},      {"a file that is gone", test_gone},
    {"nothing", test_nothing},
};
ND_SUITE(t_input_sample, tests)
