/* Real archives, good and malformed: every file ends in pages or in one clear message, and the
 * counts of records are those of an independent reader but for the exceptions listed here. */
#include "io/input/reader.h"
#include "src/base/sort.h"
#include "tests/support/check.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files whose count differs from the index, with the count that is right for this reader. */
static const struct {
    const char *file;
    uint64_t records;
    const char *reason;
} exceptions[] = {
    {"jwat/invalid-arcfile-record-then-garbage.arc", 2, "the garbage counts as one lost record"},
    {"aut/badexample.arc.gz", 9, "a record without a date, and three that are cut off"},
    {"jwat/invalid-truncated.gz", 2, "a text file, cut off: one page, and the cut"},
    {"jwat/sample.txt.gz", 1, "a text file: one page"},
    {"jwat/three-files.gz", 1, "a text file in three members: one page"},
    {"jwat/test-arc-1.0-dashed-fields.arc", 3,
     "the version record counts, and so do the blanks after the last record"},
    {"jwat/test-arc-1.0-invalid-fields.arc", 3,
     "the version record counts, and so do the blanks after the last record"},
    {"warcio/bad.arc", 3, "goes on after the bad header, where the index stops"},
    {"warcio/example-space-in-url.arc", 3,
     "the index lost the version record; the other one is cut off"},
    {"warcio/example-trunc.warc", 5, "bytes after a block that is too short: one lost record"},
    {"jwat/valid-warcfile-upper-lower-case.warc", 5,
     "the index lost two in which WARC is lower case"},
};

typedef struct crawl_counts {
    nd_reader_counts counts;
    nd_buffer pages; /* a line of URL, TAB, content and length, then the text, for each page */
    uint64_t skips;
} crawl_counts;

static void count_skip(void *context, uint64_t offset, const char *reason) {
    crawl_counts *found = context;
    (void)offset;
    CU_ASSERT_TRUE(reason != NULL && reason[0] != '\0' && strchr(reason, '\n') == NULL);
    found->skips++;
}

static nd_status read_whole(const char *path, crawl_counts *found) {
    nd_status st = ND_OK;
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    nd_reader_options options = {.skip = count_skip, .skip_context = found};
    *found = (crawl_counts){.skips = 0};
    ND_TRY(nd_source_look(path, NULL, &shape));
    ND_TRY(nd_reader_open(path, "file://test", 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        nd_test_print(&found->pages, "%.*s\t%d\t%zu\n", (int)record.url.size,
                      (const char *)record.url.data, (int)record.content, record.text.size);
        nd_buffer_append(&found->pages, record.text.data, record.text.size);
    }
    nd_reader_get_counts(reader, &found->counts);
    const nd_reader_counts *counts = &found->counts;
    CU_ASSERT_EQUAL(counts->records, counts->pages + counts->other + counts->skipped);
    CU_ASSERT_EQUAL(counts->skipped, found->skips);
    CU_ASSERT_EQUAL(counts->bytes, shape.bytes);
out:
    nd_reader_close(&reader);
    return st;
}

static uint64_t expected_records(const char *file, uint64_t index_records) {
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (strcmp(exceptions[i].file, file) == 0) {
            printf("%s: %" PRIu64 " records, the index has %" PRIu64 ": %s\n", file,
                   exceptions[i].records, index_records, exceptions[i].reason);
            return exceptions[i].records;
        }
    }
    return index_records;
}

static void check_file(const char *file, uint64_t index_records) {
    char name[600];
    crawl_counts found;
    (void)snprintf(name, sizeof name, "crawl/%s", file);
    const char *path = nd_test_data(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    const nd_status st = read_whole(path, &found);
    if (st == ND_END) {
        const uint64_t expected = expected_records(file, index_records);
        if (found.counts.records != expected) {
            printf("%s: %" PRIu64 " records, not %" PRIu64 "\n", file, found.counts.records,
                   expected);
        }
        CU_ASSERT_EQUAL(found.counts.records, expected);
    } else {
        CU_ASSERT_EQUAL(st, ND_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), file));
        CU_ASSERT_STRING_EQUAL(file, "jwat/invalid-magic.gz"); /* the only one of no use at all */
    }
    nd_buffer_free(&found.pages);
}

static void test_counts_match_the_index(void) {
    const char *index = nd_test_data("crawl/INDEX.tsv");
    if (index == NULL) {
        return;
    }
    FILE *file = fopen(index, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char line[1024];
    unsigned files = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char name[512];
        uint64_t bytes, members, warc, arc;
        if (sscanf(line, "%511[^\t]\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, name, &bytes,
                   &members, &warc, &arc) == 5) {
            check_file(name, warc + arc);
            files++;
        }
    }
    (void)fclose(file);
    CU_ASSERT_TRUE(files > 50);
}

/* ---- one crawl stored in two formats */

typedef struct page_line {
    const char *line;
    size_t size;
} page_line;

static int compare_lines(const void *a, const void *b) {
    const page_line *left = a;
    const page_line *right = b;
    const size_t shorter = left->size < right->size ? left->size : right->size;
    const int order = memcmp(left->line, right->line, shorter);
    return order != 0 ? order : (left->size > right->size) - (left->size < right->size);
}

/* The pages of a file as (header line and text), in the order of their URLs. */
static size_t sorted_pages(const crawl_counts *found, page_line *lines, size_t most,
                           unsigned *html) {
    size_t count = 0;
    const char *at = (const char *)found->pages.data;
    const char *end = at + found->pages.size;
    *html = 0;
    while (at < end && count < most) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        int content = 0;
        size_t size = 0;
        CU_ASSERT_EQUAL_FATAL(sscanf(tab, "\t%d\t%zu", &content, &size), 2);
        const char *text = (const char *)memchr(tab, '\n', (size_t)(end - tab)) + 1;
        *html += content == ND_CONTENT_HTML;
        lines[count++] = (page_line){at, (size_t)(text - at) + size};
        at = text + size;
    }
    nd_sort(lines, count, sizeof *lines, compare_lines);
    return count;
}

static void test_arc_and_warc_of_one_crawl_agree(void) {
    enum { MOST = 1000 };
    static page_line arc_pages[MOST], warc_pages[MOST];
    crawl_counts arc = {.skips = 0};
    crawl_counts warc = {.skips = 0};
    unsigned arc_html = 0;
    unsigned warc_html = 0;
    const char *path = nd_test_data("crawl/aut/example.arc.gz");
    if (path == NULL) {
        return;
    }
    CU_ASSERT_EQUAL(read_whole(path, &arc), ND_END);
    CU_ASSERT_EQUAL(read_whole(nd_test_data("crawl/aut/example.warc.gz"), &warc), ND_END);
    const size_t count = sorted_pages(&arc, arc_pages, MOST, &arc_html);
    CU_ASSERT_EQUAL_FATAL(sorted_pages(&warc, warc_pages, MOST, &warc_html), count);
    /* of the 140 HTML responses 46 are redirects or not found; 36 of plain text are pages too */
    CU_ASSERT_EQUAL(arc_html, 94);
    CU_ASSERT_EQUAL(warc_html, 94);
    CU_ASSERT_EQUAL(count, 94 + 36);
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_EQUAL(compare_lines(&arc_pages[i], &warc_pages[i]), 0);
    }
    nd_buffer_free(&arc.pages);
    nd_buffer_free(&warc.pages);
}

static const nd_test tests[] = {
    {"counts match the index", test_counts_match_the_index},
    {"ARC and WARC of one crawl agree", test_arc_and_warc_of_one_crawl_agree},
};
ND_SUITE(t_reader_crawl, tests)
