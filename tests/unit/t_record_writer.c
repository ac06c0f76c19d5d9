/* What the writer of crawls writes, the reader reads: same pages, same bytes, under the final name
 * only when complete. */
#include "io/input/records.h"
#include "io/store/own_file.h"

#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGES = 5 };

/* Bytes that need care in JSON and in WARC. */
static const char *const bodies[PAGES] = {
    "<html><p>plain</p></html>", "<p>quote \" backslash \\ tab \t line\r\nend</p>", "<p>\x01</p>",
    "<p>\xe6\xbc\xa2\xe5\xad\x97</p>\n\n", "<p>WARC/1.1\r\n\r\nWARC/1.1</p>"};

static void write_file(const char *path, nd_record_format format) {
    nd_record_writer *writer = NULL;
    char partial[600];
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    CU_ASSERT_EQUAL_FATAL(nd_record_writer_open(path, format, &writer), ND_OK);
    for (int i = 0; i < PAGES; i++) {
        char id[32], url[64];
        (void)snprintf(id, sizeof id, "urn:test:%d", i);
        (void)snprintf(url, sizeof url, "http://a.example/%d?x=\"%d\"", i, i);
        const nd_written_page page = {nd_test_span(id), nd_test_span(url), nd_test_span(bodies[i])};
        CU_ASSERT_EQUAL(nd_record_writer_add(writer, &page), ND_OK);
    }
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(access(partial, F_OK), 0);
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_OK), ND_OK);
    CU_ASSERT_PTR_NULL(writer);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
}

static bool is_text(nd_span span, const char *text) {
    return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)printf("skipped: %s\n", reason);
    ++*(int *)context;
}

static void check_file(const char *path, const char *format) {
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    int skipped = 0;
    const nd_reader_options options = {.skip = count_skip, .skip_context = &skipped};
    CU_ASSERT_EQUAL_FATAL(nd_source_look(path, NULL, &shape), ND_OK);
    CU_ASSERT_STRING_EQUAL(shape.format, format);
    CU_ASSERT_TRUE(shape.splittable);
    CU_ASSERT_EQUAL_FATAL(nd_reader_open(path, "", 0, shape.bytes, &options, &reader), ND_OK);
    for (int i = 0; i < PAGES; i++) {
        char id[32], url[64];
        (void)snprintf(id, sizeof id, "urn:test:%d", i);
        (void)snprintf(url, sizeof url, "http://a.example/%d?x=\"%d\"", i, i);
        CU_ASSERT_EQUAL_FATAL(nd_reader_next(reader, &record), ND_OK);
        CU_ASSERT_EQUAL(record.content, ND_CONTENT_HTML);
        CU_ASSERT_TRUE(is_text(record.id, id));
        CU_ASSERT_TRUE(is_text(record.url, url));
        CU_ASSERT_TRUE(is_text(record.text, bodies[i]));
    }
    CU_ASSERT_EQUAL(nd_reader_next(reader, &record), ND_END);
    CU_ASSERT_EQUAL(skipped, 0);
    nd_reader_close(&reader);
}

static void test_warc(void) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/a.warc.gz", nd_test_folder());
    write_file(path, ND_RECORD_WARC);
    check_file(path, "warc.gz");
}

static void test_jsonl(void) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/a.jsonl", nd_test_folder());
    write_file(path, ND_RECORD_JSONL);
    check_file(path, "jsonl");
}

static void test_failures(void) {
    nd_record_writer *writer = NULL;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/missing/a.warc.gz", nd_test_folder());
    CU_ASSERT_EQUAL(nd_record_writer_open(path, ND_RECORD_WARC, &writer), ND_ERR_IO);
    CU_ASSERT_PTR_NULL(writer);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
    (void)snprintf(path, sizeof path, "%s/b.warc.gz", nd_test_folder());
    CU_ASSERT_EQUAL_FATAL(nd_record_writer_open(path, ND_RECORD_WARC, &writer), ND_OK);
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_ERR_MEMORY), ND_ERR_MEMORY);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_ERR_IO), ND_ERR_IO);
}

/* A file may have no more than a few bytes, as on a full disk. */
static void test_full_disk(void) {
    nd_record_writer *writer = NULL;
    char path[512];
    struct rlimit limit;
    (void)snprintf(path, sizeof path, "%s/full.jsonl", nd_test_folder());
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    const struct rlimit small = {.rlim_cur = 10, .rlim_max = limit.rlim_max};
    CU_ASSERT_EQUAL_FATAL(nd_record_writer_open(path, ND_RECORD_JSONL, &writer), ND_OK);
    const nd_written_page page = {nd_test_span("a"), nd_test_span("b"), nd_test_span("c")};
    CU_ASSERT_EQUAL(nd_record_writer_add(writer, &page), ND_OK);
    (void)setrlimit(RLIMIT_FSIZE, &small);
    const nd_status st = nd_record_writer_close(&writer, ND_OK);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    CU_ASSERT_EQUAL(st, ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "full.jsonl"));
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
}

/* A link under the unfinished name, or the final one, leads to a file that is not touched. */
static void test_links(void) {
    char path[512], partial[600], target[512];
    nd_record_writer *writer = NULL;
    struct stat info;
    (void)snprintf(path, sizeof path, "%s/linked.jsonl", nd_test_folder());
    (void)snprintf(partial, sizeof partial, "%s%s", path, ND_PARTIAL_SUFFIX);
    (void)snprintf(target, sizeof target, "%s", nd_test_write("target", nd_test_span("precious")));
    CU_ASSERT_EQUAL_FATAL(symlink(target, partial), 0);
    CU_ASSERT_EQUAL(nd_record_writer_open(path, ND_RECORD_JSONL, &writer), ND_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), "symbolic link"));
    CU_ASSERT_TRUE(stat(target, &info) == 0 && info.st_size == 8);
    CU_ASSERT_TRUE(lstat(partial, &info) == 0 && S_ISLNK(info.st_mode));
    CU_ASSERT_EQUAL_FATAL(rename(partial, path), 0);
    CU_ASSERT_EQUAL_FATAL(nd_record_writer_open(path, ND_RECORD_JSONL, &writer), ND_OK);
    CU_ASSERT_EQUAL(nd_record_writer_close(&writer, ND_OK), ND_ERR_IO);
    CU_ASSERT_TRUE(lstat(path, &info) == 0 && S_ISLNK(info.st_mode));
    CU_ASSERT_TRUE(stat(target, &info) == 0 && info.st_size == 8);
    CU_ASSERT_NOT_EQUAL(access(partial, F_OK), 0);
}

static const nd_test tests[] = {
    {"WARC, a gzip member per record", test_warc},
    {"JSONL", test_jsonl},
    {"failures", test_failures},
    {"a full disk", test_full_disk},
    {"links that are not followed", test_links},
};

ND_SUITE(t_record_writer, tests)
