/* Damaged and cut-off sources: no crash, no hang, counts that add up, text that is UTF-8, and where
 * only one record is damaged all the others are still delivered. A walk over all records meets each
 * page where a reader has met it. */
#include "io/input/charset.h"
#include "io/input/reader.h"
#include "tests/support/check.h"
#include "tests/support/met_pages.h"
#include "tests/support/warc_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS = 30, ROUNDS = 60, FILE_ROUNDS = 4, LONGEST_FILE = 300 << 10 };

static void count_skip(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    CU_ASSERT_TRUE(reason[0] != '\0');
    ++*(uint64_t *)context;
}

/* ---- readers */

/* Read [begin, end) and check what holds for any input. \return pages */
static uint64_t read_range(const char *path, uint64_t begin, uint64_t end) {
    nd_reader *reader = NULL;
    nd_record record;
    uint64_t skips = 0;
    uint64_t checksum = 0;
    uint64_t pages = 0;
    nd_met_pages met = {.count = 0};
    nd_reader_options options = {.skip = count_skip, .skip_context = &skips};
    nd_status st = nd_reader_open(path, "file://x/y", begin, end, &options, &reader);
    if (st != ND_OK) {
        CU_ASSERT_EQUAL(st, ND_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(nd_fail_text(), path));
        return 0;
    }
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        CU_ASSERT_EQUAL(nd_utf8_valid_bytes(record.text), record.text.size);
        pages++;
        CU_ASSERT_EQUAL_FATAL(nd_met_pages_add(&met, &record), ND_OK);
    }
    CU_ASSERT_EQUAL(st, ND_END);
    if (begin == 0 && end == nd_reader_identity(reader, &checksum).bytes) {
        const char *broken = nd_met_pages_walk(&met, path, &options);
        CU_ASSERT_STRING_EQUAL(broken != NULL ? broken : "", "");
    }
    nd_met_pages_free(&met);
    nd_reader_counts counts;
    nd_reader_get_counts(reader, &counts);
    CU_ASSERT_EQUAL(counts.pages, pages);
    CU_ASSERT_EQUAL(counts.skipped, skips);
    CU_ASSERT_EQUAL(counts.records, counts.pages + counts.other + counts.skipped);
    nd_reader_close(&reader);
    return pages;
}

/* ---- sources made here */

static nd_buffer make_source(nd_random *random, nd_test_packing packing, bool arc) {
    nd_buffer file = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        nd_buffer body = {0};
        nd_buffer http = {0};
        nd_buffer record = {0};
        char url[32];
        (void)snprintf(url, sizeof url, "http://site/%u", i);
        for (uint64_t words = nd_random_below(random, 400); words > 0; words--) {
            nd_test_print(&body, "word%" PRIu64 " ", nd_random_below(random, 100));
        }
        nd_test_http(&http, 200, "text/html", "", nd_buffer_span(&body));
        if (arc) {
            nd_test_arc_record(&record, url, "text/html", nd_buffer_span(&http));
        } else {
            nd_test_warc_record(&record, "response", url, "urn:x", "application/http",
                                nd_buffer_span(&http));
        }
        nd_test_pack(&file, packing, nd_buffer_span(&record));
        nd_buffer_free(&body);
        nd_buffer_free(&http);
        nd_buffer_free(&record);
    }
    return file;
}

/* \param[in] name  of the file: it counts where the first bytes are damaged */
static void check_made(const char *name, nd_test_packing packing, bool arc) {
    nd_random random = nd_test_random(name);
    for (int round = 0; round < nd_test_rounds(ROUNDS); round++) {
        nd_buffer file = make_source(&random, packing, arc);
        CU_ASSERT_EQUAL(read_range(nd_test_write(name, nd_buffer_span(&file)), 0, file.size),
                        RECORDS);
        /* gzip gives all that comes before the cut; a block of zstd is whole or nothing */
        const nd_span cut = {file.data, file.size - 1};
        CU_ASSERT_EQUAL(read_range(nd_test_write(name, cut), 0, cut.size),
                        packing == ND_TEST_ZSTD ? RECORDS - 1 : RECORDS);
        /* a byte spoils the record it is in, and at worst the one whose header it pretends to be */
        const bool first = nd_random_below(&random, 4) == 0;
        const size_t at = (size_t)nd_random_below(&random, first ? 300 : file.size);
        file.data[at] ^= (uint8_t)(1 + nd_random_below(&random, 255));
        const char *path = nd_test_write(name, nd_buffer_span(&file));
        const uint64_t pages = read_range(path, 0, file.size);
        if (pages < RECORDS - 2) {
            printf("%s: %" PRIu64 " pages left, byte %zu damaged\n", name, pages, at);
        }
        CU_ASSERT_TRUE(pages >= RECORDS - 2);
        const uint64_t middle = nd_random_below(&random, file.size);
        (void)read_range(path, 0, middle);
        (void)read_range(path, middle, file.size);
        nd_buffer_free(&file);
    }
}

static void test_made_sources(void) {
    check_made("made.warc", ND_TEST_PLAIN, false);
    check_made("made.warc.gz", ND_TEST_GZIP, false);
    check_made("made.warc.zst", ND_TEST_ZSTD, false);
    check_made("made.arc", ND_TEST_PLAIN, true);
    check_made("made.arc.gz", ND_TEST_GZIP, true);
    check_made("made.arc.zst", ND_TEST_ZSTD, true);
}

/* A walk finds the page where a reader does: after line ends in front of its line, and after a
 * record without a length in its member. */
static void test_odd_starts(void) {
    static const char line[] = "\r{\"text\": \"a\"}\n\r{\"text\": \"b\"}\n";
    nd_buffer record = {0};
    nd_buffer file = {0};
    CU_ASSERT_EQUAL(read_range(nd_test_write("odd.jsonl", nd_test_span(line)), 0, sizeof line - 1),
                    2);
    nd_test_print(&record, "WARC/1.0\r\n\r\n");
    nd_test_warc_record(&record, "resource", "http://a/", "urn:a", "text/html",
                        nd_test_span("<p>a"));
    nd_test_pack(&file, ND_TEST_GZIP, nd_buffer_span(&record));
    CU_ASSERT_EQUAL(read_range(nd_test_write("odd.warc.gz", nd_buffer_span(&file)), 0, file.size),
                    1);
    nd_buffer_free(&record);
    nd_buffer_free(&file);
}

/* ---- real files */

static void check_file(const char *path, nd_random *random) {
    nd_buffer file = nd_test_read(path);
    const char *copy = nd_test_write("s", (nd_span){file.data, file.size - 1});
    (void)read_range(copy, 0, file.size - 1);
    for (int round = 0; round < nd_test_rounds(FILE_ROUNDS); round++) {
        const uint64_t hits = 1 + nd_random_below(random, 8);
        for (uint64_t i = 0; i < hits; i++) {
            file.data[nd_random_below(random, file.size)] = (uint8_t)nd_random_next(random);
        }
        copy = nd_test_write("s", nd_buffer_span(&file));
        const uint64_t middle = nd_random_below(random, file.size);
        (void)read_range(copy, 0, file.size);
        (void)read_range(copy, 0, middle);
        (void)read_range(copy, middle, file.size);
    }
    nd_buffer_free(&file);
}

static void test_real_files(void) {
    const char *index = nd_test_data("crawl/INDEX.tsv");
    if (index == NULL) {
        return;
    }
    nd_random random = nd_test_random("real files");
    FILE *file = fopen(index, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char line[1024];
    while (fgets(line, sizeof line, file) != NULL) {
        char name[512];
        char path[600];
        uint64_t bytes = 0;
        if (sscanf(line, "%511[^\t]\t%" SCNu64, name, &bytes) == 2 && bytes <= LONGEST_FILE) {
            (void)snprintf(path, sizeof path, "crawl/%s", name);
            check_file(nd_test_data(path), &random);
        }
    }
    (void)fclose(file);
}

static const nd_test tests[] = {
    {"sources made here", test_made_sources},
    {"odd starts", test_odd_starts},
    {"real files", test_real_files},
};
ND_SUITE(p_reader_damage, tests)
